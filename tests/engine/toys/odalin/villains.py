"""A villain's turn: card, Start of turn Instants, favourite target, movement, attack, defence."""

from __future__ import annotations

from emberboard.engine.dice import DiceWanted
from emberboard.engine.question import Ask, Cell, Draw, Place, Roll, Settled, as_cell, cell_key
from emberboard.engine.stats import Add, Contribution, Floor, Stat, Subtract
from emberboard.engine.timing import Proc, caused, scope
from tests.engine.toys.odalin.dungeon import VILLAIN_CARDS, Odalin, cells
from tests.engine.toys.odalin.soul import gain_corruption, taint
from tests.engine.toys.odalin.turns import closes, instants, opens

DAMAGE = Stat("DMG", (Add("card"), Floor(), Subtract("defence"), Subtract("guard"), Floor("no less")))
"""OD-VATT-05, in the order of the rules' list, without tokens and Agility."""


def villain_turn(game: Odalin, who: str) -> Proc[None]:
    yield from scope(game, "turn", who, acts(game, who), lambda: closes(game, who))


def acts(game: Odalin, villain: str) -> Proc[None]:
    opens(game, villain)
    game.turn.acting = True
    # OD-INSTANT-17: the card is drawn and visible before Start of turn Instants are used.
    card = yield Ask(attack_card, villain)
    game.villain(villain).deck.take(card)
    game.turn.card = card
    game.note(f"{villain} draws {card}", "OD-INSTANT-17")
    yield Ask(instants, "start of turn")
    # OD-FAV: looked up only now, for whoever moved meanwhile.
    target = favourite(game, villain)
    if not target:
        game.note(f"{villain} can attack nobody", "OD-VMOVE-07")
        return
    game.turn.target = target  # OD-VATT-09: fixed when movement starts
    game.note(f"the favourite target of {villain} is {target}", "OD-FAV-01")
    square = yield Ask(stopping_square, villain, target)
    if as_cell(square) != game.villain(villain).at:
        game.villain(villain).at = as_cell(square)
        game.note(f"{villain} moves to {square}", "OD-VMOVE-02")
    yield from caused(game, attacks(game, villain))
    yield Ask(instants, "after the attack")


def attack_card(game: Odalin, villain: str) -> Draw:
    return game.villain(villain).deck.question(game.group(), f"Draw for {villain}", name="attack card")


def favourite(game: Odalin, villain: str) -> str:
    """OD-FAV-08, -09: the best fit that can be attacked after some legal movement."""
    return next((hero for hero in ranking(game, villain) if stops(game, villain, hero)), "")


def ranking(game: Odalin, villain: str) -> list[str]:
    """OD-FAV-01..04: the description, what is in parentheses, the closest, the one further left on the track."""
    card = VILLAIN_CARDS[game.turn.card]

    def fit(hero: str) -> tuple[int, ...]:
        far = game.distance(game.squares(villain), game.squares(hero))
        corrupt = -game.hero(hero).corruption
        main = far if card.favourite == "closest" else corrupt
        ties = corrupt if card.ties else 0
        return (main, ties, far, game.state.track.index(hero))

    return sorted((hero.id for hero in game.in_play()), key=fit)


def stops(game: Odalin, villain: str, target: str) -> list[Cell]:
    """OD-VMOVE-01, -02: where it can attack from after the fewest squares; all of them where several are equal."""
    mover = game.villain(villain)
    card = VILLAIN_CARDS[game.turn.card]
    reach = game.steps_from(mover.at, mover.size, game.occupied(villain), card.move)
    aim = game.squares(target)
    good = {cell: steps for cell, steps in reach.items() if _from(game, cell, mover.size, aim) <= card.range}
    return [cell for cell in game.floor() if cell in good and good[cell] == min(good.values())]


def _from(game: Odalin, cell: Cell, size: int, aim: list[Cell]) -> int:
    x, y = cell
    return game.distance([(x + dx, y + dy) for dx in range(size) for dy in range(size)], aim)


def stopping_square(game: Odalin, villain: str, target: str) -> Place | Settled:
    """OD-VMOVE-13: which of several equal squares is for the players."""
    best = stops(game, villain, target)
    if len(best) == 1:
        return Settled(cell_key(best[0]))
    return Place(
        name=f"{villain} moves",
        prompt="Where does it stop?",
        who=game.group(),
        rules=("OD-VMOVE-13",),
        options=cells(best),
        figure=villain,
    )


def attacks(game: Odalin, villain: str) -> Proc[None]:
    """OD-VATT-01: no attack roll; redirections and Before Roll Instants, defence, After Roll Instants, damage."""
    card = VILLAIN_CARDS[game.turn.card]
    yield Ask(instants, "before roll")
    shown = yield Ask(defence_roll)
    game.turn.hits = shown[0].count("hit")
    yield Ask(instants, "after roll")
    target = game.turn.target
    if game.turn.hits >= 2:
        # OD-DEF-03, -04, -08: no damage, no effects, no Guard token.
        game.note(f"{target} evades with {game.turn.hits} Hits", "OD-DEF-03")
        return
    hero = game.hero(target)
    before_guard = card.damage - game.turn.hits
    dealt = DAMAGE.evaluate(
        [
            Contribution("card", game.turn.card, "OD-VATT-05", card.damage),
            Contribution("defence", "Hits", "OD-DEF-02", game.turn.hits),
            Contribution("guard", "Guard tokens", "OD-CLASS-14", hero.guard),
        ],
        target,
    )
    if hero.guard and before_guard > 0:
        hero.guard -= 1  # OD-CLASS-14, -17: only if there was something to protect from
    hero.hp = max(0, hero.hp - dealt.value)
    game.note(f"{target} takes {dealt.value} DMG: HP {hero.hp}", "OD-VATT-02", numbers=(dealt,))
    if card.corruption:
        yield from gain_corruption(game, target, card.corruption)  # OD-VATT-03: also when the damage was 0
    if game.hero(target).hp == 0 and game.hero(target).state == "in play":
        # OD-VATT-07: when the attack has resolved; OD-CORR-08, OD-TAINT-08: Corruption 0 and a Taint.
        game.hero(target).corruption = 0
        game.note(f"{target} is defeated", "OD-VATT-07")
        yield from taint(game, target)
        if game.hero(target).state == "in play":
            game.hero(target).state = "defeated"


def defence_roll(game: Odalin) -> Roll | Settled:
    """OD-DEF-01: the green dice of whoever is the target by now."""
    target = game.turn.target
    green = game.hero(target).green + game.turn.extra_green
    if not green:
        return Settled([[]])
    dice = (DiceWanted(target, "green", green, faces=("hit", "blank")),)
    return Roll(name="defence", prompt=f"{target} defends", who=game.player(target), rules=("OD-DEF-01",), dice=dice)
