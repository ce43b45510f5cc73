"""The power budget: what a board and a table draw, what the fuse holds, what the cable drops, what limits follow.

All figures come from `hardware/power.yaml`. Currents in mA (supplies in A), voltages in V, lengths in m.
"""

from __future__ import annotations

import math
from typing import Any

from hardware.data_files import read


def idle_ma(data: dict[str, Any]) -> int:
    """What a board draws with all lights dark and all sensors covered, rounded up."""
    board = data["board"]
    lights = board["lights"] * data["light"]["idle_ma"]
    sensors = board["sensors"] * data["sensor"]["idle_ma"]
    total: float = lights + sensors + sum(data["logic"].values())
    return math.ceil(round(total, 6))


def full_ma(data: dict[str, Any]) -> int:
    """All lights white at 255: what nobody limits."""
    lit: float = data["board"]["lights"] * 3 * data["light"]["mark_ma"]
    return idle_ma(data) + math.ceil(lit)


def white_scale(data: dict[str, Any], budget_ma: int) -> int:
    """The scale (0..255) at which an all white board draws no more than the budget."""
    room = budget_ma - idle_ma(data)
    return max(0, min(255, 255 * room // (full_ma(data) - idle_ma(data))))


def drop_v(data: dict[str, Any], cable: str, length_m: float, boards: int, each_ma: int) -> float:
    """Cable drop at the last board of a feed, there and back: every stretch carries what lies behind it."""
    feed, ohm = data["feed"], data["cables_ohm_per_m"][cable]
    amps = each_ma / 1000
    metres = length_m * boards + feed["hop_m"] * sum(range(1, boards))
    return float(2 * ohm * amps * metres)


def board_drop_v(data: dict[str, Any], each_ma: int) -> float:
    """Polyfuse and reverse-polarity transistor of a board."""
    board = data["board"]
    return float((board["fuse_ohm"] + board["fet_ohm"]) * each_ma / 1000)


def lights_v(data: dict[str, Any], cable: str, length_m: float, boards: int) -> float:
    """What is left at the lights of the last board when all boards draw their limit."""
    limit = data["board"]["limit_ma"]
    return float(data["supply"]["set_v"] - drop_v(data, cable, length_m, boards, limit) - board_drop_v(data, limit))


def supply_for(data: dict[str, Any], boards: int) -> tuple[str, int]:
    """The smallest supply that feeds so many boards at their limit, and its amperes. Raises ValueError."""
    need = boards * data["board"]["limit_ma"] / 1000
    for name, amps in sorted(data["supplies"].items(), key=lambda item: item[1]):
        if amps * data["supply"]["load"] >= need:
            return str(name), int(amps)
    raise ValueError(f"hardware/power.yaml: no supply gives {need:.1f} A at its load; use two, each for half the table")


def table_budget_ma(data: dict[str, Any], boards: int) -> int:
    """What the host may let the tiles of a table draw in all."""
    _, amps = supply_for(data, boards)
    return min(boards * int(data["board"]["limit_ma"]), int(amps * 1000 * data["supply"]["load"]))


def faults(data: dict[str, Any]) -> list[str]:
    """What does not fit together in the data, in words; empty when all does."""
    board, feed = data["board"], data["feed"]
    found = []
    if board["limit_ma"] > board["fuse_hold_ma"] * board["fuse_warm"]:
        found.append("board.limit_ma is more than the warm polyfuse holds: lower it, or take a larger fuse")
    if board["limit_ma"] <= idle_ma(data):
        found.append("board.limit_ma leaves nothing for light")
    load = feed["boards"] * board["limit_ma"]
    if load > feed["fuse_ma"] * feed["fuse_load"]:
        found.append("feed.fuse_ma does not carry feed.boards at their limit: fewer boards, or a larger fuse")
    if feed["fuse_ma"] > feed["contact_a"] * 1000:
        found.append("feed.fuse_ma is more than the plug's contacts carry")
    if lights_v(data, feed["cable"], feed["length_m"], feed["boards"]) < board["least_v"]:
        found.append("feed.cable drops too much: thicker, shorter, or fewer boards a feed")
    if data["usb"]["budget_ma"] > 500:
        found.append("usb.budget_ma is more than a USB 2.0 port gives")
    return found


def report(tables: dict[str, int]) -> str:
    """The power budget as Markdown; `tables` are the ready tables with their numbers of boards."""
    data = read("power.yaml")
    board, feed, light = data["board"], data["feed"], data["light"]
    idle, full, limit = idle_ma(data), full_ma(data), board["limit_ma"]
    lines = [
        "# Power budget", "", "Made by `python -m hardware.build` from `hardware/power.yaml`.", "",
        "## One board", "", "| what | mA at 5 V |", "|---|---:|",
        f"| {board['lights']} lights, dark | {board['lights'] * light['idle_ma']:.0f} |",
        f"| {board['sensors']} sensors | {board['sensors'] * data['sensor']['idle_ma']:.0f} |",
        f"| controller, bus, pull-ups, status | {sum(data['logic'].values())} |",
        f"| idle | {idle} |", f"| all white, unlimited | {full} |",
        f"| the board's own limit | {limit} |",
        f"| warm polyfuse holds | {board['fuse_hold_ma'] * board['fuse_warm']:.0f} |", "",
        f"At the limit an all white board runs at scale {white_scale(data, limit)} of 255; on USB "
        f"({data['usb']['budget_ma']} mA) at {white_scale(data, data['usb']['budget_ma'])}. "
        f"Fuse and transistor drop {board_drop_v(data, limit):.2f} V at the limit.", "",
        "## Tables", "",
        "| table | boards | idle A | at the limit A | all white A | supply | feeds | host's budget mA |",
        "|---|---:|---:|---:|---:|---|---:|---:|",
    ]  # fmt: skip
    for name, boards in tables.items():
        supply, amps = supply_for(data, boards)
        lines.append(
            f"| {name} | {boards} | {boards * idle / 1000:.1f} | {boards * limit / 1000:.1f} | "
            f"{boards * full / 1000:.1f} | {supply} ({amps} A) | {math.ceil(boards / feed['boards'])} | "
            f"{table_budget_ma(data, boards)} |"
        )
    lines += [
        "", f"Each feed: {feed['boards']} boards at most, {feed['fuse_ma'] / 1000} A blade fuse at the supply, "
        f"{feed['cable']}. The Pi, rail and reader have supplies of their own.", "",
        f"## Voltage at the lights of a feed's last board ({feed['boards']} boards, all at their limit)", "",
        f"Supply set to {data['supply']['set_v']} V, {feed['hop_m']} m from board to board; "
        f"{board['least_v']} V is due. Below that in brackets.", "",
        "| cable | 0.5 m | 1 m | 1.5 m | 2 m | 3 m |", "|---|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    for cable in data["cables_ohm_per_m"]:
        cells = []
        for length in (0.5, 1, 1.5, 2, 3):
            volts = lights_v(data, cable, length, feed["boards"])
            cells.append(f"{volts:.2f}" if volts >= board["least_v"] else f"({volts:.2f})")
        lines.append(f"| {cable} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
