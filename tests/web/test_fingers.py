"""What a page does at the virtual table goes through pins, frames and firmware, and comes back as inputs."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import statistics
from collections.abc import Callable, Coroutine
from pathlib import Path
from time import monotonic

import pytest

from emberboard.engine import question as asked
from emberboard.engine.errors import Refused
from emberboard.engine.question import Cell
from emberboard.table.figures import FigureTracker
from emberboard.table.hardware import Key, LinkHealth, SeatButton, TagShown, TileGain, TileLoss
from emberboard.table.mending import wanted_of
from emberboard.virtual.table import VirtualTable
from tests.web.tables import SEED, Sitting, decided, fight_at, sitting

Run = Callable[[Callable[[Sitting], Coroutine[None, None, None]]], None]


@pytest.fixture
def play(works: VirtualTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a scene at the virtual table, its saves in a folder of its own."""
    monkeypatch.setenv("EMBERBOARD_HOME", str(tmp_path))

    def run(scene: Callable[[Sitting], Coroutine[None, None, None]]) -> None:
        async def whole() -> None:
            async with sitting(works) as at:
                await scene(at)

        asyncio.run(whole())

    return run


def edges(at: Sitting, cell: Cell) -> list[str]:
    """What the tile told, in order."""
    return [type(one).__name__ for one in at.felt if isinstance(one, TileGain | TileLoss) and one.cell == cell]


def free_cell(at: Sitting) -> Cell:
    """A tile on which nothing stands, nor beside it."""
    taken = set(at.fingers.magnets)
    return next(
        (x, y)
        for y in range(12)
        for x in range(12)
        if not any((x + dx, y + dy) in taken for dx in (-1, 0, 1) for dy in (-1, 0, 1))
    )


# -- tiles ------------------------------------------------------------------------------------------------------------


def test_lift_and_touch_reach_the_sensors(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at(), help_after=False)
        home = at.fingers.stands["malah"]
        await at.point("lift", home)
        await at.until(lambda: edges(at, home) == ["TileLoss"])
        assert "malah" not in at.fingers.stands
        to = free_cell(at)
        await at.point("touch", to)
        await at.until(lambda: edges(at, to) == ["TileGain"])
        assert at.table.tracker.at()["malah"] == to
        assert at.table.step is not None and at.table.step.kind == "move"

    play(scene)


def test_a_path_is_answered_by_dragging_its_figure(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at(asked.Path), help_after=False)
        pending = at.session.question
        assert isinstance(pending, asked.Path)
        stop = next(cell for cell in pending.stops if cell != pending.start and cell not in at.fingers.magnets)
        await at.point("lift", at.fingers.stands[pending.figure])
        await at.until(lambda: any(isinstance(one, TileLoss) for one in at.felt))
        await at.point("touch", (stop[0], stop[1]))
        await at.until(lambda: any(isinstance(one, TileGain) for one in at.felt))
        if at.session.question is pending:
            await at.point("press", name="OK")
            await at.until(lambda: at.session.question is not pending)
            await at.point("release", name="OK")
        entry = at.session.journal.tree.path()[-1]
        assert entry.source == "physical"
        assert wanted_of(at.session.game.scene(at.session.question))[pending.figure].at == tuple(stop)

    play(scene)


def test_a_large_base_is_felt_on_all_its_tiles_and_lifted_whole(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at(), help_after=False)
        at.fingers.sizes["ogre"] = 2
        corner = (1, 8)
        cells = {(1, 8), (2, 8), (1, 9), (2, 9)}
        await at.point("touch", corner, "ogre")
        await at.until(lambda: {one.cell for one in at.felt if isinstance(one, TileGain)} == cells)
        await at.point("lift", (2, 9))
        await at.until(lambda: {one.cell for one in at.felt if isinstance(one, TileLoss)} == cells)
        with pytest.raises(Refused, match="edge"):
            await at.point("touch", (11, 8))
        await at.point("box")
        assert not at.fingers.busy

    play(scene)


