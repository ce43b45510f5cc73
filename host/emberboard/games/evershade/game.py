"""The game as the kernel knows it: content, state, named procedures, scene, summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from emberboard.engine.game import Game, OddsRow, Refusal, Threat
from emberboard.engine.grid import Grid
from emberboard.engine.question import Json, Offer, Question, Window
from emberboard.engine.scene import Scene
from emberboard.engine.timing import Ended, Proc
from emberboard.games.evershade import (
    activation,
    boons,
    cards,
    combat,
    components,
    dice_pool,
    effects,
    enemy_attacks,
    enemy_models,
    enemy_turn,
    exploration,
    fate,
    item_actions,
    keywords,
    reactions,
    roster,
    rounds,
    setup,
    single_steps,
    targeting,
    targets,
)
from emberboard.games.evershade import adjustments as adjusting
from emberboard.games.evershade import not_now as refusing
from emberboard.games.evershade import odds as telling
from emberboard.games.evershade import rolls as rolling
from emberboard.games.evershade import scene as showing
from emberboard.games.evershade import threats as threatening
from emberboard.games.evershade.content import Sheet
from emberboard.games.evershade.packs import EMPTY, Pack
from emberboard.games.evershade.state import State


def terror_effects(g: Evershade, who: str) -> Proc[None]:
    """The Terror Effects Help card (EV-TERROR-04): content of the scenario."""
    scenario = g.pack.scenarios.get(g.state.combat.scenario)
    if scenario is not None:
        yield from effects.apply(g, scenario.terror_effects, effects.Context(user=who, source="Terror Effects"))


def item_effects(g: Evershade, who: str, item: str) -> Proc[None]:
    """What an Item Action does."""
    found = g.pack.items[item]
    if found.action is None:
        return
    chosen = yield from targets.choose(g, who, item, found.action.targets)
    context = effects.Context(user=who, source=found.name, targets=chosen, keywords=found.keywords)
    yield from effects.apply(g, found.action.effects, context)


class Evershade(Game[State]):
    """Lands of Evershade: a Combat, or single Rolls of Exploration."""

    name: ClassVar[str] = "evershade"
    rules_version: ClassVar[str] = "1"
    state_type: ClassVar[type[Any]] = State
    rules_of_order: ClassVar[tuple[str, ...]] = ("EV-GEN-04",)
    procedures: ClassVar[Mapping[str, Callable[..., Proc[Any]]]] = {
        "activate_character": activation.activate_character,
        "activate_enemy": enemy_turn.activate_enemy,
        "combat_over": combat.combat_over,
        "each_rolls": exploration.each_rolls,
        "eliminate_beyond": rounds.eliminate_beyond,
        "end_round": rounds.end_round,
        "enemy_action": enemy_turn.enemy_action,
        "enemy_defeated": enemy_models.enemy_defeated,
        "enemy_model": enemy_turn.enemy_model,
        "extra_action": activation.extra_action,
        "finish_enemy": enemy_turn.finish_enemy,
        "first_aid": cards.first_aid,
        "item_effects": item_effects,
        "move_effect_token": enemy_turn.move_effect_token,
        "next_activation": rounds.next_activation,
        "place_components": components.place_components,
        "refresh_cards": activation.refresh_cards,
        "refresh_for_fate": cards.refresh_for_fate,
        "reroll": rolling.reroll,
        "roll": exploration.roll,
        "spawn": enemy_models.spawn,
        "start_combat": combat.start_combat,
        "start_round": rounds.start_round,
        "support": rolling.support,
        "take_action": activation.take_action,
        "terror_effects": terror_effects,
        "token_attack": enemy_attacks.token_attack,
        "use_boon": rolling.use_boon,
        "use_card": cards.use_card,
        "use_item": item_actions.use_item,
        "use_reaction": cards.use_reaction,
        **single_steps.PROCEDURES,
    }

    def __init__(self, pack: Pack) -> None:
        super().__init__()
        self.pack = pack
        self.state = State()
        self.hooks: dict[str, Callable[..., Proc[None]]] = {}
        self._laid: tuple[str, Sheet, Grid] | None = None

    @classmethod
    def open(cls, setup_: Mapping[str, Json]) -> Evershade:
        opened = cls(setup.pack_of(setup_))
        setup.build(opened, setup_)
        return opened

    def twin(self, setup: Mapping[str, Json]) -> Evershade:
        other = type(self)(self.pack)
        other.hooks = self.hooks
        return other

    @property
    def content_version(self) -> str:
        return f"{self.pack.id} {self.pack.version}" if self.pack is not EMPTY else ""

    # -- content and supply for the rules -----------------------------------------------------------------------------

    @property
    def sheet(self) -> Sheet:
        """The Sheet in play."""
        return self._table()[1]

    @property
    def grid(self) -> Grid:
        """The Sheet's spaces and Impassable borders."""
        return self._table()[2]

    def _table(self) -> tuple[str, Sheet, Grid]:
        if self._laid is None or self._laid[0] != self.state.sheet:
            sheet = setup.sheet_of(self.pack, self.state.sheet)
            grid = Grid(sheet.size[0], sheet.size[1], missing=sheet.missing, walls=sheet.walls)
            self._laid = (self.state.sheet, sheet, grid)
        return self._laid

    def take_supply(self, name: str) -> bool:
        """Take one component from the supply, if there is one (EV-GEN-02)."""
        return components.take(self, name) == 1

    def give_supply(self, name: str) -> None:
        components.give(self, name)

    def to_pouch(self, who: str, item: str) -> None:
        """An Item token goes from Equipment to the Pouch (EV-ITEM-10)."""
        one = roster.member(self, who)
        if item in one.equipment:
            one.equipment.remove(item)
            one.pouch.append(item)
            self.note(f"{self.pack.items[item].name} goes to {one.name}'s Pouch.", "EV-ITEM-10")

    def named(self, source: str) -> str:
        """The name of a card or Item by its id; other words as they are."""
        found = self.pack.cards.get(source) or self.pack.items.get(source)
        return found.name if found is not None else source

    def printed(self, card: str) -> bool:
        """Whether this is a printed Action card of the Sheet, which is never flipped (EV-SHEET-07)."""
        return any(one.card == card and one.kind == "printed" for one in self.sheet.actions)

    def end_turn(self) -> None:
        """The present Activation is over: its lasting effects go."""
        self.state.combat.turn = None
        self.state.combat.lasting = [one for one in self.state.combat.lasting if one.until != "activation"]

    # -- the kernel's contract ----------------------------------------------------------------------------------------

    def seats(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.seat for one in self.state.members.values())) or ("table",)

    def begin(self, procedure: str, args: Mapping[str, Json]) -> Proc[None]:
        """One step of the outer queue; the end of the Combat is caught here, wherever it came from (EV-COMBAT-04)."""
        try:
            yield from self.call(procedure, args)
        except Ended as ended:
            if ended.scope == "activation" and self.state.combat.turn is not None:
                self.end_turn()
            elif ended.scope == "combat":
                self.end_turn()
                self.state.combat.attack, self.state.rolls = None, []
                self.state.combat.running, self.state.combat.result = False, ended.reason
                self.state.ledger.agenda.clear()
                self.then("combat_over", result=ended.reason)
            else:
                raise

    def standing_offers(self, question: Question) -> Sequence[Offer]:
        """Dark cards that their owners may refresh with Fate at any time (EV-REFRESH-04).

        A window opens only for those that could be used in it once they are light: nobody is stopped for nothing. In a
        window that is open anyway all are on offer.
        """
        if self.state.mode != "combat" or question.chance:
            return ()
        offers: list[Offer] = []
        idle: list[Offer] = []
        for one in roster.characters(self):
            if one.status != "standing":  # asked at every question: once for all its cards
                continue
            for held in keywords.cards_at_hand(self, one):
                card = self.pack.cards[held]
                if card.anytime_cost is None or cards.no_refresh(self, one, card) is not None:
                    continue
                words = f"{one.name} pays {card.anytime_cost} Fate to refresh {card.name}"
                args = {"who": one.id, "card": card.id}
                offer = Offer(
                    cards.refresh_id(one.id, held), one.seat, words, "refresh_for_fate", args, rules=("EV-REFRESH-04",)
                )
                serves = not isinstance(question, Window) or self._would_serve(question, one.id, held)
                (offers if serves else idle).append(offer)
        passed = self.state.ledger.passed
        opens = any(offer.seat not in passed for offer in (*question.offers, *offers))
        return [*offers, *(idle if opens else ())]

    def _would_serve(self, window: Window, who: str, card: str) -> bool:
        found = self.pack.cards[card]
        if found.moment != window.name:
            return False
        one = roster.member(self, who)
        return reactions.refusal(self, one, found, found.light, found.moment) is None

    def odds(self, question: Question) -> list[str]:
        return telling.odds(self, question)

    def odds_table(self, question: Question) -> list[OddsRow]:
        return telling.odds_table(self, question)

    def not_now(self, question: Question, seat: str) -> list[Refusal]:
        return refusing.not_now(self, question, seat)

    def threats(self, figure: str) -> list[Threat]:
        return threatening.threats(self, figure)

    def adjust(self, change: Mapping[str, Json]) -> str:
        return adjusting.adjust(self, change)

    def scene(self, question: Question | None) -> Scene:
        return showing.scene(self, question)

    def summary(self) -> dict[str, Json]:
        return {
            "game": self.name,
            "scenario": self.state.combat.scenario,
            "result": self.state.result or None,
            "rounds": self.state.combat.round,
            "characters": {one.id: {"hp": one.hp, "status": one.status} for one in roster.characters(self)},
            "enemies": {name: len(one.models) for name, one in self.state.enemies.items()},
        }

    def view(self) -> Json:
        """The state as plain data, with what is derived from it: Fate pool, Character Number, dice, armor, icons."""
        plain = msgspec.to_builtins(self.state)
        plain["characters"] = plain["members"]
        plain["fate_pool"] = fate.pool(self)
        plain["character_number"] = roster.character_number(self)
        plain["half_character_number"] = roster.half(roster.character_number(self))
        plain["mode"] = self.state.mode
        plain["free_slots"] = {one.id: boons.free_slots(self, one.id) for one in roster.characters(self)}
        plain["keywords"] = single_steps.all_keywords(self)
        plain["cover"] = single_steps.all_cover(self)
        plain["icons"] = {
            name: {icon: targeting.icons_of(self, name, icon).value for icon in targeting.ICONS}
            for name in self.state.members
        }
        if self.state.rolls:
            hand = self.state.rolls[-1]
            plain["roll"] = {
                "dice": dice_pool.pool(hand).value,
                "difficulty": dice_pool.difficulty(hand, hand.difficulty).value,
                "div": list(hand.div),
                "support": {part.by: part.dice for part in hand.supporters},
            }
        plain["enemy_models"] = {ref: msgspec.to_builtins(roster.model(self, ref)) for ref in roster.enemy_refs(self)}
        return plain
