"""Lands of Evershade at the terminal: its packs and ready-made Characters, and the Characters' boards."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from emberboard.engine.errors import Refused
from emberboard.engine.game import Game
from emberboard.engine.question import Json
from emberboard.engine.session import Session
from emberboard.games.desk import Board, CardShown, GameDesk, ItemShown, ReadyShown, ScenarioShown
from emberboard.games.evershade import roster
from emberboard.games.evershade.content import Card, Item, Targets
from emberboard.games.evershade.game import Evershade
from emberboard.games.evershade.packs import Pack, load_pack, packs_folder
from emberboard.games.evershade.setup import MOST_PLAYERS
from emberboard.games.evershade.targets import KINDS
from emberboard.games.evershade.wording import range_words

PLURALS = {"Enemy": "Enemies", "Boss": "Bosses"}


@cache
def _packs() -> tuple[Pack, ...]:
    """The packs that are shipped; reading them takes a moment, so it is done once."""
    return tuple(load_pack(path) for path in sorted(packs_folder().iterdir()) if path.joinpath("pack.yaml").is_file())


def _pack_with(scenario: str) -> Pack:
    for pack in _packs():
        if scenario in pack.scenarios:
            return pack
    raise Refused(f"no pack has a scenario {scenario!r}")


def scenarios() -> list[ScenarioShown]:
    """The scenarios of all packs."""
    return [
        ScenarioShown(one.id, one.name, pack.id, one.text.strip(), min(MOST_PLAYERS, len(one.starts)))
        for pack in _packs()
        for one in pack.scenarios.values()
    ]


def characters(scenario: str) -> list[ReadyShown]:
    """The ready-made Characters of the pack that holds the scenario."""
    found = []
    for one in _pack_with(scenario).characters.values():
        attributes = " ".join(f"{name} {value}" for name, value in one.attributes.items())
        words = f"{one.profession}, HP {one.hp}, {attributes}, DIV {one.div}. {one.text}"
        found.append(ReadyShown(one.id, one.name, words.strip()))
    return found


def setup(scenario: str, seats: Mapping[str, Sequence[str]]) -> dict[str, Json]:
    """The setup of a new fight."""
    return {
        "pack": _pack_with(scenario).id,
        "scenario": scenario,
        "seats": {seat: list(held) for seat, held in seats.items()},
    }


def _table(game: Game[Any]) -> Evershade:
    if not isinstance(game, Evershade):
        raise Refused(f"{game.name} is not Lands of Evershade")
    return game


def title(game: Game[Any]) -> str:
    """The name of the scenario in play."""
    table = _table(game)
    scenario = table.pack.scenarios.get(table.state.combat.scenario)
    return scenario.name if scenario is not None else "Lands of Evershade"


def boards(game: Game[Any]) -> list[Board]:
    """The boards of all Characters, dead ones too, in seat order."""
    table = _table(game)
    return [
        Board(
            id=one.id,
            name=one.name,
            seat=one.seat,
            colour=one.colour,
            hp=one.hp,
            hp_max=one.hp_max,
            status="" if one.status == "standing" else one.status,
            counters=(("Fate", one.fate), ("Terror", one.terror)),
            lists=(("Boons", tuple(one.boons)), ("Conditions", tuple(one.conditions))),
            cards=tuple(card_shown(table.pack.cards[slot.card], light=slot.side == "light") for slot in one.hotbar),
            attributes=(
                *((name, str(score)) for name, score in one.attributes.items()),
                ("DIV", one.div),
                ("MOB", str(one.mob)),
            ),
            items=(
                *(item_shown(table.pack.items[name], equipped=True) for name in one.equipment),
                *(item_shown(table.pack.items[name], equipped=False) for name in one.pouch),
            ),
        )
        for one in table.state.members.values()
    ]


WHEN = {
    "own_action": "an Action of your own",
    "attacked": "when somebody is attacked",
    "before_roll": "before a Roll",
    "after_roll": "after a Roll",
    "enemy_revealed": "when an Enemy reveals its card",
}
"""The moments of cards (EV-REACT-01) in words."""


def card_shown(card: Card, *, light: bool) -> CardShown:
    """A card with the side that is up."""
    side, other = (card.light, card.dark) if light else (card.dark, card.light)
    when = WHEN[card.moment]
    if card.free:
        when = "a free Action of your own"
    elif card.moment == "attacked" and card.defensive:
        when = "when you are attacked"
    return CardShown(
        name=card.name,
        light=light,
        id=card.id,
        type=card.type,
        when=when,
        text=side.text or side.hint,
        sun=side.sun,
        moon=side.moon,
        range=reach_words(side.targets) if side.targets is not None else "",
        needs=(*side.requires, *(f"{word} within range {side.near_range}" for word in side.requires_near)),
        keywords=side.keywords,
        usable=side.usable,
        other=other.text or other.hint,
        refresh="" if light else _refreshed(card),
    )


def reach_words(targets: Targets) -> str:
    """Whom a card or Item reaches: `Enemy, range 2-8`, `all models, range 2`, `Self`."""
    if targets.kind == "Self":
        return "Self"
    kind = KINDS.get(targets.kind, targets.kind)
    if targets.count == "all":
        kind = f"all {PLURALS.get(kind, kind + 's')}"
    elif targets.count > 1:
        kind = f"up to {targets.count} {PLURALS.get(kind, kind + 's')}"
    parts = [kind, range_words(targets.low, targets.high)]
    parts += ["in line"] if targets.in_line else []
    parts += ["not yet Activated"] if targets.not_activated else []
    parts += ["or yourself"] if targets.or_self else []
    return ", ".join(parts)


def _refreshed(card: Card) -> str:
    paid = f"for {card.refresh_cost} Fate " if card.refresh_cost is not None else ""
    words = f"turns light {paid}at the start of your Activation"
    return words if card.anytime_cost is None else f"{words}, or for {card.anytime_cost} Fate at any time"


def item_shown(item: Item, *, equipped: bool) -> ItemShown:
    """An Item with what it does: its own text and that of its Action."""
    told = [item.text, item.action.text if item.action is not None else ""]
    if item.armor and not item.text:
        told.insert(0, f"{item.armor} armor.")
    return ItemShown(
        item.id, item.name, " ".join(text for text in told if text), equipped, item.action is not None, item.keywords
    )


def label(game: Game[Any], ref: str) -> str:
    """A figure's name as shown."""
    return roster.label(_table(game), ref)


