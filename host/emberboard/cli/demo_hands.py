"""Hands at a virtual table: they touch tiles, press keys and show tokens, and wait until what they did is felt.

They see what players see (the picture, the numbered answers, the words) and do what the light asks. What the players
decide, dice and draws follow from the seed alone and never from the time things take, so the same seed is the same
fight. Hands that get nowhere raise HandsError and say at which question.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Protocol

from emberboard.devices.table_file import TableFile, seat_key
from emberboard.engine.chance import throw
from emberboard.engine.dice import Face
from emberboard.engine.errors import EmberboardError
from emberboard.engine.question import (
    Cell,
    Choose,
    Confirm,
    Draw,
    Json,
    Number,
    Offer,
    Order,
    Path,
    Place,
    Question,
    Roll,
    Window,
    as_cell,
    cell_key,
)
from emberboard.engine.session import Session
from emberboard.table.choosing import Choosing
from emberboard.table.controller import DOUBLE_MS, DOUBLE_TAP_MS
from emberboard.table.dice_station import Rolling
from emberboard.table.figures import FLICKER_MS, SLIDE_MS, footprint
from emberboard.table.hardware import AnyInput, Key, SeatButton, TagGone, TagShown, TileGain, TileLoss, TilesSensed
from emberboard.table.mending import LEAVE_MS, Step
from emberboard.table.mending_hands import Move, covering, moves_for
from emberboard.table.wired_table import WiredTable

Decide = Callable[[Session], "tuple[Offer | None, Json]"]
"""What the players decide about the pending question: an offer, or else an answer (anything where chance answers)."""

FELT_MS = 4000
"""What hands did is felt within this time, or they do it again; boards of a loaded machine take their time."""
LET_GO_MS = 500
TRIES = 10
GET_ON_MS = 60_000
STEP_S = 0.05
HOLD_MS = FLICKER_MS + 60
"""A figure is held, and the wand laid on, for longer than a sensor flickers."""
SURE_MS = 20
"""What hands wait beyond a time that the table goes by."""
STALLED = 150
"""Things that hands do without an answer to the game. Laying out figures and bag takes some 40."""


class HandsError(EmberboardError):
    """Hands get nowhere: the text says at what."""


def _close(one: Cell, other: Cell) -> bool:
    return abs(one[0] - other[0]) <= 1 and abs(one[1] - other[1]) <= 1


class Fingertips(Protocol):
    """Where hands reach: tiles, keys, the token reader (virtual/table.py has it all)."""

    @property
    def file(self) -> TableFile:
        """The table's file."""

    def touch(self, cell: Cell) -> None:
        """A magnet comes onto a tile."""

    def lift(self, cell: Cell) -> None:
        """The magnet goes."""

    def press(self, key: str) -> None:
        """Hold a key down until `release`."""

    def release(self, key: str) -> None:
        """Let go of it."""

    def present_tag(self, tag: str) -> None:
        """Lay a token on the reader until `take_tag`."""

    def take_tag(self, tag: str) -> None:
        """Take it away."""


