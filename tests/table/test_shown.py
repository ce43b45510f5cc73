"""What is shown: roles and themes, lights that only change, the rail, its pixels; and the loop around it all."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberboard.engine.errors import ContentError
from emberboard.engine.question import Choose, Confirm, Option
from emberboard.table.hardware import AnyInput, LinkHealth, RailPicture, RailSlot, SeatButton, TileGain, TileLoss
from emberboard.table.lights import LightsOut, changes
from emberboard.table.rail_view import rail_pixels
from emberboard.table.roles import KNOWN, MOST, OFF, brightness, load_theme
from tests.table.asked import ADA, GROUP, answers, figure, table_that_asks
from tests.table.world import Shown

THEME = Path(__file__).parents[2] / "host" / "emberboard" / "table" / "theme.yaml"
SHIPPED = load_theme()
CELLS = st.tuples(st.integers(0, 3), st.integers(0, 3))
PICTURES = st.dictionaries(CELLS, st.sampled_from(KNOWN))


def test_every_role_fits_on_the_bus_and_looks_its_own_without_colours() -> None:
    theme = load_theme()
    assert sorted(theme.index.values()) == list(range(len(theme.roles) + 1)) and len(theme.roles) <= MOST
    assert theme.index[OFF] == 0 and set(KNOWN) == set(theme.rank)
    for number, one in enumerate(theme.roles):
        for other in theme.roles[:number]:
            same = (one.pattern, one.period) == (other.pattern, other.period)
            low, high = sorted((brightness(one.colour), brightness(other.colour)))
            assert not same or high >= 1.5 * low, (one.role, other.role)


def broken_theme(tmp_path: Path, old: str, new: str) -> Path:
    text = THEME.read_text()
    assert old in text
    path = tmp_path / "theme.yaml"
    path.write_text(text.replace(old, new, 1))
    return path


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("role: wrong, ", "role: lift, ", "stands twice"),
        ("[255, 0, 0], ", "[256, 0, 0], ", "0 to 255"),
        ("pattern: chase,   period: 600", "pattern: steady,  period: 600", "steady role has period 0"),
        ("pattern: chase,   period: 600", "pattern: wave,    period: 600", "wave"),
        ("period: 3000", "period: 6000", "at most 5100"),
        ("[0, 90, 160],   ", "[240, 240, 240],", "only be told apart by colour"),
        ("  dangerous: danger", "  dangerous: lava", "no role 'lava'"),
    ],
)
def test_a_theme_that_cannot_be_names_file_line_and_field(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = broken_theme(tmp_path, old, new)
    first = THEME.read_text().split(old, 1)[0].count("\n") + 1
    line = first if words != "stands twice" else first + 2
    with pytest.raises(ContentError, match=words) as told:
        load_theme(path)
    assert told.value.file == str(path) and told.value.field and told.value.line == line


def test_a_role_that_is_missing_is_named(tmp_path: Path) -> None:
    lines = [line for line in THEME.read_text().splitlines() if "role: trigger" not in line]
    path = tmp_path / "theme.yaml"
    path.write_text("\n".join(lines))
    with pytest.raises(ContentError, match="missing: trigger"):
        load_theme(path)


@given(st.dictionaries(st.sampled_from([*KNOWN, "unheard of"]), st.lists(CELLS, max_size=6)))
def test_one_role_a_tile_by_priority(roles: dict[str, list[tuple[int, int]]]) -> None:
    theme = SHIPPED
    picture = theme.on_cells(roles)
    for cell in {cell for cells in roles.values() for cell in cells}:
        here = [look.role for look in theme.roles if cell in roles.get(look.role, ())]
        assert picture.get(cell) == (here[0] if here else None)


@given(st.lists(PICTURES, max_size=6))
def test_only_changes_are_sent_and_they_add_up(pictures: list[dict[tuple[int, int], str]]) -> None:
    device = Shown()
    out = LightsOut(device)
    tiles: dict[tuple[int, int], str] = {}
    for picture in pictures:
        sent = len(device.pictures)
        changed = out.show(picture)
        assert (len(device.pictures) > sent) == (bool(changed) or sent == 0)
        assert all(tiles.get(cell, OFF) != role for cell, role in changed.items())
        tiles.update(changed)
        assert {cell: role for cell, role in tiles.items() if role != OFF} == picture == device.now
    assert changes({}, {}) == {}


def test_terrain_is_lit_as_the_theme_says_and_roles_go_before_it() -> None:
    options = (Option("fire", "Fire", (0, 9)), Option("no", "No"))
    where = Choose(prompt="Where?", who=ADA, options=options, many=True)
    world = table_that_asks(where, figures=(figure("a", (2, 2)),))
    assert world.lit == {(0, 9): "danger"}, "fog has no role"
    world.wand((0, 9))
    assert world.lit == {(0, 9): "chosen"}


def test_the_rail_says_whose_turn_the_row_the_link_and_what_is_to_be_done() -> None:
    world = table_that_asks(Confirm(prompt="Sure?", who=GROUP), figures=(figure("ann", (2, 2)), figure("bob", (5, 5))))
    rail = world.shown_on_rail
    assert rail.turn == "Ann" and rail.words == "Sure?" and rail.health == "good"
    assert [(slot.name, slot.state) for slot in rail.row] == [("Ann", "active"), ("Bob", "waiting")]
    world.give(LinkHealth(at=world.ms, state="lost", words="Board 3 does not answer."))
    assert world.shown_on_rail.health == "lost" and "Board 3" in world.shown_on_rail.notice
    world.give(LinkHealth(at=world.ms, state="good", source="devices"))
    assert world.shown_on_rail.health == "lost", "what is well elsewhere hides nothing"
    world.lift("bob")
    world.wait(2000)
    assert world.shown_on_rail.words == "Put Bob on 5,5." and set(world.shown_at_seats.values()) == {"off"}


def slots(count: int, active: int) -> tuple[RailSlot, ...]:
    return tuple(
        RailSlot(str(n), str(n), "party" if n % 2 else "enemy", "active" if n == active else "waiting")
        for n in range(count)
    )


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 24))
def test_the_rails_pixels_show_the_active_place_however_short_the_rail(count: int, active: int, length: int) -> None:
    theme = SHIPPED
    pixels = rail_pixels(RailPicture("", slots(count, active), "good", (), ""), theme, length)
    assert len(pixels) == length
    assert not pixels or pixels[0] == theme.rail["good"]
    full = [pixel for pixel in pixels[1:] if pixel in (theme.rail["party"], theme.rail["enemy"])]
    assert len(full) == (1 if active < count and length > 1 else 0)


def test_the_loop_takes_inputs_from_one_queue_and_waits_for_nothing_but_time() -> None:
    """The real asyncio loop: a figure that is lifted and forgotten is asked for by time alone."""
    world = table_that_asks(Confirm(prompt="Sure?", who=ADA), figures=(figure("ann", (2, 2)),))

    async def sit() -> list[str]:
        inputs: asyncio.Queue[AnyInput | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        begin = loop.time()
        world.table.clock = lambda: world.ms + int((loop.time() - begin) * 20_000)
        mending, opened = asyncio.Event(), asyncio.Event()

        def changed() -> None:
            (mending if world.table.phase == "mending" else opened).set()

        world.table._on_change = changed
        running = asyncio.create_task(world.table.run(inputs))
        await inputs.put(TileLoss(at=world.table.clock(), cell=(2, 2)))
        await asyncio.wait_for(mending.wait(), 10)
        seen = [world.table.view().words]
        opened.clear()
        await inputs.put(TileGain(at=world.table.clock(), cell=(2, 2)))
        await asyncio.wait_for(opened.wait(), 10)
        await inputs.put(SeatButton(at=world.table.clock(), seat="Ada", yes=True))
        await inputs.put(None)
        await asyncio.wait_for(running, 10)
        return seen

    assert asyncio.run(sit()) == ["Put Ann on 2,2."]
    assert answers(world) == [True] and world.table.phase == "over"


def test_a_table_that_is_over_says_so_and_can_be_taken_back() -> None:
    world = table_that_asks(Confirm(prompt="Sure?", who=ADA), figures=(figure("ann", (2, 2)),))
    world.key("OK")
    assert world.table.view().words == "The game is over." and "over" in world.key("3")
    world.key("Undo", long=True)
    assert world.table.phase == "open" and answers(world) == []
