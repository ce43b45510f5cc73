"""One thread for a device: it steps the device, puts what it tells into a queue and takes orders from another.

The two queues are all that is shared (DESIGN section 3). A device that fails is told once, and opened again once a
second until it works. A fault of the program ends the thread, and that is told too: nothing goes silent.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from emberboard.devices.errors import DeviceError
from emberboard.devices.events import DeviceBack, DeviceEvent, DeviceLost

Order = TypeVar("Order", contravariant=True)
RETRY_MS = 1000


class Device(Protocol[Order]):
    """What a thread drives. `step` and `obey` take no longer than the device's wire does; nothing in them sleeps."""

    name: str
    period_ms: int

    def open(self) -> str:
        """Take port or pins; the words for what answers. Raises DeviceError. On an open device it does nothing."""

    def step(self, now: int) -> Sequence[DeviceEvent]:
        """What happened since the last step, at `now` ms. Raises DeviceError when the device fails."""

    def obey(self, order: Order, now: int) -> Sequence[DeviceEvent]:
        """Do an order (lights, colours). Raises DeviceError when the device fails."""

    def close(self) -> None:
        """Give port or pins back. On a closed device it does nothing."""


def clock_ms() -> int:
    """Monotonic time in ms."""
    return time.monotonic_ns() // 1_000_000


class DeviceThread(Generic[Order]):
    """A device in a thread of its own. `order` never blocks; `stop` ends the thread and closes the device."""

    def __init__(
        self, device: Device[Order], events: queue.SimpleQueue[DeviceEvent], clock: Callable[[], int] = clock_ms
    ) -> None:
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._thread = threading.Thread(
            target=_run, args=(device, events, self._orders, clock), name=device.name, daemon=True
        )
        self._thread.start()

    def order(self, order: Order) -> None:
        """Hand the device an order. Orders to a lost device are kept: the last one is obeyed when it is back."""
        self._orders.put(order)

    def stop(self, timeout: float = 5.0) -> bool:
        """End it, waiting at most `timeout` seconds; whether it ended."""
        self._orders.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()


def _run(
    device: Device[Order],
    events: queue.SimpleQueue[DeviceEvent],
    orders: queue.SimpleQueue[Order | None],
    clock: Callable[[], int],
) -> None:
    stopped = False
    try:
        _serve(device, events, orders, clock)
        stopped = True
    finally:
        device.close()
        if not stopped:
            words = f"{device.name}: ended by a fault of the program. Leave and start again; the game is kept."
            events.put(DeviceLost(device=device.name, words=words, at=clock()))


def _serve(
    device: Device[Order],
    events: queue.SimpleQueue[DeviceEvent],
    orders: queue.SimpleQueue[Order | None],
    clock: Callable[[], int],
) -> None:
    last: Order | None = None
    told = ""
    working = False
    wait_ms = 0
    while True:
        try:
            order = orders.get(timeout=wait_ms / 1000) if wait_ms else orders.get_nowait()
        except queue.Empty:
            order = last if not working else None
        else:
            if order is None:
                return
            last = order
        begun = clock()
        try:
            if not working:
                words = device.open()
                working, told, order = True, "", last
                events.put(DeviceBack(device=device.name, words=words, at=clock()))
            if order is not None:
                _put(events, device.obey(order, clock()))
            _put(events, device.step(clock()))
            wait_ms = max(0, device.period_ms - (clock() - begun))
        except DeviceError as error:
            device.close()
            if str(error) != told:
                told = str(error)
                events.put(DeviceLost(device=device.name, words=told, at=clock()))
            working, wait_ms = False, RETRY_MS


def _put(events: queue.SimpleQueue[DeviceEvent], told: Sequence[DeviceEvent]) -> None:
    for event in told:
        events.put(event)
