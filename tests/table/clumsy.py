"""Clumsy hands: slides, two at once, knocks, flicker, swaps, things left lying, boards that restart, wrong keys.

What they do wrong happens between and during answers. They see what is shown and go on from there; they never press
OK while figures are being mended, for that would be their word against the tiles.
"""

from __future__ import annotations

import random
from collections import Counter

from emberboard.engine.question import Cell, Draw, Path, Roll
from emberboard.table.figures import EXCHANGE_MS
from tests.table.hands import Decide, Hands, Wrong
from tests.table.world import World


class ClumsyHands(Hands):
    """Hands that do something wrong with the probability `clumsy` at each of their steps."""

    ACCIDENTS = (
        "knock",
        "knock",
        "fall",
        "flicker",
        "flicker",
        "ghost",
        "swap",
        "both_up_and_back",
        "exchange_by_turns",
        "leave_something",
        "hold_too_long",
        "restart",
        "restart_with_a_move",
        "long_restart",
        "wrong_key",
        "wrong_tag",
        "late_click",
        "tap_something",
        "undo_an_answer",
    )

    def __init__(
        self, world: World, rng: random.Random, decide: Decide, bag: dict[str, str], clumsy: float = 0.15
    ) -> None:
        super().__init__(world, rng, decide, bag)
        self.clumsy = clumsy
        self.done: Counter[str] = Counter()
        self.asked: list[str] = []

    def slip(self) -> None:
        """Perhaps an accident."""
        if self.rng.random() < self.clumsy:
            name = self.rng.choice(self.ACCIDENTS)
            self.done[name] += 1
            getattr(self, name)()

    def step(self) -> None:
        pending = self.world.session.question
        if pending is not None:
            self.asked.append(pending.id)
        self.mend()
        self.slip()
        self.world.wait(self.rng.randint(0, 2200))
        self.mend()
        pending = self.world.session.question
        if pending is not None:
            self.check()
            self.answer(pending)

    def one_step(self, step: object) -> None:
        super().one_step(step)  # type: ignore[arg-type]
        if self.rng.random() < self.clumsy / 4:
            self.rng.choice([self.knock, self.flicker, self.ghost, self.swap, self.restart])()

    def answer(self, pending: object) -> None:
        """As careful hands do; but where the wrong thing was understood it is not held against the table."""
        head = self.world.session.head
        try:
            super().answer(pending)  # type: ignore[arg-type]
        except Wrong:
            if self.world.session.head == head and self.world.table.phase == "open" and not self.world.table.notice:
                raise

    # -- accidents ----------------------------------------------------------------------------------------------------

    def standing(self) -> list[str]:
        return sorted(who for who, at in self.world.stands.items() if at is not None)

    def _beside(self, who: str) -> list[Cell]:
        at = self.world.stands[who]
        assert at is not None
        around = [(at[0] + dx, at[1] + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
        return [cell for cell in around if self.world.free(cell, who)]

    def knock(self) -> None:
        """An elbow: a figure is pushed to a tile beside its own."""
        for who in self.rng.sample(self.standing(), min(1, len(self.standing()))):
            cells = self._beside(who)
            if cells and self.rng.random() < 0.5:
                self.world.slide(who, self.rng.choice(cells), self.rng.randint(20, 200))
            elif cells:
                self.world.move(who, self.rng.choice(cells), self.rng.randint(20, 200))

    def fall(self) -> None:
        """A figure falls over and off its tile."""
        if self.standing():
            self.world.lift(self.rng.choice(self.standing()))

    def flicker(self) -> None:
        """A sensor under a figure loses it for a moment, or twice."""
        for _ in range(self.rng.randint(1, 2)):
            if self.standing():
                at = self.world.stands[self.rng.choice(self.standing())]
                assert at is not None
                self.world.flicker(at, self.rng.randint(5, 100))
                self.world.wait(self.rng.randint(0, 60))

    def ghost(self) -> None:
        """A sensor with nothing on it sees something for a moment."""
        cell = (self.rng.randrange(12), self.rng.randrange(10))
        if self.world.free(cell):
            self.world.flicker(cell, self.rng.randint(5, 100))

    def swap(self) -> None:
        """Two figures are taken up together and put down the wrong way round."""
        self._two(crossed=True)

    def both_up_and_back(self) -> None:
        """Two figures are taken up together and put down as they were."""
        self._two(crossed=False)

    def _two(self, crossed: bool) -> None:
        pair = self.rng.sample(self.standing(), 2) if len(self.standing()) > 1 else []
        places = [self.world.stands[who] for who in pair]
        for who in pair:
            self.world.lift(who)
            self.world.wait(self.rng.randint(0, 800))
        self.world.wait(EXCHANGE_MS)
        for who, at in zip(pair, reversed(places) if crossed else places):
            assert at is not None
            if self.world.free(at, who):
                self.world.put(who, at)
            self.world.wait(self.rng.randint(0, 800))

    def exchange_by_turns(self) -> None:
        """Two figures change places one after the other, by way of a third tile."""
        pair = self.rng.sample(self.standing(), 2) if len(self.standing()) > 1 else []
        if len(pair) < 2 or not self._beside(pair[0]):
            return
        first, second = (self.world.stands[who] for who in pair)
        assert first is not None and second is not None
        for who, to in ((pair[0], self.rng.choice(self._beside(pair[0]))), (pair[1], first), (pair[0], second)):
            if self.world.free(to, who):
                self.world.move(who, to, self.rng.randint(150, 900))
                self.world.wait(self.rng.randint(50, 900))

    def leave_something(self) -> None:
        """The wand, or a phone with a magnet, is left lying on a tile."""
        cells = [(x, y) for x in range(12) for y in range(10) if self.world.free((x, y))]
        self.world.lay(self.rng.choice(cells))
        self.world.wait(self.rng.randint(0, 3000))

    def hold_too_long(self) -> None:
        """A figure is looked at from all sides and put back."""
        if self.standing():
            who = self.rng.choice(self.standing())
            at = self.world.stands[who]
            assert at is not None
            self.world.lift(who)
            self.world.wait(self.rng.randint(1600, 6000))
            self.world.put(who, at)

    def _board(self) -> set[Cell]:
        left, top = self.rng.choice((0, 6)), self.rng.choice((0, 6))
        return {(left + x, top + y) for x in range(6) for y in range(6)}

    def restart(self) -> None:
        """A board restarts; nothing is touched meanwhile."""
        self.world.go_dark(self._board())
        self.world.wait(self.rng.randint(50, 1500))
        self.world.come_back()

    def restart_with_a_move(self) -> None:
        """A board restarts, and just then a figure is moved."""
        self.world.go_dark(self._board())
        self.world.wait(self.rng.randint(50, 900))
        self.knock()
        self.world.wait(self.rng.randint(50, 900))
        self.world.come_back()

    def long_restart(self) -> None:
        """A board is gone for long, and two figures change places meanwhile."""
        board = self._board()
        self.world.go_dark(board)
        self.world.wait(self.rng.randint(2500, 9000))
        inside = [who for who in self.standing() if self.world.stands[who] in board]
        if len(inside) > 1 and self.rng.random() < 0.7:
            one, other = self.rng.sample(inside, 2)
            self.world.stands[one], self.world.stands[other] = self.world.stands[other], self.world.stands[one]
        self.world.come_back()

    def wrong_key(self) -> None:
        """A key that nobody meant; OK only where no figures are being mended and no token is drawn."""
        keys = ["1", "2", "7", "10", "+10", "Help", "Undo", "1 hit"]
        if self.world.table.phase == "open" and not isinstance(self.world.session.question, (Roll, Draw)):
            keys += ["OK", "No", "Roll"]
        self.world.key(self.rng.choice(keys))

    def wrong_tag(self) -> None:
        """An unknown tag, or one that lies outside the bag."""
        outside = sorted(set(self.tags) - self.in_bag)
        pending = self.world.session.question
        tag = self.rng.choice(["DEADBEEF", *outside])
        wanted = self.world.table.view().task
        if wanted is not None and self.tags.get(tag) in wanted.put_in:
            return
        head = self.world.session.head
        self.world.tag(tag)
        if self.world.session.head != head:
            raise Wrong(f"{tag} was taken for a draw at {pending}")
        if not self.world.table.notice:
            raise Wrong(f"nothing was said about the tag {tag}")

    def late_click(self) -> None:
        """A page that still shows an earlier question answers it."""
        if len(self.asked) > 1 and self.asked[-2] != self.asked[-1]:
            head = self.world.session.head
            self.world.click(self.asked[-2], "go on")
            if self.world.session.head != head:
                raise Wrong("a late answer was taken")

    def tap_something(self) -> None:
        """A figure is tapped that nobody asked for; during a walk, it is put where no step leads."""
        pending = self.world.session.question
        if isinstance(pending, Path) and self.world.stands.get(pending.figure) is not None:
            legal = {tuple(cell) for cells in pending.steps.values() for cell in cells}
            cells = [(x, y) for x in range(12) for y in range(10) if (x, y) not in legal and self.world.free((x, y))]
            if cells:
                self.world.move(pending.figure, self.rng.choice(cells))
                return
        if self.standing():
            self.world.tap(self.rng.choice(self.standing()), self.rng.randint(150, 1400))

    def undo_an_answer(self) -> None:
        """The last answer is taken back."""
        if self.rng.random() < 0.4:
            self.world.key("Undo", long=True)
