"""Rolls: gather, Support, roll, re-roll, count, resolve the outcome, award Fate (areas ROLL, SUPP, FATE)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from emberboard.engine.dice import DiceWanted
from emberboard.engine.errors import Refused
from emberboard.engine.formula import value as formula_value
from emberboard.engine.question import Ask, Choose, Json, Offer, Option, Roll, Settled, Window
from emberboard.engine.stats import Contribution
from emberboard.engine.timing import Proc, scope
from emberboard.games.evershade import boons, dice_pool, fate, item_actions, reactions, roster
from emberboard.games.evershade.content import AnyEffect, Outcome, RollSpec
from emberboard.games.evershade.effects import Context, apply
from emberboard.games.evershade.keywords import keywords
from emberboard.games.evershade.reason import Reason, because, not_standing
from emberboard.games.evershade.state import Face, LastRoll, Member, RollInHand, SupportDice
from emberboard.games.evershade.wording import count

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


REROLL_FATE = 1
"""Fate for a re-roll of one's own dice (EV-FATE-03)."""


class Purpose(msgspec.Struct, frozen=True, kw_only=True):
    """What a Roll is for: its kind, the card or text behind it, its targets, and the attack it belongs to.

    `difficulty` is the Enemy Difficulty where the Roll refers to it and has no targets of its own (a Reaction).
    """

    kind: str = "exploration"
    source: str = ""
    targets: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    attack: bool = False
    difficulty: int | None = None
    support: bool = True
    attacker: str = ""


def perform(
    g: Evershade,
    performer: str,
    spec: RollSpec,
    outcomes: Sequence[Outcome],
    failure: Sequence[AnyEffect] | None,
    purpose: Purpose,
) -> Proc[None]:
    """One whole Roll in the order of EV-ROLL-01. Its result is `state.last_roll`."""
    attribute = yield from dice_pool.choose_attribute(g, performer, spec)
    one = roster.member(g, performer)
    hand = RollInHand(
        performer=performer,
        attribute=attribute,
        difficulty=next(iter(_printed(g, spec, purpose).values())),
        kind=purpose.kind,
        source=purpose.source,
        against=list(purpose.keywords),
        support=purpose.support,
        targets=list(purpose.targets),
        by_enemy=spec.difficulty == "enemy" and purpose.difficulty is None,
        needs=[shown_need(g, outcome) for outcome in outcomes],
        div=dice_pool.div_dice(one.div) if spec.div else [],
        parts=[Contribution("attribute", attribute, "EV-ATT-01", one.attributes.get(attribute, 1))],
    )
    g.state.rolls.append(hand)

    def clean_up() -> Proc[None]:
        done = g.state.rolls.pop()
        for item in done.items:
            g.to_pouch(performer, item)
        yield from ()

    yield from scope(g, "roll", performer, _stages(g, performer, spec, outcomes, failure, purpose), clean_up)


def _printed(g: Evershade, spec: RollSpec, purpose: Purpose) -> dict[str, int]:
    """The Difficulty before changes: the printed one under ``, or each target's Enemy Difficulty (EV-ROLL-14)."""
    if spec.difficulty != "enemy":
        return {"": spec.difficulty}
    if purpose.difficulty is not None:
        return {"": purpose.difficulty}
    found = {ref: roster.enemy_difficulty(g, ref) for ref in purpose.targets if not roster.is_member(g, ref)}
    if not found:
        raise Refused("this Roll needs an Enemy Difficulty, but no Enemy is involved")
    return found


def in_hand(g: Evershade) -> RollInHand:
    """The Roll in progress."""
    if not g.state.rolls:
        raise Refused("no Roll is in progress")
    return g.state.rolls[-1]


def _stages(
    g: Evershade,
    performer: str,
    spec: RollSpec,
    outcomes: Sequence[Outcome],
    failure: Sequence[AnyEffect] | None,
    purpose: Purpose,
) -> Proc[None]:
    yield from dice_pool.gather_modifiers(g, performer, spec, in_hand(g))
    yield Ask(before_roll, performer, msgspec.to_builtins(spec))
    yield from _throw(g)
    yield Ask(after_roll, performer)
    shown = _count(g, spec, purpose)
    reached = yield from _outcomes_of(g, outcomes, shown)
    failed = all(index is None for index in reached.values())
    _record(g, spec, purpose, shown, reached, outcomes, failed)
    yield from fate.award_ones(g, _ones(g))
    yield from _resolve(g, performer, outcomes, failure, purpose, shown, reached, failed)
    if failed:
        fate.gain(g, performer, 1, "the Roll failed", "EV-FATE-07", "EV-FATE-09")


