"""Random terrains for the grid tests, and their single steps by the letter of the rules, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import heappop, heappush

from hypothesis import strategies as st

from emberboard.engine.grid import Cell
from emberboard.engine.grid_reach import Terrain

from .grid_boards import CORNERS, SIDES, Board, boards, some


@dataclass(frozen=True)
class Ground:
    """What `Terrain` says, as sets."""

    board: Board
    blocked: frozenset[Cell] = frozenset()
    no_stop: frozenset[Cell] = frozenset()
    costly: frozenset[Cell] = frozenset()
    sticky: frozenset[Cell] = frozenset()
    barriers: frozenset[Cell] = frozenset()
    costly_corners: frozenset[Cell] = frozenset()
    sticky_once: bool = False
    diagonal: bool = False
    size: int = 1

    def terrain(self) -> Terrain:
        grid = self.board.grid()
        return Terrain(
            grid,
            blocked=grid.mask(self.blocked),
            no_stop=grid.mask(self.no_stop),
            costly=grid.mask(self.costly),
            sticky=grid.mask(self.sticky),
            barriers=grid.mask(self.barriers),
            costly_corners=grid.mask(self.costly_corners),
            sticky_once=self.sticky_once,
            diagonal=self.diagonal,
            size=self.size,
        )

    def body(self, anchor: Cell) -> list[Cell]:
        x, y = anchor
        return [(x + dx, y + dy) for dy in range(self.size) for dx in range(self.size)]

    def fits(self, anchor: Cell) -> bool:
        body = self.body(anchor)
        return all(cell in self.board.cells for cell in body) and not self.walled(body)

    def walled(self, cells: list[Cell]) -> bool:
        return any(frozenset((a, b)) in self.board.walls for a in cells for b in cells)

    def may_stop(self, anchor: Cell) -> bool:
        return not self.no_stop.intersection(self.body(anchor))

    def entered(self, anchor: Cell, step: Cell) -> list[Cell]:
        after = self.body((anchor[0] + step[0], anchor[1] + step[1]))
        return [cell for cell in after if cell not in self.body(anchor)]

    def clipped(self, anchor: Cell, step: Cell) -> list[Cell]:
        dx, dy = step
        if not dx or not dy:
            return []
        covered = self.body(anchor) + self.body((anchor[0] + dx, anchor[1] + dy))
        flanks = {flank for x, y in self.body(anchor) for flank in ((x + dx, y), (x, y + dy))}
        return [flank for flank in flanks if flank not in covered]

    def legal(self, anchor: Cell, step: Cell) -> bool:
        dx, dy = step
        if not self.fits((anchor[0] + dx, anchor[1] + dy)):
            return False
        if any(cell in self.blocked or cell in self.barriers for cell in self.entered(anchor, step)):
            return False
        for x, y in self.body(anchor):
            there = (x + dx, y + dy)
            if not (dx and dy):
                if frozenset(((x, y), there)) in self.board.walls:
                    return False
                continue
            flanks = [(x + dx, y), (x, y + dy)]
            if any(flank in self.barriers or flank not in self.board.cells for flank in flanks):
                return False
            if self.walled([(x, y), there, *flanks]):
                return False
        return True

    def cost(self, anchor: Cell, step: Cell, first: bool) -> int:
        leaving = (first or not self.sticky_once) and self.sticky.intersection(self.body(anchor))
        entering = self.costly.intersection(self.entered(anchor, step))
        clipping = self.costly_corners.intersection(self.clipped(anchor, step))
        return 1 + bool(leaving) + bool(entering) + bool(clipping)

    def steps(self, anchor: Cell, first: bool) -> list[tuple[Cell, int]]:
        directions = [*SIDES.values(), *(CORNERS if self.diagonal else ())]
        return [
            ((anchor[0] + step[0], anchor[1] + step[1]), self.cost(anchor, step, first))
            for step in directions
            if self.legal(anchor, step)
        ]

    def dijkstra(self, start: Cell, first: bool = True) -> dict[Cell, int]:
        """Least costs from `start`, on a heap of (cost, anchor, whether this is still the start)."""
        costs: dict[Cell, int] = {}
        queue = [(0, start, first)]
        while queue:
            cost, anchor, fresh = heappop(queue)
            if anchor in costs:
                continue
            costs[anchor] = cost
            for after, price in self.steps(anchor, fresh):
                heappush(queue, (cost + price, after, False))
        return costs


@st.composite
def grounds(draw: st.DrawFn, side: int = 9, diagonal: bool | None = None, size: int | None = None) -> Ground:
    board = draw(boards(side, missing=5, walls=4))
    rectangle = board.rectangle
    return Ground(
        board,
        blocked=frozenset(some(draw, rectangle, 3)),
        no_stop=frozenset(some(draw, rectangle)),
        costly=frozenset(some(draw, rectangle)),
        sticky=frozenset(some(draw, rectangle)) if draw(st.booleans()) else frozenset(),
        barriers=frozenset(some(draw, rectangle, 4)),
        costly_corners=frozenset(some(draw, rectangle)),
        sticky_once=draw(st.booleans()),
        diagonal=draw(st.booleans()) if diagonal is None else diagonal,
        size=draw(st.sampled_from((1, 2))) if size is None else size,
    )


@st.composite
def grounds_and_start(
    draw: st.DrawFn, side: int = 9, diagonal: bool | None = None, size: int | None = None
) -> tuple[Ground, Cell]:
    ground = draw(grounds(side, diagonal, size))
    starts = [cell for cell in ground.board.rectangle if ground.fits(cell)]
    if not starts:
        ground = replace(ground, size=1)
        starts = [cell for cell in ground.board.rectangle if ground.fits(cell)]
    return ground, draw(st.sampled_from(starts))
