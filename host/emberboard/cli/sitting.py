"""A sitting: one group at one laptop, one session, until the fight is over or somebody leaves.

Whatever is typed changes nothing before the session took it; what it refuses is told, and the question stands.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.text import Text

from emberboard.cli.corrections import choice_lines
from emberboard.cli.hands import for_the_hands
from emberboard.cli.help_view import help_lines
from emberboard.cli.keyboard import (
    Partly,
    command_of,
    letters_of,
    read_adjustment,
    read_answer,
    speaker_of,
)
from emberboard.cli.log_view import note_lines
from emberboard.cli.question_view import prompt_words, question_lines
from emberboard.cli.screen import Picture, screen_lines
from emberboard.cli.styles import NOTICE, QUESTION, QUIET
from emberboard.cli.terminal import Left, Terminal
from emberboard.engine import chance as chances
from emberboard.engine.dice import Face
from emberboard.engine.entry_words import Choice, choices, entry_words
from emberboard.engine.errors import Diverged, EmberboardError, Refused
from emberboard.engine.game import Note
from emberboard.engine.journal import Entry
from emberboard.engine.kept import all_kept, kept_words
from emberboard.engine.question import Json, Question, Roll
from emberboard.engine.session import Session
from emberboard.games import registry
from emberboard.games.desk import GameDesk
from emberboard.play.preferences import By, Preferences, keep_preferences
from emberboard.play.reports import write_report


class Sitting:
    """The group before the terminal. `save` is where the fight is kept."""

    def __init__(
        self, terminal: Terminal, session: Session, desk: GameDesk, save: Path, preferences: Preferences, title: str
    ) -> None:
        self.terminal, self.session, self.desk, self.save = terminal, session, desk, save
        self.preferences, self.title = preferences, title
        self.groups: tuple[tuple[Face, ...], ...] = ()
        self.asked: dict[int, Question] = {}
        self.scene = session.game.scene(session.question)
        self.hands = ""
        self.commands: dict[str, Callable[[str], None]] = {
            "undo": self.undo,
            "redo": self.redo,
            "why": self.why,
            "correct": self.correct,
            "adjust": self.adjust,
            "help": self.show_help,
            "pass": self.pass_ahead,
            "hold": self.hold,
            "redraw": self.redraw,
            "log": self.show_log,
            "roll": self.roll,
            "dice": self.choose_dice,
            "tokens": self.choose_tokens,
            "leave": self.leave,
        }

    # -- the round of asking and typing -------------------------------------------------------------------------------

    def run(self, message: str = "") -> None:
        """Ask and take in until somebody leaves (Left) or the journal no longer fits (Diverged)."""
        self.show(self._trouble() or message)
        while True:
            typed = self.terminal.ask(self._prompt())
            try:
                self.take_in(typed)
            except Diverged:
                raise
            except EmberboardError as error:
                self.show(refusal=str(error))

    def take_in(self, typed: str) -> None:
        """One line. Raises EmberboardError when it can do nothing; then nothing has changed."""
        pending = self.session.question
        command = command_of(typed, pending)
        if command is not None:
            name, rest = command
            self.commands[name](rest)
            return
        if pending is None:
            raise Refused("The fight is over: u takes back the last step, l shows the log, q leaves.")
        self._answer(pending, typed)

    def _answer(self, pending: Question, typed: str) -> None:
        seat, rest = speaker_of(typed, self.session.game.seats())
        offer = letters_of(pending.offers).get(rest.lower())
        if offer is not None and not self.groups:
            self._after(pending, lambda: self.session.take(pending.id, offer.id, seat=offer.seat))
            return
        value = read_answer(pending, rest, self.groups, self.named)
        if isinstance(value, Partly):
            self.groups = value.groups
            self.show()
            return
        speaker = seat or self._speaker(pending)
        by_hand = pending.chance
        self._after(
            pending,
            lambda: self.session.answer(pending.id, value, seat=speaker, source="physical" if by_hand else "virtual"),
        )

    def _kept_instead(self, pending: Question) -> str:
        """What to say when dice that were typed did not count, because others had fallen before an undo."""
        came = self.session.journal.tree.path()[-1:]
        if not pending.chance or not came or came[0].source != "kept":
            return ""
        return f"What fell before the undo counts: {entry_words(came[0], pending)}. A mis-keyed die: x puts it right."

    def _speaker(self, pending: Question) -> str:
        if pending.who.mode == "each":
            waiting = self.session.waiting()
            return waiting[0] if waiting else ""
        return ""

    def _after(self, pending: Question, act: Callable[[], Any], message: str = "") -> None:
        """Let the session do something, and show what came of it."""
        before = self.session.head
        act()
        self.groups = ()
        if self.session.head != before:
            self.asked[self.session.head] = pending
        self.settle(self._trouble() or message or self._kept_instead(pending))

    def _trouble(self) -> str:
        trouble = self.session.trouble
        if trouble is None:
            return ""
        about = f"save {self.save.name}, entry {trouble.entry}, state {self.session.state_hash()}"
        return f"{trouble.words}\n{write_report(trouble.report, about)} You can go on playing."

    def settle(self, message: str = "") -> None:
        """Show the table after something changed, with what hands have to do on it."""
        after = self.session.game.scene(self.session.question)
        self.hands = for_the_hands(self.scene, after, self.terminal.signs)
        self.scene = after
        self.show(message)

    # -- showing ------------------------------------------------------------------------------------------------------

    def named(self, ref: str) -> str:
        """A figure's name."""
        return self.desk.label(self.session.game, ref)

    def _prompt(self) -> str:
        return prompt_words(self.session.question, self.named, self.groups, self.session.waiting())

    def show(self, message: str = "", *, refusal: str = "") -> None:
        """The whole picture anew; a `refusal` stands last, where people look when they have typed something wrong."""
        width, height = self.terminal.size()
        lines = screen_lines(self.picture(width, message, refusal), width, height)
        self.terminal.clear()
        self.terminal.lines(lines)

    def picture(self, width: int, message: str = "", refusal: str = "") -> Picture:
        """What is on the table now."""
        session, pending = self.session, self.session.question
        signs = self.terminal.signs
        scene = session.game.scene(pending)
        asked = self._question_lines(pending, width) if pending is not None else self._end_lines(width)
        return Picture(
            scene=scene,
            boards=self.desk.boards(session.game),
            log=session.log,
            news=len(session.news()),
            question=pending,
            question_lines=[*asked, *_marked(refusal, width)],
            title=f"{self.title}  {signs.dot}  {self.save.stem}",
            message=message,
            hands=self.hands,
            signs=signs,
        )

    def _question_lines(self, pending: Question, width: int) -> list[Text]:
        by = self.preferences.dice if isinstance(pending, Roll) else self.preferences.tokens
        return question_lines(
            pending,
            width,
            self.terminal.signs,
            self.named,
            waiting=self.session.waiting(),
            holding=self.session.holding(),
            odds=self.session.game.odds(pending),
            groups=self.groups,
            kept=kept_words(self.session.chance, pending, enter=True),
            by_program=by == "program",
        )

    def _end_lines(self, width: int) -> list[Text]:
        summary = self.session.game.summary()
        result = str(summary.get("result") or "over")
        rule = self.terminal.signs.rule
        return [
            Text(rule * width),
            Text(f" The fight is over: {result.upper()} in Round {summary.get('rounds', '?')}.", QUESTION),
            Text("   u takes back the last step   ? why   l whole log   h all keys   q leave", QUIET),
        ]

    def tell(self, words: str) -> None:
        """A line below what is on the screen, without drawing it anew."""
        width, _ = self.terminal.size()
        self.terminal.lines(_marked(words, width))

    def page(self, lines: Iterable[Text]) -> None:
        """Lines below what is on the screen; m draws the table again."""
        self.terminal.lines([Text(""), *lines, Text("m draws the table again.", QUIET)])

    # -- commands -----------------------------------------------------------------------------------------------------

    def undo(self, rest: str) -> None:
        """Dice that were typed in part are taken back first; then decisions."""
        if self.groups and not rest:
            self.groups = ()
            self.show("The dice typed so far are taken back.")
            return
        if rest and not (rest.isdecimal() and int(rest) > 0):
            raise Refused("u takes back the last decision, u 3 the last three inputs")
        chance_first = not rest and all(entry.chance for entry in self.session.journal.tree.path() if not entry.failed)
        if chance_first and self.session.head:
            raise Refused("no decision has been made yet; u 1 takes back the last draw or roll, x corrects it")
        undone = self.session.undo(int(rest)) if rest else self.session.undo_decision()
        self.groups = ()
        words = f"Taken back: {self._listed(undone)}. y redoes it."
        if any(entry.chance for entry in undone):
            words += " Dice and tokens that were seen stay as they fell; a mis-keyed one is put right with x (after y)."
        self.settle(words)

    def _listed(self, entries: Sequence[Entry]) -> str:
        said = [entry_words(entry, self.asked.get(entry.id)) for entry in entries[:5]]
        return "; ".join([*said, *(["..."] if len(entries) > 5 else [])])

    def redo(self, rest: str) -> None:
        """Steps back that were taken are taken again."""
        if rest:
            count = int(rest) if rest.isdecimal() and int(rest) > 0 else 1
            done = [self.session.redo()]
            while len(done) < count and self.session.head in self.session.journal.tree.forward:
                done.append(self.session.redo())
        else:
            done = self.session.redo_decision()
        self.groups = ()
        self.settle(f"Done again: {self._listed(done)}.")

    def why(self, rest: str) -> None:
        """The explained numbers and rules of the last lines, or one rule."""
        from emberboard.cli import why

        width, _ = self.terminal.size()
        catalogue = why.catalogue_in(registry.folder(self.desk.name))
        if rest:
            self.page(why.rule_lines(catalogue, rest.split()[0], width))
            return
        notes: Sequence[Note] = self.session.news() or self.session.log[-3:]
        self.page(why.why_lines(self.session.question, notes, catalogue, width))

    def correct(self, rest: str) -> None:
        """Put a mis-keyed die, token or answer right."""
        found = choices(self.session, self.asked)
        if not found:
            raise Refused("nothing has been answered yet that could be corrected")
        width, _ = self.terminal.size()
        number = rest.split(" ", 1)[0]
        if not number:
            self.terminal.lines([Text(""), *choice_lines(found, width)])
            number = self.terminal.ask("correct which number (Enter: none)> ")
        if not number:
            self.show("Nothing was corrected.")
            return
        if not number.isdecimal() or not 1 <= int(number) <= len(found):
            raise Refused(f"there is no {number} to correct; there are 1 to {len(found)}")
        self._correct(found[int(number) - 1])

    def _correct(self, choice: Choice) -> None:
        asked = self.asked.get(choice.entry.id) or self.session.fork(choice.entry.parent).question
        if asked is None or asked.hash != choice.entry.hash:
            raise Refused("that question cannot be asked again")
        width, _ = self.terminal.size()
        lines = question_lines(asked, width, self.terminal.signs, self.named)[:-1]
        self.terminal.lines([*lines, Text(f"   It was: {choice.value}", "bold")])
        value: Json | Partly = Partly(())
        while isinstance(value, Partly):
            typed = self.terminal.ask("the right one (Enter: leave it)> ")
            if not typed:
                self.show("Nothing was corrected.")
                return
            try:
                value = read_answer(asked, typed, value.groups, self.named)
            except Refused as error:
                self.tell(str(error))
        done = self.session.correct(choice.entry.id, value)
        self.groups = ()
        self.settle(self._trouble() or done.words())

    def adjust(self, rest: str) -> None:
        """Change the state by agreement."""
        pending = self.session.question
        scene = self.session.game.scene(pending)
        if not rest:
            figures = ", ".join(f"{figure.id} ({figure.name})" for figure in scene.figures)
            lines = [Text("By agreement you may change, between actions:", "bold")]
            lines += [Text(f"   {line}") for line in self.desk.adjustable]
            width, _ = self.terminal.size()
            lines += [Text(line, QUIET) for line in textwrap.wrap(f"On the table: {figures}", width)]
            self.page(lines)
            return
        names = [(figure.id, figure.name) for figure in scene.figures]
        names += [(board.id, board.name) for board in self.desk.boards(self.session.game)]
        change = read_adjustment(rest, list(dict(names).items()), dict(scene.bag))
        if pending is None:
            raise Refused("the fight is over; u goes back into it")
        self._after(pending, lambda: self.session.adjust(change))

    def pass_ahead(self, rest: str) -> None:
        """Let windows go by: `p`, `p round`, `p ada round`, `p off`."""
        seats, after = self._named_seats(rest)
        until = after[0] if after else self.desk.scopes[0]
        if until in ("off", "-", "no"):
            until = ""
        elif until not in self.desk.scopes:
            raise Refused(f"pass until the end of what? p {', p '.join(self.desk.scopes)}, or p off")
        pending = self._asked()
        for seat in seats:
            if until or seat in self.session.game.state.ledger.passed:
                self.session.pass_ahead(seat, until)
        who = " and ".join(seats)
        words = f"Not asked before the end of the {until}: {who}." if until else f"Asked again from now on: {who}."
        self._after(pending, lambda: None, words)

    def hold(self, rest: str) -> None:
        """Ask the table to wait at windows."""
        seats, _ = self._named_seats(rest)
        if len(seats) != 1:
            raise Refused(f"who asks the table to wait? Such as w {seats[0].lower()}")
        pending = self._asked()
        self._after(pending, lambda: self.session.hold(seats[0]))

    def _named_seats(self, rest: str) -> tuple[list[str], list[str]]:
        """The seats named, or else those with an offer now, or else all; and the words after them."""
        seats = self.session.game.seats()
        for seat in sorted(seats, key=len, reverse=True):
            if rest.lower() == seat.lower() or rest.lower().startswith(f"{seat.lower()} "):
                return [seat], rest[len(seat) :].lower().split()
        pending = self.session.question
        offered = [
            seat for seat in seats if pending is not None and any(offer.seat == seat for offer in pending.offers)
        ]
        return offered or list(seats), rest.lower().split()

    def _asked(self) -> Question:
        if self.session.question is None:
            raise Refused("the fight is over")
        return self.session.question

    def roll(self, rest: str) -> None:
        """The program rolls or draws; groups that were typed already stay."""
        pending = self._asked()
        if isinstance(pending, Roll) and self.groups:
            thrown = chances.throw(pending, self.session.rng)
            value = [list(group) for group in self.groups] + thrown[len(self.groups) :]
            self._after(pending, lambda: self.session.answer(pending.id, value))
            return
        self._after(pending, lambda: self.session.roll(pending.id))

    def redraw(self, rest: str) -> None:
        """Enter: takes what is known to come, or lets the program roll where the group chose so; else draws anew."""
        pending = self.session.question
        if pending is not None and pending.chance and not self.groups and not rest:
            by = self.preferences.dice if isinstance(pending, Roll) else self.preferences.tokens
            if by == "program" or all_kept(self.session.chance, pending):
                self.roll("")
                return
        self.show()

    def show_help(self, rest: str) -> None:
        """All keys."""
        width, _ = self.terminal.size()
        self.page(help_lines(width, self.desk.scopes))

    def show_log(self, rest: str) -> None:
        """The whole log, or its last so many lines."""
        width, _ = self.terminal.size()
        log = self.session.log[-int(rest) :] if rest.isdecimal() and int(rest) else self.session.log
        self.page(line for note in log for line in note_lines(note, width, self.terminal.signs, rules=True))

    def choose_dice(self, rest: str) -> None:
        """Dice by hand or by the program."""
        self._prefer(dice=_by(rest, "dice"))

    def choose_tokens(self, rest: str) -> None:
        """Tokens by hand or by the program."""
        self._prefer(tokens=_by(rest, "tokens"))

    def _prefer(self, **chosen: By) -> None:
        self.preferences = msgspec.structs.replace(self.preferences, **chosen)
        keep_preferences(self.save, self.preferences)
        self.show(f"Dice by {self.preferences.dice}, tokens by {self.preferences.tokens}.")

    def leave(self, rest: str) -> None:
        """Leave; everything is kept."""
        raise Left


def _marked(words: str, width: int) -> list[Text]:
    """What was refused, marked so that colour is not needed to see it."""
    lines = [line for part in words.splitlines() for line in textwrap.wrap(part, max(20, width - 3))]
    return [Text(("!! " if not index else "   ") + line, NOTICE) for index, line in enumerate(lines)]


def _by(rest: str, what: str) -> By:
    both: tuple[By, ...] = ("hand", "program")
    for by in both:
        if rest and by.startswith(rest.lower()):
            return by
    raise Refused(f"{what} hand, or {what} program")