def test_a_bounce_counts_once_and_a_knock_on_the_tile_not_at_all(play: Run, works: VirtualTable) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at(), help_after=False)
        home, other = at.fingers.stands["malah"], at.fingers.stands["chiri"]
        await at.point("lift", home)
        await at.until(lambda: edges(at, home) == ["TileLoss"])
        await at.point("bounce", home)
        await at.point("bounce", other)
        await at.until(lambda: edges(at, home)[1:] == ["TileGain"])
        # What is felt after all that, on the same boards, shows that nothing else was told before it.
        last = [(home[0], 11), (other[0], 11)]
        assert [works.place_of(cell) for cell in last] == [works.place_of(home), works.place_of(other)]
        for cell in last:
            await at.point("touch", cell)
            await at.until(lambda cell=cell: edges(at, cell) == ["TileGain"])  # type: ignore[misc]
            await at.point("lift", cell)
            await at.until(lambda cell=cell: edges(at, cell) == ["TileGain", "TileLoss"])  # type: ignore[misc]
        assert edges(at, home) == ["TileLoss", "TileGain"]
        assert edges(at, other) == []

    play(scene)


def test_the_wand_points_and_a_tap_chooses(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at(), help_after=False)
        empty, home = free_cell(at), at.fingers.stands["malah"]
        await at.point("tap", empty)
        await at.until(lambda: edges(at, empty) == ["TileGain", "TileLoss"])
        await at.point("tap", home)
        await at.until(lambda: edges(at, home) == ["TileLoss", "TileGain"])
        assert at.table.tracker.at()["malah"] == home
        assert at.fingers.stands["malah"] == home
        assert not at.table.tracker.strays

    play(scene)


def test_what_fingers_cannot_do_is_refused_and_changes_nothing(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at(), help_after=False)
        home, other = at.fingers.stands["malah"], at.fingers.stands["chiri"]
        second = at.enter("another page")
        await at.point("lift", home)
        before = dict(at.fingers.stands), set(at.fingers.magnets)
        refused: list[tuple[str, Cell | None, str, str]] = [
            ("lift", other, "", "hand is full"),
            ("touch", other, "", "Something stands there"),
            ("touch", (40, 2), "", "There is no"),
            ("touch", None, "", "Which tile"),
            ("press", None, "Jump", "There is no Jump"),
            ("unplug", None, "Z9", "There is no Z9"),
        ]
        for what, cell, name, words in refused:
            with pytest.raises(Refused, match=words):
                await at.point(what, cell, name)
        with pytest.raises(Refused, match="Another page"):
            await at.point("touch", free_cell(at), "malah", second)
        with pytest.raises(Refused, match="stands on the table"):
            await at.point("touch", free_cell(at), "chiri", second)
        with pytest.raises(Refused, match="There is no nobody"):
            await at.point("touch", free_cell(at), "nobody", second)
        assert (at.fingers.stands, at.fingers.magnets) == before
        await at.point("touch", home)
        assert at.fingers.stands["malah"] == home

    play(scene)


# -- keys, seats, tokens ----------------------------------------------------------------------------------------------


async def press(at: Sitting, name: str, felt: Callable[[object], bool]) -> None:
    """Hold a key until it is felt, and until it is up again: the same key may come next."""
    before = len(at.felt)
    await at.point("press", name=name)
    await at.until(lambda: any(felt(one) for one in at.felt[before:]))
    await at.point("release", name=name)
    await asyncio.sleep(0.06)  # settle_ms of the table's file, and a scan


def is_key(name: str) -> Callable[[object], bool]:
    return lambda one: isinstance(one, Key) and one.name == name


def test_a_roll_is_keyed_in(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at(asked.Roll))
        pending = at.session.question
        assert isinstance(pending, asked.Roll)
        faces = [[1 + (3 * n) % 10 for n in range(one.count)] for one in pending.dice]
        for face in (face for group in faces for face in group):
            await press(at, str(face), is_key(str(face)))
        await at.point("press", name="OK")
        await at.until(lambda: at.session.question is not pending)
        await at.point("release", name="OK")
        entry = at.session.journal.tree.path()[-1]
        assert (entry.value, entry.source) == (faces, "physical")

    play(scene)


def test_a_token_shown_to_the_reader_is_the_draw(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at(asked.Draw))
        bag = at.table.bag
        assert bag is not None
        tag = next(one for one in sorted(bag.inside) if bag.tags[one] == "black")
        await at.point("miss")
        await at.point("show", name=tag)
        entry = at.session.journal.tree.path()[-1]
        assert (entry.value, entry.source) == ("black", "physical")
        assert [one.tag for one in at.felt if isinstance(one, TagShown)] == [tag]
        assert not at.fingers.tokens

    play(scene)


