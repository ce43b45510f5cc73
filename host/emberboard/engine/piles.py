"""Piles (decks, bags, discards): order is decided at the draw.

A pile is a list of segments, top first: a known sequence, or an unordered multiset of which only the contents are
known. Physical and digital piles are therefore the same to the rules; shuffling merges segments into one multiset.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from emberboard.engine.errors import ProcedureError
from emberboard.engine.question import Draw, Who


class Known(msgspec.Struct, tag="known"):
    """Cards whose order is known, top first."""

    cards: list[str]


class Unordered(msgspec.Struct, tag="unordered"):
    """Cards of which only the counts are known."""

    counts: dict[str, int]

    @property
    def size(self) -> int:
        return sum(self.counts.values())


class Pile(msgspec.Struct):
    """A pile: its name and its segments, top first. Empty segments are dropped."""

    name: str
    segments: list[Known | Unordered] = []

    @classmethod
    def of(cls, name: str, cards: Iterable[str], *, ordered: bool = False) -> Pile:
        """A pile of `cards`, either in the given order (top first) or as a multiset."""
        pile = cls(name)
        if ordered:
            pile.put_under(list(cards))
        else:
            pile.shuffle_in(cards)
        return pile

    @property
    def size(self) -> int:
        """How many cards the pile holds."""
        return sum(len(part.cards) if isinstance(part, Known) else part.size for part in self.segments)

    def counts(self) -> dict[str, int]:
        """How many of each card the pile holds, in the order of first appearance from the top."""
        total: dict[str, int] = {}
        for part in self.segments:
            for card, count in (
                part.counts.items() if isinstance(part, Unordered) else ((card, 1) for card in part.cards)
            ):
                total[card] = total.get(card, 0) + count
        return {card: count for card, count in total.items() if count}

    def top(self) -> dict[str, int]:
        """What the next draw may give, with counts: one card when the order is known; empty when the pile is."""
        self._tidy()
        if not self.segments:
            return {}
        first = self.segments[0]
        return {first.cards[0]: 1} if isinstance(first, Known) else {c: n for c, n in first.counts.items() if n}

    def question(
        self, who: Who, prompt: str, *, name: str = "draw", rules: Sequence[str] = (), top: bool = False
    ) -> Draw:
        """The question of one draw. Raises ProcedureError for an empty pile."""
        contents = self.top()
        if not contents:
            raise ProcedureError(f"nothing can be drawn: {self.name} is empty")
        return Draw(name=name, prompt=prompt, who=who, rules=tuple(rules), pile=self.name, contents=contents, top=top)

    def take(self, card: str) -> str:
        """Remove the drawn card from the top segment. Raises ProcedureError when it cannot come now."""
        if card not in self.top():
            raise ProcedureError(f"{card!r} cannot be drawn from {self.name}: next is one of {sorted(self.top())}")
        first = self.segments[0]
        if isinstance(first, Known):
            first.cards.pop(0)
        else:
            first.counts[card] -= 1
        self._tidy()
        return card

    def put_under(self, cards: Sequence[str]) -> None:
        """Lay cards under the pile in this order, face up or otherwise known."""
        if not cards:
            return
        if self.segments and isinstance(self.segments[-1], Known):
            self.segments[-1].cards.extend(cards)
        else:
            self.segments.append(Known(list(cards)))

    def put_on(self, cards: Sequence[str]) -> None:
        """Lay cards on the pile; the first of them will be the top."""
        if not cards:
            return
        if self.segments and isinstance(self.segments[0], Known):
            self.segments[0].cards[:0] = cards
        else:
            self.segments.insert(0, Known(list(cards)))

    def shuffle_in(self, cards: Iterable[str] = ()) -> None:
        """Add cards and forget every order: the whole pile is one multiset."""
        counts = self.counts()
        for card in cards:
            counts[card] = counts.get(card, 0) + 1
        self.segments = [Unordered(counts)] if counts else []

    def _tidy(self) -> None:
        for part in self.segments:
            if isinstance(part, Unordered):
                part.counts = {card: count for card, count in part.counts.items() if count}
        self.segments = [p for p in self.segments if (p.cards if isinstance(p, Known) else p.counts)]
