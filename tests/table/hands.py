"""Hands at the table: they see only what is shown, do what the light asks, and carry out what the players decided.

Everything reaches the table as typed inputs. Where the table claims something about a figure that is not so, hands
press No, as people would who see the figure standing elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from emberboard.engine.chance import throw
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
from emberboard.table.figures import FLICKER_MS
from emberboard.table.mending import Step
from tests.table.world import World

Decide = Callable[[Session], "tuple[Offer | None, Json]"]
"""What the players decide about the pending question: an offer, or else an answer (anything where chance answers)."""


class Wrong(AssertionError):
    """The table is wrong and did not say so, or does not find back."""


class Hands:
    """One pair of careful hands."""

    def __init__(self, world: World, rng: random.Random, decide: Decide, bag: dict[str, str]) -> None:
        self.world, self.rng, self.decide = world, rng, decide
        self.tags = bag
        self.in_bag: set[str] = set()
        self.mends = 0
        self.noes = 0

    # -- the round ----------------------------------------------------------------------------------------------------

    def play(self, most: int = 4000) -> None:
        """Play until nothing is asked. Raises Wrong when the table is silently wrong or gets nowhere."""
        for _ in range(most):
            if self.world.session.question is None:
                return
            self.step()
        raise Wrong(f"no end in sight: {self.world.table.view()}")

    def step(self) -> None:
        """Bring the table into order, then answer what is asked."""
        self.mend()
        pending = self.world.session.question
        if pending is not None:
            self.check()
            self.answer(pending)

    def check(self) -> None:
        """Wherever a question is open, the figures truly stand as the state has them."""
        world, scene = self.world, self.world.session.game.scene(self.world.session.question)
        wanted = {one.id: (one.at[0], one.at[1]) for one in scene.figures}
        truly = {who: at for who, at in world.stands.items() if at is not None}
        moved = getattr(world.session.question, "figure", "")
        if moved in wanted and self._said_astray(moved, wanted[moved]):
            truly[moved] = wanted[moved]
        if truly != wanted or world.things:
            differ = {
                who: (truly.get(who), wanted.get(who))
                for who in truly.keys() | wanted.keys()
                if truly.get(who) != wanted.get(who)
            }
            raise Wrong(f"the table is silently wrong (figure: truth, state): {differ}, things {world.things}")

    def _said_astray(self, who: str, home: Cell) -> bool:
        """Whether the table says that the figure of its question is on its way, astray or in a hand."""
        at = self.world.stands.get(who)
        if at is None:
            return "in hand" in self.world.table.notice
        return at == home or self.world.lit.get(at) in ("wrong", "path") or "Put it back" in self.world.table.notice

    def bring_back(self, pending: Question) -> None:
        """The figure of the question goes back to where the state has it, before it is moved as was decided."""
        who = getattr(pending, "figure", "")
        home = next(((x.at[0], x.at[1]) for x in self.world.table.scene.figures if x.id == who), None)
        if home is not None and self.world.stands.get(who) != home and self.world.free(home, who):
            self.world.move(who, home)
            self.world.wait(300)

    def mend(self) -> None:
        """Do what the light asks until a question is open."""
        for _ in range(400):
            self.world.wait(self.rng.randint(150, 400))
            view = self.world.table.view()
            if view.phase == "mending" and view.step is not None:
                self.mends += 1
                self.one_step(view.step)
            elif view.phase == "bag" and view.task is not None:
                self.into_the_bag()
            elif self.world.table.due() is not None and view.phase == "open":
                self.world.wait(300)
            else:
                return
        raise Wrong(f"it cannot be mended: {self.world.table.view().words}; {self.world.stands}")

    # -- mending ------------------------------------------------------------------------------------------------------

    def one_step(self, step: Step) -> None:
        world = self.world
        match step.kind:
            case "settle":
                world.wait(300)
            case "clear":
                self._clear(step.start[0])
            case "identify":
                self._identify(step)
            case "put down":
                off = [who for who in step.among if world.stands.get(who) is None]
                free = [cell for cell in step.to if world.free(cell)]
                if off and free:
                    world.put(self.rng.choice(off), self.rng.choice(free))
                else:
                    self.no()
            case "take":
                if world.stands.get(step.figure) == step.start[0]:
                    world.lift(step.figure)
                else:
                    self.no()
            case _:
                self._bring(step)

    def _bring(self, step: Step) -> None:
        world, who, to = self.world, step.figure, step.to[0]
        truly = world.stands.get(who)
        if who not in world.sizes:
            world.sizes[who] = next((one.size for one in world.table.scene.figures if one.id == who), 1)
        claimed = step.start[0] if step.start else None
        if truly != claimed or not world.free(to, who):
            self.no()
            return
        near = truly is not None and abs(truly[0] - to[0]) + abs(truly[1] - to[1]) == 1
        if near and self.rng.random() < 0.3:
            world.slide(who, to)
            return
        if truly is not None:
            world.lift(who)
        world.wait(self.rng.randint(200, 2500))
        if world.free(to, who):
            world.put(who, to)

    def _clear(self, cell: Cell) -> None:
        world = self.world
        if cell in world.things:
            world.pick_up(cell)
            return
        who = world.covered().get(cell)
        if who is None:
            raise Wrong(f"{cell} is to be cleared, and nothing is there")
        world.lift(who)

    def _identify(self, step: Step) -> None:
        world, who = self.world, step.figure
        at = world.stands.get(who)
        if at in step.start:
            world.tap(who, self.rng.randint(FLICKER_MS + 30, 2500))
            return
        if at is None:
            spare = [(x, y) for x in range(12) for y in range(10) if world.free((x, y), who)]
            world.put(who, self.rng.choice(spare))
            return
        self.no()

    def no(self) -> None:
        self.noes += 1
        self.world.key("No")

    # -- the bag ------------------------------------------------------------------------------------------------------

    def into_the_bag(self) -> None:
        """Show what is to go in or to come out."""
        task = self.world.table.view().task
        assert task is not None
        for kind in task.put_in:
            tag = next((tag for tag, of in sorted(self.tags.items()) if of == kind and tag not in self.in_bag), None)
            if tag is None:
                raise Wrong(f"no {kind} token is left to put in: {task}")
            self.world.tag(tag)
            self.in_bag.add(tag)
            return
        for kind in task.take_out:
            tag = next((tag for tag in sorted(self.in_bag) if self.tags[tag] == kind), None)
            if tag is None:
                raise Wrong(f"no {kind} token is in the bag to take out: {task}")
            self.world.tag(tag)
            self.in_bag.discard(tag)
            return

    # -- answers ------------------------------------------------------------------------------------------------------

    def answer(self, pending: Question) -> None:
        """Carry out what the players decide, by one of the ways there are."""
        world = self.world
        before = (world.session.head, pending.id)
        self.bring_back(pending)
        if world.session.head != before[0] or world.table.phase != "open":
            return
        if not isinstance(pending, Path):
            self.clear_keys()
        offer, value = self.decide(world.session)
        if offer is not None:
            self._offer(offer)
        else:
            self._by_kind(pending, value)
        if world.session.head == before[0] and world.table.phase == "open":
            raise Wrong(f"{pending.prompt!r} was not answered with {value!r}: {world.table.notice}")

    def clear_keys(self) -> None:
        """Undo, pressed short, until nothing is keyed in."""
        for _ in range(40):
            self.world.key("Undo")
            if self.world.table.notice.startswith("Nothing is keyed in"):
                return
        raise Wrong("what is keyed in does not go away")

    def _offer(self, offer: Offer) -> None:
        world = self.world
        pending = world.session.question
        own = [one for one in pending.offers if one.seat == offer.seat] if pending is not None else []
        buttons = not isinstance(pending, Confirm) or offer.seat not in pending.who.seats
        if buttons and self.rng.random() < 0.5:
            for one in own:
                world.button(offer.seat, True)
                if len(own) == 1:
                    return
                if one is offer:
                    break
            world.key("OK")
            return
        self._number_of(offer=offer.id)
        world.key("OK")

    def _number_of(self, *, option: str = "", offer: str = "") -> None:
        for line in self.world.table.view().numbered:
            if (option and line.option == option) or (offer and line.offer == offer):
                self.world.number(line.number)
                return
        raise Wrong(f"the page has no number for {option or offer}")

    def _by_kind(self, pending: Question, value: Json) -> None:
        world, rng = self.world, self.rng
        match pending:
            case Choose():
                self._choose(pending, [value] if pending.single else list(value))
            case Place():
                self._place(pending, str(value))
            case Path():
                self._walk(pending, as_cell(value) if value else pending.start)
            case Roll():
                for group in throw(pending, rng):
                    for face in group:
                        self._die(face)
                world.key("OK")
            case Draw():
                self._draw()
            case Confirm():
                seat = pending.who.seats[0]
                world.button(seat, value) if rng.random() < 0.5 else world.key("OK" if value else "No")
            case Window():
                if rng.random() < 0.5:
                    world.key("OK")
                else:
                    for seat in dict.fromkeys(one.seat for one in pending.offers):
                        world.button(seat, False)
            case Order():
                for name in value:
                    self._number_of(option=name)
                world.key("OK")
            case Number():
                world.number(value)
                world.key("OK")

    def _die(self, face: int | str) -> None:
        self.world.number(face) if isinstance(face, int) else self.world.key(face)

    def _choose(self, pending: Choose, wanted: list[str]) -> None:
        world = self.world
        head = world.session.head
        for name in wanted:
            option = next(one for one in pending.options if one.id == name)
            at = (option.at[0], option.at[1]) if option.at is not None else None
            alone = sum(one.at == option.at for one in pending.options) == 1
            if at is not None and alone and self.rng.random() < 0.7:
                self.point(at)
            else:
                self._number_of(option=name)
        if world.session.head == head and world.table.phase == "open":
            world.key("OK")

    def point(self, at: Cell) -> None:
        """Tap the figure there, or touch the empty tile with the wand."""
        who = self.world.covered().get(at)
        if who is not None:
            self.world.tap(who, self.rng.randint(FLICKER_MS + 30, 1300))
        else:
            self.world.wand(at, self.rng.randint(FLICKER_MS + 30, 900))

    def _place(self, pending: Place, value: str) -> None:
        world = self.world
        option = next(one for one in pending.options if one.id == value)
        assert option.at is not None
        at, who = (option.at[0], option.at[1]), pending.figure
        if world.stands.get(who) is not None and world.free(at, who) and self.rng.random() < 0.7:
            world.move(who, at, self.rng.randint(200, 3000))
        elif self.rng.random() < 0.6:
            self.point(at)
        else:
            self._number_of(option=value)
            world.key("OK")

    def _draw(self) -> None:
        tag = self.rng.choice(sorted(self.in_bag))
        self.in_bag.discard(tag)
        self.world.tag(tag)
        entry = self.world.session.journal.tree.path()[-1:]
        if entry and entry[0].pile and entry[0].value != self.tags[tag]:
            self.in_bag.add(tag)  # the table said that another one counts: this one goes back

    def _walk(self, pending: Path, stop: Cell) -> None:
        world, who = self.world, pending.figure
        head = world.session.head
        way = [as_cell(list(cell)) for cell in pending.suggested.get(cell_key(stop), [])]
        if self.rng.random() < 0.4:
            way = way[-1:]
        for cell in way:
            if cell != way[-1] and not world.free(cell, who):
                continue
            self.one_cell(who, cell)
            if world.session.head != head or world.table.phase != "open":
                return
        if self.rng.random() < 0.5 and way:
            world.tap(who)
        else:
            world.key("OK")

    def one_cell(self, who: str, to: Cell) -> None:
        """Move a figure one step of its path."""
        at = self.world.stands[who]
        assert at is not None
        if abs(at[0] - to[0]) + abs(at[1] - to[1]) == 1 and self.rng.random() < 0.4:
            self.world.slide(who, to)
        else:
            self.world.move(who, to, self.rng.randint(150, 2500))
