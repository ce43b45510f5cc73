"""Rounds and the Initiative bag (areas BAG and COMBAT)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.errors import Refused
from emberboard.engine.question import Ask, Choose, Draw, Option, Settled
from emberboard.engine.timing import Proc, come_due
from emberboard.games.evershade import combat_end, knock_out, roster
from emberboard.games.evershade.state import Enemy, Member
from emberboard.games.evershade.wording import count

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

TOKENS = ("white", "black", "dual")


def waiting_characters(g: Evershade) -> list[str]:
    """Characters that can act and have not acted this Round (EV-BAG-03, EV-BAG-13)."""
    return [
        one.id
        for one in roster.characters(g)
        if one.status == "standing" and not one.acted and not one.activation_token
    ]


def waiting_enemies(g: Evershade) -> list[str]:
    """Enemy cards in the order that have not acted this Round, left to right (EV-BAG-04, EV-EHP-07)."""
    found = []
    for name in g.state.combat.row:
        one = g.state.enemies[name]
        card = g.pack.enemies[one.card]
        acts = (bool(one.models) or card.category == "Environment") if one.up else card.back.activated
        if acts and not one.acted and not one.activation_token:
            found.append(name)
    return found


def start_round(g: Evershade) -> Proc[None]:
    """The next Round begins."""
    combat = g.state.combat
    combat.running = True
    combat.round += 1
    combat.drawn, combat.used_as, combat.from_supply, combat.order = [], [], [], []
    combat.drawing_over = False
    g.note(f"Round {combat.round} begins.", "EV-COMBAT-03")
    g.then("next_activation")
    yield from ()


def next_activation(g: Evershade) -> Proc[None]:
    """Draw for the next Activation, or let those act who are left without a draw (EV-BAG-02, 07 to 09, 11)."""
    characters, enemies = waiting_characters(g), waiting_enemies(g)
    if not characters and not enemies:
        g.then("end_round")
        return
    bag_empty = not any(g.state.combat.bag.values())
    if characters and enemies and not bag_empty and not g.state.combat.drawing_over:
        token = yield Ask(draw_token)
        yield from draw_resolved(g, token)
        return
    g.state.combat.drawing_over = True
    if enemies:
        if g.state.combat.running:
            g.then("next_activation")
        g.then("activate_enemy", enemy=enemies[0])
        g.note(
            "No draw: the Enemies that are left act from left to right.", "EV-BAG-08" if not bag_empty else "EV-BAG-11"
        )
        return
    who = yield Ask(_which_character, "EV-BAG-09")
    if g.state.combat.running:
        g.then("next_activation")
    g.then("activate_character", who=who)


def draw_token(g: Evershade) -> Draw:
    """One token from the Initiative bag, unseen (EV-BAG-02)."""
    return Draw(
        name="initiative",
        prompt="Draw a token from the Initiative bag.",
        who=g.group(),
        pile="bag",
        contents={token: count for token, count in g.state.combat.bag.items() if count},
        rules=("EV-BAG-02",),
        top=True,
    )


def dual_counts_as(g: Evershade) -> str:
    """Black on a tie or with more white drawn this Round, else white; supply tokens do not count (EV-BAG-05)."""
    used = g.state.combat.used_as
    return "white" if used.count("black") > used.count("white") else "black"


def draw_resolved(g: Evershade, token: str) -> Proc[None]:
    """A drawn token decides who acts: white a Character, black the leftmost Enemy (EV-BAG-03 to 06)."""
    combat = g.state.combat
    colour = dual_counts_as(g) if token == "dual" else token
    combat.bag[token] -= 1
    combat.drawn.append(token)
    combat.used_as.append(colour)
    counted = f" (counts as {colour})" if token == "dual" else ""
    g.note(f"The token is {token}{counted}.", "EV-BAG-05" if token == "dual" else "EV-BAG-02")
    if combat.running:
        g.then("next_activation")
    if colour == "white":
        who = yield Ask(_which_character, "EV-BAG-03")
        one = roster.member(g, who)
        one.activation_token, one.acted = token, True
        g.then("activate_character", who=who)
        return
    enemy = waiting_enemies(g)[0]
    roster.enemy(g, enemy).activation_token = token
    g.then("activate_enemy", enemy=enemy)


def _which_character(g: Evershade, rule: str) -> Choose | Settled:
    able = waiting_characters(g)
    if not able:
        raise Refused("no Character is left to act")
    return Choose(
        name="character",
        prompt="Which Character acts?",
        who=g.group(),
        options=tuple(Option(name, roster.label(g, name), roster.member(g, name).at, name) for name in able),
        rules=(rule,),
        top=True,
    )


def end_round(g: Evershade) -> Proc[None]:
    """All Activation tokens go into the bag, those from the supply too (EV-BAG-10, EV-BAG-12)."""
    combat = g.state.combat
    yield from come_due(g, "round")
    returned = 0
    holders: list[Member | Enemy] = [*g.state.members.values(), *g.state.enemies.values()]
    for holder in holders:
        if holder.activation_token:
            combat.bag[holder.activation_token] = combat.bag.get(holder.activation_token, 0) + 1
            holder.activation_token = ""
            returned += 1
        holder.acted = False
    combat.lasting = [effect for effect in combat.lasting if effect.until != "round"]
    g.note(f"The Round ends: {count(returned, 'token')} back into the bag.", "EV-BAG-10", "EV-BAG-12")
    combat.survived = combat.round
    combat_end.check(g)
    if combat.running:
        g.then("start_round")


def eliminate_beyond(g: Evershade, column: int) -> Proc[None]:
    """A Sheet rule: every Character in that column or beyond is Eliminated, Knocked Out ones too (EV-KO-05)."""
    spots = {one.id: one.at or one.token_at for one in roster.characters(g)}
    beyond = [name for name, at in spots.items() if at is not None and at[0] >= column]
    yield from combat_end.each_struck(g, beyond, lambda name: knock_out.eliminate(g, name))