def test_a_seat_confirms_by_its_button_whose_light_is_on(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at(asked.Confirm))
        pending = at.session.question
        assert isinstance(pending, asked.Confirm)
        seat = pending.who.seats[0]
        number = at.session.game.seats().index(seat) + 1
        at.parlour.watch(at.page, True)
        lit: set[str] = set()

        def lights() -> bool:
            seen = at.parlour.lamps(at.page)
            if seen is not None:
                lit.clear()
                lit.update(seen.buttons)
            return f"seat {number} yes" in lit

        await at.until(lights)
        await at.point("press", name=f"seat {number} yes")
        await at.until(lambda: at.session.question is not pending)
        await at.point("release", name=f"seat {number} yes")
        assert any(isinstance(one, SeatButton) and one.seat == seat and one.yes for one in at.felt)
        assert at.session.journal.tree.path()[-1].value is True

    play(scene)


def test_what_a_page_held_is_let_go_when_it_leaves(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at())
        home = at.fingers.stands["malah"]
        gone = at.enter("a page that leaves")
        await at.point("press", name="Help", page=gone)
        await at.until(lambda: any(is_key("Help")(one) for one in at.felt))
        await at.point("lift", home, page=gone)
        await at.until(lambda: edges(at, home) == ["TileLoss"])
        assert at.fingers.stands.get("malah") is None
        # The same page again, as after a reload, before the old connection was found dead: nothing is let go.
        back = at.enter("a page that leaves")
        at.parlour.depart(gone)
        assert at.fingers.busy
        at.parlour.depart(back)
        # Hands put the figure back, and the key is up: pressed again it is felt again.
        await at.until(lambda: at.fingers.stands.get("malah") == home and at.table.phase == "open")
        at.felt.clear()
        await press(at, "Help", is_key("Help"))

    play(scene)


def test_a_key_under_two_fingers_is_up_when_both_left_it(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at())
        second = at.enter("another page")
        await at.point("press", name="Undo")
        await at.point("press", name="Undo", page=second)
        await at.point("release", name="Undo")
        # Still down: it becomes a long press.
        await at.until(lambda: any(isinstance(one, Key) and one.name == "Undo" and one.long for one in at.felt))
        await at.point("release", name="Undo", page=second)

    play(scene)


# -- faults -----------------------------------------------------------------------------------------------------------


def test_a_board_without_power_is_dark_and_comes_back(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at())
        await at.point("unplug", name="B2")
        dark = {(x, y) for x in range(6, 12) for y in range(6, 12)}
        await at.until(lambda: set(at.table.view().dark) == dark)
        assert (await at.fingers.lamps()).off == ["B2"]
        await at.point("replug", name="B2")
        await at.until(lambda: not at.table.view().dark and at.table.phase == "open")
        assert (await at.fingers.lamps()).off == []

    play(scene)


def test_noise_on_the_line_loses_no_magnet(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at(), help_after=False)
        await at.point("noise")
        assert (await at.fingers.lamps()).noise
        cells = [(x, 11) for x in range(0, 12, 2)]
        tracker = at.table.tracker
        for cell in cells:
            await at.point("touch", cell)
            await at.until(lambda cell=cell: cell in tracker.strays)  # type: ignore[misc]
        for cell in cells:
            await at.point("lift", cell)
            await at.until(lambda cell=cell: cell not in tracker.strays)  # type: ignore[misc]
        assert all(edges(at, cell).count("TileGain") <= 1 for cell in cells)
        await at.until(lambda: at.table.phase == "open" and not at.table.view().dark)

    play(scene)


def test_loose_sensors_are_told_of_and_a_restart_mends_them(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at())

        def faulty() -> bool:
            told = [one for one in at.felt if isinstance(one, LinkHealth) and one.source == "boards"]
            return bool(told) and "row 1, column 1 reports a fault" in told[-1].words

        await at.point("break", name="A1")
        await at.until(faulty)
        await at.point("restart", name="A1")
        await at.until(lambda: not faulty())
        await at.until(lambda: at.table.phase == "open")

    play(scene)


