"""What the table shows of a Combat, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emberboard.engine.question import Cell, Choose, Path, Place, Question, as_cell
from emberboard.engine.scene import Figure, RowEntry, Scene, Token
from emberboard.games.evershade import cards, roster, spaces, targets
from emberboard.games.evershade.content import Targets
from emberboard.games.evershade.keywords import cards_at_hand

if TYPE_CHECKING:
    from emberboard.games.evershade.game import Evershade


ROLLING = ("before_roll", "roll", "after_roll")
"""The questions of a Roll in progress."""


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
    names = ("active", "option", "target", "reachable", "threatened")
    roles: dict[str, list[Cell]] = {name: [] for name in names}
    turn = g.state.combat.turn
    for ref in [turn.model] if turn is not None and turn.model else [turn.who] if turn is not None else []:
        if roster.is_member(g, ref) or ref.split(":")[0] in g.state.enemies:
            roles["active"] += g.grid.list(spaces.cells_of(g, ref))
    attack = g.state.combat.attack
    if attack is not None and attack.target:
        roles["threatened"] += g.grid.list(spaces.cells_of(g, attack.target))
    if g.state.rolls and question is not None and question.name in ROLLING:
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
    roles["area"] = g.grid.list(_area(g, question))
    roles["path"] = _way(g, question, roles)
    return roles


def _area(g: Evershade, question: Question | None) -> int:
    """Mask of what an area under way covers, or of where the targets may stand that are asked for."""
    attack = g.state.combat.attack
    mask = g.grid.mask(attack.area) if attack is not None else 0
    if question is None or g.state.mode != "combat":
        return mask
    if question.name == "targets" and len(question.about) == 2:
        who, source = question.about
        aimed = _targets_of(g, who, source)
        return mask | (targets.covered(g, who, aimed) if aimed is not None else 0)
    if g.state.rolls and question.name in ROLLING:
        hand = g.state.rolls[-1]
        aimed = _targets_of(g, hand.performer, hand.source)
        if aimed is not None and aimed.count == "all":
            mask |= targets.covered(g, hand.performer, aimed)
    return mask


def _targets_of(g: Evershade, who: str, source: str) -> Targets | None:
    """The targets line of a card at hand as it lies, of an Item's Action, or of First Aid."""
    if source in g.pack.items:
        action = g.pack.items[source].action
        return action.targets if action is not None else None
    if source == cards.FIRST_AID_NAME:
        return cards.FIRST_AID_REACH
    side = cards_at_hand(g, roster.member(g, who)).get(source)
    return side.targets if side is not None else None


def _way(g: Evershade, question: Question | None, roles: dict[str, list[Cell]]) -> list[Cell]:
    """The last way of who acts now. What can be answered keeps its own light, and a walk that is asked for all."""
    turn = g.state.combat.turn
    if turn is None or len(turn.walked) < 2 or isinstance(question, Path):
        return []
    first = [cell for name in ("option", "target", "threatened", "active") for cell in roles[name]]
    return [cell for cell in dict.fromkeys(turn.walked) if cell not in first]


def _words(g: Evershade, ref: str) -> tuple[str, ...]:
    """What to write beside a figure: Boons, Conditions, Terror, lasting armor, the Effect tokens on its card."""
    words: list[str] = []
    if roster.is_member(g, ref):
        one = roster.member(g, ref)
        words += [*one.boons, *one.conditions, *([f"Terror {one.terror}"] if one.terror else [])]
        on = f"member:{ref}"
    else:
        on = f"enemy:{ref.split(':')[0]}"
    armor = sum(one.amount for one in g.state.combat.lasting if one.on == ref and one.stat == "armor")
    words += [f"{armor:+d} armor"] if armor else []
    words += dict.fromkeys(token.effect for token in g.state.combat.tokens if token.on == on)
    return tuple(words)


def _members(g: Evershade) -> list[Figure]:
    return [
        Figure(
            one.id,
            one.name,
            one.at,
            "party",
            colour=one.colour,
            status=one.status,
            hp=one.hp,
            hp_max=one.hp_max,
            conditions=_words(g, one.id),
        )
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
                Figure(
                    ref,
                    name,
                    found.at,
                    "enemy",
                    card.size,
                    letter,
                    card.colour,
                    hp=found.hp,
                    hp_max=found.hp_start,
                    conditions=_words(g, ref),
                )
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
