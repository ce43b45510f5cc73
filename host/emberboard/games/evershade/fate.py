"""Fate: gaining from and paying to the common pool (area FATE)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask, Choose, Json, Option, Settled
from emberboard.engine.timing import Proc
from emberboard.games.evershade import roster
from emberboard.games.evershade.reason import Reason, because
from emberboard.games.evershade.state import FATE_TOTAL, Member

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def pool(g: Evershade) -> int:
    """Fate tokens that nobody holds (EV-FATE-02)."""
    return FATE_TOTAL - sum(one.fate for one in g.state.members.values())


def gain(g: Evershade, who: str, amount: int, why: str, *rules: str) -> int:
    """Give Fate from the pool, as far as it reaches (EV-FATE-02); returns how much. Companions hold none."""
    one = roster.member(g, who)
    got = min(amount, pool(g)) if one.kind == "character" and one.status != "dead" else 0
    one.fate += got
    if got:
        g.note(f"{one.name} gains {got} Fate: {why}.", *rules)
    elif amount and one.kind == "character" and one.status != "dead":
        g.note(f"No Fate is left in the pool for {one.name}.", "EV-FATE-02")
    return got


def too_little(one: Member, cost: int) -> Reason | None:
    """Why a Character cannot pay so much Fate; None when it can (EV-FATE-01, EV-FATE-13)."""
    if one.fate >= cost:
        return None
    return because(f"{one.name} has {one.fate} Fate; {cost} is needed, and nobody else can pay it", "EV-FATE-13")


def pay(g: Evershade, who: str, amount: int, why: str, *rules: str) -> None:
    """Pay one's own Fate into the pool (EV-FATE-01, EV-FATE-13). Raises Refused without enough of it."""
    one = roster.member(g, who)
    lacking = too_little(one, amount)
    if lacking is not None:
        raise Refused(str(lacking))
    one.fate -= amount
    g.note(f"{one.name} pays {amount} Fate: {why}.", *rules)


def award_ones(g: Evershade, earned: dict[str, int]) -> Proc[None]:
    """One Fate for every natural 1 to whoever rolled it (EV-FATE-10)."""
    yield from share(g, earned, "a natural 1 each", "EV-FATE-10")


def share(g: Evershade, earned: dict[str, int], why: str, *rules: str) -> Proc[None]:
    """Give Fate to several at the same moment; the last tokens of the pool go to whom the players name (EV-GEN-02)."""
    left = {who: count for who, count in earned.items() if count > 0 and roster.member(g, who).kind == "character"}
    if sum(left.values()) <= pool(g) or len(left) <= 1:
        for who, count in left.items():
            gain(g, who, count, why, *rules)
        return
    while pool(g) and left:
        who = yield Ask(_who_gets_fate, list(left))
        gain(g, who, 1, why, *rules, "EV-GEN-02")
        left[who] -= 1
        if not left[who]:
            del left[who]


def _who_gets_fate(g: Evershade, names: list[Json]) -> Choose | Settled:
    if len(names) == 1:
        return Settled(names[0])
    return Choose(
        name="last_fate",
        prompt="The pool holds too little Fate: who gets the next token?",
        who=g.group(),
        options=tuple(Option(name, roster.label(g, name)) for name in names),
        rules=("EV-GEN-02", "EV-GEN-04", "EV-FATE-02"),
    )
