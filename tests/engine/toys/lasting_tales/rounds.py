"""The round: Initiative, Heroes, Event, Recovery (LT-SEQ-01), and the Spawn pool (LT-SPAWN)."""

from __future__ import annotations

from emberboard.engine.question import Ask, Choose, Option, Roll, Settled, Who
from emberboard.engine.timing import Proc, come_due, scope
from tests.engine.toys.lasting_tales.melee import attack
from tests.engine.toys.lasting_tales.tale import LastingTales, die


def initiative_phase(game: LastingTales) -> Proc[None]:
    state = game.state
    state.round += 1
    if state.round > 1:
        # LT-INIT-02: the marker goes to the right; the seats are listed clockwise, to the left.
        state.first_player = state.seats[state.seats.index(state.first_player) - 1]
    for model in state.models.values():
        model.activated = False
    game.note(f"round {state.round}: Initiative, {state.first_player} is First Player", "LT-INIT-02")
    game.note(f"round {state.round}: Heroes", "LT-SEQ-01")
    game.then("heroes_phase", seat=state.first_player)
    yield from ()


def heroes_phase(game: LastingTales, seat: str) -> Proc[None]:
    """LT-HERO-01, -02: clockwise, each activates one, until none is left."""
    at = game.state.seats.index(seat)
    for name in game.state.seats[at:] + game.state.seats[:at]:
        if _waiting(game, name):
            hero = yield Ask(which_hero, name)
            game.then("activate", hero=hero)
            return
    game.then("event_check")


def _waiting(game: LastingTales, seat: str) -> list[str]:
    heroes = [model for model in game.state.models.values() if model.seat == seat]
    return [model.id for model in heroes if model.place == "play" and not model.activated]


def which_hero(game: LastingTales, seat: str) -> Choose | Settled:
    heroes = _waiting(game, seat)
    if len(heroes) == 1:
        return Settled(heroes[0])
    options = tuple(Option(hero, figure=hero) for hero in heroes)
    return Choose(
        name="activate", prompt="Whom do you activate?", who=Who("one", (seat,)), options=options, rules=("LT-HERO-01",)
    )


def activate(game: LastingTales, hero: str) -> Proc[None]:
    """LT-HERO-04: at most one Move, one Attack and one Action, in any order."""
    game.note(f"{hero} activates", "LT-HERO-01")
    yield from scope(game, "activation", hero, deeds(game, hero), lambda: exhausted(game, hero))
    seats = game.state.seats
    game.then("heroes_phase", seat=seats[(seats.index(game.model(hero).seat) + 1) % len(seats)])


def deeds(game: LastingTales, hero: str) -> Proc[None]:
    game.model(hero).attacked = game.model(hero).acted = False
    moved = False
    while True:
        deed = yield Ask(which_deed, hero, moved)
        match deed:
            case "Attack":
                yield from attack(game, hero)
            case "Move":
                moved = True
            case "Action":
                game.model(hero).acted = True
            case "done":
                return


def which_deed(game: LastingTales, hero: str, moved: bool) -> Choose:
    mine = game.model(hero)
    deeds = ["Move"] if not moved else []
    if not mine.attacked and game.engaged_enemies(hero):
        deeds.append("Attack")
    if not mine.acted:
        deeds.append("Action")
    return Choose(
        name=f"{hero}'s deed",
        prompt=f"What does {hero} do?",
        who=game.owner(hero),
        rules=("LT-HERO-04",),
        options=tuple(Option(deed) for deed in [*deeds, "done"]),
        top=True,
    )


def exhausted(game: LastingTales, hero: str) -> Proc[None]:
    """LT-HERO-06: marked activated, however the activation ended."""
    game.model(hero).activated = True
    game.note(f"{hero} is Exhausted", "LT-HERO-06")
    yield from ()


