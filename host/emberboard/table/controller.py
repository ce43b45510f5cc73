"""The controller: one loop that owns the session, fed by typed inputs, giving pictures of lights, seats and rail.

`take` is the whole of it and knows no time but its inputs' (ms); `run` is the asyncio loop around it. A question is
open only while the table and the state agree about the figures and the bag; otherwise it is mended first, by light.
What an input means nothing for is shown as such at once. DESIGN section 3.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec

from emberboard.engine.errors import EmberboardError
from emberboard.engine.question import Cell, Draw, Json, Question
from emberboard.engine.session import Session
from emberboard.table.answers import draft_for
from emberboard.table.bag_phase import BagPhase, BagTask
from emberboard.table.draft import Answer, ByProgram, Changed, Draft, Nothing, Numbered, Outcome, Setting, Take
from emberboard.table.figures import FLICKER_MS, TAP_MS, FigureTracker, Happening, footprint
from emberboard.table.hardware import (
    Adjust,
    AnyInput,
    Click,
    Clock,
    Correct,
    DoAgain,
    Hardware,
    Hold,
    Key,
    LinkHealth,
    PassAhead,
    RailPicture,
    SeatButton,
    SeatLight,
    TagShown,
    TakeBack,
    Throw,
    Tick,
    TileGain,
    TileLoss,
    TilesDark,
    TilesSensed,
)
from emberboard.table.lights import LightsOut, mending_picture, question_picture
from emberboard.table.mending import LEAVE_MS, Plan, Step, agrees, take_for_granted, wanted_of
from emberboard.table.rail_view import rail_picture
from emberboard.table.roles import Theme, load_theme
from emberboard.table.undo_guide import UndoGuide

FLASH_MS = 800
"""So long a tile that means nothing is lit `wrong`."""
DOUBLE_MS = 250
"""The same key again within this time of the answer that it gave is the same press: it answers no second question."""
DOUBLE_TAP_MS = 600
"""The same for taps, which take longer."""
Phase = Literal["mending", "bag", "open", "over"]
FIRST: Mapping[Phase, str] = {"mending": "First the figures: ", "bag": "First the bag: "}
"""What a page is told that answers while the table waits for hands."""


class TableView(msgspec.Struct, frozen=True):
    """What players are told: the phase, the question with its numbered answers, the step or task before it, words.

    `dark` are the cells of boards that do not answer: a page shows them unlit.
    """

    phase: Phase
    question: Question | None
    numbered: tuple[Numbered, ...]
    echo: tuple[str, ...]
    step: Step | None
    task: BagTask | None
    words: str
    notice: str
    dark: tuple[Cell, ...] = ()


class TableController:
    """One table. Make it, `start` it, then feed `take`; or let `run` do so from a queue."""

    def __init__(
        self,
        session: Session,
        hardware: Hardware,
        *,
        clock: Clock,
        theme: Theme | None = None,
        tags: Mapping[str, str] | None = None,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        """`tags` says which token each tag is; without them draws are keyed in. `on_change` is called after inputs."""
        self.session, self.hardware, self.clock = session, hardware, clock
        self.theme = theme or load_theme()
        self.tracker = FigureTracker()
        self.bag = BagPhase(tags) if tags is not None else None
        self.guide = UndoGuide()
        self.phase: Phase = "mending"
        self.draft: Draft | None = None
        self.step: Step | None = None
        self.task: BagTask | None = None
        self.notice = ""
        self._refused = ""
        self.now = clock()
        self._on_change = on_change
        self._health: dict[str, LinkHealth] = {}
        self._lights = LightsOut(hardware.lights)
        self._seats: dict[str, SeatLight] | None = None
        self._rail: RailPicture | None = None
        self._flash: dict[Cell, int] = {}
        self._claim: tuple[str, Cell, int] | None = None
        self._names: dict[str, str] = {}
        self._answered_by: tuple[object, int] | None = None
        self._ask()

    # -- the loop -----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Show the first picture."""
        self._reconcile()
        self._show()

    async def run(self, inputs: asyncio.Queue[AnyInput | None]) -> None:
        """Take inputs from the queue until None comes."""
        self.start()
        while True:
            due = self.due()
            wait = None if due is None else max(0, due - self.clock()) / 1000
            try:
                one = await asyncio.wait_for(inputs.get(), wait)
            except TimeoutError:
                one = Tick(at=self.clock())
            if one is None:
                return
            self.take(one)

    def due(self) -> int | None:
        """When a Tick is wanted at the latest (ms), or None."""
        waits = [*self._flash.values()]
        wanted = wanted_of(self.scene)
        if self.tracker.due() is not None:
            waits.append(self.tracker.due() or 0)
        leaving = [one for who, one in self.tracker.in_hand().items() if who not in wanted]
        waits += [one.since + LEAVE_MS + 1 for one in leaving if one.since + LEAVE_MS >= self.now]
        if self.phase == "open":
            tapped = [one for one in self.tracker.held.values() if one.who & wanted.keys() - {self._loose()}]
            waits += [one.since + TAP_MS + 1 for one in tapped]
        return min(waits, default=None)

    def take(self, one: AnyInput) -> str:
        """One input. Whatever it does is shown when this returns; why it was refused, or nothing."""
        self.now = max(self.now, one.at)
        self._refused = ""
        self._by_time()
        if not isinstance(one, Tick | LinkHealth):
            self._flash = {}
        match one:
            case TileGain() | TileLoss() | TilesDark() | TilesSensed():
                self._tiles(one)
            case Key(name="Undo"):
                self._undo(one)
            case Key(name="Help"):
                self.notice = self.help()
            case Key() | SeatButton() | TagShown() | Click():
                self.notice = ""
                press, head = msgspec.structs.replace(one, at=0), self.session.head
                if isinstance(one, Click | TagShown) or not self._doubled(press, DOUBLE_MS):
                    self._say(one)
                    if self.session.head != head:
                        self._answered_by = (press, self.now)
            case Hold(seat=seat):
                self._give(lambda: self.session.hold(seat))
            case PassAhead(seat=seat, until=until):
                self._give(lambda: self.session.pass_ahead(seat, until))
            case Throw(question=question, seat=seat):
                self._when_open(lambda: self.session.roll(question, seat=seat))
            case TakeBack(count=count):
                self._back(count)
            case DoAgain():
                self._give(self.session.redo_decision)
            case Correct(entry=entry, value=value):
                self._correct(entry, value)
            case Adjust(change=change, seat=seat):
                self._when_open(lambda: self.session.adjust(change, seat=seat))
            case LinkHealth(source=source):
                self._health[source] = one
            case _:
                pass
        self._reconcile()
        self._show()
        if self._on_change is not None:
            self._on_change()
        return self._refused

    def view(self) -> TableView:
        """What players are told now."""
        numbered = tuple(self.draft.numbered()) if self.draft is not None and self.phase == "open" else ()
        echo = self.draft.echo() if self.draft is not None else ()
        return TableView(
            phase=self.phase,
            question=self.session.question,
            numbered=numbered,
            echo=echo,
            step=self.step,
            task=self.task,
            words=self._words(),
            notice=self.notice,
            dark=tuple(sorted(self.tracker.dark)),
        )

    @property
    def lit(self) -> Mapping[Cell, str]:
        """The role of each lit tile, as it was shown last."""
        return self._lights.shown

    @property
    def rail(self) -> RailPicture | None:
        """The rail's picture, as it was shown last."""
        return self._rail

    @property
    def seat_lights(self) -> Mapping[str, SeatLight]:
        """The lights of the seats' buttons, as they were shown last."""
        return self._seats or {}

    # -- time and tiles -----------------------------------------------------------------------------------------------

    def _by_time(self) -> None:
        self._flash = {cell: until for cell, until in self._flash.items() if until > self.now}
        self._happened(self.tracker.settle(self.now))

    def _tiles(self, one: TileGain | TileLoss | TilesDark | TilesSensed) -> None:
        match one:
            case TileGain():
                self._happened(self.tracker.gain(one.cell, self.now))
                self._hear_claim(one.cell)
            case TileLoss():
                self._note_claim(one.cell)
                self._happened(self.tracker.loss(one.cell, self.now))
            case TilesDark():
                self.tracker.go_dark(one.cells, self.now)
            case TilesSensed():
                self._happened(self.tracker.sensed(one.area, one.occupied, self.now))

    def _note_claim(self, cell: Cell) -> None:
        """Who lifts a figure that was asked for by name is about to say which one it is."""
        anchor = self.tracker.covering(cell)
        if self.step is not None and self.step.kind == "identify" and anchor in self.step.start:
            self._claim = (self.step.figure, anchor, self.now)
        elif self._claim is not None and anchor != self._claim[1]:
            self._claim = None

    def _hear_claim(self, cell: Cell) -> None:
        """It is said when the figure is back on its own tile; a knock, a flicker or another move says nothing."""
        if self._claim is None or cell in self.tracker.strays:
            return
        (who, anchor, since), self._claim = self._claim, None
        gone = len(self.tracker.known() - wanted_of(self.scene).keys())
        sure = len(self.tracker.held) <= gone and self.now - since >= FLICKER_MS
        if self.tracker.covering(cell) == anchor and sure:
            self.tracker.say(who, anchor)
            self.notice = f"That is {self._name(who)}."

    def _happened(self, happenings: Sequence[Happening]) -> None:
        for one in happenings:
            if self.phase != "open" or self.draft is None:
                return
            if one.kind == "tapped" and self._doubled(("tap", one.cell), DOUBLE_TAP_MS):
                return
            head = self.session.head
            self._apply(self.draft.figure(one))
            if self.session.head != head:
                self._answered_by = (("tap", one.cell), self.now)

    def _doubled(self, press: object, within: int) -> bool:
        """Whether this very press answered a question a moment ago; if so it is said."""
        if self._answered_by is None or self._answered_by[0] != press or self.now - self._answered_by[1] >= within:
            return False
        self.notice = "That came twice: it was taken once."
        return True

    # -- keys, buttons, tags, clicks ----------------------------------------------------------------------------------

    def _say(self, one: Key | SeatButton | TagShown | Click) -> None:
        if isinstance(one, Click) and self.phase in FIRST:
            self._refused = self.notice = FIRST[self.phase] + self._words()
        elif self.phase == "mending":
            self._say_while_mending(one)
        elif self.phase == "bag":
            self._say_to_the_bag(one)
        elif self.draft is None or self.session.question is None:
            self.notice = "The game is over. Undo, held long, takes back the last answer."
        elif isinstance(one, Key):
            self._apply(self.draft.key(one))
        elif isinstance(one, SeatButton):
            self._apply(self.draft.seat(one))
        elif isinstance(one, TagShown):
            self._draw(one.tag, self.draft, self.session.question)
        elif one.offer:
            self._give(lambda: self.session.take(one.question, one.offer, seat=one.seat))
        else:
            self._give(lambda: self.session.answer(one.question, one.value, seat=one.seat))

    def _say_while_mending(self, one: Key | SeatButton | TagShown | Click) -> None:
        step = self.step
        if isinstance(one, Key) and one.name == "OK":
            wanted = wanted_of(self.session.game.scene(self.session.question))
            self.tracker.override({who: (place.at, place.size) for who, place in wanted.items()}, self.now)
            self._claim = None
            self.notice = "All figures are taken to stand as the state has them."
        elif isinstance(one, Key) and one.name == "No" and step is not None and step.figure:
            wanted = wanted_of(self.session.game.scene(self.session.question))
            size = wanted[step.figure].size if step.figure in wanted else 1
            self.tracker.doubt(step.figure, size, self.now)
            self._claim = None
            self.notice = f"{self._name(step.figure)} is not there, then."
        else:
            self.notice = "First the figures: OK says that all stand right, No that the table takes one for another."

    def _say_to_the_bag(self, one: Key | SeatButton | TagShown | Click) -> None:
        pending = self.session.question
        if self.bag is None or not isinstance(pending, Draw):
            return
        if isinstance(one, TagShown):
            self._tell(self.bag.shown(one.tag, pending.contents))
        elif isinstance(one, Key) and one.name == "OK":
            lacking = self.bag.settle(pending.contents)
            self.notice = "The bag is taken to be right." + (
                f" No tags are registered for {', '.join(lacking)}: their draws are keyed in." if lacking else ""
            )
        else:
            self.notice = "First the bag: show each token to the reader; OK says that it holds what it should."

    def _draw(self, tag: str, draft: Draft, pending: Question) -> None:
        if self.bag is None:
            self.notice = "This table knows no tags; key the token in."
            return
        if not isinstance(pending, Draw) or pending.pile != self.bag.pile:
            kind = self.bag.tags.get(tag, "unknown")
            self._tell(draft.token(kind))
            return
        kind, refusal = self.bag.draw(tag)
        outcome = refusal or draft.token(kind)
        if not isinstance(outcome, Answer):
            self._tell(outcome)
            return
        if self._give(lambda: self.session.answer(pending.id, outcome.value, seat=outcome.seat, source="physical")):
            came = self.session.journal.tree.path()[-1].value
            if came == kind:
                self.bag.drawn(tag)
            else:
                self.notice = f"{came} counts, as it came before the undo: put the {kind} token back into the bag."

    def _undo(self, key: Key) -> None:
        self.notice = ""
        if not key.long:
            if self.phase != "open" or self.draft is None or not self.draft.undo():
                self.notice = "Nothing is keyed in. Undo, held long, takes back the last answer."
            return
        self._back(0)

    def _back(self, count: int) -> None:
        """Take back so many inputs, or the last decision."""
        pending = self.session.question
        secret = pending.hash if pending is not None and pending.who.mode == "each" else ""
        try:
            undone = self.session.undo(count) if count else self.session.undo_decision()
        except EmberboardError as error:
            self.notice = self._refused = str(error)
            return
        self.notice = self.guide.undone(undone, secret)
        self._ask()

    def _correct(self, entry: int, value: Json) -> None:
        try:
            done = self.session.correct(entry, value)
        except EmberboardError as error:
            self.notice = self._refused = str(error)
            return
        trouble = self.session.trouble
        self.notice = done.words() if trouble is None else trouble.words
        self._ask()

    # -- answers to the session ---------------------------------------------------------------------------------------

    def _when_open(self, act: Callable[[], object]) -> None:
        """What a page asks for waits until figures and bag are right, as keys do."""
        if self.phase == "open":
            self._give(act)
        else:
            self.notice = self._refused = FIRST.get(self.phase, "") + self._words()

    def _apply(self, outcome: Outcome) -> None:
        pending = self.session.question
        if pending is None:
            return
        match outcome:
            case Answer(value, seat):
                by_hand = lambda: self.session.answer(pending.id, value, seat=seat, source="physical")  # noqa: E731
                if self._give(by_hand) and self.bag is not None and isinstance(pending, Draw):
                    self.bag.drawn_by_number(str(value))
            case Take(offer, seat):
                self._give(lambda: self.session.take(pending.id, offer, seat=seat, source="physical"))
            case ByProgram():
                self._give(lambda: self.session.roll(pending.id))
            case _:
                self._tell(outcome)

    def _tell(self, outcome: Outcome) -> None:
        if isinstance(outcome, Nothing):
            self.notice = outcome.words
            if outcome.cell is not None:
                self._flash[outcome.cell] = self.now + FLASH_MS
        elif isinstance(outcome, Changed) and outcome.words:
            self.notice = outcome.words

    def _give(self, act: Callable[[], object]) -> bool:
        """Let the session take something; whether it did. What it refuses is told, and the question stands."""
        pending, before = self.session.question, self.session.head
        try:
            act()
        except EmberboardError as error:
            self.notice = self._refused = str(error)
            return False
        self.notice = ""
        if self.session.trouble is not None:
            self.notice = self.session.trouble.words
        elif self.session.head != before and pending is not None:
            entry = self.session.journal.tree.path()[-1]
            self.guide.answered(entry.id, pending, entry.value)
            if entry.source == "kept":
                self.notice = "What fell before the undo counts."
        self._ask()
        return self.session.trouble is None

    # -- agreement of table and state ---------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Take up the session's question; it opens when figures and bag are right."""
        pending = self.session.question
        self.scene = self.session.game.scene(pending)
        self._names.update({one.id: one.name for one in self.scene.tokens})
        self._names.update({one.id: one.name for one in self.scene.row})
        self._names.update({one.id: one.name for one in self.scene.figures})
        self.draft, self.phase, self.task, self.step, self._claim = None, "mending", None, None, None
        if pending is not None:
            self.draft = draft_for(pending, self._setting(pending))
        else:
            self.phase = "over"

    def _setting(self, pending: Question) -> Setting:
        loose = getattr(pending, "figure", "")
        occupied = {cell for one in self.scene.figures if one.id != loose for cell in footprint(one.at, one.size)}
        return Setting(
            waiting=self.session.waiting(),
            holding=self.session.holding(),
            occupied=frozenset((x, y) for x, y in occupied),
            stands={one.id: (one.at[0], one.at[1]) for one in self.scene.figures},
            names=self._names,
        )

    def _loose(self) -> str:
        return self.draft.loose if self.draft is not None else ""

    def _reconcile(self) -> None:
        """Find out whether the question is open, and if not what is to be done first."""
        if self.phase == "over" or self.session.question is None:
            return
        take_for_granted(self.tracker, self.scene, self.now)
        if self.phase == "open" and agrees(self.tracker, self.scene, self._loose(), self.now):
            return
        plan = Plan(self.tracker, self.scene, self._names)
        self.step = plan.next()
        if self.step is not None:
            if self._claim is not None and self.step.kind == "put down":
                self.step = plan.back(self._claim[0], self._claim[1], self.step)
            self.phase = "mending"
            if self.step.kind == "put" and self.step.figure not in self.tracker.known():
                called = plan.wanted[self.step.figure]
                self.tracker.call(self.step.figure, called.size, self.now, called.at)
            return
        if self.phase == "mending":
            self.guide.done()
            if self.draft is not None:
                self.draft.mended()
        pending = self.session.question
        self.task = None
        if self.bag is not None and isinstance(pending, Draw) and pending.pile == self.bag.pile:
            self.task = self.bag.task(pending.contents)
        self.phase = "open" if self.task is None else "bag"

    # -- showing ------------------------------------------------------------------------------------------------------

    def _name(self, who: str) -> str:
        return self._names.get(who, who)

    def _words(self) -> str:
        if self.phase == "mending":
            return self.step.words if self.step is not None else ""
        if self.phase == "bag":
            return self.task.words if self.task is not None else ""
        pending = self.session.question
        return pending.prompt if pending is not None else "The game is over."

    def help(self) -> str:
        """What can be done now, in words."""
        pending = self.session.question
        if self.phase == "mending":
            return f"{self._words()} OK: all stands right. No: the table takes one figure for another."
        if self.phase == "bag" or pending is None or self.draft is None:
            return self._words()
        lines = [f"{line.number} {line.label}" for line in self.draft.numbered()]
        rules = f"Rules: {', '.join(pending.rules)}." if pending.rules else ""
        return " ".join(filter(None, (pending.prompt, pending.note, "; ".join(lines), rules)))

    def _picture(self) -> dict[Cell, str]:
        if self.phase == "mending" and self.step is not None:
            way = self.guide.way(self.step.figure, (*self.step.start, *self.step.to))
            return {**dict.fromkeys(self._flash, "wrong"), **mending_picture(self.theme, self.step, way)}
        picture: dict[Cell, str] = {}
        if self.phase == "open" and self.draft is not None:
            picture = question_picture(self.theme, self.scene, self.draft.marks())
        return {**picture, **dict.fromkeys(self._flash, "wrong")}

    def _show(self) -> None:
        self._lights.show(self._picture())
        seats = self.draft.seat_lights() if self.draft is not None and self.phase == "open" else {}
        lights: dict[str, SeatLight] = {seat: seats.get(seat, "off") for seat in self.session.game.seats()}
        if lights != self._seats:
            self._seats = lights
            self.hardware.seats.show(lights)
        draft = self.draft if self.phase == "open" else None
        health = list(self._health.values())
        rail = rail_picture(self.scene, self.session.question, draft, health, self._words(), self.notice)
        if rail != self._rail:
            self._rail = rail
            self.hardware.rail.show(rail)
