"""Enemy models come and go: spawning, and defeat (areas SPAWN and EHP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.errors import Refused
from emberboard.engine.formula import value as formula_value
from emberboard.engine.question import Ask, Cell, Option, Place, Settled, as_cell, cell_key
from emberboard.engine.timing import Proc, end
from emberboard.games.evershade import combat_end, roster, spaces
from emberboard.games.evershade.state import Enemy, Model

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade

LETTERS = "ABCDEFGHIJKLMNOP"


def start_hp(g: Evershade, card: str) -> int:
    """HP of a model that enters Combat now: printed, or a formula of the Character Number (EV-EHP-01 to 03)."""
    one = g.pack.enemies[card]
    if one.category == "Minion":
        return 1
    return formula_value(one.hp if one.hp is not None else 0, {"characters": roster.character_number(g)})


def add_model(g: Evershade, enemy: str, letter: str, at: Cell) -> None:
    """Put a fresh model on the grid; a flipped card is turned up again (EV-SPAWN-03)."""
    one = roster.enemy(g, enemy)
    hp = start_hp(g, one.card)
    one.models[letter] = Model(letter, at, hp, hp)
    turn = g.state.combat.turn
    if turn is not None and turn.who == enemy and letter in turn.letters:
        turn.letters.remove(letter)  # a defeated model that is back: it does not act in this Activation (EV-ENEMY-03)
    if not one.up:
        one.up = True
        g.note(f"The card of {g.pack.enemies[one.card].name} is turned up again.", "EV-SPAWN-03")


def spawn(g: Evershade, enemy: str, count: int, icon: str, order: str = "highest") -> Proc[None]:
    """Place up to `count` models in the named spaces, in the order of their numbers (EV-SPAWN-01, 02, 04).

    Without a free named space the model goes to the closest empty, non-dangerous space, measured from the named space
    that would have been next.
    """
    if enemy not in g.state.enemies:
        join(g, enemy)
    named = {int(number): cell for number, cell in g.sheet.icons.get(icon, {}).items()}
    numbers = sorted(named, reverse=order == "highest")
    used: list[int] = []
    for _ in range(count):
        one = roster.enemy(g, enemy)
        card = g.pack.enemies[one.card]
        letter = next((name for name in LETTERS[: card.models] if name not in one.models), "")
        if not letter:
            g.note(f"All models of {card.name} are in play.", "EV-SPAWN-04", "EV-GEN-02")
            return
        fitting = g.grid.anchors(card.size, g.grid.cells & ~spaces.occupied(g) & ~spaces.blocked(g))
        free = [n for n in numbers if n not in used and g.grid.bit(named[n]) & fitting]
        if free:
            used.append(free[0])
            where = named[free[0]]
        else:
            left = [number for number in numbers if number not in used]
            if not left:
                left = numbers[-1:]
            if not left:
                g.note(f"There is no place to spawn {card.name}.", "EV-SPAWN-01")
                return
            used.append(left[0])
            key = yield Ask(_where, enemy, named[left[0]])
            if not key:
                return
            where = as_cell(key)
        add_model(g, enemy, letter, where)
        g.note(f"{card.name} {letter} spawns on {cell_key(where)}.", "EV-SPAWN-01")


def join(g: Evershade, enemy: str) -> None:
    """An Enemy that is called in and has no card yet: its card joins the row at the right end (EV-SPAWN-01)."""
    if enemy not in g.pack.enemies:
        raise Refused(f"there is no Enemy card {enemy!r}; there are {', '.join(g.pack.enemies)}")
    card = g.pack.enemies[enemy]
    g.state.enemies[enemy] = Enemy(enemy, enemy, deck=list(card.deck))
    g.state.combat.row.append(enemy)
    g.note(f"The card of {card.name} joins the row.", "EV-SPAWN-01")


def _where(g: Evershade, enemy: str, near: tuple[int, int]) -> Place | Settled:
    ties = spaces.closest_free(g, (near[0], near[1]), roster.enemy_card(g, enemy).size)
    if not ties:
        return Settled("")
    if len(ties) == 1:
        return Settled(cell_key(ties[0]))
    return Place(
        name="spawn_where",
        prompt=f"{g.pack.enemies[roster.enemy(g, enemy).card].name} spawns: which of the closest spaces?",
        who=g.group(),
        options=tuple(Option(cell_key(cell), cell_key(cell), cell) for cell in ties),
        figure=enemy,
        rules=("EV-SPAWN-02",),
        about=(enemy,),
    )


def enemy_defeated(g: Evershade, ref: str) -> Proc[None]:
    """A model at 0 HP leaves; with the last one its card is flipped and cleared (EV-EHP-05, 06)."""
    one = roster.enemy(g, ref)
    name = roster.label(g, ref)
    found = roster.model(g, ref)
    if found is None:
        return
    del one.models[found.letter]
    g.note(f"{name} is defeated.", "EV-EHP-05")
    if not one.models:
        flip(g, one.id)
    combat_end.check(g)
    turn = g.state.combat.turn
    if turn is not None and turn.model == ref:
        # Deferrable: a Reaction that defeats its attacker is still resolved to its end (EV-ENEMY-13).
        end(g, "model", ref, reason="defeated in its own Activation", deferrable=True)
    yield from ()


def flip(g: Evershade, enemy: str) -> None:
    """Turn an Enemy card over: everything on it goes, but for the Activation token (EV-EHP-06)."""
    one = roster.enemy(g, enemy)
    one.up, one.markers = False, 0
    g.state.combat.tokens = [token for token in g.state.combat.tokens if token.on != f"enemy:{enemy}"]
    g.state.combat.lasting = [e for e in g.state.combat.lasting if e.on.split(":")[0] != enemy]
    g.note(f"The card of {g.pack.enemies[one.card].name} is flipped.", "EV-EHP-05", "EV-EHP-06")
