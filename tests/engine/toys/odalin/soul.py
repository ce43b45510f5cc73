"""What happens to heroes and villains: healing, damage, Corruption, Taint, loss of control, defeat, blasts."""

from __future__ import annotations

from emberboard.engine.piles import Pile
from emberboard.engine.question import Ask, Cell, Place, Settled, as_cell
from emberboard.engine.timing import Proc, caused, due, end, trigger
from tests.engine.toys.odalin.dungeon import Odalin, Villain, cells


def heal(game: Odalin, by: str, on: str, amount: int) -> None:
    """OD-TRIG-06: it counts as having healed even if Max HP left no room."""
    hero = game.hero(on)
    hero.hp = min(hero.max_hp, hero.hp + amount)
    game.note(f"{by} heals {on} by {amount}: HP {hero.hp}/{hero.max_hp}", "OD-TRIG-06")
    if by != on:
        woken(game, by, "heals an ally", on)


WAKES = {
    "Chalice": "heals an ally",
    "Choir Bell": "heals an ally",
    "Censer": "gains Soul",
}
"""Items and what triggers them."""


def woken(game: Odalin, wearer: str, what: str, on: str) -> None:
    """OD-TRIG-01, -03: what this triggers waits; several at the same time come in the players' order."""
    for item in game.hero(wearer).items:
        if WAKES[item] == what:
            trigger(
                game,
                "item",
                source=f"{item} of {wearer}",
                label=item,
                batch=f"{wearer} {what}",
                name=item,
                wearer=wearer,
                on=on,
            )


def item(game: Odalin, name: str, wearer: str, on: str) -> Proc[None]:
    """A triggered item; an item never triggers itself (OD-GLOSS-20)."""
    game.note(f"{name} of {wearer} is triggered", "OD-TRIG-01")
    match name:
        case "Chalice":  # the book's item B: HEAL 5 on it, and Max HP +1
            game.hero(on).max_hp += 1
            heal(game, wearer, on, 5)
        case "Choir Bell":
            gain_soul(game, wearer, 1)
        case "Censer":
            heal(game, wearer, wearer, 1)
    yield from ()


def gain_soul(game: Odalin, hero: str, amount: int) -> None:
    gains = game.hero(hero)
    gains.soul = min(10, gains.soul + amount)
    game.note(f"{hero} gains {amount} Soul: {gains.soul}", "OD-SOUL-01")
    woken(game, hero, "gains Soul", hero)


def gain_corruption(game: Odalin, hero: str, amount: int) -> Proc[None]:
    """OD-CORR-01, -02: above 10 it is 0 at once, and one token is Tainted, however large the gain."""
    gains = game.hero(hero)
    if gains.corruption + amount <= 10:
        gains.corruption += amount
        game.note(f"{hero} gains {amount} Corruption: {gains.corruption}", "OD-CORR-01")
        return
    gains.corruption = 0
    game.note(f"{hero} gains {amount} Corruption: above 10, so 0 and a Taint", "OD-CORR-01")
    yield from taint(game, hero)


def taint(game: Odalin, hero: str) -> Proc[None]:
    """OD-CONTROL-01: the third Taint is loss of control. OD-CONTROL-11: an own attack is finished first."""
    gains = game.hero(hero)
    gains.tainted += 1
    game.note(f"{hero} has {gains.tainted} Taint", "OD-TAINT-04")
    if gains.tainted < 3:
        return
    if game.turn.owner == hero and game.turn.acting:
        end(game, "control", hero, reason="third Taint", deferrable=True)
    else:
        yield from lose_control(game, hero)


def lose_control(game: Odalin, hero: str) -> Proc[None]:
    """OD-CONTROL-02..05: the Demon Lord stands as near as can be, and acts at the end of the track."""
    square = yield Ask(demons_square, hero)
    game.note(f"{hero} loses control", "OD-CONTROL-01")
    lost = game.hero(hero)
    lost.state, lost.at = "lost", None
    demon = f"Demon Lord of {hero}"
    deck = Pile.of(f"{demon}'s deck", ["Rampage"] * 6)
    game.state.villains[demon] = Villain(demon, as_cell(square), size=2, deck=deck, demon_of=hero)
    game.state.track.append(demon)


def demons_square(game: Odalin, hero: str) -> Place | Settled:
    """OD-CONTROL-02: the free squares closest to the hero's; which of several is for the players (OD-GOLD-04)."""
    blocked = game.occupied(hero)
    free = [cell for cell in game.floor() if game.fits(cell, 2, blocked)]
    near = {cell: _nearness(game, cell, hero) for cell in free}
    best = [cell for cell in free if near[cell] == min(near.values())]
    if len(best) == 1:
        return Settled(f"{best[0][0]},{best[0][1]}")
    return Place(
        name="Demon Lord's square",
        prompt="Where does the Demon Lord stand?",
        who=game.group(),
        rules=("OD-CONTROL-02",),
        options=cells(best),
        figure=f"Demon Lord of {hero}",
    )


def _nearness(game: Odalin, cell: Cell, hero: str) -> int:
    x, y = cell
    return game.distance([(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)], game.squares(hero))


def hurt_villain(game: Odalin, villain: str, damage: int, *, order: int = 0) -> None:
    """OD-DEFEAT, OD-POWER-03, -04, OD-BLAST: a defeated villain blasts at the end of the turn."""
    hurt = game.villain(villain)
    hurt.hp = max(0, hurt.hp - damage)
    game.note(f"{villain} takes {damage} DMG: HP {hurt.hp}", "OD-ATTACK-14")
    if hurt.hp:
        return
    squares = game.squares(villain)
    del game.state.villains[villain]
    game.state.track.remove(villain)
    game.state.power = min(6, game.state.power + (2 if order and hurt.chaos and order >= hurt.chaos else 1))
    game.note(f"{villain} is defeated, Power Track {game.state.power}", "OD-POWER-03", "OD-POWER-04")
    due(
        game,
        "turn",
        game.turn.owner,
        "blast",
        label=f"blast of {villain}",
        rules=("OD-BLAST-03",),
        villain=villain,
        squares=squares,
        soul=hurt.order,
        corruption=hurt.chaos,
    )
    if villain == game.turn.owner and game.turn.acting:
        end(game, "turn", villain, reason="defeated")  # OD-VMOVE-15: its turn ends without an attack


def blast(game: Odalin, villain: str, squares: list[Cell], soul: int, corruption: int) -> Proc[None]:
    """OD-BLAST-01..04: every hero in [1] now, at the end of the turn, whoever killed it."""
    yield from caused(game, _blast(game, villain, squares, soul, corruption))


def _blast(game: Odalin, villain: str, squares: list[Cell], soul: int, corruption: int) -> Proc[None]:
    game.note(f"blast of {villain}", "OD-BLAST-03")
    for hero in [hero.id for hero in game.in_play()]:
        if game.distance([as_cell(square) for square in squares], game.squares(hero)) <= 1:
            if soul:
                gain_soul(game, hero, soul)
            if corruption:
                yield from gain_corruption(game, hero, corruption)
