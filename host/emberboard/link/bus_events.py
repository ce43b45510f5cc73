"""What a bus master tells the table, as plain data: it may go through a queue between processes.

`segment` counts from 0, `uid` is a board's 8 bytes as hex, `tile` is 0..35 in the board's own turn (6 * row + column),
`mask` has bit t for tile t, times are in us of the clock the master is given.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Identity:
    """What a board says of itself: protocol, firmware, capabilities (protocol.CAN_...), the number of its start."""

    uid: str
    major: int
    minor: int
    firmware: tuple[int, int, int]
    capabilities: int
    boot: int


@dataclass(frozen=True, slots=True)
class TileEvent:
    """A tile felt a magnet come (press) or go. `at` is when, to a few ms; `told` is False when it was found out by a
    snapshot, so that when and what lay between is not known."""

    segment: int
    uid: str
    tile: int
    press: bool
    at: int
    told: bool = True


@dataclass(frozen=True, slots=True)
class BoardFound:
    """A board has an address now, for the first time in this session."""

    segment: int
    address: int
    identity: Identity


@dataclass(frozen=True, slots=True)
class BoardRefused:
    """A board speaks another major of the protocol: it gets no address until its firmware is of this one."""

    segment: int
    uid: str
    major: int
    minor: int


@dataclass(frozen=True, slots=True)
class BoardDoubled:
    """Two boards say that they are this one: they answer at the same moment, and neither can be relied on."""

    segment: int
    uid: str


@dataclass(frozen=True, slots=True)
class BoardLost:
    """A board has been silent for three turns. It is probed once a second; the others go on."""

    segment: int
    uid: str


@dataclass(frozen=True, slots=True)
class BoardBack:
    """A lost board answers again; `restarted` says that it was without power or started anew. A BoardState follows."""

    segment: int
    uid: str
    restarted: bool


@dataclass(frozen=True, slots=True)
class BoardState:
    """A snapshot: the 36 tiles as they are. The TileEvents of what differs follow. `gap` says that events were lost
    before it (overflow, out of step, restart), rather than this being the session's first look."""

    segment: int
    uid: str
    mask: int
    gap: bool


@dataclass(frozen=True, slots=True)
class BoardFlag:
    """A status flag of a board changed: "limiting", "fault", "unconfirmed", or "errors" for a rising error rate."""

    segment: int
    uid: str
    flag: str
    on: bool
    rate: float = 0.0


@dataclass(frozen=True, slots=True)
class BoardComplaint:
    """A board could not do what was asked, or said what cannot be; `what` is for people."""

    segment: int
    uid: str
    what: str


@dataclass(frozen=True, slots=True)
class PictureShown:
    """LATCH went out: what was given to the boards before is shown now."""

    segment: int
    number: int
    at: int


@dataclass(frozen=True, slots=True)
class LineDown:
    """No board of a segment answers any more: `what` says whether there is silence or noise, and what to look at."""

    segment: int
    what: str


@dataclass(frozen=True, slots=True)
class LineUp:
    """A board of a segment that was down answers again."""

    segment: int


@dataclass(frozen=True, slots=True)
class Discovered:
    """The search at the start is over. `clean` is False when the last round was still noisy: a board may be missing."""

    segment: int
    boards: int
    rounds: int
    clean: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply to an `ask`: its type and payload. `error` is empty, or says what went wrong, for people."""

    segment: int
    uid: str
    ticket: int
    kind: int
    payload: bytes
    error: str = ""


BusEvent = (
    TileEvent
    | BoardFound
    | BoardRefused
    | BoardDoubled
    | BoardLost
    | BoardBack
    | BoardState
    | BoardFlag
    | BoardComplaint
    | PictureShown
    | LineDown
    | LineUp
    | Discovered
    | Answer
)
