"""The simple player policy: plays any question sensibly and fast, for autoplay, balance and tests.

It is frozen before a pack is balanced (a better one would only move the numbers). It looks at the state and the
pending question, never ahead, and leaves all chance to dice and bag.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.question import (
    GO_ON,
    Cell,
    Choose,
    Confirm,
    Draw,
    Json,
    Number,
    Offer,
    Order,
    Path,
    Place,
    Question,
    Roll,
    Window,
    cell_key,
)
from emberboard.games.evershade import dice_pool, roster, spaces, targets
from emberboard.games.evershade.activation import END
from emberboard.games.evershade.content import Card, CardSide
from emberboard.games.evershade.rolls import successes_of

if TYPE_CHECKING:
    from emberboard.engine.session import Session
    from emberboard.games.evershade.game import Evershade

ROLL = object()
"""What `decide` says where dice or the bag answer."""


def answer(session: Session) -> None:
    """Give one input to the pending question: an answer, an offer taken, or a roll by the program."""
    question = session.question
    if question is None:
        return
    g: Evershade = session.game  # type: ignore[assignment]
    offer = wanted_offer(g, question)
    if offer is not None:
        session.take(question.id, offer.id)
        return
    decided = decide(g, question)
    if decided is ROLL:
        session.roll(question.id)
    else:
        session.answer(question.id, decided)


def decide(g: Evershade, question: Question) -> Json:
    """The answer to a question, or ROLL."""
    match question:
        case Roll() | Draw():
            return ROLL
        case Window():
            return GO_ON
        case Confirm():
            return question.name == "refresh" and roster.member(g, question.about[0]).fate >= 2
        case Number():
            return question.low
        case Order():
            return [option.id for option in question.options]
        case Path():
            return walk(g, question)
        case Place():
            return question.options[0].id
        case Choose():
            return choose(g, question)
    raise TypeError(f"no policy for a question of kind {type(question).__name__}")


def choose(g: Evershade, question: Choose) -> Json:
    """One or several options, by what is asked."""
    ids = [option.id for option in question.options]
    match question.name:
        case "action":
            return action(g, question.about[0], ids)
        case "targets":
            ranked = sorted(ids, key=lambda ref: target_rank(g, ref))
            return ranked[: question.most]
        case "enemy_target":
            ranked = sorted(ids, key=lambda name: -roster.member(g, name).hp)
            return ranked[: question.most]
        case "character":
            return max(ids, key=lambda name: roster.member(g, name).hp)
        case "reroll_which":
            return _failures(g, question.about[0], ids)
        case "attribute":
            one = roster.member(g, question.about[0])
            return max(ids, key=lambda name: one.attributes[name])
        case "boon_kind":
            one = roster.member(g, question.about[0])
            return max(ids[:4], key=lambda kind: one.attributes[kind.split()[1]])
        case _:
            return ids[0] if question.single else ids[: max(1, question.least)]


def target_rank(g: Evershade, ref: str) -> tuple[int, int]:
    """Whom a card is aimed at first: Enemies with little HP, friends who miss most."""
    if roster.is_member(g, ref):
        one = roster.member(g, ref)
        return (0, one.hp - one.hp_max)
    found = roster.model(g, ref)
    return (0 if ":" not in ref else 1, found.hp if found is not None else 0)


# -- Actions ----------------------------------------------------------------------------------------------------------


def action(g: Evershade, who: str, ids: list[str]) -> str:
    """The Action with the greatest worth; a Move when nothing else is worth one, the end when that is of no use."""
    if "first aid" in ids:
        return "first aid"
    worths = {name: worth(g, who, g.pack.cards[name]) for name in ids if name in g.pack.cards}
    best = max(worths, key=lambda name: worths[name], default="")
    if best and worths[best] > 0:
        return best
    turn = g.state.combat.turn
    if "move" in ids and turn is not None and wanted_space(g, who) is not None and turn.actions_taken < 2:
        return "move"
    return END


def worth(g: Evershade, who: str, card: Card) -> int:
    """A rough value of using a card now, in tenths of a damage point."""
    side = card.light
    able = targets.legal(g, who, side.targets) if side.targets is not None else [who]
    if not able:
        return 0
    if card.type == "Offensive Action":
        return _attack_worth(g, who, side, able)
    name = card.id
    if name == "mend":
        return max(0, max(m.hp_max - m.hp for m in (roster.member(g, ref) for ref in able)) - 3) * 8
    if name == "command":
        turn = g.state.combat.turn
        return 12 if turn is not None and turn.actions_left == 1 and g.state.combat.supply.get("white", 0) else 0
    if name == "rally":
        return 6
    if name == "snare":
        return 7 if not g.state.combat.tokens and any(":" not in ref for ref in able) else 0
    if name == "moonlit-stand":
        return 4
    return 2


def _attack_worth(g: Evershade, who: str, side: CardSide, able: list[str]) -> int:
    spec = side.roll
    if spec is None:
        return 0
    one = roster.member(g, who)
    dice = max(one.attributes.get(name, 1) for name in spec.attributes)
    everybody = side.targets is not None and side.targets.count == "all"
    total = 0
    for ref in able:
        if roster.is_member(g, ref):
            total -= 40
            continue
        card = roster.enemy_card(g, ref)
        at = card.difficulty if spec.difficulty == "enemy" else spec.difficulty
        expected = dice * (14 - at) * 10 // 12 + (15 if spec.div else 0)
        total = total + expected if everybody else max(total, expected)
    return total


def wanted_space(g: Evershade, who: str) -> Cell | None:
    """Where the Character would like to stand: within reach of an Enemy that its cards can attack, out of danger."""
    one = roster.member(g, who)
    if one.at is None:
        return None
    foes = spaces.enemy_spaces(g)
    if not foes:
        return None
    low, high = reach(g, who)
    now = spaces.distance(g, g.grid.bit(one.at), foes)
    down = [m.token_at for m in roster.characters(g) if m.status == "knocked out" and m.token_at is not None]
    if down:
        return min(down, key=lambda cell: abs(cell[0] - one.at[0]) + abs(cell[1] - one.at[1]) if one.at else 0)
    if now is not None and low <= now <= high and not threatened(g) & g.grid.bit(one.at):
        return None
    return g.grid.list(foes)[0]


def reach(g: Evershade, who: str) -> tuple[int, int]:
    """The range band of the Character's farthest-reaching light attack; 1 to 1 without any."""
    bands = [
        (side.targets.low, side.targets.high or 1)
        for slot in roster.member(g, who).hotbar
        for card in [g.pack.cards[slot.card]]
        for side in [card.light]
        if card.type == "Offensive Action" and side.targets is not None
    ]
    best = max(bands, key=lambda band: band[1], default=(0, 1))
    return max(1, best[0]), best[1]