# -- before the dice are rolled: Boons, Items, Support ----------------------------------------------------------------


def before_roll(g: Evershade, performer: str, spec: Json) -> Window:
    """The moment to declare Boons, Items and Support, before the dice are on the table (EV-BOON-06, EV-SUPP-07)."""
    hand = in_hand(g)
    dice = dice_pool.pool(hand)
    difficulty = dice_pool.difficulty(hand, hand.difficulty)
    return Window(
        name="before_roll",
        prompt=f"{roster.label(g, performer)} is about to roll {count(dice.value, 'die', 'dice')}"
        f" at Difficulty {difficulty.value}.",
        who=g.group(),
        note=f"{dice.words()}; {difficulty.words()}",
        offers=(
            *_boon_offers(g, hand),
            *_support_offers(g, hand, msgspec.convert(spec, RollSpec)),
            *reactions.offers(g, "before_roll"),
            *item_actions.roll_offers(g),
        ),
        rules=("EV-ROLL-01",),
        about=(performer,),
    )


def _boon_offers(g: Evershade, hand: RollInHand) -> list[Offer]:
    one = roster.member(g, hand.performer)
    return [
        Offer(boon_id(boon), one.seat, f"{one.name}: Boon {boon}", "use_boon", {"boon": boon}, rules=("EV-BOON-05",))
        for boon in boons.useful(one.boons, hand.attribute, bool(hand.div))
    ]


def boon_id(boon: str) -> str:
    """The id of the offer to use a kind of Boon."""
    return f"boon {boon}"


def no_boon(g: Evershade, one: Member, boon: str) -> Reason | None:
    """Why a Boon that is held cannot be used now; None when it can (EV-BOON-05, EV-BOON-06)."""
    if not g.state.rolls or g.state.rolls[-1].performer != one.id or g.state.rolls[-1].rolled:
        return because("it helps a Roll of one's own, before the dice are rolled", "EV-BOON-06")
    hand = in_hand(g)
    return boons.of_no_use(boon, hand.attribute, bool(hand.div))


def use_boon(g: Evershade, boon: str) -> Proc[None]:
    """Discard a Boon for this Roll: more dice, a lower Difficulty, or a DIV die (EV-BOON-05)."""
    hand = in_hand(g)
    one = roster.member(g, hand.performer)
    if hand.rolled:
        raise Refused("a Boon is declared before the dice are rolled (EV-BOON-06)")
    if boon not in one.boons:
        raise Refused(f"{one.name} has no Boon {boon!r}")
    one.boons.remove(boon)
    g.give_supply("Boon")
    hand.boons.append(boon)
    what, much = boons.worth(boon)
    if what == "difficulty":
        hand.difficulty_parts.append(Contribution("boons", f"Boon {boon}", "EV-BOON-05", int(much)))
    elif what == "DIV":
        hand.div.append(str(much))
    else:
        hand.parts.append(Contribution("boons", f"Boon {boon}", "EV-BOON-05", int(much)))
    g.note(f"{one.name} uses the Boon {boon}.", "EV-BOON-05", "EV-BOON-06")
    yield from ()


def _support_offers(g: Evershade, hand: RollInHand, spec: RollSpec) -> list[Offer]:
    """Exploration only: others of the same place with a keyword that some helpful modifier lists (EV-SUPP-01)."""
    if g.state.mode != "exploration" or not hand.support:
        return []
    performer = roster.member(g, hand.performer)
    helpful = [(dice_pool.name_of(one, at), one) for at, one in enumerate(spec.modifiers) if one.dice > 0]
    offers: list[Offer] = []
    for one in roster.characters(g):
        supporting = any(support.by == one.id for support in hand.supporters)
        if one.id == performer.id or one.space != performer.space or supporting:
            continue
        have = keywords(g, one)
        for name, modifier in helpful:
            for word in modifier.any_of:
                if not have.get(word):
                    continue
                dice = modifier.dice * have[word]
                several = sum(word in other.any_of for _, other in helpful) > 1
                offers.append(
                    Offer(
                        f"support {one.id} {word}" + (f" {name}" if several else ""),
                        one.seat,
                        f"{one.name} supports with {word}: {count(dice, 'die', 'dice')}"
                        + (f" ({name})" if several else ""),
                        "support",
                        {"by": one.id, "keyword": word, "dice": dice},
                        note=name,
                        rules=("EV-SUPP-01", "EV-SUPP-02", "EV-SUPP-03"),
                    )
                )
    return offers


