"""Turns on the initiative track: what opens and closes one, Instants, and a hero's own turn."""

from __future__ import annotations

from emberboard.engine.dice import DiceWanted
from emberboard.engine.question import Ask, Choose, Offer, Option, Place, Roll, Settled, Who, Window, as_cell
from emberboard.engine.timing import Proc, caused, come_due, due, scope, shielded
from tests.engine.toys.odalin.dungeon import HERO_CARDS, VILLAIN_CARDS, WINDOWS, Odalin, Turn, cells
from tests.engine.toys.odalin.soul import gain_corruption, gain_soul, heal, hurt_villain, lose_control


def next_turn(game: Odalin) -> Proc[None]:
    """OD-ROUND, OD-CONTROL-14: the first on the track that has not acted; then the round is over."""
    state = game.state
    lost = [hero.id for hero in state.heroes.values() if hero.state != "in play"]
    waiting = [name for name in state.track if name not in state.acted and name not in lost]
    if not waiting:
        game.note(f"round {state.round} is over", "OD-ROUND-01")
        return
    state.acted.append(waiting[0])
    game.then("hero_turn" if waiting[0] in state.heroes else "villain_turn", who=waiting[0])
    yield from ()


def opens(game: Odalin, who: str) -> None:
    """A turn begins (OD-TURN-01)."""
    game.state.turn = Turn(who)
    game.note(f"turn of {who}", "OD-TURN-01")


def closes(game: Odalin, who: str) -> Proc[None]:
    """The end of a turn: Instants, blasts at the positions of now, then what lasted for this turn."""
    game.turn.acting = False
    yield Ask(instants, "end of turn")
    yield from come_due(game, "turn", who)  # OD-BLAST-03, -07
    yield from come_due(game, "effects of the turn", who)  # OD-EFFECT-08, OD-INSTANT-09
    game.note(f"turn of {who} is over", "OD-TURN-01")
    game.state.turn = None
    game.then("next_turn")


# -- Instants ---------------------------------------------------------------------------------------------------


def instants(game: Odalin, moment: str) -> Window:
    """OD-INSTANT-01..08, -16: any number by any hero outside its own turn, while it has Action Points."""
    offers = [
        Offer(
            f"{card} by {hero.id}",
            hero.seat,
            f"{hero.id} plays {card}",
            "instant",
            {"card": card, "hero": hero.id},
            rules=("OD-INSTANT-01",),
        )
        for hero in game.in_play()
        if hero.id != game.turn.owner and hero.ap > 0
        for card in dict.fromkeys(hero.hand)
        if HERO_CARDS[card].window in WINDOWS[moment] and (card != "Spark" or in_reach(game, hero.id, 3))
    ]
    if moment == "before roll" and game.turn.owner in game.state.villains:
        offers += redirections(game)
    return Window(name=moment, prompt="Anyone?", who=Who("any", game.seats()), offers=tuple(offers))


def redirections(game: Odalin) -> list[Offer]:
    """OD-CLASS-15, OD-VATT-09: a Guardian in the villain's range becomes the target for 1 Guard token."""
    turn = game.turn
    reach = VILLAIN_CARDS[turn.card].range
    return [
        Offer(f"guard by {hero.id}", hero.seat, f"{hero.id} takes the blow", "redirect", {"guardian": hero.id})
        for hero in game.in_play()
        if hero.guard > 0
        and hero.id != turn.target
        and game.distance(game.squares(turn.owner), game.squares(hero.id)) <= reach
    ]


def redirect(game: Odalin, guardian: str) -> Proc[None]:
    hero = game.hero(guardian)
    hero.guard -= 1
    game.note(f"{guardian} becomes the target instead of {game.turn.target}", "OD-CLASS-15")
    game.turn.target = guardian
    yield from ()


def instant(game: Odalin, card: str, hero: str) -> Proc[None]:
    """OD-INSTANT-02: 1 Action Point. What it triggers runs when it is finished, before the turn goes on."""
    game.hero(hero).ap -= 1
    game.hero(hero).hand.remove(card)
    game.note(f"{hero} plays {card}", "OD-INSTANT-02")
    yield from caused(game, EFFECTS[card](game, hero))


def sidestep(game: Odalin, hero: str) -> Proc[None]:
    square = yield Ask(within_reach, hero, 2)
    walk(game, hero, square)


def brace(game: Odalin, hero: str) -> Proc[None]:
    """OD-INSTANT-09: one more defence die until the end of the turn."""
    game.turn.extra_green += 1
    game.note("one more defence die this turn", "OD-INSTANT-09")
    due(game, "effects of the turn", game.turn.owner, "wears_off", label="Brace")
    yield from ()


def wears_off(game: Odalin) -> Proc[None]:
    game.turn.extra_green -= 1
    game.note("Brace wears off", "OD-INSTANT-09")
    yield from ()


def second_look(game: Odalin, hero: str) -> Proc[None]:
    game.turn.hits += 1
    game.note(f"one more Hit: {game.turn.hits}", "OD-INSTANT-06")
    yield from ()


def mend(game: Odalin, hero: str) -> Proc[None]:
    """The book's card A: HEAL 3 an ally; if it now has 6 or more HP, heal yourself 2 (OD-TRIG-01)."""
    ally = yield Ask(which_ally, hero)
    heal(game, hero, ally, 3)
    if game.hero(ally).hp >= 6:
        heal(game, hero, hero, 2)