def policy() -> Callable[[Session], None]:
    """The simple player: one step a call. Raises Refused when this copy has none."""
    try:
        found: Callable[[Session], None] = importlib.import_module("emberboard.games.evershade.policy").answer
    except ModuleNotFoundError as error:
        raise Refused(
            "this copy of Emberboard has no player policy for evershade, so it cannot play by itself"
        ) from error
    return found


def check_pack(named: str) -> str:
    """Read the pack in a folder, or one that ships with the game; what it holds, in words. Raises ContentError."""
    folder = Path(named)
    if not folder.is_dir():
        folder = packs_folder().joinpath(named)
    pack = load_pack(folder)
    counted = {
        "scenario(s)": pack.scenarios,
        "Sheet(s)": pack.sheets,
        "Enemies": pack.enemies,
        "Activation cards": pack.activation_cards,
        "cards": pack.cards,
        "Items": pack.items,
        "ready-made Characters": pack.characters,
    }
    held = ", ".join(f"{len(part)} {name}" for name, part in counted.items())
    return f"{pack.name} (version {pack.version}): {held}. No fault found."


DESK = GameDesk(
    name=Evershade.name,
    scenarios=scenarios,
    characters=characters,
    setup=setup,
    title=title,
    boards=boards,
    label=label,
    policy=policy,
    check_pack=check_pack,
    scopes=("activation", "round"),
    adjustable=(
        "a malah hp 5        HP of a Character or an Enemy (a goon:A hp 1)",
        "a malah fate 2      Fate; terror the same way",
        "a goon:A at 3,4     where a figure stands",
        "a malah card taunt  turn a card of the Hotbar over",
        "a bag white 2 black 3   tokens in the bag; colours not named stay",
        "a mark H            a mark, set or cleared",
    ),
)
