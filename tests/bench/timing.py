"""Timing for the benchmarks: medians, taken in turns.

The clock is the one on the wall, since a disk or a wire is part of what it measures. What only computes may pass
`clock=process_time`: then others on the machine do not make the longer of two functions look worse than it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from gc import collect
from statistics import median
from time import perf_counter
from typing import Any


def median_time(fn: Callable[[], Any], repeat: int = 25, clock: Callable[[], float] = perf_counter) -> float:
    """The median time of one call of `fn`, in seconds, after one call that is not counted."""
    return median_times({"": fn}, repeat, clock)[""]


def median_times(
    fns: Mapping[str, Callable[[], Any]], repeat: int = 25, clock: Callable[[], float] = perf_counter
) -> dict[str, float]:
    """The median time of one call of each, in seconds, after one call each that is not counted.

    The functions take turns, so that a busy moment of the machine falls on all of them alike.
    """
    for fn in fns.values():
        fn()
    collect()
    times: dict[str, list[float]] = {name: [] for name in fns}
    for _ in range(repeat):
        for name, fn in fns.items():
            begin = clock()
            fn()
            times[name].append(clock() - begin)
    return {name: median(taken) for name, taken in times.items()}