def threatened(g: Evershade) -> int:
    """Mask of the spaces that an Enemy Effect token (the Arrow Salvo) reaches."""
    mask = 0
    for enemy in g.state.enemies.values():
        if enemy.token_at is not None:
            mask |= g.grid.within(g.grid.bit(enemy.token_at), 0, 2)
    return mask


def walk(g: Evershade, question: Path) -> Json:
    """The stop from which most can be done: in range of an Enemy, away from tokens and fires."""
    down = [m.token_at for m in roster.characters(g) if m.status == "knocked out" and m.token_at is not None]
    low, high = (1, 1) if down else reach(g, question.figure)
    goal = g.grid.mask(down) if down else spaces.enemy_spaces(g)
    apart = {cell: d for d, ring in enumerate(g.grid.layers(goal, walls=False)) for cell in g.grid.list(ring)}
    threat, danger = threatened(g), spaces.danger(g)
    best: tuple[int, int] | None = None
    stop: Cell = question.start
    for raw in question.stops:
        cell = (raw[0], raw[1])
        way = question.suggested.get(cell_key(cell), [])
        harm = sum(danger.get((step[0], step[1]), 0) for step in way)
        off = apart.get(cell, 0)
        far = max(0, off - high, low - off)
        score = -10 * far - 5 * harm - (6 if threat & g.grid.bit(cell) else 0) + (2 * min(off, high) if high > 2 else 0)
        key = (score, -len(way))
        if best is None or key > best:
            best, stop = key, cell
    return list(stop) if stop != question.start else []


# -- offers -----------------------------------------------------------------------------------------------------------


def wanted_offer(g: Evershade, question: Question) -> Offer | None:
    """The offer to take now, if any."""
    for offer in question.offers:
        if _wants(g, question, offer):
            return offer
    return None


def _wants(g: Evershade, question: Question, offer: Offer) -> bool:
    match offer.procedure:
        case "use_reaction":
            return _wants_reaction(g, question, offer)
        case "use_boon" | "support":
            return True
        case "use_item":
            item = str(offer.args["item"])
            if item == "salve":
                one = roster.member(g, str(offer.args["who"]))
                return one.hp_max - one.hp >= 4
            return True
        case "extra_action":
            one = roster.member(g, str(offer.args["who"]))
            return one.fate >= 4
        case "reroll":
            return _wants_reroll(g, str(offer.args["who"]))
        case _:
            return False


def _wants_reaction(g: Evershade, question: Question, offer: Offer) -> bool:
    card = g.pack.cards[str(offer.args["card"])]
    if card.moment == "attacked":
        return True
    if card.moment == "enemy_revealed":
        return roster.member(g, str(offer.args["who"])).hp >= 8
    return card.moment == "before_roll"


def _wants_reroll(g: Evershade, who: str) -> bool:
    hand = g.state.rolls[-1]
    at = dice_pool.difficulty(hand, hand.difficulty).value
    total = sum(successes_of(face, at) for face in hand.faces)
    own = [face for face in hand.faces if face.by == who]
    return total == 0 and len(own) >= 2 and who == hand.performer


def _failures(g: Evershade, who: str, ids: list[str]) -> list[str]:
    hand = g.state.rolls[-1]
    at = dice_pool.difficulty(hand, hand.difficulty).value
    own = [face for face in hand.faces if face.by == who]
    failed = [str(n) for n, face in enumerate(own, 1) if not successes_of(face, at)]
    return [name for name in failed if name in ids] or ids[:1]
