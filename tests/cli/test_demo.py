"""The fight through firmware processes: virtual hands, boards, bus, keys, reader, rail, as `emberboard demo` has it."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from emberboard.cli.autoplay import play_out
from emberboard.cli.demo import Demo, DemoOutcome, Spread, decide, spread_line
from emberboard.cli.demo_hands import GET_ON_MS, STALLED, DemoHands, HandsError
from emberboard.devices.table_file import place_at, table_named
from emberboard.engine.errors import Refused
from emberboard.engine.session import Session
from emberboard.games.desk import find_scenario
from emberboard.link.registry import Place
from emberboard.table.dice_station import Rolling
from emberboard.table.mending import Step
from emberboard.table.wired_table import WiredTable
from tests.faults.killed_table import Reference

SEED = 7
SHORT = 158
"""The seed of a fight for one player that is over soon."""


def played(
    show: Callable[[str], None], rounds: int, *, table: str = "2x2", faults: bool = False
) -> tuple[DemoOutcome, list[str]]:
    """A fight of so many Rounds; what came of it, and what was said."""
    said: list[str] = []
    demo = Demo(SEED, 2, table, said.append, faults=faults)
    try:
        demo.play(rounds)
        outcome = demo.outcome(0)
        again = Session.load(type(demo.session.game), demo.session.journal)
        assert again.state_hash() == outcome.state_hash
        assert {entry.source for entry in demo.session.journal.tree.path()} == {"physical"}
        while demo.table.controller.phase == "mending":
            demo.hands.step()
        question = demo.session.question
        wanted = {one.id: one.at for one in demo.session.game.scene(question).figures}
        assert demo.hands.stands == wanted, "figures truly stand as the state has them"
    finally:
        demo.close()
    show(spread_line(f"touch to light through firmware, table {table}", outcome.touch_to_light))
    return outcome, said


@pytest.mark.slow
def test_a_round_through_firmware_is_the_same_with_faults(show: Callable[[str], None]) -> None:
    quiet, _ = played(show, 1)
    assert quiet.rounds == 2 and quiet.draws > 2 and quiet.presses > 20 and quiet.frames > 1000
    troubled, said = played(show, 1, faults=True)
    assert troubled.faults == 1 and any("without power" in line for line in said)
    assert troubled.state_hash == quiet.state_hash


@pytest.mark.slow
@pytest.mark.parametrize(("table", "boards"), [("4x3", 12), ("6x6", 36)])
def test_a_round_on_a_larger_table(table: str, boards: int, show: Callable[[str], None]) -> None:
    outcome, said = played(show, 1, table=table)
    assert said[0].startswith(f"{boards} boards found")
    assert outcome.rounds == 2 and outcome.draws > 2 and outcome.presses > 20


@pytest.mark.slow
def test_a_whole_fight_through_firmware_is_the_one_that_the_program_plays(show: Callable[[str], None]) -> None:
    demo = Demo(SHORT, 1, "2x2", lambda words: None)
    try:
        demo.play()
        outcome = demo.outcome(0)
        game, setup = type(demo.session.game), demo.session.journal.meta.setup
    finally:
        demo.close()
    assert outcome.result in ("victory", "defeat") and outcome.draws >= 6
    alone = Session.new(game, setup, rng=random.Random(SHORT))
    play_out(alone, find_scenario("")[0], lambda words: None)
    assert outcome.state_hash == alone.state_hash()
    show(spread_line(f"touch to light in a whole fight of {outcome.inputs} inputs", outcome.touch_to_light))


@pytest.mark.slow
def test_a_host_that_is_killed_and_started_again_goes_on_with_the_figures_as_they_stand() -> None:
    demo = Demo(SEED, 2, "2x2", lambda words: None)
    try:
        demo.play(1)
        while demo.table.controller.phase == "mending":
            demo.hands.step()
        before = demo.session.state_hash()
        session = Session.load(type(demo.session.game), demo.session.journal, rng=random.Random(SEED))
        bus, virtual, tags = demo.virtual.restart_bus(), demo.virtual, demo.hands.tags
        table = WiredTable(session, bus, virtual.registry, virtual.devices, virtual, pixels=24, tags=tags)
        hands = DemoHands(table, virtual, tags, demo.hands.rng, decide)
        hands.stands, hands.sizes = demo.hands.stands, demo.hands.sizes
        table.start()
        assert hands.until(lambda: len(table.heard) == 4 and table.controller.phase != "mending", 30_000)
        assert hands.touches == 0, "no figure had to be touched"
        assert session.state_hash() == before
        inputs = len(session.journal.tree.path())
        for _ in range(200):
            hands.step()
            if len(session.journal.tree.path()) >= inputs + 10:
                break
        assert len(session.journal.tree.path()) >= inputs + 10 and session.trouble is None
    finally:
        demo.close()


def test_a_table_that_is_not_there_is_said_before_anything_starts() -> None:
    with pytest.raises(Refused, match=r"there is no table '9x9'; ready ones are 2x2, 4x3, 6x6"):
        table_named("9x9")


@pytest.mark.slow
def test_boards_whose_places_are_not_known_are_learnt_by_touch_and_then_played_on() -> None:
    said: list[str] = []
    demo = Demo(SEED, 2, "2x2", said.append, learn=True)
    try:
        assert said[-1] == "4 places learnt by 8 touches of lit tiles."
        for number, place in enumerate(demo.file.segments[0].chain):
            column, row = place_at(place)
            lies = demo.virtual.registry.places[demo.virtual.uid_at(place)]
            assert lies == Place(row, column, number % 4), place
        demo.play(1)
        assert demo.session.game.summary()["rounds"] == 2
    finally:
        demo.close()


class ElbowHands(DemoHands):
    """Hands that knock a figure over when two dice are keyed in."""

    knocked = 0

    def number(self, n: int) -> None:
        """Key in a number; now and then a figure falls."""
        super().number(n)
        draft = self.table.controller.draft
        if isinstance(draft, Rolling) and len(draft.faces) == 2 and not self.knocked:
            self.knocked = 1
            self._take_up(min(self.stands))
            self.until(lambda: self.table.controller.phase == "mending", GET_ON_MS)


@pytest.mark.slow
def test_dice_lie_where_they_fell_while_a_figure_is_put_back() -> None:
    demo = Demo(SEED, 2, "2x2", lambda words: None)
    try:
        demo.hands = ElbowHands(demo.table, demo.virtual, demo.hands.tags, random.Random(SEED), decide)
        demo.play(1)
        inputs = len(demo.session.journal.tree.path())
        assert demo.hands.knocked and demo.session.state_hash() == Reference(SEED, 2, inputs).hashes[inputs]
    finally:
        demo.close()


class IdleHands(DemoHands):
    """Hands that let the light ask."""

    def _mend(self, step: Step) -> None:
        """Do nothing."""


@pytest.mark.slow
def test_hands_that_get_nowhere_give_up_and_say_at_what() -> None:
    demo = Demo(SEED, 2, "2x2", lambda words: None)
    try:
        demo.hands = IdleHands(demo.table, demo.virtual, demo.hands.tags, random.Random(SEED), decide)
        with pytest.raises(HandsError, match=rf"after {STALLED} steps: mending Put \w+ on \d+,\d+\.") as told:
            demo.play()
        assert demo.session.question is not None and demo.session.question.prompt in str(told.value)
        assert not demo.session.journal.tree.path()
    finally:
        demo.close()


def test_how_times_are_spread() -> None:
    assert Spread.of([]) == Spread(0, 0, 0, 0)
    assert Spread.of([7]) == Spread(1, 7, 7, 7)
    assert Spread.of(list(range(100, 0, -1))) == Spread(100, 50, 95, 100)
    assert spread_line("Touch", Spread(2, 5, 9, 9)) == "Touch: median 5 ms, 95 % within 9 ms, worst 9 ms of 2"
