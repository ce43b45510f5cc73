"""The effect language: what the small structs of cards, Items and Enemies do (content.py lists them)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from emberboard.engine.errors import ContentError, ProcedureError
from emberboard.engine.formula import Amount
from emberboard.engine.formula import value as formula_value
from emberboard.engine.question import Ask, Choose, Confirm, Option, Settled
from emberboard.engine.stats import Contribution
from emberboard.engine.timing import Proc, end
from emberboard.games.evershade import (
    boons,
    combat_end,
    content,
    damage,
    enemy_models,
    fate,
    knock_out,
    movement,
    pushing,
    roster,
    tokens,
)
from emberboard.games.evershade.content import AnyEffect
from emberboard.games.evershade.keywords import has
from emberboard.games.evershade.state import Lasting

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """In what an effect stands: its user, the card behind it, targets, the attack's keywords, the Roll's numbers.

    `by_target` holds each target's own Successes where one Roll is compared with several Difficulties (EV-ROLL-14).
    """

    user: str
    source: str = ""
    targets: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    attack: bool = False
    attacker: str = ""
    successes: int = 0
    div: int = 0
    by_target: dict[str, int] = {}
    cells: tuple[tuple[int, int], ...] = ()


def amount(g: Evershade, formula: Amount, context: Context, target: str = "") -> int:
    """What a formula gives here. Raises ContentError when it reads an unknown name."""
    known = {
        "successes": context.by_target.get(target, context.successes),
        "div": context.div,
        "characters": roster.character_number(g),
        "prevented": sum(g.state.combat.attack.prevented.values()) if g.state.combat.attack else 0,
    }
    if roster.is_member(g, context.user):
        known |= {name.lower(): score for name, score in roster.member(g, context.user).attributes.items()}
    return formula_value(formula, known)


def who_of(context: Context, of: str) -> tuple[str, ...]:
    """The figures that an effect is for."""
    if of == "self":
        return (context.user,)
    if of == "attacker":
        return (context.attacker,) if context.attacker else ()
    return context.targets


def affected(g: Evershade, context: Context, of: str) -> list[str]:
    """The figures that an effect is for, without those that are out: they are immune to everything (EV-KO-04)."""
    return [
        ref for ref in who_of(context, of) if not roster.is_member(g, ref) or roster.member(g, ref).status == "standing"
    ]


def apply(g: Evershade, effects: Sequence[AnyEffect], context: Context) -> Proc[None]:
    """Resolve effects in the order printed. A finished Combat or Activation ends them from inside (EV-COMBAT-04)."""
    for effect in effects:
        handler = HANDLERS.get(type(effect))
        if handler is None:
            raise ProcedureError(f"no rule for the effect {type(effect).__name__}")
        yield from handler(g, effect, context)


def _damage(g: Evershade, effect: content.Damage, context: Context) -> Proc[None]:
    attack = context.attack and effect.of == "targets"
    extra = ""
    if attack and roster.is_member(g, context.user):
        extra = yield from extra_damage_weapon(g, context)

    def strike(target: str) -> Proc[None]:
        if not roster.in_play(g, target):
            return
        parts = [
            Contribution(
                "base", g.named(context.source) or "effect", "EV-CARD-07", amount(g, effect.amount, context, target)
            )
        ]
        if extra:
            weapon = g.pack.items[extra]
            parts.append(Contribution("weapon", weapon.name, "EV-ITEM-13", weapon.damage))
        yield from damage.deal(
            g,
            target,
            parts,
            by=context.user,
            attack=attack,
            keywords=context.keywords if attack else (),
            types=(*effect.types, *(g.pack.items[extra].keywords if extra else ())),
            ignore_armor=effect.ignore_armor,
        )

    yield from combat_end.each_struck(g, who_of(context, effect.of), strike)


def extra_damage_weapon(g: Evershade, context: Context) -> Proc[str]:
    """The one equipped weapon that adds damage to an attack with its keyword; its user's choice (EV-ITEM-13).

    Its keywords count for the damage, as do those of the weapon that the card is used with (EV-ITEM-14).
    """
    able = [
        name
        for name in roster.member(g, context.user).equipment
        if g.pack.items[name].damage and g.pack.items[name].damage_keyword in context.keywords
    ]
    if not able:
        return ""
    chosen: str = yield Ask(_which_weapon, context.user, able)
    return chosen


def _which_weapon(g: Evershade, user: str, able: list[str]) -> Choose | Settled:
    if len({(g.pack.items[name].damage, g.pack.items[name].keywords) for name in able}) == 1:
        return Settled(able[0])
    return Choose(
        name="weapon_bonus",
        prompt=f"{roster.label(g, user)}: which weapon adds its damage?",
        who=roster.seat_of(g, user),
        options=tuple(Option(n, f"{g.pack.items[n].name} +{g.pack.items[n].damage}") for n in able),
        rules=("EV-ITEM-13",),
        about=(user,),
    )


def _prevent(g: Evershade, effect: content.Prevent, context: Context) -> Proc[None]:
    attack = g.state.combat.attack
    if attack is None:
        return
    much = 10**6 if effect.amount == "all" else amount(g, effect.amount, context)
    attack.prevented[attack.target] = attack.prevented.get(attack.target, 0) + much
    words = "all damage" if effect.amount == "all" else f"{much} damage"
    g.note(
        f"{roster.label(g, context.user)} prevents {words} with {g.named(context.source)}.", "EV-EATT-03", "EV-EATT-04"
    )
    yield from ()


def _lose_hp(g: Evershade, effect: content.LoseHP, context: Context) -> Proc[None]:
    def strike(target: str) -> Proc[None]:
        if roster.in_play(g, target) or g.state.mode == "exploration":
            yield from damage.lose_hp(g, target, amount(g, effect.amount, context, target), g.named(context.source))

    yield from combat_end.each_struck(g, who_of(context, effect.of), strike)


def _each_loses_hp(g: Evershade, effect: content.EachLosesHP, context: Context) -> Proc[None]:
    def strike(target: str) -> Proc[None]:
        yield from damage.lose_hp(g, target, amount(g, effect.amount, context), context.source)

    able = [one.id for one in roster.characters(g) if one.status == "standing"]
    yield from combat_end.each_struck(g, able, strike)


def _heal(g: Evershade, effect: content.Heal, context: Context) -> Proc[None]:
    for target in affected(g, context, effect.of):
        damage.heal(g, target, amount(g, effect.amount, context, target))
    yield from ()


def _armor(g: Evershade, effect: content.GainArmor, context: Context) -> Proc[None]:
    much = effect.amount
    if effect.with_keyword and has(g, roster.member(g, context.user), effect.with_keyword):
        much += effect.extra
    for target in affected(g, context, effect.of):
        lasting = Lasting(target, "armor", much, effect.until, context.source, "EV-ARMOR-02")
        g.state.combat.lasting.append(lasting)
        g.note(f"{roster.label(g, target)} has +{much} armor until the end of the {effect.until}.", "EV-ARMOR-02")
    yield from ()


def _become_target(g: Evershade, effect: content.BecomeTarget, context: Context) -> Proc[None]:
    turn = g.state.combat.turn
    if turn is not None and turn.side == "enemy":
        turn.redirect = context.user
        g.note(f"{roster.label(g, context.user)} becomes the target of this Activation.", "EV-TARGET-10")
    yield from ()


def _support(g: Evershade, effect: content.SupportRoll, context: Context) -> Proc[None]:
    yield from g.call("support", {"by": context.user, "keyword": context.source, "dice": effect.dice})


def _add_dice(g: Evershade, effect: content.AddDice, context: Context) -> Proc[None]:
    if g.state.rolls:
        hand = g.state.rolls[-1]
        hand.parts.append(Contribution("items", context.source, "EV-ITEM-09", effect.dice))
    yield from ()


def _raise_dice(g: Evershade, effect: content.RaiseDice, context: Context) -> Proc[None]:
    if g.state.rolls:
        for face in g.state.rolls[-1].faces:
            face.raised += effect.by
        g.note(f"Each D12 counts {effect.by:+d}; natural faces stay.", "EV-ROLL-07")
    yield from ()


def _push(g: Evershade, effect: content.Push, context: Context) -> Proc[None]:
    for target in who_of(context, effect.of):
        if roster.in_play(g, target):
            yield from pushing.push(g, context.user, target, amount(g, effect.spaces, context, target))


def _pull(g: Evershade, effect: content.Pull, context: Context) -> Proc[None]:
    for target in who_of(context, effect.of):
        if roster.in_play(g, target):
            yield from pushing.pull(g, context.user, target, amount(g, effect.spaces, context, target))


def _move_self(g: Evershade, effect: content.MoveSelf, context: Context) -> Proc[None]:
    yield from movement.walk(g, context.user, amount(g, effect.spaces, context))


def _activate_other(g: Evershade, effect: content.ActivateOther, context: Context) -> Proc[None]:
    """A white token from the supply; without one the whole effect is ignored (EV-BAG-12)."""
    combat = g.state.combat
    target = next((name for name in context.targets if not roster.member(g, name).acted), "")
    if not target:
        g.note("Nobody is left to be activated.", "EV-ENEMY-09")
        return
    if combat.supply.get("white", 0) < 1:
        g.note("The supply has no white Activation token: the effect is ignored.", "EV-BAG-12", "EV-GEN-02")
        return
    combat.supply["white"] -= 1
    combat.from_supply.append("white")
    one = roster.member(g, target)
    one.activation_token, one.acted = "white", True
    g.note(f"A white token from the supply goes to {one.name}, who acts next.", "EV-BAG-12", "EV-ACT-08")
    g.then("activate_character", who=target)
    end(g, "activation", context.user, reason=f"{g.named(context.source)} activates {one.name}")
    yield from ()


def _fate(g: Evershade, effect: content.GainFate, context: Context) -> Proc[None]:
    gains = {
        target: amount(g, effect.amount, context, target)
        for target in affected(g, context, effect.of)
        if roster.is_member(g, target)
    }
    yield from fate.share(g, gains, context.source, "EV-FATE-12")


def _terror(g: Evershade, effect: content.GainTerror, context: Context) -> Proc[None]:
    for target in affected(g, context, effect.of):
        if roster.is_member(g, target):
            yield from boons.gain_terror(g, target, amount(g, effect.amount, context, target))


def _remove_terror(g: Evershade, effect: content.RemoveTerror, context: Context) -> Proc[None]:
    for target in affected(g, context, effect.of):
        if roster.is_member(g, target):
            boons.remove_terror(g, target, amount(g, effect.amount, context, target))
    yield from ()


def _boon(g: Evershade, effect: content.GainBoon, context: Context) -> Proc[None]:
    gaining = [target for target in affected(g, context, effect.of) if roster.is_member(g, target)]
    yield from boons.each_gains_boon(g, gaining, effect.boon)


def _stay_light(g: Evershade, effect: content.StayLight, context: Context) -> Proc[None]:
    if f"{context.user} {context.source}" not in g.state.in_use:
        return
    stays = True
    if effect.may:
        stays = yield Ask(_may_stay, context.user, context.source)
    if stays:
        g.state.keep_light.append(f"{context.user} {context.source}")


def _may_stay(g: Evershade, user: str, source: str) -> Confirm:
    return Confirm(
        name="stay_light",
        prompt=f"{roster.label(g, user)}: leave {g.named(source)} unflipped?",
        who=roster.seat_of(g, user),
        rules=("EV-ROLL-08", "EV-CARD-04"),
        about=(user,),
    )


def _refresh(g: Evershade, effect: content.RefreshCards, context: Context) -> Proc[None]:
    for target in affected(g, context, effect.of):
        if not roster.is_member(g, target):
            continue
        dark = [slot for slot in roster.member(g, target).hotbar if slot.side == "dark"]
        if effect.all:
            chosen = [slot.card for slot in dark]
        elif dark:
            chosen = [(yield Ask(_which_card, target))]
        else:
            chosen = []
        for slot in roster.member(g, target).hotbar:
            if slot.card in chosen:
                slot.side = "light"


def _which_card(g: Evershade, target: str) -> Choose | Settled:
    dark = [slot.card for slot in roster.member(g, target).hotbar if slot.side == "dark"]
    if len(dark) == 1:
        return Settled(dark[0])
    return Choose(
        name="refresh_which",
        prompt=f"{roster.label(g, target)}: which card is refreshed?",
        who=roster.seat_of(g, target),
        options=tuple(Option(name, g.pack.cards[name].name) for name in dark),
        rules=("EV-REFRESH-01",),
        about=(target,),
    )


def _place_tokens(g: Evershade, effect: content.PlaceTokens, context: Context) -> Proc[None]:
    yield from tokens.place(g, context.user, context.source, effect, context.targets, amount(g, effect.count, context))


def _stabilize(g: Evershade, effect: content.Stabilize, context: Context) -> Proc[None]:
    for target in context.targets:
        yield from knock_out.stabilize(g, target)


def _spawn(g: Evershade, effect: content.Spawn, context: Context) -> Proc[None]:
    if effect.if_none and g.state.enemies[effect.if_none].models:
        return
    yield from enemy_models.spawn(g, effect.enemy, amount(g, effect.count, context), effect.icon, effect.order)


def _move_token(g: Evershade, effect: content.MoveToken, context: Context) -> Proc[None]:
    yield from g.call("move_effect_token", {"enemy": context.user, "by": effect.by, "high": effect.range})


def _token_attack(g: Evershade, effect: content.TokenAttack, context: Context) -> Proc[None]:
    args = {
        "enemy": context.user,
        "amount": amount(g, effect.damage, context),
        "high": effect.range,
        "keywords": list(effect.keywords),
    }
    yield from g.call("token_attack", args)


def _hook(g: Evershade, effect: content.Hook, context: Context) -> Proc[None]:
    hook = g.hooks.get(effect.name)
    if hook is None:
        raise ContentError(f"the pack has no hook {effect.name!r}; hooks: {', '.join(g.hooks) or 'none'}")
    yield from hook(g, context, **effect.args)


HANDLERS: dict[type[Any], Callable[..., Proc[None]]] = {
    content.Damage: _damage,
    content.Prevent: _prevent,
    content.LoseHP: _lose_hp,
    content.Heal: _heal,
    content.GainArmor: _armor,
    content.BecomeTarget: _become_target,
    content.SupportRoll: _support,
    content.AddDice: _add_dice,
    content.RaiseDice: _raise_dice,
    content.Push: _push,
    content.Pull: _pull,
    content.MoveSelf: _move_self,
    content.ActivateOther: _activate_other,
    content.GainFate: _fate,
    content.GainTerror: _terror,
    content.RemoveTerror: _remove_terror,
    content.GainBoon: _boon,
    content.StayLight: _stay_light,
    content.RefreshCards: _refresh,
    content.PlaceTokens: _place_tokens,
    content.Stabilize: _stabilize,
    content.Spawn: _spawn,
    content.MoveToken: _move_token,
    content.TokenAttack: _token_attack,
    content.EachLosesHP: _each_loses_hp,
    content.Hook: _hook,
}
