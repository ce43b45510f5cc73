"""Where the contract of the keys is run: the stand-in, the real rpi-lgpio over the preloaded chip, a real table.

Each rig can close and open a key's contact, order lights, tell which are lit, and hands out the events.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from emberboard.devices import events as told
from emberboard.devices.keys import Keys, Light
from emberboard.devices.table_file import TableFile, read_table
from emberboard.devices.thread import DeviceThread
from emberboard.virtual.keys import ShiftChain, VirtualKeys
from tests.devices.gpiochip import GpioChip
from tests.devices.person import ask, say

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "wiring" / "2x2.yaml"
WAIT_S = 5.0
AnyEvent = told.KeyPressed | told.SeatPressed | told.KeyStuck | told.DeviceLost | told.DeviceBack


class KeyRig(Protocol):
    """What a test does with keys, wherever they are."""

    where: str
    by_hand: bool

    def press(self, key: str) -> None: ...

    def release(self, key: str) -> None: ...

    def tap(self, key: str) -> None: ...

    def show(self, lights: Mapping[str, Light]) -> None: ...

    def next(self, wait_s: float = WAIT_S) -> AnyEvent: ...

    def quiet(self, for_s: float) -> bool: ...

    def wait_lit(self, wanted: frozenset[str]) -> frozenset[str]: ...

    def stop(self) -> bool: ...


class _Events:
    """Taking events from a queue with a limit."""

    press: Callable[[str], None]
    release: Callable[[str], None]

    def tap(self, key: str) -> None:
        """A press that is short for sure."""
        self.press(key)
        assert self.quiet(0.2)
        self.release(key)

    def __init__(self) -> None:
        self.events: queue.SimpleQueue = queue.SimpleQueue()

    def next(self, wait_s: float = WAIT_S) -> AnyEvent:
        return self.events.get(timeout=wait_s)

    def quiet(self, for_s: float) -> bool:
        try:
            self.events.get(timeout=for_s)
        except queue.Empty:
            return True
        return False


class VirtualRig(_Events):
    """The stand-in."""

    where, by_hand = "virtual pins", False

    def __init__(self, layout: str = "numbers") -> None:
        super().__init__()
        self.keys = VirtualKeys(read_table(SMALL), self.events, layout)
        self.press, self.release, self.show = self.keys.press, self.keys.release, self.keys.show
        self.stop = self.keys.stop

    def wait_lit(self, wanted: frozenset[str]) -> frozenset[str]:
        end = time.monotonic() + WAIT_S
        while self.keys.lit != wanted and time.monotonic() < end:
            threading.Event().wait(0.005)
        return self.keys.lit


class ChipRig(_Events):
    """The real rpi-lgpio in a process of its own, over the preloaded GPIO chip."""

    where, by_hand = "rpi-lgpio over a preloaded gpiochip (uAPI v2)", False

    def __init__(self, chip: GpioChip, layout: str = "numbers") -> None:
        super().__init__()
        self.chip, self.table = chip, read_table(SMALL)
        self._wires = wires(self.table)
        self.chain = ShiftChain(self.table.lights.data, self.table.lights.clock, self.table.lights.latch)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.devices.keys_process", str(SMALL), layout],
            cwd=ROOT,
            env=chip.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.put(msgspec.json.decode(line, type=AnyEvent))

    def press(self, key: str) -> None:
        self.chip.contact(*self._wires[key], True)

    def release(self, key: str) -> None:
        self.chip.contact(*self._wires[key], False)

    def show(self, lights: Mapping[str, Light]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(msgspec.json.encode(lights).decode() + "\n")
        self.process.stdin.flush()

    def wait_lit(self, wanted: frozenset[str]) -> frozenset[str]:
        end = time.monotonic() + WAIT_S
        while True:
            for _ns, line, level in self.chip.edges():
                self.chain.drive(line, level)
            if self.chain.lit == wanted or time.monotonic() > end:
                return self.chain.lit
            threading.Event().wait(0.005)

    def stop(self) -> bool:
        assert self.process.stdin is not None
        self.process.stdin.close()
        ended = self.process.wait(timeout=10) == 0
        self._listener.join(timeout=5)
        return ended


class TableRig(_Events):
    """A real table: a person presses what the terminal says."""

    where, by_hand = "the real table", True

    def __init__(self, table: TableFile, layout: str = "numbers") -> None:
        super().__init__()
        self._thread: DeviceThread = DeviceThread(Keys(None, table, layout), self.events)
        self.show = self._thread.order
        self.stop = self._thread.stop

    def next(self, wait_s: float = WAIT_S) -> AnyEvent:
        return super().next(wait_s + 30)

    def tap(self, key: str) -> None:
        say(f"Tap {key} briefly.")

    def press(self, key: str) -> None:
        say(f"Press and hold {key}.")

    def release(self, key: str) -> None:
        say(f"Let go of {key}.")

    def wait_lit(self, wanted: frozenset[str]) -> frozenset[str]:
        answer = ask(f"Are exactly these lit: {', '.join(sorted(wanted)) or 'none'}? [y/n]")
        return wanted if answer == "y" else frozenset({"something else"})


def wires(table: TableFile) -> dict[str, tuple[int, int]]:
    """Column and row pin of each key."""
    return {
        key: (column, row.pin)
        for row in table.keypad.rows
        for column, key in zip(table.keypad.columns, row.keys)
        if key != "-"
    }


def real_table() -> TableFile | None:
    """The table that EMBERBOARD_HIL names; None when it names none."""
    named = os.environ.get("EMBERBOARD_HIL", "")
    return read_table(Path(named)) if named else None