def event_check(game: LastingTales) -> Proc[None]:
    """LT-EVENT-01..03: event check, Adversary activations, spawn check."""
    game.note(f"round {game.state.round}: Event", "LT-SEQ-01")
    face = yield Ask(first_players_die, "event check", "LT-EVENT-02")
    if face[0][0] == 1:
        kind = yield Ask(first_players_die, "event table", "LT-EVENT-03")
        if kind[0][0] == 1 and game.state.round > 1:
            # LT-VILLAGE-44: all Minions in the Reserve return to play immediately.
            for model in game.section("reserve"):
                yield from arrive(game, model)
    game.then("adversaries")


def first_players_die(game: LastingTales, name: str, rule: str) -> Roll:
    seat = game.state.first_player
    return Roll(name=name, prompt=name, who=Who("one", (seat,)), rules=(rule,), dice=(die(seat, 1),))


def adversaries(game: LastingTales) -> Proc[None]:
    """LT-ADVERS-01, LT-EVENT-05: one at a time, each once; who is in play is looked up anew before each."""
    if not _waiting_adversaries(game):
        game.then("spawn_check")
        return
    model = yield Ask(which_adversary)
    game.then("adversary_activation", model=model)


def _waiting_adversaries(game: LastingTales) -> list[str]:
    return [model for model in game.section("play") if not game.model(model).activated]


def which_adversary(game: LastingTales) -> Choose | Settled:
    waiting = _waiting_adversaries(game)
    if len(waiting) == 1:
        return Settled(waiting[0])
    return Choose(
        name="adversary",
        prompt="Which Adversary acts next?",
        who=Who("one", (game.state.first_player,)),
        rules=("LT-ADVERS-01",),
        options=tuple(Option(model, figure=model) for model in waiting),
    )


def adversary_activation(game: LastingTales, model: str) -> Proc[None]:
    game.note(f"{model} activates", "LT-ADVERS-01")
    game.model(model).activated = True
    if game.engaged_enemies(model):
        yield from attack(game, model)
    game.then("adversaries")


def spawn_check(game: LastingTales) -> Proc[None]:
    """LT-SPAWN-03..05, LT-VILLAGE-36: the Reserve first, then the Graveyard; none in round 1."""
    if game.state.round > 1:
        game.note("spawn check", "LT-EVENT-01")
        for model in (yield from spawn_rolls(game, "reserve", "LT-SPAWN-03")):
            yield from arrive(game, model)
        for model in (yield from spawn_rolls(game, "graveyard", "LT-SPAWN-04")):
            game.model(model).place = "reserve"
            game.note(f"{model} is in the Reserve", "LT-SPAWN-04")
    game.then("recovery_phase")


def spawn_rolls(game: LastingTales, place: str, rule: str) -> Proc[list[str]]:
    """Those of a section whose die is equal to or above their Spawn value."""
    waiting = game.section(place)
    faces = yield Ask(spawn_dice, place, rule)
    return [model for model, shown in zip(waiting, faces, strict=True) if shown[0] >= game.model(model).spawn]


def spawn_dice(game: LastingTales, place: str, rule: str) -> Roll | Settled:
    if not game.section(place):
        return Settled([])
    dice = tuple(die(model, 1, f"{model} {game.model(model).spawn}+") for model in game.section(place))
    who = Who("one", (game.state.first_player,))
    return Roll(name=place, prompt=f"Spawn rolls of the {place}", who=who, rules=(rule,), dice=dice)


def arrive(game: LastingTales, model: str) -> Proc[None]:
    """LT-VILLAGE-43, LT-SPAWN-08: a die for the point; a fresh model."""
    point = yield Ask(first_players_die, f"spawn point of {model}", "LT-VILLAGE-43")
    fresh = game.model(model)
    fresh.place, fresh.health, fresh.conditions, fresh.activated = "play", fresh.full_health, [], False
    game.note(f"{model} is in play at point {point[0][0]}", "LT-SPAWN-06")


def recovery_phase(game: LastingTales) -> Proc[None]:
    """LT-RECOV-01: what acts at the end of the round, then the end of the game or the next round (LT-SEQ-02)."""
    game.note(f"round {game.state.round}: Recovery", "LT-SEQ-01")
    yield from come_due(game, "round", orderer=Who("one", (game.state.first_player,)))
    if game.state.round < game.state.last_round:
        game.then("initiative_phase")
