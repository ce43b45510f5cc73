"""What must hold between the boards of a simulated bus and what the host was told, and hands that play on it."""

from __future__ import annotations

from random import Random

from emberboard.link import protocol as p
from emberboard.link.bus_events import BoardState, TileEvent
from emberboard.virtual.board_model import BoardModel
from emberboard.virtual.bus import SimulatedBus

PALETTE = [(i, 2 * i, 3 * i, i % 5, i) for i in range(16)]


def start(sim: SimulatedBus, limit: int = 20_000_000) -> None:
    """Run until every powered board has an address and its first snapshot was taken."""
    uids = {board.uid for board in sim.boards if board.powered}

    def ready() -> bool:
        seen = {uid for master in sim.masters for uid, board in master.boards.items() if board.known is not None}
        return uids <= seen

    assert sim.run_until(ready, limit), f"boards missing after {limit} us"


def play_hands(sim: SimulatedBus, random: Random, begin: int, end: int, each: int) -> None:
    """Touch or lift a random tile of a random board every `each` us or so."""
    time = begin
    while time < end:
        board, tile = random.choice(sim.boards), random.randrange(p.TILES)
        press = not sum(1 for at, t, _ in planned(board) if t == tile) % 2
        planned(board).append((time, tile, press))
        sim.at(time, lambda b=board, t=tile, on=press, at=time: (b.touch if on else b.lift)(t, at))
        time += random.randrange(1, 2 * each)


def planned(board: BoardModel) -> list[tuple[int, int, bool]]:
    """What the hands mean to do with a board."""
    if not hasattr(board, "planned"):
        board.planned = []  # type: ignore[attr-defined]
    return board.planned  # type: ignore[attr-defined, no-any-return]


def play_pictures(sim: SimulatedBus, random: Random, begin: int, end: int, each: int) -> None:
    """Show another picture on some boards every `each` us or so."""
    time = begin
    while time < end:
        picture = {
            board.uid: p.pack_roles([random.randrange(16) for _ in range(p.TILES)])
            for board in random.sample(sim.boards, random.randrange(1, len(sim.boards) + 1))
        }

        def show(picture: dict[bytes, bytes] = picture) -> None:
            for master in sim.masters:
                master.show({uid: roles for uid, roles in picture.items() if uid in master.boards})
            sim.poke()

        sim.at(time, show)
        time += random.randrange(1, 2 * each)


def told_of(sim: SimulatedBus, board: BoardModel, since: int = 0) -> list[TileEvent]:
    """The events of a board, in the order in which the host was told."""
    uid = board.uid.hex()
    return [event for at, event in sim.told if isinstance(event, TileEvent) and event.uid == uid and at >= since]


def gaps_of(sim: SimulatedBus, board: BoardModel) -> int:
    """How often the host was told that it missed something of this board."""
    uid = board.uid.hex()
    return sum(1 for _, event in sim.told if isinstance(event, BoardState) and event.uid == uid and event.gap)


def check_events(sim: SimulatedBus, since: int = 0, gaps_allowed: bool = False) -> int:
    """No event lost, none doubled, all in order; the number of events. `since`: when the host (re)started.

    With a gap that the host was told of: what it was told as it happened is in order a part of what happened, no tile
    is pressed or let go twice in a row, and the picture in the end is the truth.
    """
    count = 0
    for board in sim.boards:
        events = told_of(sim, board, since)
        told = [(event.tile, event.press) for event in events if event.told]
        truth = [(tile, press) for _, tile, press in board.history]
        count += len(events)
        if not gaps_of(sim, board) and not since:
            assert told == truth, f"{board.uid.hex()}: told {told}, happened {truth}"
        else:
            assert gaps_allowed or since, f"{board.uid.hex()}: a gap on a line where none is due"
            rest = iter(truth)
            assert all(event in rest for event in told), f"{board.uid.hex()}: doubled, or told of what never was"
        state: dict[int, bool] = {}
        for event in events:
            assert state.get(event.tile, False) != event.press, f"{board.uid.hex()}: tile {event.tile} twice"
            state[event.tile] = event.press
        if board.powered:
            mask = sum(1 << tile for tile, on in state.items() if on)
            assert mask == board.magnets, f"{board.uid.hex()}: the host's picture {mask:x}, truth {board.magnets:x}"
    return count


def check_lights(sim: SimulatedBus) -> None:
    """Every board with power shows what the host wants it to, roles and palette."""
    flat = b"".join(bytes(entry) for entry in PALETTE)
    for master in sim.masters:
        for board in sim.segments[master.segment].boards:
            if board.powered and board.uid in master.boards:
                want = master.boards[board.uid].want_roles
                assert want is None or board.roles() == want, f"{board.uid.hex()} shows another picture"
                assert want is None or bytes(board.side.palette) == flat, f"{board.uid.hex()} has another palette"


def settled(sim: SimulatedBus) -> bool:
    """Whether the host has nothing left to learn or to show: all boards with power alive, in step and lit as wanted."""
    for segment in sim.segments:
        for board in segment.boards:
            if not board.powered:
                continue
            record = segment.master.boards.get(board.uid)
            if record is None or not record.alive or record.need_snapshot or record.known != board.magnets:
                return False
            if board.side.waiting():
                return False
            if record.want_roles is not None and board.roles() != record.want_roles:
                return False
    return True
