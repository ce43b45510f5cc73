"""What pages ask for, done: each `do` of `messages.py` by name, allowed or refused, answered once.

Whatever cannot be is refused in words and changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote

import msgspec

from emberboard.engine.catalogue import Catalogue, load_catalogue
from emberboard.engine.entry_words import choices
from emberboard.engine.errors import EmberboardError, Refused
from emberboard.engine.example_file import nearest
from emberboard.engine.question import Json
from emberboard.engine.what_if import what_if
from emberboard.games import registry
from emberboard.games.desk import DESKS, desk_of
from emberboard.play.reports import report_error
from emberboard.store.saves import delete, list_saves, save_named
from emberboard.table import hardware as inputs
from emberboard.web import messages as m
from emberboard.web.capsule import capsule_of
from emberboard.web.parlour import Page, Parlour

Done = Callable[[Any, Page], Awaitable[Json]]


class Ask(Refused):
    """It can be done, but only when the page says so again: `data` is what it should know first."""

    def __init__(self, words: str, data: Json) -> None:
        super().__init__(words)
        self.data = data


class Errands:
    """Runs errands in a parlour."""

    def __init__(self, parlour: Parlour) -> None:
        self.parlour = parlour
        self._catalogues: dict[str, Catalogue] = {}
        self._ways: dict[type[m.Do], Done] = {
            m.Answer: self.answer,
            m.Take: self.take,
            m.Roll: self.roll,
            m.Pass: self.pass_ahead,
            m.HoldOn: self.hold,
            m.Undo: self.undo,
            m.Redo: self.redo,
            m.Fixable: self.fixable,
            m.Fix: self.fix,
            m.Change: self.change,
            m.Rule: self.rule,
            m.Odds: self.odds,
            m.WhatIf: self.what_if,
            m.NotNow: self.not_now,
            m.Capsule: self.capsule,
            m.Settle: self.settle,
            m.Claim: self.claim,
            m.Leave: self.leave,
            m.Trust: self.trust,
            m.Saves: self.saves,
            m.Scenarios: self.scenarios,
            m.Begin: self.begin,
            m.GoOn: self.go_on,
            m.Close: self.close,
            m.Delete: self.delete,
            m.Finger: self.finger,
            m.Hands: self.hands,
            m.Watch: self.watch,
        }

    async def run(self, one: m.AnyDo, page: Page) -> m.Reply:
        """Do it; the reply says what came of it."""
        way = self._ways.get(type(one))
        if way is None:
            return m.Reply(ref=one.ref, ok=False, words="A page says hello once, when it comes.")
        try:
            data = await way(one, page)
        except Ask as asked:
            return m.Reply(ref=one.ref, ok=False, words=str(asked), data=asked.data)
        except EmberboardError as error:
            return m.Reply(ref=one.ref, ok=False, words=str(error))
        except Exception as error:  # noqa: BLE001 - the last stop: players get words, those who mend it get the report
            told = report_error(error, f"a page asked: {type(one).__name__}")
            return m.Reply(ref=one.ref, ok=False, words=f"{told} Play goes on.")
        return m.Reply(ref=one.ref, ok=True, data=data)

    # -- play ---------------------------------------------------------------------------------------------------------

    def _now(self) -> int:
        return self.parlour.playing().table.clock()

    async def answer(self, one: m.Answer, page: Page) -> Json:
        """Answer the pending question."""
        seat = self.parlour.seating.speaker(page.who, one.seat)
        self.parlour.submit(inputs.Click(at=self._now(), question=one.question, value=one.value, seat=seat))

    async def take(self, one: m.Take, page: Page) -> Json:
        """Take an offer."""
        seat = self.parlour.seating.speaker(page.who, one.seat)
        self.parlour.submit(inputs.Click(at=self._now(), question=one.question, offer=one.offer, seat=seat))

    async def roll(self, one: m.Roll, page: Page) -> Json:
        """Let the program roll or draw."""
        seat = self.parlour.seating.speaker(page.who, one.seat)
        self.parlour.submit(inputs.Throw(at=self._now(), question=one.question, seat=seat))

    async def pass_ahead(self, one: m.Pass, page: Page) -> Json:
        """Let windows go by."""
        scopes = self.parlour.playing().desk.scopes
        if one.until and one.until not in scopes:
            raise Refused(f"One can pass until the end of: {', '.join(scopes)}; not of {one.until!r}.")
        seat = self.parlour.seating.speaker(page.who, one.seat)
        self.parlour.submit(inputs.PassAhead(at=self._now(), seat=seat, until=one.until))

    async def hold(self, one: m.HoldOn, page: Page) -> Json:
        """Ask the table to wait."""
        seat = self.parlour.seating.speaker(page.who, one.seat)
        self.parlour.submit(inputs.Hold(at=self._now(), seat=seat))

    async def undo(self, one: m.Undo, page: Page) -> Json:
        """Take back."""
        self.parlour.seating.player(page.who)
        if one.count < 0:
            raise Refused("A number of inputs from 1 on, or 0 for the last decision.")
        self.parlour.submit(inputs.TakeBack(at=self._now(), count=one.count))

    async def redo(self, one: m.Redo, page: Page) -> Json:
        """Take back what was taken back."""
        self.parlour.seating.player(page.who)
        self.parlour.submit(inputs.DoAgain(at=self._now()))

    async def fixable(self, one: m.Fixable, page: Page) -> Json:
        """The last answers, newest first, each with its question where it can still be asked.

        Of a question that each answers in secret a page gets its own seats' answers only.
        """
        self.parlour.seating.player(page.who)
        session, mine = self.parlour.playing().session, self.parlour.seating.of(page.who)
        pending = session.question
        secret = pending.hash if pending is not None and pending.who.mode == "each" else ""
        inputs_so_far = [entry.id for entry in session.journal.tree.path() if not entry.failed]
        found = []
        for choice in choices(session, {}):
            if choice.entry.hash == secret and choice.entry.seat not in mine:
                continue
            asked = session.fork(choice.entry.parent).question
            fits = asked is not None and asked.hash == choice.entry.hash
            found.append(
                {
                    "entry": choice.entry.id,
                    "back": len(inputs_so_far) - inputs_so_far.index(choice.entry.id),
                    "value": choice.entry.value,
                    "words": choice.value,
                    "about": asked.prompt if asked is not None and fits else choice.about,
                    "question": msgspec.to_builtins(asked) if fits else None,
                }
            )
        return found

    async def fix(self, one: m.Fix, page: Page) -> Json:
        """Put an earlier answer right: one's own, or one that anybody could have given."""
        self.parlour.seating.player(page.who)
        session = self.parlour.playing().session
        entry = session.journal.tree.entries.get(one.entry)
        if entry is not None:
            asked = session.fork(entry.parent).question
            alone = asked.who.seats if asked is not None and asked.who.mode == "one" else ()
            owner = entry.seat or (alone[0] if len(alone) == 1 else "")
            if owner:
                self.parlour.seating.speaker(page.who, owner)
        self.parlour.submit(inputs.Correct(at=self._now(), entry=one.entry, value=one.value))

    async def change(self, one: m.Change, page: Page) -> Json:
        """Change the state by agreement."""
        seat = self.parlour.seating.speaker(page.who, one.seat)
        self.parlour.submit(inputs.Adjust(at=self._now(), change=one.change, seat=seat))

    async def settle(self, one: m.Settle, page: Page) -> Json:
        """OK or No while figures or the bag are put right; what is open by then is answered by nobody."""
        self.parlour.seating.player(page.who)
        if self.parlour.playing().table.controller.phase not in ("mending", "bag"):
            raise Refused("That is done already.")
        self.parlour.submit(inputs.Key(at=self._now(), name="OK" if one.ok else "No"))

    # -- explanations -------------------------------------------------------------------------------------------------

    async def rule(self, one: m.Rule, page: Page) -> Json:
        """A rule's text."""
        game = self.parlour.playing().session.game.name
        if game not in self._catalogues:
            self._catalogues[game] = load_catalogue(registry.folder(game))
        rules = self._catalogues[game].rules
        found = rules.get(one.id.upper())
        if found is None:
            raise Refused(f"There is no rule {one.id}; {nearest(one.id.upper(), rules)}.")
        return msgspec.to_builtins(found)

    async def odds(self, one: m.Odds, page: Page) -> Json:
        """The odds of the pending question."""
        session = self.parlour.playing().session
        pending, game = session.question, session.game
        if pending is None:
            return None
        rows = [msgspec.to_builtins(row) for row in game.odds_table(pending)]
        return {"question": pending.id, "lines": game.odds(pending), "rows": rows}

    async def what_if(self, one: m.WhatIf, page: Page) -> Json:
        """What would come of an answer."""
        seat = self.parlour.seating.speaker(page.who, one.seat)
        session = self.parlour.playing().session
        pending = session.question
        if pending is None or pending.id != one.question:
            raise Refused("Another question is open now: look at that one.")
        if pending.who.mode == "each":
            raise Refused("Each answers this in secret, so nobody can see ahead what comes of it.")
        seen = what_if(session, one.value, seat)
        mine = self.parlour.seating.of(page.who)
        news = tuple(note for note in seen.news if not note.seat or note.seat in mine)
        return msgspec.to_builtins(msgspec.structs.replace(seen, news=news))

    async def not_now(self, one: m.NotNow, page: Page) -> Json:
        """What a seat's Characters cannot do now, and why; nothing while no question is open."""
        seat = self.parlour.seating.speaker(page.who, one.seat)
        session = self.parlour.playing().session
        pending = session.question
        return [] if pending is None else msgspec.to_builtins(list(session.game.not_now(pending, seat)))

    async def capsule(self, one: m.Capsule, page: Page) -> Json:
        """The dispute capsule of this moment."""
        mine = self.parlour.seating.of(page.who)
        name, text = capsule_of(self.parlour, mine, table=page.who.table)
        return {"name": name, "text": text}

    # -- seats --------------------------------------------------------------------------------------------------------

    async def claim(self, one: m.Claim, page: Page) -> Json:
        """Sit down."""
        self.parlour.seating.claim(page.who, one.seat)
        self.parlour.changed()

    async def leave(self, one: m.Leave, page: Page) -> Json:
        """Stand up, or send away."""
        self.parlour.seating.leave(page.who, one.seat)
        self.parlour.changed()

    async def trust(self, one: m.Trust, page: Page) -> Json:
        """Whether seats may answer for each other."""
        self.parlour.seating.table(page.who)
        self.parlour.seating.trust = one.all
        self.parlour.changed()

    # -- fights and saves ---------------------------------------------------------------------------------------------

    async def saves(self, one: m.Saves, page: Page) -> Json:
        """The saves, last played first."""
        self.parlour.seating.table(page.who)
        titles = {shown.id: shown.name for desk in map(desk_of, DESKS) for shown in desk.scenarios()}
        return [
            {
                "name": save.path.stem,
                "game": save.game,
                "scenario": save.scenario,
                "title": titles.get(save.scenario, save.scenario),
                "seats": save.setup.get("seats", {}),
                "entries": save.entries,
                "played": save.last_played.isoformat(),
                "log": save.log,
                "finished": save.finished,
                "damaged": save.damaged,
                "picture": f"/saves/{quote(save.path.stem, safe='')}.svg?at={save.head}-{save.entries}",
            }
            for save in await asyncio.to_thread(list_saves)
        ]

    async def scenarios(self, one: m.Scenarios, page: Page) -> Json:
        """What can be played."""
        return [
            {
                "game": desk.name,
                "id": shown.id,
                "name": shown.name,
                "text": shown.text,
                "most": shown.most,
                "characters": [
                    {"id": ready.id, "name": ready.name, "words": ready.words} for ready in desk.characters(shown.id)
                ],
            }
            for desk in map(desk_of, DESKS)
            for shown in desk.scenarios()
        ]

    async def begin(self, one: m.Begin, page: Page) -> Json:
        """A new fight."""
        self.parlour.seating.table(page.who)
        if not one.seats or not all(name.strip() and len(name) <= 40 for name in one.seats):
            raise Refused("Each seat needs a name of 1 to 40 letters.")
        await self.parlour.begin(desk_of(one.game), one.scenario, one.seats)

    async def go_on(self, one: m.GoOn, page: Page) -> Json:
        """Go on with a save."""
        self.parlour.seating.table(page.who)
        told: list[Json] = []

        def agree(words: str, lost: list[str]) -> bool:
            told.append({"agree": True, "lost": lost, "words": words})
            return one.agree

        try:
            await self.parlour.go_on(save_named(one.save), agree)
        except EmberboardError as error:
            if told and not one.agree:
                raise Ask(told[-1]["words"], told[-1]) from error
            raise

    async def close(self, one: m.Close, page: Page) -> Json:
        """Back to the list of saves."""
        self.parlour.seating.table(page.who)
        await self.parlour.close_fight()

    async def delete(self, one: m.Delete, page: Page) -> Json:
        """Into the trash, after the second question."""
        self.parlour.seating.table(page.who)
        path = save_named(one.save)
        if self.parlour.fight is not None and self.parlour.fight.path == path:
            raise Refused("This fight is open: close it first.")
        if not one.sure:
            raise Ask(f"Move {one.save} to the trash?", {"sure": True})
        delete(path)

    # -- virtual hardware ---------------------------------------------------------------------------------------------

    async def finger(self, one: m.Finger, page: Page) -> Json:
        """A finger at the virtual hardware."""
        self.parlour.seating.table(page.who)
        if self.parlour.fingers is None:
            raise Refused("This table is real: use your hands.")
        await self.parlour.fingers.point(one, page.who.page)
        self.parlour.changed()

    async def hands(self, one: m.Hands, page: Page) -> Json:
        """Whether hands help with the figures."""
        self.parlour.seating.table(page.who)
        if self.parlour.fingers is None:
            raise Refused("This table is real: figures are moved by your hands.")
        self.parlour.fingers.help = one.help
        self.parlour.changed()

    async def watch(self, one: m.Watch, page: Page) -> Json:
        """Whether the page wants the lamps."""
        self.parlour.watch(page, one.on)
