"""What a page is shown of a fight: way and area on the Sheet, words at figures, boards with cards and Items, odds."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from emberboard.engine.question import Path, Question
from emberboard.engine.session import Session
from emberboard.games.evershade import policy
from emberboard.games.evershade.desk import boards, card_shown, reach_words
from emberboard.games.evershade.game import Evershade
from emberboard.games.evershade.state import EffectToken
from tests.games.evershade_play import play_to


def fight(seed: int = 0) -> Session:
    seats = {"a": ["malah", "isme"], "b": ["chiri"], "c": ["doran", "oswin"]}
    return Session.new(Evershade, {"scenario": "outlaws-of-bear-peak", "seats": seats}, rng=random.Random(seed))


def last_but_one_walk(session: Session) -> Path:
    """Play to a walk after which its Character has an Action left."""

    def wanted(question: Question) -> bool:
        turn = session.game.state.combat.turn
        return isinstance(question, Path) and turn is not None and turn.actions_left > 0

    asked = play_to(session, wanted)
    assert isinstance(asked, Path)
    return asked


def game_of(session: Session) -> Evershade:
    assert isinstance(session.game, Evershade)
    return session.game


# -- the Sheet --------------------------------------------------------------------------------------------------------


def test_the_way_of_who_acts_is_shown_until_its_turn_is_over() -> None:
    session = fight()
    walk = last_but_one_walk(session)
    assert "path" not in session.game.scene(walk).roles, "the walk that is asked for has its own lights"
    key, way = max(walk.suggested.items(), key=lambda item: len(item[1]))
    session.answer(walk.id, key)
    asked = session.question
    assert asked is not None and asked.name in ("action", "end_of_activation")
    scene = session.game.scene(asked)
    assert scene.roles["path"] == (walk.start, *way[:-1]), "its last space is that of the figure itself"
    assert scene.roles["active"] == (way[-1],)
    while session.game.state.combat.turn is not None:
        policy.answer(session)
    assert "path" not in session.game.scene(session.question).roles


def test_an_enemy_that_walked_shows_its_way_while_it_attacks() -> None:
    session = fight()

    def attacked_after_a_walk(question: Question) -> bool:
        turn = session.game.state.combat.turn
        return question.name == "attacked" and turn is not None and len(turn.walked) > 2

    scene = session.game.scene(play_to(session, attacked_after_a_walk))
    walked = session.game.state.combat.turn.walked
    assert scene.roles["path"] == tuple(walked[:-1])


def test_where_targets_may_stand_is_shown_as_an_area() -> None:
    session = fight()
    asked = play_to(session, lambda question: question.name == "targets")
    g = game_of(session)
    who, source = asked.about
    aimed = g.pack.cards[source].light.targets
    assert aimed is not None and aimed.high is not None
    x, y = g.state.members[who].at or (0, 0)
    area = session.game.scene(asked).roles["area"]
    assert sorted(area) == sorted(
        cell for cell in g.grid.list(g.grid.cells) if aimed.low <= abs(cell[0] - x) + abs(cell[1] - y) <= aimed.high
    )


def test_an_attack_on_an_area_shows_the_area() -> None:
    session = fight()
    asked = play_to(session, lambda question: question.name == "attacked" and "arrow-salvo" in question.about)
    at = game_of(session).state.enemies["arrow-salvo"].token_at
    assert at is not None
    area = session.game.scene(asked).roles["area"]
    assert at in area and all(abs(x - at[0]) + abs(y - at[1]) <= 2 for x, y in area)
    assert len(area) > 5


def test_figures_carry_their_boons_conditions_and_effects() -> None:
    session = fight()
    g = game_of(session)
    malah = g.state.members["malah"]
    malah.conditions, malah.terror = ["Maimed"], 2
    g.state.combat.tokens.append(EffectToken("isme", "X", "enemy:rogue", "Snared", armor=-1))
    figures = {one.id: one for one in g.scene(session.question).figures}
    assert figures["malah"].conditions == ("+1 STR", "Maimed", "Terror 2")
    assert figures["rogue"].conditions == ("Snared",)
    assert figures["doran"].conditions == ()


# -- boards -----------------------------------------------------------------------------------------------------------


def test_a_board_shows_the_side_that_is_up() -> None:
    session = fight()
    g = game_of(session)
    isme = g.state.members["isme"]
    next(slot for slot in isme.hotbar if slot.card == "quick-shot").side = "dark"
    board = next(one for one in boards(g) if one.id == "isme")
    shown = {card.id: card for card in board.cards}
    shot = shown["powerful-shot"]
    assert (shot.sun, shot.moon, shot.range, shot.needs, shot.usable) == (0, 1, "Enemy, range 2-8", ("Ranged",), True)
    assert (shot.type, shot.when) == ("Offensive Action", "an Action of your own")
    assert shot.text.startswith("With a Ranged weapon")
    dark = shown["quick-shot"]
    assert (dark.light, dark.moon, dark.text, dark.usable) == (False, 1, "", False)
    assert (
        dark.other.startswith("With a Ranged weapon") and dark.refresh == "turns light at the start of your Activation"
    )
    assert shown["nimble-dodge"].when == "when you are attacked"
    assert dict(board.attributes) == {"STR": "2", "AGI": "4", "INT": "2", "CHA": "1", "DIV": "D4", "MOB": "7"}
    items = {item.id: item for item in board.items}
    assert (items["bow"].text, items["bow"].keywords, items["bow"].action) == ("", ("Ranged",), False)
    assert (items["bomb-flask"].text, items["bomb-flask"].action) == ("3 Fire damage to an Enemy in R2.", True)


def test_every_card_and_item_of_the_pack_has_its_words() -> None:
    g = game_of(fight())
    for card in g.pack.cards.values():
        light = card_shown(card, light=True)
        assert light.text and light.when and light.type == card.type
        assert bool(light.range) == (card.light.targets is not None)
        assert card_shown(card, light=False).refresh
    flare, command = g.pack.cards["unleash-divinum"].light.targets, g.pack.cards["command"].light.targets
    assert flare is not None and reach_words(flare) == "all models, range 2"
    assert command is not None and reach_words(command) == "Character, range 4, not yet Activated"


# -- odds -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["before_roll", "after_roll"])
def test_odds_as_rows_say_what_the_lines_say(name: str) -> None:
    session, seen = fight(), 0
    while session.question is not None:
        if session.question.name == name:
            lines, rows = session.game.odds(session.question), session.game.odds_table(session.question)
            assert bool(lines) == bool(rows)
            cases = dict.fromkeys(row.case for row in rows)
            assert len(cases) == len(lines)
            for case in cases:
                mine = [row for row in rows if row.case == case]
                total = sum((Fraction(row.chance) for row in mine), Fraction(0))
                assert total == 1 or mine[0].cumulative
            for row in rows:
                assert row.percent == float(100 * Fraction(row.chance))
                assert any(row.label in line for line in lines)
                seen += 1
        policy.answer(session)
    assert seen > 3


def test_no_roll_no_odds() -> None:
    session = fight()
    assert session.question is not None
    assert (session.game.odds(session.question), list(session.game.odds_table(session.question))) == ([], [])