def spark(game: Odalin, hero: str) -> Proc[None]:
    """OD-INSTANT-12: 3 DMG to an enemy in [3]; no attack, no roll."""
    target = yield Ask(which_enemy, hero, 3)
    hurt_villain(game, target, 3)


EFFECTS = {"Sidestep": sidestep, "Brace": brace, "Second Look": second_look, "Mend": mend, "Spark": spark}


def which_ally(game: Odalin, hero: str) -> Choose | Settled:
    allies = [ally.id for ally in game.in_play() if ally.id != hero]
    if len(allies) == 1:
        return Settled(allies[0])
    options = tuple(Option(ally, figure=ally) for ally in allies)
    return Choose(name="ally", prompt="Whom?", who=game.player(hero), options=options)


def within_reach(game: Odalin, hero: str, limit: int) -> Place:
    start = game.squares(hero)[0]
    reach = game.steps_from(start, 1, game.occupied(hero), limit)
    options = cells([cell for cell in game.floor() if cell in reach])
    return Place(name=f"{hero} moves", prompt="Where?", who=game.player(hero), options=options, figure=hero)


def walk(game: Odalin, hero: str, square: str) -> None:
    game.hero(hero).at = as_cell(square)
    game.note(f"{hero} moves to {square}", "OD-MOVE-01")


# -- a hero's turn ----------------------------------------------------------------------------------------------


def hero_turn(game: Odalin, who: str) -> Proc[None]:
    yield from scope(game, "turn", who, own_turn(game, who), lambda: closes(game, who))


def own_turn(game: Odalin, hero: str) -> Proc[None]:
    """OD-CONTROL-13: a hero that loses control in its own turn ends that turn at once."""
    opens(game, hero)
    yield Ask(instants, "start of turn")
    game.turn.acting = True
    lost = yield from scope(game, "control", hero, actions(game, hero))
    if lost is not None:
        yield from lose_control(game, hero)


def actions(game: Odalin, hero: str) -> Proc[None]:
    while game.hero(hero).ap > 0:
        action = yield Ask(which_action, hero)
        if action == "end":
            return
        game.hero(hero).ap -= 1
        match action:
            case "attack":
                # OD-CONTROL-11: the attack is finished before control is lost; OD-TRIG-01: then what it triggered.
                yield from shielded(game, ["control"], caused(game, attack(game, hero)))
            case "walk":
                walk(game, hero, (yield Ask(within_reach, hero, 3)))
            case card:
                game.hero(hero).hand.remove(card)
                game.note(f"{hero} plays {card}", "OD-ABILITY-01")
                yield from caused(game, EFFECTS[card](game, hero))


def which_action(game: Odalin, hero: str) -> Choose:
    actions = [card for card in dict.fromkeys(game.hero(hero).hand) if HERO_CARDS[card].ability]
    if "Spark" in actions and not in_reach(game, hero, 3):
        actions.remove("Spark")
    if not game.turn.attacked and in_reach(game, hero, 1):
        actions.append("attack")
    return Choose(
        name=f"{hero}'s action",
        prompt="What now?",
        who=game.player(hero),
        options=tuple(Option(action) for action in [*actions, "walk", "end"]),
        top=True,
    )


def in_reach(game: Odalin, hero: str, reach: int) -> list[str]:
    """The enemies in [`reach`]; of an attack it is [1] (OD-ATTACK-07)."""
    mine = game.squares(hero)
    return [villain for villain in game.state.villains if game.distance(mine, game.squares(villain)) <= reach]


def attack(game: Odalin, hero: str) -> Proc[None]:
    """OD-ATTACK-02: declare, roll, take Soul and Corruption, then hit or miss, damage, defeats."""
    game.turn.attacked = True
    target = yield Ask(which_enemy, hero, 1)
    yield Ask(instants, "before roll")
    shown = (yield Ask(attack_roll, hero))[0]
    yield Ask(instants, "after roll")
    if "soul" in shown:
        gain_soul(game, hero, shown.count("soul"))
    if "corruption" in shown:
        yield from gain_corruption(game, hero, shown.count("corruption"))  # OD-CORR-06
    hits = shown.count("hit")
    if hits < game.villain(target).defence:
        game.note(f"{hero} misses {target} with {hits} Hits", "OD-MISS-01")
        return
    game.note(f"{hero} hits {target} with {hits} Hits", "OD-HIT-01")
    hurt_villain(game, target, game.hero(hero).damage, order=game.hero(hero).order)


def which_enemy(game: Odalin, hero: str, reach: int) -> Choose | Settled:
    enemies = in_reach(game, hero, reach)
    if len(enemies) == 1:
        return Settled(enemies[0])
    options = tuple(Option(enemy, figure=enemy) for enemy in enemies)
    return Choose(name="target", prompt="Whom?", who=game.player(hero), options=options)


def attack_roll(game: Odalin, hero: str) -> Roll:
    dice = DiceWanted(hero, "attack die", game.hero(hero).pool, faces=("hit", "blank", "soul", "corruption"))
    return Roll(name="attack roll", prompt="Roll", who=game.player(hero), rules=("OD-ATTACK-13",), dice=(dice,))
