"""Grids: what a figure reaches on 36 x 36 cells, beside tcod and networkx; what it sees, beside shapely.

Each comparison first checks that all give the same answer, and fails otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from time import process_time
from typing import Any

from emberboard.engine.grid import Cell, Grid
from emberboard.engine.grid_reach import Reach, Terrain, reach
from emberboard.engine.grid_vision import Vision, _inset_line

from .row import Row
from .timing import median_time, median_times

SIDE = 36
BOARDS = 20
MICRO = 1e6


class Board:
    """A random board: a fifth of the cells blocked, a quarter of the rest costing 2, and a free cell to start from."""

    def __init__(self, random: Random, grid: Grid) -> None:
        cells = grid.list(grid.cells)
        self.blocked = [cell for cell in cells if random.random() < 0.2]
        free = [cell for cell in cells if cell not in self.blocked]
        self.costly = [cell for cell in free if random.random() < 0.25]
        self.start = random.choice(free)


Answer = dict[Cell, int]


def measure() -> list[Row]:
    return [*_reach_rows(), *_vision_rows()]


def _reach_rows() -> list[Row]:
    grid = Grid(SIDE, SIDE)
    random = Random(36)
    boards = [Board(random, grid) for _ in range(BOARDS)]
    runs: dict[str, list[Callable[[], Any]]] = {"ours": []}
    missing: list[str] = []
    answers: list[Answer] = []
    for board in boards:
        blocked, costly, start = grid.mask(board.blocked), grid.mask(board.costly), grid.bit(board.start)
        runs["ours"].append(partial(_reach, grid, blocked, costly, start))
        layers = _reach(grid, blocked, costly, start).layers
        answers.append({cell: cost for cost, mask in layers.items() for cell in grid.list(mask)})
    for name, prepare in (("tcod", _tcod_runs), ("networkx", _networkx_runs)):
        try:
            prepared = prepare(boards)
        except ImportError:
            missing.append(name)
            continue
        runs[name] = [run for run, _ in prepared]
        for (run, read), answer in zip(prepared, answers):
            if read(run()) != answer:
                raise AssertionError(f"{name} and ours differ on a reach")
    times = median_times({name: _all_of(each) for name, each in runs.items()}, repeat=30, clock=process_time)
    spent = {name: time / BOARDS * MICRO for name, time in times.items()}
    note = f"mean of {BOARDS} random boards and starts, 20% blocked; distances equal; peers' inputs built beforehand"
    return [
        Row(f"reach, {SIDE} x {SIDE}, costs 1 and 2", "us", spent.pop("ours"), spent, note + _without(missing)),
    ]


def _reach(grid: Grid, blocked: int, costly: int, start: int) -> Reach:
    return reach(Terrain(grid, blocked=blocked, costly=costly), start)


def _all_of(runs: list[Callable[[], Any]]) -> Callable[[], None]:
    def run_all() -> None:
        for run in runs:
            run()

    return run_all


def _without(missing: list[str]) -> str:
    return f"; not installed: {', '.join(missing)}" if missing else ""


Prepared = list[tuple[Callable[[], Any], Callable[[Any], Answer]]]


def _tcod_runs(boards: list[Board]) -> Prepared:
    """tcod's fastest way to a distance map: `dijkstra2d`, in C, on a prepared cost array."""
    import numpy
    from tcod import path

    prepared: Prepared = []
    unreached = numpy.iinfo(numpy.int32).max
    for board in boards:
        costs = numpy.ones((SIDE, SIDE), dtype=numpy.int32)
        for x, y in board.costly:
            costs[y, x] = 2
        for x, y in board.blocked:
            costs[y, x] = 0
        x, y = board.start

        def run(costs: Any = costs, x: int = x, y: int = y) -> Any:
            distance = path.maxarray((SIDE, SIDE), dtype=numpy.int32)
            distance[y, x] = 0
            path.dijkstra2d(distance, costs, 1, 0, out=distance)
            return distance

        prepared.append((run, lambda found: {
            (x, y): int(found[y, x]) for y in range(SIDE) for x in range(SIDE) if found[y, x] != unreached
        }))
    return prepared