def support(g: Evershade, by: str, keyword: str, dice: int) -> Proc[None]:
    """Add a Supporter's dice to the Roll in progress (EV-SUPP-02, EV-SUPP-07)."""
    hand = in_hand(g)
    hand.supporters.append(SupportDice(by, dice, keyword))
    g.note(f"{roster.label(g, by)} supports with {g.named(keyword)}: {count(dice, 'die', 'dice')}.", "EV-SUPP-02")
    yield from ()


# -- the dice ---------------------------------------------------------------------------------------------------------


def _throw(g: Evershade) -> Proc[None]:
    hand = in_hand(g)
    hand.dice = dice_pool.pool(hand).value
    rolled = yield Ask(the_roll)
    hand = in_hand(g)
    hand.rolled = True
    for wanted, faces in zip(dice_pool.dice_wanted(hand), rolled):
        if wanted.name == "div":
            hand.div_faces += [int(face) for face in faces]
        else:
            hand.faces += [Face(wanted.owner, int(face)) for face in faces]
    g.note(f"{roster.label(g, hand.performer)} rolls {_spell(g, hand)}.", "EV-ROLL-15", numbers=[dice_pool.pool(hand)])


def _spell(g: Evershade, hand: RollInHand) -> str:
    own = " ".join(str(face.natural) for face in hand.faces if face.by == hand.performer)
    others = [
        f"{roster.label(g, support.by)}: " + " ".join(str(face.natural) for face in hand.faces if face.by == support.by)
        for support in hand.supporters
    ]
    div = f"DIV {' '.join(map(str, hand.div_faces))}" if hand.div_faces else ""
    return "; ".join(part for part in (own, div, *others) if part)


def the_roll(g: Evershade) -> Roll:
    """All dice at once: performer and Supporters (EV-ROLL-15)."""
    hand = in_hand(g)
    pool = dice_pool.pool(hand)
    difficulty = dice_pool.difficulty(hand, hand.difficulty)
    return Roll(
        name="roll",
        prompt=f"{roster.label(g, hand.performer)} rolls {hand.attribute}"
        + (f" for {g.named(hand.source)}" if hand.source else "")
        + f" at Difficulty {difficulty.value}.",
        who=g.group(),
        dice=dice_pool.dice_wanted(hand),
        note=f"{pool.words()}; {difficulty.words()}",
        rules=("EV-ROLL-01", "EV-ROLL-15"),
        about=(hand.performer,),
    )


def after_roll(g: Evershade, performer: str) -> Window:
    """Re-rolls for everybody whose dice lie on the table, and what else changes dice, in any order, until all pass.

    Successes are counted only then (EV-ROLL-01, EV-ROLL-15, EV-FATE-03).
    """
    hand = in_hand(g)
    owners = dict.fromkeys(face.by for face in hand.faces)
    offers = [
        Offer(
            reroll_id(one.id),
            one.seat,
            f"{one.name} pays {REROLL_FATE} Fate and re-rolls",
            "reroll",
            {"who": one.id},
            rules=("EV-FATE-03",),
        )
        for one in map(g.state.members.__getitem__, owners)
        if no_reroll(g, one) is None
    ]
    return Window(
        name="after_roll",
        prompt=f"The dice show {_spell(g, hand)}.",
        who=g.group(),
        offers=(*offers, *reactions.offers(g, "after_roll")),
        rules=("EV-FATE-03", "EV-FATE-06"),
        about=(performer,),
    )


def reroll_id(who: str) -> str:
    """The id of the offer to re-roll one's own dice."""
    return f"reroll {who}"


