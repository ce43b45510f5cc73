"""The times of a bus master. On the simulated bus they are those of PROTOCOL.md; a real port may need longer ones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """The master's times in us. `answer` runs from the end of a request to the end of its reply: on a USB adapter or
    towards processes it has to be longer than on a UART of our own."""

    byte: int = 10
    answer: int = 2_900
    long_answer: int = 4_000  # PALETTE, UPDATE and what else is not of play
    gap: int = 50  # of silence before the next request
    slot: int = 1_000
    tries: int = 2  # of an exchange in one turn
    turns: int = 3  # missed in a row until a board is lost
    probe: int = 1_000_000
    search: int = 100_000  # between the slots in which the host looks on for new boards in play
    rounds: int = 12  # of discovery at the start, at most
    clean_rounds: int = 2  # silent and clean ones in a row that end it: one alone may be a request that got lost
    poll_every: int = 5_000  # a board is not polled more often
    # A board that waits longer comes before light. A whole picture of 16 boards takes 24 ms, so after a cycle of polls
    # one picture goes through unbroken (touch to light), and the next waits for polls.
    poll_within: int = 60_000
    gc_every: int = 5_000_000
    gc_ms: int = 12
    gc_after: int = 3_000  # after the board's poll, at most
