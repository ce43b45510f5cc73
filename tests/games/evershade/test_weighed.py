"""What an Enemy weighed: the criteria in the order of the rules, what each kept and dropped, and what was done."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from emberboard.engine.game import Candidate, Note, Weighing
from emberboard.engine.journal_bytes import decode_journal, encode_journal
from emberboard.engine.session import Session
from emberboard.games.evershade import policy
from emberboard.games.evershade.game import Evershade


def enemies_act(**more: Any) -> dict[str, Any]:
    """Ada and Bram, an Archer and two Goons on an open Sheet."""
    return {
        "content": {
            "enemies": {
                "archer": {"name": "Archer", "category": "Elite", "hp": 9},
                "goon": {"name": "Goon", "category": "Minion", "models": 8},
            }
        },
        "grid": {"size": [7, 3], **more},
        "characters": {"ada": {"at": [5, 1], "hp": 10}, "bram": {"at": [6, 2], "hp": 10}},
        "enemies": {"archer": {"at": [1, 1]}, "goon": {"at": [[3, 1], [0, 0]]}},
    }


def acts(action: dict[str, Any], **more: Any) -> Session:
    session = Session.new(Evershade, enemies_act(**more))
    session.start("enemy_action", {"enemy": "archer", "action": action})
    return session


def weighed(session: Session, rule: str) -> tuple[Weighing, ...]:
    """The criteria of the one note that cites the rule and weighed something."""
    found = [note for note in session.log if note.weighed and rule in note.rules]
    assert len(found) == 1
    return found[0].weighed


def ids(candidates: tuple[Candidate, ...]) -> list[str]:
    return [one.id for one in candidates]


def told(criteria: tuple[Weighing, ...]) -> list[tuple[str, str]]:
    return [(one.criterion, one.rule) for one in criteria]


@pytest.mark.rules("EV-TARGET-02", "EV-TARGET-05")
def test_targets_are_weighed_in_the_order_of_the_rules() -> None:
    criteria = weighed(acts({"by": "closest", "high": 5, "damage": 1, "keywords": ["Attack"]}), "EV-TARGET-02")
    assert told(criteria) == [
        ("takes part", "EV-TARGET-09"),
        ("in range 5", "EV-TARGET-05"),
        ("closest", "EV-TARGET-02"),
    ]
    assert ids(criteria[0].kept) == ["ada", "bram"]
    assert (ids(criteria[1].kept), criteria[1].dropped) == (["ada"], (Candidate("bram", ((6, 2),), "distance 6"),))
    assert criteria[2].kept == (Candidate("ada", ((5, 1),), "distance 4"),)


@pytest.mark.rules("EV-TARGET-01")
def test_a_tie_names_whom_the_players_chose() -> None:
    setup = enemies_act()
    setup["characters"]["bram"]["at"] = [4, 2]
    session = Session.new(Evershade, setup)
    session.start("enemy_action", {"enemy": "archer", "action": {"by": "closest", "damage": 1}})
    assert session.question is not None
    session.answer(session.question.id, ["bram"])
    *_, closest, players = weighed(session, "EV-TARGET-02")
    assert (ids(closest.kept), closest.dropped) == (["ada", "bram"], ())
    assert (ids(players.kept), ids(players.dropped), players.rule) == (["bram"], ["ada"], "EV-TARGET-01")


@pytest.mark.rules("EV-EMOVE-05", "EV-EMOVE-06")
def test_a_move_toward_says_why_each_space_was_left_out() -> None:
    session = acts({"by": "closest", "move": "toward", "spaces": 2}, walls=[[[1, 0], [1, 1]], [[1, 1], [1, 2]]])
    closer, farthest, way = weighed(session, "EV-EMOVE-08")
    assert closer.criterion == "closer, on a shortest path to Ada"
    assert closer.kept[0].cells == ((2, 1), (3, 1), (4, 1))
    assert farthest.kept[0].cells == ((2, 1),)
    assert {one.why: one.cells for one in farthest.dropped} == {
        "occupied": ((3, 1),),
        "more than 2 steps": ((4, 1),),
    }
    assert way.kept == (Candidate("", ((2, 1),)),)


@pytest.mark.rules("EV-EMOVE-07")
def test_a_move_away_says_how_far_each_space_is() -> None:
    session = acts({"by": "closest", "move": "away", "spaces": 1})
    assert session.question is not None
    session.answer(session.question.id, "1,0")
    free, farthest, players, way = weighed(session, "EV-EMOVE-07")
    assert free.criterion == "free spaces within 1 step"
    assert (players.rule, players.kept) == ("EV-TARGET-01", (Candidate("", ((1, 0),)),))
    assert way.kept == players.kept
    assert [one.why for one in farthest.kept] == ["distance 5"]
    assert sorted(farthest.kept[0].cells) == [(0, 1), (1, 0), (1, 2)]
    assert {one.why: sorted(one.cells) for one in farthest.dropped} == {"distance 4": [(1, 1)], "distance 3": [(2, 1)]}


def fights() -> Iterator[Note]:
    """The notes of a few whole fights that weighed something."""
    for seed in range(3):
        setup = {"scenario": "outlaws-of-bear-peak", "seats": {"a": ["malah", "isme"], "b": ["chiri"]}}
        session = Session.new(Evershade, setup, rng=random.Random(seed))
        while session.question is not None:
            policy.answer(session)
            yield from (note for note in session.news() if note.weighed)
        stored = decode_journal(encode_journal(session.journal))
        again = Session.load(Evershade, stored)
        assert again.log == session.log, "what was weighed comes back with the journal"


def test_nothing_is_kept_and_dropped_and_every_space_lies_on_the_sheet() -> None:
    notes = list(fights())
    assert len(notes) > 100
    for note in notes:
        for one in note.weighed:
            assert one.criterion and one.rule.startswith("EV-")
            kept = {(part.id, cell) for part in one.kept for cell in part.cells}
            dropped = {(part.id, cell) for part in one.dropped for cell in part.cells}
            if one.criterion != "the way":
                assert not kept & dropped, (note.text, one)
            assert all(0 <= x < 12 and 0 <= y < 10 for _, (x, y) in kept | dropped)
            assert all(part.why for part in one.dropped) or one.rule == "EV-TARGET-01"


def test_the_way_ends_where_the_figure_stopped() -> None:
    moved = [note for note in fights() if "EV-EMOVE-08" in note.rules]
    assert len(moved) > 20
    for note in moved:
        end = note.weighed[-1].kept[0].cells[-1]
        assert note.text.endswith(f"to {end[0]},{end[1]}.")


def test_models_are_weighed_by_their_letters() -> None:
    setup = {"scenario": "outlaws-of-bear-peak", "seats": {"a": ["malah", "isme"], "b": ["chiri"]}}
    session = Session.new(Evershade, setup, rng=random.Random(0))
    while session.question is not None:
        policy.answer(session)
    orders = [one for note in session.log for one in note.weighed if one.rule == "EV-ENEMY-03"]
    assert orders
    for order in orders:
        assert ids(order.kept) == sorted(ids(order.kept)) and len(order.kept) > 1
