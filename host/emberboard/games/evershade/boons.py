"""Boons and Terror in their four shared slots (areas BOON and TERROR)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask, Choose, Json, Option, Settled
from emberboard.engine.timing import Proc
from emberboard.games.evershade import components, roster
from emberboard.games.evershade.content import BASIC_BOONS, GREATER_BOONS
from emberboard.games.evershade.reason import Reason, because
from emberboard.games.evershade.state import BOON_SLOTS

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def free_slots(g: Evershade, who: str) -> int:
    """Slots with neither Boon nor Terror (EV-TERROR-01)."""
    one = roster.member(g, who)
    return BOON_SLOTS - one.terror - len(one.boons)


def gain_terror(g: Evershade, who: str, amount: int) -> Proc[None]:
    """Terror fills free slots, then pushes out Boons of the player's choice; the rest is ignored (EV-TERROR-02, 03).

    The fourth Terror resolves the Terror Effects once the gain is finished (EV-TERROR-04).
    """
    one = roster.member(g, who)
    if one.kind == "companion":
        return
    before, ignored = one.terror, 0
    for _ in range(amount):
        one = roster.member(g, who)
        if not g.take_supply("Terror"):
            g.note("No Terror token is left.", "EV-GEN-02")
            break
        if free_slots(g, who):
            one.terror += 1
        elif one.boons:
            lost = yield Ask(_which_boon, who)
            one = roster.member(g, who)
            one.boons.remove(lost)
            g.give_supply("Boon")
            one.terror += 1
            g.note(f"Terror takes the place of {one.name}'s Boon {lost}.", "EV-TERROR-03")
        else:
            g.give_supply("Terror")
            ignored += 1
    one = roster.member(g, who)
    g.note(f"{one.name} has {one.terror} Terror" + (f" ({ignored} ignored)." if ignored else "."), "EV-TERROR-02")
    if before < BOON_SLOTS <= one.terror:
        one.terror_effects += 1
        g.note(f"{one.name} has {BOON_SLOTS} Terror: the Terror Effects are resolved.", "EV-TERROR-04")
        yield from g.call("terror_effects", {"who": who})


def remove_terror(g: Evershade, who: str, amount: int) -> None:
    """Terror goes back to the supply, as far as there is some (EV-TERROR-01)."""
    one = roster.member(g, who)
    gone = min(max(amount, 0), one.terror)
    one.terror -= gone
    for _ in range(gone):
        g.give_supply("Terror")
    g.note(f"{one.name} discards {gone} Terror: {one.terror} left.", "EV-TERROR-01")


def _which_boon(g: Evershade, who: str) -> Choose | Settled:
    one = roster.member(g, who)
    kinds = list(dict.fromkeys(one.boons))
    if len(kinds) == 1:
        return Settled(kinds[0])
    return Choose(
        name="boon_lost",
        prompt=f"{one.name}: which Boon does the Terror push out?",
        who=roster.seat_of(g, who),
        options=tuple(Option(kind, kind) for kind in kinds),
        rules=("EV-TERROR-03",),
        about=(who,),
    )


def gain_boon(g: Evershade, who: str, boon: str = "") -> Proc[None]:
    """Gain a Boon: into a free slot, or else it takes a Terror away, or else it is ignored (EV-BOON-02 to 04)."""
    if boon not in ("", *BASIC_BOONS, *GREATER_BOONS):
        raise Refused(f"there is no Boon {boon!r}; there are {', '.join((*BASIC_BOONS, *GREATER_BOONS))}")
    one = roster.member(g, who)
    if not free_slots(g, who):
        if one.terror:
            one.terror -= 1
            g.give_supply("Terror")
            g.note(f"{one.name} has no free slot: the Boon removes 1 Terror.", "EV-BOON-04")
        else:
            g.note(f"{one.name} holds {BOON_SLOTS} Boons: the new one is ignored.", "EV-BOON-03")
        return
    if not g.take_supply("Boon"):
        g.note("No Boon token is left.", "EV-GEN-02")
        return
    kind = boon or (yield Ask(_which_kind, who))
    roster.member(g, who).boons.append(kind)
    g.note(f"{one.name} gains the Boon {kind}.", "EV-BOON-02")


def each_gains_boon(g: Evershade, who: Sequence[str], boon: str = "") -> Proc[None]:
    """A Boon for each of several; the last tokens of the supply go to whom the players name (EV-GEN-02)."""
    waiting = list(who)
    while waiting:
        able = [name for name in waiting if free_slots(g, name)]
        left = components.left(g, "Boon")
        short = left is not None and 0 < left < len(able)
        chosen = (yield Ask(_who_gets_boon, able)) if short else waiting[0]
        waiting.remove(chosen)
        yield from gain_boon(g, chosen, boon)


def _who_gets_boon(g: Evershade, names: list[Json]) -> Choose:
    return Choose(
        name="last_boon",
        prompt="The supply holds too few Boons: who gets the next one?",
        who=g.group(),
        options=tuple(Option(str(name), roster.label(g, str(name))) for name in names),
        rules=("EV-GEN-02", "EV-GEN-04"),
    )


def _which_kind(g: Evershade, who: str) -> Choose:
    return Choose(
        name="boon_kind",
        prompt=f"{roster.label(g, who)} gains a Boon: which kind?",
        who=roster.seat_of(g, who),
        options=tuple(Option(kind, kind) for kind in BASIC_BOONS),
        rules=("EV-BOON-02",),
        about=(who,),
    )


def worth(boon: str) -> tuple[str, int | str]:
    """What a Boon does: (`STR`.., dice), (`DIV`, die) or (`difficulty`, change) (EV-BOON-01)."""
    if boon.endswith("Roll Difficulty"):
        return "difficulty", int(boon.split()[0])
    amount, *rest = boon.split()
    if rest[-1] == "DIV":
        return "DIV", rest[0].lower()
    return rest[0], int(amount)


def useful(boons: Sequence[str], attribute: str, div: bool) -> list[str]:
    """The kinds among `boons` that can help a Roll for `attribute`; DIV ones only where DIV is rolled (EV-BOON-05)."""
    return [boon for boon in dict.fromkeys(boons) if of_no_use(boon, attribute, div) is None]


def of_no_use(boon: str, attribute: str, div: bool) -> Reason | None:
    """Why a kind of Boon cannot help a Roll for `attribute`; None when it can (EV-BOON-05)."""
    what, _ = worth(boon)
    if what == "DIV":
        return None if div else because("no DIV is rolled in this Roll", "EV-BOON-05")
    if what in (attribute, "difficulty"):
        return None
    return because(f"this is a Roll for {attribute}", "EV-BOON-05")
