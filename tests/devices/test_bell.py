"""The queue of all devices: what it rings for, and what it tells again to somebody who comes later."""

from __future__ import annotations

import select

from emberboard.devices.bell import DeviceQueue
from emberboard.devices.events import DeviceBack, DeviceLost, KeyPressed

KEYS = DeviceLost(at=1, device="keys", words="The keys are not there.")
RAIL = DeviceLost(at=2, device="rail", words="The rail is not there.")


def test_it_rings_until_it_is_emptied() -> None:
    queue = DeviceQueue()
    assert not select.select([queue.fileno()], [], [], 0)[0]
    queue.put(KeyPressed(at=3, key="OK"))
    assert select.select([queue.fileno()], [], [], 0)[0]
    assert queue.drain() == [KeyPressed(at=3, key="OK")]
    assert not select.select([queue.fileno()], [], [], 0)[0]
    queue.close()


def test_who_comes_later_hears_which_devices_are_lost() -> None:
    queue = DeviceQueue()
    for event in (KEYS, RAIL, KeyPressed(at=3, key="OK")):
        queue.put(event)
    assert queue.standing() == []
    assert len(queue.drain()) == 3
    assert queue.standing() == [KEYS, RAIL]
    queue.put(DeviceBack(at=4, device="keys", words="The keys answer."))
    queue.drain()
    assert queue.standing() == [RAIL] == queue.standing()
    queue.close()
