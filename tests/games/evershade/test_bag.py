"""The draw from the Initiative bag: unseen, uniform, from a source that a test can script (EV-BAG-02)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import pytest

from emberboard.engine.session import Session
from emberboard.games.evershade.game import Evershade

T = TypeVar("T")


class Picker(random.Random):
    """Always picks the thing at one place of the list that it is given."""

    place = 0

    def choice(self, seq: Sequence[T]) -> T:  # type: ignore[override]
        return seq[self.place]


def first_draw(rng: random.Random) -> str:
    """What the first draw of a fight with 2 white, 3 black and 1 dual token brings."""
    seats = {"left": "malah", "right": "chiri"}
    session = Session.new(Evershade, {"scenario": "outlaws-of-bear-peak", "seats": seats}, rng=rng)
    assert session.question is not None
    drawn = session.roll(session.question.id)
    assert isinstance(drawn, str)
    return drawn


@pytest.mark.rules("EV-BAG-02")
def test_every_token_of_the_bag_is_as_likely() -> None:
    came: Counter[str] = Counter()
    for place in range(6):
        rng = Picker()
        rng.place = place
        came[first_draw(rng)] += 1
    assert came == {"white": 2, "black": 3, "dual": 1}


@pytest.mark.rules("EV-BAG-02")
def test_one_source_of_chance_gives_one_draw() -> None:
    assert [first_draw(random.Random(seed)) for seed in range(8)] == [first_draw(random.Random(s)) for s in range(8)]
    assert len({first_draw(random.Random(seed)) for seed in range(30)}) == 3