def test_a_killed_bus_is_told_of_and_comes_back_to_the_same_question(play: Run, works: VirtualTable) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at())
        pending = at.session.question
        os.kill(works.wire.pid, signal.SIGKILL)
        await at.until(lambda: "bus" in at.parlour.trouble)
        # Play goes on meanwhile: an answer is taken, and what it shows goes to the bus that is started.
        offer, value, seat = decided(at.session, random.Random(SEED))
        at.click(value, offer=offer, seat=seat)
        assert at.session.question is not pending
        await at.until(lambda: at.parlour.trouble == "")
        await at.until(lambda: at.table.phase == "open" and len(at.parlour.playing().table.heard) == 4)
        home = at.fingers.stands["malah"]
        at.fingers.help = False
        await at.point("lift", home)
        # As an edge, or by the snapshot of a board that the new bus found late.
        await at.until(lambda: "malah" in at.table.tracker.in_hand())

    play(scene)


# -- fights, one after the other --------------------------------------------------------------------------------------


def placed(tracker: FigureTracker) -> dict[str, Cell]:
    return dict(tracker.at())


def test_a_second_fight_hears_what_stands_and_which_board_is_out(play: Run, works: VirtualTable) -> None:
    async def scene(at: Sitting) -> None:
        first, second = fight_at(), fight_at(asked.Path)
        await at.open(first)
        await at.parlour.close_fight()
        # While no fight is open: a forgotten magnet, and a board that loses its power.
        forgotten = (0, 11)
        works.touch(forgotten)
        works.unplug("B1")
        try:
            at.fingers.help = False
            await at.parlour.go_on(second, lambda words, lost: False)
            await at.until(lambda: forgotten in at.table.tracker.strays)
            await at.until(lambda: len(at.table.view().dark) == 36)
        finally:
            works.lift(forgotten)
            works.replug("B1")
        at.fingers.help = True
        at.fingers.wake.set()
        await at.until(lambda: at.table.phase == "open" and not at.table.view().dark)
        wanted = {who: one.at for who, one in wanted_of(at.table.scene).items()}
        assert placed(at.table.tracker) == wanted == at.fingers.stands

    play(scene)


def test_a_fight_is_opened_after_the_bus_died_unheard(play: Run, works: VirtualTable) -> None:
    async def scene(at: Sitting) -> None:
        os.kill(works.wire.pid, signal.SIGKILL)
        os.waitpid(works.wire.pid, 0)
        await at.open(fight_at())

    play(scene)


def test_pages_get_the_newest_lamps_only_and_of_tiles_what_changed(play: Run) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at(), help_after=False)
        at.parlour.watch(at.page, True)
        await at.until(lambda: at.page.lamps is not None)
        whole = at.parlour.lamps(at.page)
        assert whole is not None and len(whole.tiles) == 144
        assert whole.stands == at.fingers.stands
        home = at.fingers.stands["malah"]
        await at.point("lift", home)
        await at.until(lambda: at.page.lamps is not None and at.page.lamps.held == ["malah"])
        slow = at.parlour.lamps(at.page)
        assert slow is not None and slow.held == ["malah"] and len(slow.tiles) < 144
        assert at.parlour.lamps(at.page) is None
        await at.point("touch", home)

    play(scene)


@pytest.mark.slow
def test_three_rounds_with_helping_hands(play: Run, show: Callable[[str], None]) -> None:
    async def scene(at: Sitting) -> None:
        await at.open(fight_at())
        rng = random.Random(SEED)
        all_times: list[float] = []
        moved: list[float] = []
        while at.session.question is not None and at.table.scene.round <= 3:
            pending = at.session.question
            offer, value, seat = decided(at.session, rng)
            at.felt.clear()
            began = monotonic()
            at.click(value, offer=offer, seat=seat)
            await at.until(lambda pending=pending: at.session.question is not pending)  # type: ignore[misc]
            await at.until(lambda: at.table.phase in ("open", "over"))
            all_times.append(monotonic() - began)
            if any(isinstance(one, TileGain) for one in at.felt):
                moved.append(all_times[-1])
        assert at.session.question is None or at.table.scene.round == 4
        assert placed(at.table.tracker).items() <= at.fingers.stands.items()
        show(
            f"helping hands, 3 Rounds: {len(all_times)} answers, open again after"
            f" {1000 * statistics.median(all_times):.0f} ms (median); {len(moved)} with figures to move,"
            f" {1000 * statistics.median(moved):.0f} ms (median)"
        )

    play(scene)
