"""The kernel's own cost: tic-tac-toe and Kuhn poker on it beside OpenSpiel's Python games; whole fights a second.

Random legal play from fresh games, journal off (the runner alone), the same seeds for everybody.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from emberboard.engine.game import Game
from emberboard.engine.question import Ask, Choose, Draw, Option, Question, Who
from emberboard.engine.runner import Runner
from emberboard.engine.scene import Scene
from emberboard.engine.session import Session
from emberboard.engine.state import Ledger, Step
from emberboard.engine.timing import Proc
from emberboard.games.evershade import policy
from emberboard.games.evershade.game import Evershade

from .row import Row
from .timing import median_times

GAMES = 40
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Board(msgspec.Struct):
    ledger: Ledger
    cells: list[str]
    result: str = ""


def which_cell(g: TicTacToe, player: str) -> Choose:
    free = tuple(Option(str(n)) for n, mark in enumerate(g.state.cells) if not mark)
    return Choose(prompt="which cell?", who=Who("one", (player,)), options=free)


def play_tic_tac_toe(g: TicTacToe) -> Proc[None]:
    for turn in range(9):
        player = "xo"[turn % 2]
        cell = yield Ask(which_cell, player)
        g.state.cells[int(cell)] = player
        if any(all(g.state.cells[n] == player for n in line) for line in LINES):
            g.state.result = player
            return
    g.state.result = "draw"


class _Small(Game[Any]):
    rules_version: ClassVar[str] = "1"

    def seats(self) -> tuple[str, ...]:
        return ("x", "o")

    def scene(self, question: Question | None) -> Scene:
        return Scene(3, 3)

    def summary(self) -> dict[str, Any]:
        return {"result": self.state.result}


class TicTacToe(_Small):
    name: ClassVar[str] = "tic-tac-toe"
    state_type: ClassVar[type[Any]] = Board
    procedures: ClassVar[dict[str, Callable[..., Proc[Any]]]] = {"play": play_tic_tac_toe}

    @classmethod
    def open(cls, setup: Any) -> TicTacToe:
        g = cls()
        g.state = Board(Ledger(agenda=[Step("play")]), [""] * 9)
        return g


class Hand(msgspec.Struct):
    ledger: Ledger
    cards: list[str]
    bets: str = ""
    result: int = 0


def deal(g: Kuhn) -> Draw:
    left = {card: 1 for card in "JQK" if card not in g.state.cards}
    return Draw(prompt="deal", who=Who("group", ("x", "o")), pile="deck", contents=left)


def bet_or_pass(g: Kuhn, player: str) -> Choose:
    return Choose(prompt="pass or bet?", who=Who("one", (player,)), options=(Option("p"), Option("b")))


def play_kuhn(g: Kuhn) -> Proc[None]:
    for _ in range(2):
        g.state.cards.append((yield Ask(deal)))
    while g.state.bets not in ("pp", "bb", "bp", "pbb", "pbp"):
        g.state.bets += yield Ask(bet_or_pass, "xo"[len(g.state.bets) % 2])
    stake = 2 if g.state.bets in ("bb", "pbb") else 1
    first = "JQK".index(g.state.cards[0]) > "JQK".index(g.state.cards[1])
    wins = {"bp": True, "pbp": False}.get(g.state.bets, first)
    g.state.result = stake if wins else -stake


class Kuhn(_Small):
    name: ClassVar[str] = "kuhn"
    state_type: ClassVar[type[Any]] = Hand
    procedures: ClassVar[dict[str, Callable[..., Proc[Any]]]] = {"play": play_kuhn}

    @classmethod
    def open(cls, setup: Any) -> Kuhn:
        g = cls()
        g.state = Hand(Ledger(agenda=[Step("play")]), [])
        return g


def on_the_kernel(game: type[Game[Any]], seed: int) -> int:
    """Moves of GAMES random games on the runner, no journal."""
    rng, moves = random.Random(seed), 0
    for _ in range(GAMES):
        runner = Runner(game.open({}), lambda: None)
        runner.proceed()
        while runner.question is not None:
            asked = runner.question
            if isinstance(asked, Draw):
                value = rng.choice(list(asked.contents))
            else:
                assert isinstance(asked, Choose)
                value = rng.choice(asked.options).id
            runner.feed(value)
            moves += 1
    return moves


def on_open_spiel(name: str, seed: int) -> int:
    """Moves of GAMES random games on OpenSpiel's Python game."""
    import pyspiel

    rng, moves = random.Random(seed), 0
    game = pyspiel.load_game(name)
    for _ in range(GAMES):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
    return moves


def _beside_open_spiel(ours: type[Game[Any]], theirs: str) -> Row:
    note = "random legal play, journal off; moves a second, chance moves counted on both sides"
    runs: dict[str, Callable[[], Any]] = {"ours": lambda: on_the_kernel(ours, 1)}
    moves = {"ours": on_the_kernel(ours, 1)}
    try:
        from open_spiel.python.games import kuhn_poker, tic_tac_toe  # noqa: F401 - registers the games

        moves["OpenSpiel (Python game)"] = on_open_spiel(theirs, 1)
        runs["OpenSpiel (Python game)"] = lambda: on_open_spiel(theirs, 1)
    except ImportError:
        note += "; OpenSpiel is not installed"
    times = median_times(runs, 15)
    rates = {name: moves[name] / times[name] for name in runs}
    mine = rates.pop("ours")
    return Row(f"{ours.name} on the kernel", "moves/s", mine, rates, note, less_is_better=False)


def one_fight(seed: int, players: int = 3) -> int:
    """One whole fight by policy in memory; returns its inputs."""
    names = ["malah", "chiri", "doran", "isme", "oswin"][:players]
    setup = {"scenario": "outlaws-of-bear-peak", "seats": {name: [name] for name in names}}
    session = Session.new(Evershade, setup, rng=random.Random(seed))
    inputs = 0
    while session.question is not None:
        policy.answer(session)
        inputs += 1
    return inputs


def measure() -> list[Row]:
    rows = [
        _beside_open_spiel(TicTacToe, "python_tic_tac_toe"),
        _beside_open_spiel(Kuhn, "python_kuhn_poker"),
    ]
    fights = 5
    taken = median_times({"fights": lambda: [one_fight(seed) for seed in range(fights)]}, 5)["fights"]
    inputs = sum(one_fight(seed) for seed in range(fights))
    note = "by the simple policy, 3 Characters, journal in memory; aim 20 fights a second"
    rows.append(Row("Bear Peak self-played", "fights/s", fights / taken, {}, note, less_is_better=False))
    rows.append(Row("inputs in memory, whole fights", "inputs/s", inputs / taken, {}, note, less_is_better=False))
    return rows
