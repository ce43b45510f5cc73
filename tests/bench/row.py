"""What a benchmark reports: one measured thing, ours beside others that do the same job."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """One measured thing.

    `ours` and `peers` (name -> value) are in `unit` and come from the same run on the same machine, so that their
    ratio means something; the numbers alone do not. A peer that is not installed is left out of `peers` and named in
    `note`. `less_is_better` is False for rates.
    """

    name: str
    unit: str
    ours: float
    peers: dict[str, float] = field(default_factory=dict)
    note: str = ""
    less_is_better: bool = True

    def ratios(self) -> dict[str, float]:
        """How many times better ours is than each peer (below 1: worse); a peer that measured 0 is left out."""
        found: dict[str, float] = {}
        for peer, value in self.peers.items():
            better, worse = (self.ours, value) if self.less_is_better else (value, self.ours)
            if better:
                found[peer] = worse / better
        return found
