"""The table-wide power scale: how bright the boards may be together, so that the supply carries what they show.

A picture is counted at its worst moment: blinking and breathing tiles at their brightest, a chase where its lights add
up to the most, a few tiles that echo a touch in white. What dark boards draw is counted too. The scale also keeps each
board below its own limit, because a board that dims itself is darker than its neighbours. Currents are mA at 5 V, a
scale is 0 to 255, sums of light are of colour bytes (255 is one colour of one light at full). Sources: DESIGN section
4, "Power"; hardware/power.yaml for the numbers, firmware/effects.py for the patterns: tests hold both equal to these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from emberboard.devices.table_file import Supply, TableFile
from emberboard.link import protocol
from emberboard.link.picture import Entry
from emberboard.table.board_tiles import palette
from emberboard.table.roles import Theme

BOARD_IDLE_MA = 220
"""A board with dark lights and covered sensors."""
BOARD_LIMIT_MA = 1200
"""What a board's firmware holds itself to."""
MARK_MA = 12
"""One colour of one light at 255."""
TRAIL = (255, 150, 80, 40, 30, 30)
"""Brightness of a chase's six places, from its head on."""
ECHO = 3 * 80
"""Light of a tile that echoes a touch."""
ECHOES = 6
"""Tiles that may echo at the same moment: the players' hands."""
FULL = 255


def lit(entry: Entry, level: int = 255) -> int:
    """The light of a tile with a palette entry at a pattern's level (0..255), at full scale."""
    return sum((part * level + 127) // 255 for part in entry[:3])


def brightest(roles: bytes, palette: Sequence[Entry]) -> int:
    """The most light that a board shows at any moment of its picture (18 bytes of roles), at full scale."""
    places: dict[int, list[int]] = {}
    for tile in range(protocol.TILES):
        role = roles[tile >> 1] >> (4 * (tile & 1)) & 15
        places.setdefault(role, [0] * len(TRAIL))[(tile // 6 + tile % 6) % len(TRAIL)] += 1
    total = 0
    for role, counts in places.items():
        entry = palette[role] if role < len(palette) else (0, 0, 0, protocol.STEADY, 0)
        if entry[3] == protocol.CHASE and entry[4] > 1:
            total += max(
                sum(n * lit(entry, TRAIL[(head - place) % len(TRAIL)]) for place, n in enumerate(counts))
                for head in range(len(TRAIL))
            )
        else:
            total += sum(counts) * lit(entry)
    return total


def scale_for(lights: Iterable[int], boards: int, budget_ma: int) -> int:
    """The largest scale at which boards with these brightest lights draw no more than the budget, nor one its limit.

    `boards` are all that draw, also those that are dark. 0 when dark boards alone draw more than the budget.
    """
    brights = list(lights)
    # A board counts its milliamperes up to whole ones: one more for each.
    room = max(0, budget_ma - boards * (BOARD_IDLE_MA + 1))
    whole = sum(brights) + ECHO * ECHOES
    most = max(brights, default=0) + ECHO * ECHOES
    return min(
        FULL,
        room * FULL * FULL // (MARK_MA * whole),
        (BOARD_LIMIT_MA - BOARD_IDLE_MA) * FULL * FULL // (MARK_MA * most),
    )


def dark_ma(boards: int) -> int:
    """What so many boards draw with all lights dark."""
    return boards * BOARD_IDLE_MA


def most_ma(boards: int) -> int:
    """What so many boards draw when each is at its own limit."""
    return boards * BOARD_LIMIT_MA


class PowerScale:
    """The scale of one table: `boards` draw from `supply`; without one only each board's own limit counts."""

    def __init__(self, palette: Sequence[Entry], boards: int, supply: Supply | None) -> None:
        self._palette, self._boards = tuple(palette), boards
        self._budget_ma = min(most_ma(boards), supply.budget_ma) if supply is not None else most_ma(boards)

    @classmethod
    def of(cls, table: TableFile, theme: Theme) -> PowerScale:
        """The scale of the table that a file describes, for pictures of this theme."""
        return cls(palette(theme), len(table.places), table.supply)

    def scale(self, roles: Mapping[str, bytes]) -> int:
        """The scale for a picture: board (uid) -> 18 bytes of roles."""
        return scale_for((brightest(one, self._palette) for one in roles.values()), self._boards, self._budget_ma)
