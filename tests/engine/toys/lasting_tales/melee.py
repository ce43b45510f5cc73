"""Attacks, strikes and damage (LT-MELEE, LT-OPT, LT-DAMAGE)."""

from __future__ import annotations

from collections.abc import Sequence

from emberboard.engine.question import Ask, Choose, Option, Roll, Settled
from emberboard.engine.stats import Add, Contribution, Floor, Stat, Subtract
from emberboard.engine.timing import Proc, end
from tests.engine.toys.lasting_tales.tale import HARD, SIMPLE, WEAPONS, LastingTales, die
from tests.engine.toys.lasting_tales.trials import take_test

DAMAGE = Stat(
    "damage",
    (Add("weapon"), Add("mighty blow"), Add("strength bonus"), Floor(), Subtract("resistance"), Floor("no less")),
)
"""LT-DAMAGE-02, -03, -11, -12: dice, the bonus once, a floor of 0, Resistance; armour dice come off afterwards."""


def attack(game: LastingTales, model: str) -> Proc[None]:
    """LT-MELEE-11: the first strike, the Extra Strikes, then the Dual Wield strike last."""
    game.model(model).attacked = True
    weapon = yield Ask(which_weapon, model)
    options = yield Ask(which_options, model, weapon)  # LT-OPT-02: announced before the Attack Roll
    second = _second_weapon(game, model, weapon)
    if _paid(options, second):
        game.model(model).acted = True  # LT-OPT-01, -11
    strikes = [weapon] * (1 + game.model(model).extra_strikes)
    if "Dual Wield" in options:
        strikes.append(second)  # LT-OPT-05, -06
    for number, strike_weapon in enumerate(strikes, 1):
        if not game.engaged_enemies(model):
            game.note(f"{model}: strike {number} is lost, nobody is engaged", "LT-MELEE-12")
            continue
        target = yield Ask(which_target, model, number)
        advantage = []
        if number == 1 and "Precision Strike" in options:
            advantage = [Contribution("advantage", "Precision Strike", "LT-OPT-08")]
        yield from strike(game, model, strike_weapon, target, advantage, number)


def strike(
    game: LastingTales, model: str, weapon: str, target: str, advantage: Sequence[Contribution], number: int
) -> Proc[None]:
    """LT-MELEE-02: Attack Roll, damage plus Strength Bonus, Resistance, armour, Health."""
    about = f"strike {number} on {target} with the {weapon}"
    outcome = yield from take_test(
        game,
        model,
        about,
        game.model(model).mel,
        melee_difficulty(game, model, target),
        advantage,
        critical=game.model(model).hero,  # LT-MELEE-08, LT-CRIT-07
    )
    if outcome == "critical failure":
        # LT-DAMAGE-05, -06, LT-HERO-11: a Fumble ends the activation at once; what strikes are left are lost.
        end(game, "activation", model, reason="Fumble")
    if outcome in ("success", "critical success"):  # LT-MELEE-09
        yield from damage(game, model, weapon, target, mighty=outcome == "critical success")


def melee_difficulty(game: LastingTales, model: str, target: str) -> list[Contribution]:
    """LT-MELEE-04..06: twice the other's MEL is Simple, half of it Hard."""
    mine, other = game.model(model).mel, game.model(target).mel
    if mine >= 2 * other:
        return [Contribution("difficulty", f"MEL {mine} against {other}", "LT-MELEE-04", SIMPLE)]
    if other >= 2 * mine:
        return [Contribution("difficulty", f"MEL {mine} against {other}", "LT-MELEE-05", HARD)]
    return []