class DemoHands:
    """Hands for all players. `table` is what they play at, `virtual` where their fingers go.

    `tags` gives the kind of each token's tag. `taps` counts touches, `presses` keys and buttons, `shown` tokens.
    """

    def __init__(
        self, table: WiredTable, virtual: Fingertips, tags: Mapping[str, str], rng: random.Random, decide: Decide
    ) -> None:
        self.table, self.virtual, self.tags, self.rng, self.decide = table, virtual, tags, rng, decide
        self.session = table.controller.session
        self.stands: dict[str, Cell] = {}
        self.sizes: dict[str, int] = {}
        self.in_bag: set[str] = set()
        self.touches = self.presses = self.tokens = 0
        self._at_reader: set[str] = set()
        self._felt: list[AnyInput] = []
        self._again: dict[object, int] = {}
        self._boxed_at = -LEAVE_MS
        self._landed: dict[Cell, int] = {}
        self._lies: tuple[int, list[Face]] | None = None
        self._head, self._since_answer = self.session.head, 0
        table.on_input = self._feel

    def step(self) -> None:
        """Do one thing: what the light asks, or the answer to the question that is open."""
        view, pending = self.table.controller.view(), self.session.question
        if pending is None:
            return
        self._get_on(pending)
        if view.phase == "mending" and view.step is not None:
            self._mend(view.step)
        elif view.phase == "bag":
            self._bag()
        else:
            self._answer(pending)

    def _get_on(self, pending: Question) -> None:
        """Hands that mend for ever would never come to an end."""
        if self.session.head != self._head:
            self._head, self._since_answer = self.session.head, 0
        self._since_answer += 1
        if self._since_answer > STALLED:
            raise HandsError(f"{pending.prompt!r} is not answered after {STALLED} steps: {self._said()}")

    # -- time ---------------------------------------------------------------------------------------------------------

    def _feel(self, one: AnyInput) -> None:
        self._felt.append(one)
        if isinstance(one, TagShown):
            self._at_reader.add(one.tag)
        elif isinstance(one, TagGone):
            self._at_reader.discard(one.tag)

    def until(self, done: Callable[[], bool], within: int) -> bool:
        """Let the table work until something holds, at most `within` ms; whether it does."""
        clock = self.table.clock
        end = clock() + within
        while not done():
            left = end - clock()
            if left <= 0:
                return False
            self.table.step(min(STEP_S, left / 1000))
        return True

    def wait(self, ms: int) -> None:
        """Let time go by."""
        self.until(lambda: False, ms)

    def _until_felt(self, act: Callable[[], None], felt: Callable[[AnyInput], bool], again: Callable[[], None]) -> None:
        for _ in range(TRIES):
            self._felt.clear()
            act()
            if self.until(lambda: any(felt(one) for one in self._felt), FELT_MS):
                return
            again()
        raise HandsError(f"the table does not feel what hands do; it says: {self._said()}")

    def _said(self) -> str:
        view = self.table.controller.view()
        return " ".join(filter(None, (view.phase, view.words, view.notice)))

    def _free(self, what: object) -> None:
        """Wait until the same thing again is a second one: what just gave an answer is taken once for a moment."""
        self.wait(self._again.get(what, 0) - self.table.clock())

    def _box(self) -> None:
        """Carry what left the game to the box, before another figure is moved: the table waits so long for it."""
        self.wait(self._carrying())

    def _carrying(self) -> int:
        """How long (ms) what left the game is still on its way to the box."""
        return self._boxed_at + LEAVE_MS + 50 - self.table.clock()

    # -- tiles --------------------------------------------------------------------------------------------------------

    def _touch(self, cell: Cell) -> None:
        self.touches += 1

        def felt(one: AnyInput) -> bool:
            if isinstance(one, TileGain):
                return one.cell == cell
            return isinstance(one, TilesSensed) and cell in one.occupied

        self._until_felt(lambda: self.virtual.touch(cell), felt, lambda: None)
        self._landed[cell] = self.table.clock()

    def _lift(self, cell: Cell) -> None:
        """Not at once beside what just landed: that would look like one figure slid from tile to tile."""
        near = [at for one, at in self._landed.items() if one != cell and _close(one, cell)]
        self.wait(max(near, default=-SLIDE_MS) + SLIDE_MS + SURE_MS - self.table.clock())

        def felt(one: AnyInput) -> bool:
            if isinstance(one, TileLoss):
                return one.cell == cell
            return isinstance(one, TilesSensed) and cell in one.area and cell not in one.occupied

        self._until_felt(lambda: self.virtual.lift(cell), felt, lambda: None)

    def _take_up(self, who: str) -> None:
        at = self.stands.pop(who, None)
        if at is not None:
            for cell in footprint(at, self.sizes.get(who, 1)):
                self._lift(cell)

    def _put(self, who: str, at: Cell) -> None:
        self.stands[who] = at
        for cell in footprint(at, self.sizes.get(who, 1)):
            self._touch(cell)

    def _covering(self, cell: Cell) -> str:
        return covering(cell, self.stands, self.sizes)

    def _point(self, cell: Cell) -> None:
        """Tap the figure on a tile, or touch the empty tile with the wand."""
        self._free(("tap", cell))
        self._box()
        who, head = self._covering(cell), self.session.head
        if who:
            at = self.stands[who]
            self._take_up(who)
            self.wait(HOLD_MS)
            self._put(who, at)
        else:
            self._touch(cell)
            self.wait(HOLD_MS)
            self._lift(cell)
        if self.session.head != head:
            self._again["tap", cell] = self.table.clock() + DOUBLE_TAP_MS + SURE_MS

    # -- keys, buttons, tokens ----------------------------------------------------------------------------------------

    def _press(self, key: str, felt: Callable[[AnyInput], bool]) -> None:
        self._free(key)
        self.presses += 1
        head, settle = self.session.head, self.virtual.file.keypad.settle_ms

        def let_go() -> None:
            self.virtual.release(key)
            self.wait(LET_GO_MS)

        self._until_felt(lambda: self.virtual.press(key), felt, let_go)
        self.virtual.release(key)
        within = DOUBLE_MS if self.session.head != head else settle
        self._again[key] = self.table.clock() + within + SURE_MS

    def key(self, name: str) -> None:
        """Press a key of the dice station until it is felt, and let go."""
        self._press(name, lambda one: isinstance(one, Key) and one.name == name)

    def number(self, n: int) -> None:
        """Key in a number."""
        while n > 10:
            self.key("+10")
            n -= 10
        self.key(str(n))

    def button(self, seat: str, yes: bool) -> None:
        """Press a seat's Yes or No."""
        felt = lambda one: isinstance(one, SeatButton) and one.seat == seat and one.yes == yes  # noqa: E731
        self._press(self._button(seat, yes), felt)

    def _button(self, seat: str, yes: bool) -> str:
        return seat_key(self.session.game.seats().index(seat) + 1, yes)

    def _show(self, tag: str) -> None:
        self.tokens += 1
        # A token that has not left the reader yet is the same showing.
        self.until(lambda: tag not in self._at_reader, FELT_MS)
        self._until_felt(
            lambda: self.virtual.present_tag(tag),
            lambda one: isinstance(one, TagShown) and one.tag == tag,
            lambda: self.virtual.take_tag(tag),
        )
        self.virtual.take_tag(tag)

    def _bag(self) -> None:
        """Show one token that is to go in or to come out."""
        task = self.table.controller.view().task
        if task is None:
            return
        for kind in task.put_in:
            tag = next((tag for tag in sorted(self.tags) if self.tags[tag] == kind and tag not in self.in_bag), None)
            if tag is None:
                raise HandsError(f"the box has no {kind} token left: {task.words}")
            self._show(tag)
            self.in_bag.add(tag)
            return
        for kind in task.take_out:
            tag = next(tag for tag in sorted(self.in_bag) if self.tags[tag] == kind)
            self._show(tag)
            self.in_bag.discard(tag)
            return

    # -- mending ------------------------------------------------------------------------------------------------------

    def _mend(self, step: Step) -> None:
        for one in self.table.controller.scene.figures:
            self.sizes[one.id] = one.size
        moves = moves_for(step, self.stands, self.sizes)
        if step.kind in ("put", "move", "park"):
            self._box()
        for move in moves:
            self._move(move)
        if step.kind in ("take", "identify") and step.figure:
            # What was taken for another may be one that left the game: it is forgotten once nothing moves for a while.
            self._boxed_at = self.table.clock()
        if not self.until(lambda: self._other(step), GET_ON_MS):
            raise HandsError(f"mending does not get on: {self._said()}")

    def _move(self, move: Move) -> None:
        match move.kind:
            case "take up":
                self._take_up(move.figure)
            case "put" if move.at is not None:
                self._put(move.figure, move.at)
            case "tap":
                self._point(self.stands[move.figure])
            case _:
                self.key("No")  # the table takes one figure for another

    def _other(self, step: Step) -> bool:
        now = self.table.controller
        return now.phase != "mending" or now.step != step

    # -- answers ------------------------------------------------------------------------------------------------------

    def _answer(self, pending: Question) -> None:
        head = self.session.head
        offer, value = self.decide(self.session)
        if offer is not None:
            self._take_offer(pending, offer)
        else:
            self._by_kind(pending, value)
        changed = lambda: self.session.head != head or self.table.controller.phase != "open"  # noqa: E731
        if not self.until(changed, GET_ON_MS):
            raise HandsError(f"{pending.prompt!r} was not answered with {value!r}: {self._said()}")

    def _take_offer(self, pending: Question, offer: Offer) -> None:
        """By Yes of the seat when that is its only offer, else by number and OK."""
        if sum(one.seat == offer.seat for one in pending.offers) == 1:
            self.button(offer.seat, True)
        else:
            self._number_of(offer=offer.id)
            self.key("OK")

    def _agree(self, pending: Question) -> None:
        """OK, or Yes of a seat that is asked and has no offer of its own: whichever key gave no answer just now."""
        asked = self.session.waiting() or pending.who.seats
        seats = [] if isinstance(pending, Window) else [one for one in asked if self._has_no_offer(pending, one)]
        ways = {"OK": "", **{self._button(seat, True): seat for seat in seats}}
        first = min(ways, key=lambda name: self._again.get(name, 0))
        if ways[first]:
            self.button(ways[first], True)
        else:
            self.key("OK")

    def _let_go_by(self, pending: Window) -> None:
        """Each seat that has an offer says No; OK closes a window that is kept open, and one without offers."""
        seats = {one.seat for one in pending.offers}
        if not seats or self.session.holding():
            self.key("OK")
            return
        for seat in sorted(seats):
            self.button(seat, False)

    def _has_no_offer(self, pending: Question, seat: str) -> bool:
        return all(one.seat != seat for one in pending.offers)

    def _number_of(self, *, option: str = "", offer: str = "") -> None:
        for line in self.table.controller.view().numbered:
            if (option and line.option == option) or (offer and line.offer == offer):
                self.number(line.number)
                return
        raise HandsError(f"the page has no number for {option or offer}")

    def _by_kind(self, pending: Question, value: Json) -> None:
        match pending:
            case Choose():
                self._choose(pending, [value] if pending.single else list(value))
            case Place():
                self._place(pending, str(value))
            case Path():
                self._walk(pending, as_cell(value) if value else pending.start)
            case Roll():
                self._roll(pending)
            case Draw():
                self._draw()
            case Confirm():
                self.button(pending.who.seats[0], bool(value))
            case Window():
                self._let_go_by(pending)
            case Order():
                for name in value:
                    self._number_of(option=name)
                self._agree(pending)
            case Number():
                self.number(value)
                self._agree(pending)
            case _:
                raise HandsError(f"hands do not know how to answer {type(pending).__name__}")

    def _choose(self, pending: Choose, wanted: list[str]) -> None:
        head, draft = self.session.head, self.table.controller.draft
        chosen = tuple(draft.picked) if isinstance(draft, Choosing) and not pending.single else ()
        for name in wanted:
            if name in chosen:
                continue  # before something had to be mended
            option = next(one for one in pending.options if one.id == name)
            alone = sum(one.at == option.at for one in pending.options) == 1
            at = (option.at[0], option.at[1]) if option.at is not None and alone else None
            # With one hand on its way to the box the other keys in the number.
            if at is None or self._carrying() > 0 or not self._pointed_out(at):
                self._number_of(option=name)
        if self._open_at(head):
            self._agree(pending)

    def _pointed_out(self, cell: Cell) -> bool:
        """Point until the table has taken it: a tap that was too slow is none. Whether it did."""
        head, echo = self.session.head, self.table.controller.view().echo
        for _ in range(TRIES):
            self._point(cell)
            if not self._open_at(head) or self.table.controller.view().echo != echo:
                return True
        return False

    def _open_at(self, head: int) -> bool:
        return self.session.head == head and self.table.controller.phase == "open"

    def _fallen(self, fall: Callable[[], list[Face]]) -> list[Face]:
        """What fell lies there until it counts, also when figures have to be mended before."""
        if self._lies is None or self._lies[0] != self.session.head:
            self._lies = self.session.head, fall()
        return self._lies[1]

    def _roll(self, pending: Roll) -> None:
        head, draft = self.session.head, self.table.controller.draft
        faces = self._fallen(lambda: [face for group in throw(pending, self.rng) for face in group])
        keyed = len(draft.faces) if isinstance(draft, Rolling) else 0
        for face in faces[keyed:]:
            if not self._open_at(head):
                return
            self.number(face) if isinstance(face, int) else self.key(face)
        if self._open_at(head):
            self._agree(pending)

    def _draw(self) -> None:
        head = self.session.head
        tag = str(self._fallen(lambda: [self.rng.choice(sorted(self.in_bag))])[0])
        self._show(tag)
        if self.session.head != head:
            self.in_bag.discard(tag)

    def _place(self, pending: Place, value: str) -> None:
        option = next(one for one in pending.options if one.id == value)
        at = (option.at[0], option.at[1]) if option.at is not None else None
        if at is not None and pending.figure in self.stands and not self._covering(at):
            self._box()
            self._take_up(pending.figure)
            self._put(pending.figure, at)
        else:
            self._number_of(option=value)
            self._agree(pending)

    def _walk(self, pending: Path, stop: Cell) -> None:
        head, who = self.session.head, pending.figure
        way = pending.suggested.get(cell_key(stop), [])
        if way and not self._covering(stop):
            self._box()
            self._take_up(who)
            self._put(who, as_cell(list(way[-1])))
        if self._open_at(head):
            self._agree(pending)
