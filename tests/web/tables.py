"""A parlour around a real virtual table (firmware in processes, pins, pipes), and fights at a wanted question."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from emberboard.engine import question as asked
from emberboard.engine.chance import throw
from emberboard.engine.session import Session
from emberboard.games.desk import desk_of
from emberboard.games.evershade import policy
from emberboard.play.new_fight import begin_fight
from emberboard.play.opening import refuse_losses
from emberboard.table.controller import TableController
from emberboard.table.figures import SLIDE_MS
from emberboard.table.hardware import AnyInput, Click
from emberboard.virtual.table import VirtualTable, box_tags
from emberboard.web.messages import Finger
from emberboard.web.parlour import Page, Parlour
from emberboard.web.seating import Visitor

SCENARIO = "outlaws-of-bear-peak"
SEATS = {"Ann": ["malah"], "Ben": ["chiri"]}
SEED = 5
"""Of a fight that comes to every kind of question within a few dozen answers."""
WITHIN_S = 60.0
MOST_ANSWERS = 400


def decided(session: Session, rng: random.Random) -> tuple[str, object, str]:
    """What the simple policy and these dice say to the pending question: offer or nothing, value, seat."""
    pending = session.question
    assert pending is not None
    seat = next(iter(session.waiting()), "")
    if isinstance(pending, asked.Roll):
        return "", throw(pending, rng), seat
    if isinstance(pending, asked.Draw):
        return "", rng.choice([kind for kind, count in pending.contents.items() for _ in range(count)]), seat
    offer = policy.wanted_offer(session.game, pending)
    if offer is not None:
        return offer.id, None, offer.seat
    return "", policy.decide(session.game, pending), seat


def fight_at(kind: type[asked.Question] | None = None) -> Path:
    """A save whose fight stands at its first question of a kind, or (None) at the very first."""
    session, path = begin_fight(desk_of("evershade"), SCENARIO, SEATS, random.Random(SEED))
    rng = random.Random(SEED)
    for _ in range(MOST_ANSWERS):
        pending = session.question
        assert pending is not None
        if kind is None or isinstance(pending, kind):
            session.close()
            return path
        offer, value, seat = decided(session, rng)
        if offer:
            session.take(pending.id, offer, seat=seat)
        else:
            session.answer(pending.id, value, seat=seat)
    raise AssertionError(f"seed {SEED} comes to no {kind}")


class Sitting:
    """A parlour with one page at the table itself."""

    def __init__(self, works: VirtualTable) -> None:
        self.works = works
        self.parlour = Parlour(works, box_tags())
        assert self.parlour.fingers is not None
        self.fingers = self.parlour.fingers
        self.page = self.enter("the table's page")
        self.felt: list[AnyInput] = []

    def enter(self, name: str) -> Page:
        """Another page of the table's own machine."""
        return self.parlour.enter(Visitor("this machine", name, True))

    @property
    def table(self) -> TableController:
        """The table of the fight that is open."""
        return self.parlour.playing().table.controller

    @property
    def session(self) -> Session:
        """Its session."""
        return self.parlour.playing().session

    async def open(self, path: Path, *, help_after: bool = True) -> None:
        """Go on with a save; hands lay the figures out. `help_after` says whether they stay."""
        self.fingers.help = True
        await self.parlour.go_on(path, refuse_losses)
        table = self.parlour.playing().table
        before = table.on_input
        assert before is not None

        def feel(one: AnyInput) -> None:
            self.felt.append(one)
            before(one)

        table.on_input = feel
        await self.until(lambda: self.table.phase == "open")
        self.fingers.help = help_after
        # Whoever lifts a figure sooner beside one that just landed may have slid it.
        await asyncio.sleep(SLIDE_MS / 1000 + 0.05)
        self.felt.clear()

    async def until(self, done: Callable[[], object]) -> None:
        """Wait until something holds; the parlour wakes pages whenever anything changed."""
        try:
            async with asyncio.timeout(WITHIN_S):
                while not done():
                    await self.page.wake.wait()
                    self.page.wake.clear()
        except TimeoutError:
            told = [self.parlour.trouble]
            if self.parlour.fight is not None:
                told += [self.table.phase, str(self.table.step), self.table.notice, *map(str, self.felt[-12:])]
            raise AssertionError(" | ".join(told)) from None

    async def point(self, what: str, cell: asked.Cell | None = None, name: str = "", page: Page | None = None) -> None:
        """A page's finger."""
        await self.fingers.point(Finger(what=what, cell=cell, name=name), (page or self.page).who.page)  # type: ignore[arg-type]

    def click(self, value: object = None, *, offer: str = "", seat: str = "") -> None:
        """Answer by a click on the page."""
        pending = self.session.question
        assert pending is not None
        now = self.parlour.playing().table.clock()
        self.parlour.submit(Click(at=now, question=pending.id, value=value, offer=offer, seat=seat))


@asynccontextmanager
async def sitting(works: VirtualTable) -> AsyncIterator[Sitting]:
    """A parlour that leaves its virtual table to the next one, with nothing on it."""
    one = Sitting(works)
    try:
        yield one
    finally:
        for page in list(one.parlour.pages):
            one.parlour.depart(page)
        await one.parlour.close_fight()
        await one.fingers.clear()
        one.fingers.close()
