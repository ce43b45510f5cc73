"""Whom an Enemy Action targets, and why (area TARGET, EV-ENEMY-12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from emberboard.engine.formula import value as formula_value
from emberboard.engine.game import Candidate, Weighing
from emberboard.engine.question import Ask, Choose, Option, Settled
from emberboard.engine.stats import Add, Contribution, Explained, Stat
from emberboard.engine.timing import Proc
from emberboard.games.evershade import enemy_moves, roster, spaces, weighing
from emberboard.games.evershade.content import EnemyAction
from emberboard.games.evershade.keywords import side_up
from emberboard.games.evershade.wording import range_words

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

DISTANCE = Stat("distance", (Add("spaces"),))
ICONS = {icon: Stat(icon, (Add("icons"),)) for icon in ("sun", "moon")}
"""Targeting icons on the visible sides of the Hotbar (EV-TARGET-03, EV-TARGET-04)."""


def select(g: Evershade, ref: str, action: EnemyAction) -> Proc[list[str]]:
    """The targets of one Action of an Enemy figure; empty when none is valid (EV-TARGET-05).

    Candidates in range, with a path where the Action moves toward them; then the nearest or those with most icons;
    ties are the players' choice (EV-TARGET-01 to 09). A Reaction may have replaced the target (EV-TARGET-10).
    """
    if action.by == "none":
        return []
    valid: list[str] = []
    why: list[str] = []
    lost: dict[str, list[Candidate]] = {"range": [], "line": [], "path": []}
    numbers: list[Explained] = []
    line = spaces.in_line(g, spaces.range_source(g, ref), action.high) if action.in_line else g.grid.cells
    for one in roster.on_board(g):
        apart = spaces.apart(g, ref, one.id)
        numbers.append(distance_of(g, one.id, apart or 0))
        if action.by != "closest":
            numbers.append(icons_of(g, one.id, action.by))
        if not spaces.in_range(apart, action.low, action.high):
            why.append(f"{one.name} dropped: distance {apart}, out of range (EV-TARGET-05)")
            lost["range"].append(weighing.figure(g, one.id, f"distance {apart}"))
        elif not spaces.cells_of(g, one.id) & line:
            why.append(f"{one.name} dropped: not in line (EV-RANGE-06)")
            lost["line"].append(weighing.figure(g, one.id, "not in line"))
        elif action.move == "toward" and not enemy_moves.path_exists(g, ref, one.id):
            why.append(f"{one.name} dropped: no path (EV-TARGET-06)")
            lost["path"].append(weighing.figure(g, one.id, "no path"))
        else:
            valid.append(one.id)
    for one in roster.characters(g):
        if one.status != "standing":
            why.append(f"{one.name} dropped: {one.status} (EV-TARGET-09)")
    weighed = _sieved(g, action, lost)
    wanted = formula_value(action.count, {"characters": roster.character_number(g)})
    turn = g.state.combat.turn
    if turn is not None and turn.redirect:
        chosen = [turn.redirect] if turn.redirect in valid else []
        why.append(f"{roster.label(g, turn.redirect)} took the target on itself (EV-TARGET-10)")
        taken = tuple(weighing.figure(g, name) for name in chosen)
        weighed.append(Weighing("a Reaction took the target on itself", "EV-TARGET-10", taken))
        others = [name for name in valid if name != turn.redirect] if wanted > 1 else []
        if others:
            more = yield from best(g, others, measure(g, ref, others, action.by), wanted - 1, action.by, why, weighed)
            chosen += more
    else:
        chosen = yield from best(g, valid, measure(g, ref, valid, action.by), wanted, action.by, why, weighed)
    _explain(g, ref, action, chosen, why, numbers, weighed)
    return chosen


def _sieved(g: Evershade, action: EnemyAction, lost: dict[str, list[Candidate]]) -> list[Weighing]:
    """Who takes part, then range, line and path as far as the Action asks for them, each on what is left."""
    left = [Candidate(one.id, (one.at,)) for one in roster.on_board(g) if one.at is not None]
    down = [Candidate(one.id, (), one.status) for one in roster.characters(g) if one.status != "standing"]
    weighed = [Weighing("takes part", "EV-TARGET-09", tuple(left), tuple(down))]
    bounded = action.low > 0 or action.high is not None
    asked = (
        ("range", f"in {range_words(action.low, action.high)}", "EV-TARGET-05", bounded),
        ("line", "in line", "EV-RANGE-06", action.in_line),
        ("path", "a path leads to it", "EV-TARGET-06", action.move == "toward"),
    )
    for key, words, rule, applies in asked:
        if applies:
            gone = [one.id for one in lost[key]]
            left = [one for one in left if one.id not in gone]
            weighed.append(Weighing(words, rule, tuple(left), tuple(lost[key])))
    return weighed


def distance_of(g: Evershade, who: str, apart: int) -> Explained:
    """A candidate's range distance, as the log explains it (EV-RANGE-01)."""
    return DISTANCE.evaluate([Contribution("spaces", roster.label(g, who), "EV-RANGE-01", apart)], who)