def no_reroll(g: Evershade, one: Member) -> Reason | None:
    """Why a Party Member cannot re-roll now; None when it can (EV-FATE-03)."""
    faces = g.state.rolls[-1].faces if g.state.rolls else []
    if all(face.by != one.id for face in faces):
        return because(f"no dice of {one.name} lie on the table", "EV-FATE-03")
    return not_standing(one) or fate.too_little(one, REROLL_FATE)


def reroll(g: Evershade, who: str) -> Proc[None]:
    """Pay 1 Fate and re-roll any of one's own dice, DIV dice too (EV-FATE-03)."""
    fate.pay(g, who, REROLL_FATE, "a re-roll", "EV-FATE-03")
    chosen = yield Ask(_which_dice, who)
    faces = yield Ask(_reroll, who, chosen)
    hand = in_hand(g)
    mine = [index for index, face in enumerate(hand.faces) if face.by == who]
    fresh = [int(face) for row in faces for face in row]
    for name, face in zip(chosen, fresh):
        if name.startswith("div"):
            hand.div_faces[int(name[3:]) - 1] = face
        else:
            hand.faces[mine[int(name) - 1]] = Face(who, face)
    g.note(
        f"{roster.label(g, who)} re-rolls {count(len(chosen), 'die', 'dice')}: {_spell(g, hand)}.",
        "EV-FATE-03",
        "EV-FATE-06",
    )


def _which_dice(g: Evershade, who: str) -> Choose:
    hand = in_hand(g)
    own = [face for face in hand.faces if face.by == who]
    options = [Option(str(number), f"the {face.natural}") for number, face in enumerate(own, 1)]
    if who == hand.performer:
        options += [Option(f"div{n}", f"DIV {face}") for n, face in enumerate(hand.div_faces, 1)]
    return Choose(
        name="reroll_which",
        prompt=f"{roster.label(g, who)}: which dice?",
        who=roster.seat_of(g, who),
        options=tuple(options),
        least=1,
        most=len(options),
        many=True,
        rules=("EV-FATE-03",),
        about=(who,),
    )


def _reroll(g: Evershade, who: str, chosen: list[str]) -> Roll:
    hand = in_hand(g)
    plain = tuple(int(name) - 1 for name in chosen if not name.startswith("div"))
    symbols = dice_pool.SYMBOLS
    wanted = [DiceWanted(who, "d12", len(plain), positions=plain, symbols=symbols)] if plain else []
    wanted += [DiceWanted(who, hand.div[int(n[3:]) - 1], 1, "div") for n in chosen if n.startswith("div")]
    return Roll(
        name="reroll",
        prompt=f"{roster.label(g, who)} re-rolls {count(len(chosen), 'die', 'dice')}.",
        who=roster.seat_of(g, who),
        dice=tuple(wanted),
        rules=("EV-FATE-03",),
        about=(who,),
    )


# -- counting and outcomes --------------------------------------------------------------------------------------------


def successes_of(face: Face, difficulty: int) -> int:
    """Successes of one D12: 2 for a natural 12, else 1 at the Difficulty or more (EV-ROLL-05 to 07)."""
    if face.natural == 12:
        return 2
    return int(face.value >= difficulty)


class Shown(msgspec.Struct, frozen=True):
    """What a Roll shows against each target (`` for none): the Difficulty and the Successes."""

    difficulty: dict[str, int]
    successes: dict[str, int]


def _count(g: Evershade, spec: RollSpec, purpose: Purpose) -> Shown:
    hand = in_hand(g)
    printed = _printed(g, spec, purpose)
    numbers = {key: dice_pool.difficulty(hand, number).value for key, number in printed.items()}
    counted = {key: sum(successes_of(face, number) for face in hand.faces) for key, number in numbers.items()}
    return Shown(numbers, counted)


def _outcomes_of(g: Evershade, outcomes: Sequence[Outcome], shown: Shown) -> Proc[dict[str, int | None]]:
    """The outcome reached against each target: the highest requirement met, ties by the players (EV-ROLL-08, 09)."""
    needs = in_hand(g).needs
    reached: dict[str, int | None] = {}
    for key, total in shown.successes.items():
        best = max((need for need in needs if need <= total), default=None)
        ties = [index for index, need in enumerate(needs) if need == best]
        if best is None:
            reached[key] = None
        elif len(ties) == 1:
            reached[key] = ties[0]
        else:
            reached[key] = int((yield Ask(_which_outcome, [[index, outcomes[index].text] for index in ties])))
    return reached