def _networkx_runs(boards: list[Board]) -> Prepared:
    import networkx

    prepared: Prepared = []
    for board in boards:
        blocked, costly = set(board.blocked), set(board.costly)
        graph = networkx.DiGraph()
        for y in range(SIDE):
            for x in range(SIDE):
                for cell in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)):
                    inside = 0 <= cell[0] < SIDE and 0 <= cell[1] < SIDE
                    if inside and cell not in blocked and (x, y) not in blocked:
                        graph.add_edge((x, y), cell, weight=2 if cell in costly else 1)
        graph.add_node(board.start)
        prepared.append((
            partial(networkx.single_source_dijkstra_path_length, graph, board.start),
            dict,
        ))
    return prepared


def _vision_rows() -> list[Row]:
    rows: list[Row] = []
    for side, share in ((12, 0.12), (SIDE, 0.05)):
        random = Random(side)
        grid = Grid(side, side)
        viewer = (side // 2, side // 2)
        barriers = [cell for cell in grid.list(grid.cells) if cell != viewer and random.random() < share]
        mask = grid.mask(barriers)
        ours = _vision(grid, mask, viewer)
        note = (
            "16 inset corner lines to each cell, cells seen equal; a tie (a line that touches a barrier) is blocked in"
            " both, exactly: ours are whole numbers, and 1/1024 is exact in binary"
        )
        runs: dict[str, Callable[[], Any]] = {"ours": partial(_vision, grid, mask, viewer)}
        try:
            plain = _shapely_vision(side, barriers, viewer)
        except ImportError:
            note += _without(["shapely"])
        else:
            if grid.mask(plain()) != ours:
                raise AssertionError("shapely and ours differ on vision")
            runs["shapely"] = plain
        times = {name: time * MICRO for name, time in median_times(runs, repeat=9, clock=process_time).items()}
        own, peers = times.pop("ours"), times
        rows.append(Row(f"vision from one cell, {side} x {side}", "us", own, peers, note))

        def cold(run: Callable[[], Any] = runs["ours"]) -> None:
            _inset_line.cache_clear()
            run()

        first_time = median_time(cold, repeat=5, clock=process_time) * MICRO
        note = "no line of this board size drawn yet; later ones are kept"
        rows.append(Row(f"the same, first time on {side} x {side}", "us", first_time, peers, note))
    return rows


def _vision(grid: Grid, barriers: int, viewer: Cell) -> int:
    return Vision(grid, barriers).visible(viewer)


def _shapely_vision(side: int, barriers: list[Cell], viewer: Cell) -> Callable[[], list[Cell]]:
    """The rule in shapely: sixteen lines a cell against one prepared union of closed squares, all lines in one call."""
    import numpy
    import shapely

    outside = [
        shapely.box(-1, -1, side + 1, 0),
        shapely.box(-1, side, side + 1, side + 1),
        shapely.box(-1, -1, 0, side + 1),
        shapely.box(side, -1, side + 1, side + 1),
    ]
    blocked = set(barriers)
    targets = [(x, y) for y in range(side) for x in range(side) if (x, y) not in blocked]

    def corners(cell: Cell) -> list[tuple[float, float]]:
        near, far = 1 / 1024, 1023 / 1024
        return [(cell[0] + dx, cell[1] + dy) for dx in (near, far) for dy in (near, far)]

    def run() -> list[Cell]:
        stops = shapely.union_all([*outside, *(shapely.box(x, y, x + 1, y + 1) for x, y in barriers)])
        shapely.prepare(stops)
        ends = [(start, end) for cell in targets for start in corners(viewer) for end in corners(cell)]
        clear = ~shapely.intersects(stops, shapely.linestrings(numpy.array(ends)))
        seen = clear.reshape(len(targets), 16).any(axis=1)
        return [cell for cell, visible in zip(targets, seen) if visible or cell == viewer]

    return run
