"""What the table shows of a Combat, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.question import Cell, Choose, Path, Place, Question, as_cell
from emberboard.engine.scene import Figure, RowEntry, Scene, Token
from emberboard.games.evershade import roster, spaces

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


def scene(g: Evershade, question: Question | None) -> Scene:
    """The Sheet with borders and danger, figures, tokens, the initiative row, the cells that the question lights."""
    sheet, grid = g.sheet, g.grid
    terrain = {
        "dangerous": tuple(grid.list(spaces.dangerous(g))),
        "blocked": tuple(grid.list(spaces.blocked(g))),
        "trigger": tuple(spaces.triggers(g)),
    }
    return Scene(
        width=grid.width,
        height=grid.height,
        missing=tuple((x, y) for x, y in sheet.missing),
        walls=tuple(((a[0], a[1]), (b[0], b[1])) for a, b in sheet.walls),
        terrain={name: cells for name, cells in terrain.items() if cells},
        roles={name: tuple(cells) for name, cells in _roles(g, question).items() if cells},
        figures=(*_members(g), *_enemies(g)),
        tokens=_tokens(g),
        row=_row(g),
        round=g.state.combat.round,
        bag=dict(g.state.combat.bag),
    )


def _roles(g: Evershade, question: Question | None) -> dict[str, list[Cell]]:
    roles: dict[str, list[Cell]] = {"active": [], "option": [], "target": [], "reachable": [], "threatened": []}
    turn = g.state.combat.turn
    for ref in [turn.model] if turn is not None and turn.model else [turn.who] if turn is not None else []:
        if roster.is_member(g, ref) or ref.split(":")[0] in g.state.enemies:
            roles["active"] += g.grid.list(spaces.cells_of(g, ref))
    attack = g.state.combat.attack
    if attack is not None and attack.target:
        roles["threatened"] += g.grid.list(spaces.cells_of(g, attack.target))
    if g.state.rolls and question is not None and question.name in ("before_roll", "roll", "after_roll"):
        for ref in g.state.rolls[-1].targets:
            roles["target"] += g.grid.list(spaces.cells_of(g, ref))
    match question:
        case Path():
            roles["reachable"] += [(x, y) for x, y in question.stops]
        case Place():
            roles["option"] += [option.at for option in question.options if option.at is not None]
        case Choose():
            roles["target"] += [option.at for option in question.options if option.at is not None]
        case _:
            pass
    return roles


def _members(g: Evershade) -> list[Figure]:
    return [
        Figure(one.id, one.name, one.at, "party", 1, "", one.colour, one.status, one.hp, one.hp_max)
        for one in roster.on_board(g)
        if one.at is not None
    ]


def _enemies(g: Evershade) -> list[Figure]:
    figures = []
    for ref in roster.enemy_refs(g):
        found, card = roster.model(g, ref), roster.enemy_card(g, ref)
        if found is not None:
            letter = found.letter if ":" in ref else ""
            name = roster.label(g, ref)
            figures.append(
                Figure(ref, name, found.at, "enemy", card.size, letter, card.colour, "", found.hp, found.hp_start)
            )
    return figures


def _tokens(g: Evershade) -> tuple[Token, ...]:
    lying: list[Token] = []
    for one in g.state.members.values():
        if one.token_at is not None:
            lying.append(Token(one.id, f"{one.name} (Knocked Out)", one.token_at, one.colour))
    for name, enemy in g.state.enemies.items():
        if enemy.token_at is not None:
            lying.append(Token(name, g.pack.enemies[enemy.card].name, enemy.token_at, "grey"))
    for token in g.state.combat.tokens:
        if token.on.startswith("space:"):
            lying.append(Token(f"{token.owner} {token.icon}", token.effect, as_cell(token.on.removeprefix("space:"))))
    return tuple(lying)


def _row(g: Evershade) -> tuple[RowEntry, ...]:
    turn = g.state.combat.turn
    now = turn.who if turn is not None else ""
    party = [
        RowEntry(one.id, one.name, "party", one.acted, one.activation_token, one.id == now, one.status)
        for one in roster.characters(g)
    ]
    enemies = [
        RowEntry(
            name,
            g.pack.enemies[g.state.enemies[name].card].name,
            "enemy",
            g.state.enemies[name].acted,
            g.state.enemies[name].activation_token,
            name == now,
            "" if g.state.enemies[name].up else "flipped",
        )
        for name in g.state.combat.row
    ]
    return (*party, *enemies)