def _which_outcome(g: Evershade, ties: list[Json]) -> Choose | Settled:
    return Choose(
        name="outcome",
        prompt="Two outcomes need the same number of Successes: which one is resolved?",
        who=g.group(),
        options=tuple(Option(str(index), text or f"outcome {index + 1}") for index, text in ties),
        rules=("EV-ROLL-09",),
    )


def _ones(g: Evershade) -> dict[str, int]:
    """Natural 1s on D12s by who rolled them; DIV dice do not count (EV-FATE-10, EV-FATE-11)."""
    earned: dict[str, int] = {}
    for face in in_hand(g).faces:
        if face.natural == 1:
            earned[face.by] = earned.get(face.by, 0) + 1
    return earned


def _record(
    g: Evershade,
    spec: RollSpec,
    purpose: Purpose,
    shown: Shown,
    reached: dict[str, int | None],
    outcomes: Sequence[Outcome],
    failed: bool,
) -> None:
    hand = in_hand(g)
    best = max(shown.successes, key=lambda key: shown.successes[key])
    index = reached[best]
    name = "failure" if index is None else f"success_{outcomes[index].successes}"
    faces: dict[str, list[int]] = {}
    for face in hand.faces:
        faces.setdefault(face.by, []).append(face.value)
    breakdown: dict[str, int] = {}
    for part in hand.parts:
        key = part.source.split(":")[0]
        breakdown[key] = breakdown.get(key, 0) + part.delta
    g.state.last_roll = LastRoll(
        performer=hand.performer,
        dice=hand.dice,
        difficulty=shown.difficulty[best],
        faces=faces,
        per_die=[successes_of(face, shown.difficulty[best]) for face in hand.faces],
        successes=shown.successes[best],
        outcome=name,
        div=sum(hand.div_faces),
        breakdown=breakdown,
        support_dice=sum(part.dice for part in hand.supporters),
        failed=failed,
        targets={key: total for key, total in shown.successes.items() if key},
    )
    came = count(shown.successes[best], "Success", "Successes")
    words = f"{came} at Difficulty {shown.difficulty[best]}: {name.replace('_', ' ')}."
    numbers = [dice_pool.difficulty(hand, _printed(g, spec, purpose)[best])]
    g.note(words, "EV-ROLL-05", "EV-ROLL-06", "EV-ROLL-08", numbers=numbers)


def _resolve(
    g: Evershade,
    performer: str,
    outcomes: Sequence[Outcome],
    failure: Sequence[AnyEffect] | None,
    purpose: Purpose,
    shown: Shown,
    reached: dict[str, int | None],
    failed: bool,
) -> Proc[None]:
    hand = in_hand(g)
    base = Context(
        user=performer,
        source=purpose.source,
        targets=purpose.targets,
        keywords=purpose.keywords,
        attack=purpose.attack,
        attacker=purpose.attacker,
        div=sum(hand.div_faces),
        successes=max(shown.successes.values()),
    )
    if failed:
        yield from apply(g, failure or (), base)
        return
    top = max((index for index in reached.values() if index is not None), key=lambda i: shown_need(g, outcomes[i]))
    for index in dict.fromkeys(index for index in reached.values() if index is not None):
        if shown.difficulty.keys() == {""}:
            yield from apply(g, outcomes[index].effects, base)
            return
        hit = tuple(key for key, got in reached.items() if got == index)
        others = outcomes[index].effects if index == top else [e for e in outcomes[index].effects if of_targets(e)]
        by_target = {key: shown.successes[key] for key in hit}
        context = msgspec.structs.replace(base, targets=hit, by_target=by_target)
        yield from apply(g, others, context)


def shown_need(g: Evershade, outcome: Outcome) -> int:
    """How many Successes an outcome needs now (EV-ROLL-09)."""
    return formula_value(outcome.successes, {"characters": roster.character_number(g)})


def of_targets(effect: AnyEffect) -> bool:
    """Whether an effect is for the targets, and not for the user."""
    return getattr(effect, "of", getattr(effect, "on", "self")) == "targets"
