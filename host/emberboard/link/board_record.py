"""What the bus master knows of one board, and how well its line is."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from emberboard.link import protocol as p
from emberboard.link.bus_events import Identity

ALARM_RATE = 0.05  # of tries without a good reply; a sound bus has less than one in a thousand
CALM_RATE = 0.02
RATE_WINDOW = 256  # tries that the rate looks back on


@dataclass(slots=True)
class Statistics:
    """Counted since the board was found. `rate` is the share of tries without a good reply, lately."""

    exchanges: int = 0
    tries: int = 0
    misses: int = 0
    damaged: int = 0
    lost: int = 0
    restarts: int = 0
    events: int = 0
    snapshots: int = 0
    rate: float = 0.0
    alarm: bool = False
    slowest_us: int = 0

    def tried(self, good: bool) -> bool:
        """Count a try; whether the alarm changed."""
        self.tries += 1
        self.misses += not good
        self.rate += ((not good) - self.rate) / RATE_WINDOW
        before = self.alarm
        self.alarm = self.rate > (CALM_RATE if before else ALARM_RATE)
        return self.alarm != before


@dataclass(slots=True)
class Exchange:
    """One request until its reply: the same bytes on every try."""

    wire: bytes
    kind: int
    sequence: int
    payload: bytes
    latched: int = 0
    ticket: int = 0
    tries: int = 0
    begun: int = 0


@dataclass(slots=True)
class Board:
    """One board of a segment. Times are in us; `known` is the host's picture of the sensors, None before the first."""

    uid: bytes
    address: int
    identity: Identity
    found: bool = False
    alive: bool = True
    sequence: int = 0
    expected: int = 0
    known: int | None = None
    need_snapshot: bool = True
    gap: bool = False
    want_roles: bytes | None = None
    sent_roles: bytes | None = None
    sent_mark: int = 0
    sent_palette: int = 0
    exchange: Exchange | None = None
    asks: deque[tuple[int, int, bytes]] = field(default_factory=deque)
    turns_missed: int = 0
    turn_at: int = -(1 << 60)
    quiet_until: int = 0
    probe_at: int = 0
    gc_at: int = 0
    flags: int = 0
    statistics: Statistics = field(default_factory=Statistics)

    @property
    def name(self) -> str:
        """The uid as people and events have it."""
        return self.uid.hex()

    def next_sequence(self) -> int:
        """1..15, and round again."""
        self.sequence = self.sequence % 15 + 1
        return self.sequence

    def forget_light(self) -> None:
        """The board shows nothing of ours any more: picture and palette are due again."""
        self.sent_roles = None
        self.sent_palette = 0

    def count_events(self, first: int, count: int) -> int | None:
        """How many of `count` events from number `first` on the host has already; None: the two are out of step."""
        known = (self.expected - first) % p.EVENT_NUMBERS
        return known if known <= count else None