def damage(game: LastingTales, model: str, weapon: str, target: str, *, mighty: bool) -> Proc[None]:
    sides, _ = WEAPONS[weapon]
    rolled = yield Ask(damage_dice, model, weapon, mighty)
    shown = rolled[0][0]
    parts = [
        # LT-DICE: a D3 is half a D6 rounded up.
        Contribution("weapon", weapon, "LT-DAMAGE-01", (shown + 1) // 2 if sides == 3 else shown),
        Contribution("resistance", target, "LT-DAMAGE-07", game.model(target).resistance),
    ]
    if game.model(model).hero:
        # LT-DAMAGE-03: once for each strike, however many dice; LT-WEAPON-12: not on Adversary profiles.
        parts.append(Contribution("strength bonus", model, "LT-DAMAGE-03", game.model(model).strength_bonus))
    if mighty:
        parts.append(Contribution("mighty blow", "Mighty Blow", "LT-DAMAGE-04", rolled[1][0]))
    left = DAMAGE.evaluate(parts, target)
    saved = 0
    if left.value and game.model(target).armor:  # LT-ARMOR-02: nothing left, nothing rolled
        armor = yield Ask(armour_dice, target)
        saved = sum(1 for face in armor[0] if face >= 5)
    loss = max(0, left.value - saved)
    hurt = game.model(target)
    hurt.health = max(0, hurt.health - loss)
    game.note(f"{target} loses {loss} Health, {hurt.health} left", "LT-DAMAGE-12", numbers=(left,))
    if hurt.health == 0:
        remove(game, target)


def remove(game: LastingTales, target: str) -> None:
    """LT-SPAWN-01: a Minion removed goes at once to the Graveyard; LT-FATE-02: a Hero is Fallen."""
    gone = game.model(target)
    gone.place = "fallen" if gone.hero else "graveyard"
    game.state.contacts = [pair for pair in game.state.contacts if target not in pair]
    game.note(f"{target} is {'Fallen' if gone.hero else 'in the Graveyard'}", "LT-SPAWN-01")


def which_weapon(game: LastingTales, model: str) -> Choose | Settled:
    kinds = list(dict.fromkeys(game.model(model).weapons))
    if len(kinds) == 1:
        return Settled(kinds[0])
    return Choose(
        name="weapon",
        prompt=f"{model}: with which weapon?",
        who=game.owner(model),
        rules=("LT-OPT-06",),
        options=tuple(Option(kind) for kind in kinds),
    )


def which_options(game: LastingTales, model: str, weapon: str) -> Choose | Settled:
    """LT-OPT-01, -03, -07: one option for the Action; Dual Wield with an Off-hand Weapon costs none."""
    mine, second = game.model(model), _second_weapon(game, model, weapon)
    free = bool(second) and "Off-hand Weapon" in WEAPONS[second][1]
    options = []
    if not mine.acted:
        options.append(Option("Precision Strike", note="for the Action", rules=("LT-OPT-08",)))
    if second and (free or not mine.acted):
        options.append(Option("Dual Wield", note="free" if free else "for the Action", rules=("LT-OPT-05",)))
    if not mine.hero or not options:
        return Settled([])
    most = len(options) if free else 1
    return Choose(
        name="combat options",
        prompt=f"{model}: any Combat Option?",
        who=game.owner(model),
        rules=("LT-OPT-01", "LT-OPT-02"),
        options=tuple(options),
        least=0,
        most=most,
    )


def which_target(game: LastingTales, model: str, number: int) -> Choose | Settled:
    """LT-MELEE-03, -12: each strike names its own target among those engaged at that moment."""
    targets = game.engaged_enemies(model)
    if len(targets) == 1:
        return Settled(targets[0])
    return Choose(
        name=f"target of strike {number}",
        prompt=f"{model}: whom?",
        who=game.owner(model),
        rules=("LT-MELEE-03",),
        options=tuple(Option(name, figure=name) for name in targets),
    )


def damage_dice(game: LastingTales, model: str, weapon: str, mighty: bool) -> Roll:
    dice = [die(model, 1, f"{weapon} damage")]
    if mighty:
        dice.append(die(model, 1, "Mighty Blow"))
    rules = ("LT-DAMAGE-01",)
    return Roll(name="damage", prompt="Roll the damage", who=game.owner(model), rules=rules, dice=tuple(dice))


def armour_dice(game: LastingTales, target: str) -> Roll:
    dice = (die(target, game.model(target).armor, "armour"),)
    return Roll(name="armour", prompt="Roll armour", who=game.owner(target), rules=("LT-ARMOR-02",), dice=dice)


def _second_weapon(game: LastingTales, model: str, weapon: str) -> str:
    """LT-OPT-05, -09: the other of two One-Handed weapons, or nothing."""
    others = list(game.model(model).weapons)
    if weapon not in others:
        return ""
    others.remove(weapon)
    one_handed = "One-Handed" in WEAPONS[weapon][1]
    return next((other for other in others if one_handed and "One-Handed" in WEAPONS[other][1]), "")


def _paid(options: Sequence[str], second: str) -> bool:
    """Whether an announced option takes the Action (LT-OPT-01, -07)."""
    free = bool(second) and "Off-hand Weapon" in WEAPONS[second][1]
    return "Precision Strike" in options or ("Dual Wield" in options and not free)
