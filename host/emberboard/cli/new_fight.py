"""Setting up a new fight: scenario, players, who holds which Character, dice and tokens by hand or by the program."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rich.text import Text

from emberboard.cli.styles import KEY, NOTICE, QUIET
from emberboard.cli.terminal import Left, Terminal
from emberboard.engine.errors import Refused
from emberboard.games.desk import DESKS, GameDesk, ReadyShown, ScenarioShown, desk_of
from emberboard.play.new_fight import MOST_PLAYERS
from emberboard.play.preferences import By, Preferences


@dataclass(frozen=True)
class Plan:
    """What has been settled so far."""

    desk: GameDesk
    scenario: ScenarioShown
    players: int = 0
    names: tuple[str, ...] = ()
    held: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    preferences: Preferences = field(default_factory=Preferences)


def ask_for_plan(terminal: Terminal, scenario: str = "", players: int = 0) -> Plan:
    """Ask one thing after the other; `b` goes back. Raises Left."""
    terminal.lines([Text(""), Text("A new fight. Enter takes what stands in brackets; b goes back, q leaves.", "bold")])
    plan = _ask_scenario(terminal, scenario)
    if players:
        plan = replace(plan, players=_player_count(str(players), plan))
    steps: list[Callable[[Terminal, Plan], Plan | None]] = [*([] if players else [_ask_players]), _ask_names]
    steps += [_ask_characters, _ask_dice, _ask_tokens]
    at = 0
    while at < len(steps):
        done = steps[at](terminal, plan)
        if done is None:
            at = max(0, at - 1)
            continue
        plan, at = done, at + 1
    return plan


def _ask(terminal: Terminal, prompt: str, default: str) -> str | None:
    """What was typed, or the default; None to go back. Raises Left."""
    typed = terminal.ask(f"{prompt} [{default}]> " if default else f"{prompt}> ")
    if typed.lower() in ("q", "quit"):
        raise Left
    if typed.lower() in ("b", "back"):
        return None
    return typed or default


def _until_right(terminal: Terminal, prompt: str, default: str, read: Callable[[str], Plan]) -> Plan | None:
    """Ask until the answer can be read; None to go back."""
    while True:
        typed = _ask(terminal, prompt, default)
        if typed is None:
            return None
        try:
            return read(typed)
        except Refused as error:
            terminal.lines([Text(f"!! {error}", NOTICE)])


def _ask_scenario(terminal: Terminal, named: str) -> Plan:
    known = [(desk, shown) for desk in map(desk_of, DESKS) for shown in desk.scenarios()]
    if named:
        for desk, shown in known:
            if shown.id == named:
                return Plan(desk, shown)
        raise Refused(f"there is no scenario {named!r}; there are {', '.join(shown.id for _, shown in known)}")
    width, _ = terminal.size()
    for number, (_, shown) in enumerate(known, 1):
        terminal.lines([Text.assemble((f" {number:>3}  ", KEY)).append(shown.name)])
        terminal.lines(
            textwrap.wrap(" ".join(shown.text.split()), width, initial_indent=" " * 6, subsequent_indent=" " * 6)
        )

    def read(typed: str) -> Plan:
        if not typed.isdecimal() or not 1 <= int(typed) <= len(known):
            raise Refused(f"{typed!r} is no scenario. Expected a number from 1 to {len(known)}.")
        return Plan(*known[int(typed) - 1])

    plan = None
    while plan is None:
        plan = _until_right(terminal, "Which scenario", "1", read)
    return plan


def _player_count(typed: str, plan: Plan) -> int:
    most = min(MOST_PLAYERS, plan.scenario.most)
    if not typed.isdecimal() or not 1 <= int(typed) <= most:
        raise Refused(f"{typed!r} is no number of players. Expected 1 to {most}.")
    return int(typed)


def _ask_players(terminal: Terminal, plan: Plan) -> Plan | None:
    most = min(MOST_PLAYERS, plan.scenario.most)
    return _until_right(
        terminal, f"How many players, 1 to {most}", "", lambda typed: replace(plan, players=_player_count(typed, plan))
    )


def _ask_names(terminal: Terminal, plan: Plan) -> Plan | None:
    names: list[str] = []
    while len(names) < plan.players:
        number = len(names) + 1
        typed = _ask(terminal, f"Name of player {number}", f"Player {number}")
        if typed is None:
            if not names:
                return None
            names.pop()
            continue
        why = _bad_name(typed, names)
        if why:
            terminal.lines([Text(f"!! {why}", NOTICE)])
        else:
            names.append(typed)
    return replace(plan, names=tuple(names))


def _bad_name(name: str, taken: Sequence[str]) -> str:
    if len(name) > 16:
        return "A name has at most 16 letters, so that it fits on the screen."
    if ":" in name or not any(char.isalpha() for char in name) or not name.isprintable():
        return "A name needs a letter and no colon."
    if name.lower() in (other.lower() for other in taken):
        return f"{name} is taken already."
    return ""


def _ask_characters(terminal: Terminal, plan: Plan) -> Plan | None:
    ready = plan.desk.characters(plan.scenario.id)
    width, _ = terminal.size()
    terminal.lines([Text("The ready-made Characters:", "bold"), *_ready_lines(ready, width)])
    if plan.players == 1:
        terminal.lines([Text("   Alone one plays best with two Characters.", QUIET)])
    elif plan.players < plan.scenario.most:
        terminal.lines([Text("   A player may hold two: type both numbers.", QUIET)])
    held: dict[str, tuple[str, ...]] = {}
    while len(held) < len(plan.names):
        seat = plan.names[len(held)]
        free = [one.id for one in ready if not any(one.id in names for names in held.values())]
        ids = [one.id for one in ready]
        suggested = free[: 2 if plan.players == 1 else 1]
        default = " ".join(str(ids.index(name) + 1) for name in suggested)
        typed = _ask(terminal, f"{seat} plays", default)
        if typed is None:
            if not held:
                return None
            held.popitem()
            continue
        try:
            held[seat] = _characters(typed, ready, free, plan, len(held))
        except Refused as error:
            terminal.lines([Text(f"!! {error}", NOTICE)])
    return replace(plan, held=held)


def _ready_lines(ready: Sequence[ReadyShown], width: int) -> list[Text]:
    lines = []
    for number, one in enumerate(ready, 1):
        first, *more = textwrap.wrap(one.words, max(20, width - 16))
        line = Text.assemble((f" {number:>3}  ", KEY))
        line.append(f"{one.name:<9}", "bold")
        line.append(first)
        lines += [line, *(Text(" " * 15 + said) for said in more)]
    return lines


def _characters(
    typed: str, ready: Sequence[ReadyShown], free: Sequence[str], plan: Plan, before: int
) -> tuple[str, ...]:
    """The Characters that were typed for one seat, by number or by name. Raises Refused."""
    chosen: list[str] = []
    for word in typed.replace(",", " ").split():
        by_number = ready[int(word) - 1] if word.isdecimal() and 1 <= int(word) <= len(ready) else None
        found = by_number or next((one for one in ready if one.name.lower() == word.lower()), None)
        if found is None:
            raise Refused(f"{word!r} is none of them. Expected numbers from 1 to {len(ready)}, or names.")
        if found.id in chosen or found.id not in free:
            raise Refused(f"{found.name} is taken already.")
        chosen.append(found.id)
    taken = len(ready) - len(free)
    still = plan.players - before - 1
    if taken + len(chosen) + still > min(plan.scenario.most, len(ready)):
        raise Refused("then there would be none left for the others")
    if not chosen:
        raise Refused("choose at least one")
    return tuple(chosen)


def _ask_by(terminal: Terminal, prompt: str, what: str, settle: Callable[[By], Plan]) -> Plan | None:
    def read(typed: str) -> Plan:
        if typed.lower() in ("1", "h", "hand"):
            return settle("hand")
        if typed.lower() in ("2", "p", "program"):
            return settle("program")
        raise Refused(f"{typed!r} is neither. Expected 1 (you {what}) or 2 (the program does).")

    return _until_right(terminal, prompt, "1", read)


def _ask_dice(terminal: Terminal, plan: Plan) -> Plan | None:
    def settle(by: By) -> Plan:
        return replace(plan, preferences=Preferences(dice=by, tokens=plan.preferences.tokens))

    return _ask_by(terminal, "Dice: 1 you roll and type them, 2 the program rolls", "roll", settle)


def _ask_tokens(terminal: Terminal, plan: Plan) -> Plan | None:
    def settle(by: By) -> Plan:
        return replace(plan, preferences=Preferences(dice=plan.preferences.dice, tokens=by))

    return _ask_by(terminal, "Tokens: 1 you draw and type them, 2 the program draws", "draw", settle)