def icons_of(g: Evershade, who: str, icon: str) -> Explained:
    """A candidate's visible icons, card by card, as the log explains them (EV-TARGET-03)."""
    parts: list[Contribution] = []
    for slot in roster.member(g, who).hotbar:
        side = side_up(g, slot)
        count = side.sun if icon == "sun" else side.moon
        if count:
            words = f"{g.pack.cards[slot.card].name}, {slot.side} side"
            parts.append(Contribution("icons", words, "EV-TARGET-04", count))
    return ICONS[icon].evaluate(parts, who)


def measure(g: Evershade, ref: str, names: list[str], by: str) -> dict[str, int]:
    """What the rule compares, higher is better: the negative distance, or visible icons (EV-TARGET-02 to 04)."""
    if by == "closest":
        source = spaces.range_source(g, ref)
        return {name: -(spaces.distance(g, source, spaces.cells_of(g, name)) or 0) for name in names}
    return {name: icons_of(g, name, by).value for name in names}


def best(
    g: Evershade,
    names: list[str],
    score: Mapping[str, int],
    count: int,
    by: str,
    why: list[str],
    weighed: list[Weighing],
) -> Proc[list[str]]:
    """The `count` best, ties at the cut decided by the players (EV-TARGET-01, EV-TARGET-07, EV-ENEMY-12).

    What was compared goes to `why` in words and to `weighed` as data.
    """
    ranked = sorted(names, key=lambda name: -score[name])
    word = "distance" if by == "closest" else by
    why += [f"{roster.label(g, name)}: {word} {abs(score[name])}" for name in ranked]
    shown = [weighing.figure(g, name, f"{word} {abs(score[name])}") for name in ranked]
    criterion, rule = ("closest", "EV-TARGET-02") if by == "closest" else (f"most {by} icons", "EV-TARGET-03")
    if len(ranked) <= count:
        if ranked:
            weighed.append(Weighing(criterion, rule, tuple(shown)))
        return ranked
    cut = score[ranked[count - 1]]
    sure = [name for name in ranked if score[name] > cut]
    ties = [name for name in ranked if score[name] == cut]
    wanted = count - len(sure)
    level = len(sure) + len(ties)
    weighed.append(Weighing(criterion, rule, tuple(shown[:level]), tuple(shown[level:])))
    if len(ties) == wanted:
        return sure + ties
    chosen = yield Ask(_which_of, ties, wanted, by)
    why.append(f"tie at {word} {abs(cut)}: the players chose {', '.join(roster.label(g, n) for n in chosen)}")
    named = [one for one in shown[:level] if one.id in sure or one.id in chosen]
    weighed.append(weighing.by_players(named, [one for one in shown[:level] if one not in named]))
    return sure + list(chosen)


def _which_of(g: Evershade, ties: list[str], wanted: int, by: str) -> Choose | Settled:
    reason = "are equally near" if by == "closest" else f"have as many {by} icons"
    return Choose(
        name="enemy_target",
        prompt=f"{' and '.join(roster.label(g, name) for name in ties)} {reason}: who is targeted?",
        who=g.group(),
        options=tuple(Option(name, roster.label(g, name), spaces.anchor(g, name), name) for name in ties),
        least=wanted,
        most=wanted,
        many=True,
        rules=("EV-TARGET-01", *(("EV-TARGET-02",) if by == "closest" else ("EV-TARGET-07", "EV-ENEMY-12"))),
    )


def _explain(
    g: Evershade,
    ref: str,
    action: EnemyAction,
    chosen: list[str],
    why: list[str],
    numbers: list[Explained],
    weighed: list[Weighing],
) -> None:
    rule = "EV-TARGET-02" if action.by == "closest" else "EV-TARGET-03"
    who = ", ".join(roster.label(g, name) for name in chosen) or "nobody"
    name = action.name or "Action"
    words = f"{roster.label(g, ref)}, {name}: targets {who} ({action.by})."
    g.note(words, rule, "EV-TARGET-01", numbers=numbers, detail=why, weighed=weighed)


def select_by(g: Evershade, by: str) -> Proc[str]:
    """One Party Member by icons or nearness without a range, for texts that only name one."""
    names = [one.id for one in roster.on_board(g)]
    if not names:
        return ""
    why: list[str] = []
    turn = g.state.combat.turn
    ref = turn.who if turn is not None else ""
    weighed: list[Weighing] = []
    chosen = yield from best(g, names, measure(g, ref, names, by), 1, by, why, weighed)
    words = f"Most {by} icons: {', '.join(roster.label(g, name) for name in chosen)}."
    g.note(words, "EV-TARGET-03", detail=why, weighed=weighed)
    return chosen[0] if chosen else ""
