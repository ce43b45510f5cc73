"""Each thing that can be wrong with a port or a pin ends in an error that names it and says what to do."""

from __future__ import annotations

import errno
import fcntl
import os
import queue
import select
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from emberboard.devices import errors
from emberboard.devices.errors import (
    DeviceError,
    DriverMissing,
    NoAnswer,
    NoPermission,
    NotThere,
    NotWhatWasExpected,
    PinsTaken,
    PortTaken,
    gpio_error,
    holder_of,
    port_error,
)
from emberboard.devices.events import DeviceBack, DeviceLost
from emberboard.devices.keys import Keys
from emberboard.devices.table_file import Reader, read_table
from emberboard.devices.thread import DeviceThread
from emberboard.devices.token_reader import TokenReader
from emberboard.virtual.keys import VirtualPins
from emberboard.virtual.pn532 import PtyPn532
from tests.devices.gpiochip import GpioChip
from tests.devices.key_rigs import ROOT, SMALL, AnyEvent, ChipRig


@pytest.fixture
def pty(tmp_path: Path) -> Iterator[PtyPn532]:
    made = PtyPn532(tmp_path / "reader")
    yield made
    made.stop()


def reader_at(port: Path | str) -> TokenReader:
    return TokenReader(Reader(name="bag", port=str(port), poll_ms=20))


HOLD = """
import fcntl, os, sys
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
fcntl.flock(port, fcntl.LOCK_EX)
with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("name", "fix"),
    [("minicom", r"program minicom \(process \d+\) has the port"), ("ModemManager", "disable --now ModemManager")],
)
def test_a_port_that_another_program_has_names_it(name: str, fix: str) -> None:
    master, slave = os.openpty()
    port = os.ttyname(slave)
    os.close(slave)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, port, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == "held\n"
        assert holder_of(port) == (other.pid, name)
        with pytest.raises(PortTaken, match=fix):
            reader_at(port).open()
        other.stdin.close()
    assert holder_of(port) is None
    os.close(master)


def test_two_readers_at_one_port(pty: PtyPn532) -> None:
    first, second = reader_at(pty.port), reader_at(pty.port)
    assert first.open() == f"PN532 firmware 1.6 at {pty.port}"
    with pytest.raises(PortTaken, match="has the port"):
        second.open()
    first.close()
    assert second.open()
    second.close()


@pytest.mark.parametrize(
    ("number", "kind", "fix"),
    [
        (errno.EACCES, NoPermission, "usermod -aG dialout"),
        (errno.EBUSY, PortTaken, "another program has the port|has the port"),
        (errno.ENOENT, NotThere, "there is no such port"),
        (errno.EIO, NotThere, "Plug its cable in again"),
        (errno.EINVAL, DeviceError, "emberboard doctor"),
    ],
)
def test_what_the_system_says_of_a_port_becomes_a_fix(number: int, kind: type[DeviceError], fix: str) -> None:
    error = port_error("/dev/ttyAMA9", "reader bag", OSError(number, os.strerror(number)))
    assert type(error) is kind
    assert error.args
    assert "reader bag at /dev/ttyAMA9" in str(error)
    with pytest.raises(DeviceError, match=fix):
        raise error


def test_a_missing_port_lists_those_that_are_there(tmp_path: Path) -> None:
    gone = OSError(errno.ENOENT, "No such file or directory")
    assert "No USB serial port is plugged in" in str(port_error("/dev/x", "segment A", gone, by_id=tmp_path / "none"))
    (tmp_path / "usb-FTDI_1").touch()
    assert "usb-FTDI_1: write one of these" in str(port_error("/dev/x", "segment A", gone, by_id=tmp_path))


@pytest.mark.parametrize(
    ("raised", "kind", "fix"),
    [
        (RuntimeError("GPIO busy"), PinsTaken, "GPIO6 is taken by another program.*gpioinfo"),
        (RuntimeError("can not open gpiochip"), NoPermission, "usermod -aG gpio"),
        (RuntimeError("No access to /dev/mem. Try running as root!"), NoPermission, "usermod -aG gpio"),
        (RuntimeError("Cannot determine SOC peripheral base address"), DriverMissing, r"uninstall RPi.GPIO.*\[pi5\]"),
        (RuntimeError("This module can only be run on a Raspberry Pi!"), NotThere, "make demo"),
        (ModuleNotFoundError("No module named 'RPi'"), DriverMissing, r"\[pi4\].*\[pi5\]"),
        (RuntimeError("something new"), DeviceError, "emberboard doctor"),
    ],
)
def test_what_a_gpio_module_says_becomes_a_fix(raised: Exception, kind: type[DeviceError], fix: str) -> None:
    error = gpio_error(raised, "keys", 6)
    assert type(error) is kind
    with pytest.raises(DeviceError, match=fix):
        raise error


def test_every_device_error_is_ours_and_a_builtin_where_there_is_one() -> None:
    builtin = {NotThere: OSError, NoPermission: PermissionError, PortTaken: OSError, NoAnswer: TimeoutError}
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, DeviceError)]
    assert len(kinds) == 8
    for kind in kinds:
        assert issubclass(kind, builtin.get(kind, DeviceError))
        assert kind.__doc__


def test_pins_of_another_program_on_the_stand_in() -> None:
    table = read_table(SMALL)
    pins = VirtualPins(table)
    pins.of_others.add(19)
    keys = Keys(pins, table)
    with pytest.raises(PinsTaken, match="GPIO19"):
        keys.open()
    pins.of_others.clear()
    assert keys.open()
    keys.close()


def test_two_programs_at_the_pins_of_one_chip(chip: GpioChip) -> None:
    first = ChipRig(chip)
    assert isinstance(first.next(15), DeviceBack)
    assert chip.owner(6) == first.process.pid
    second = ChipRig(chip)
    lost = second.next(15)
    assert isinstance(lost, DeviceLost)
    assert "GPIO16 is taken by another program" in lost.words
    assert first.stop()
    # The second one tries once a second, and gets the pins when the first has gone.
    assert isinstance(second.next(15), DeviceBack)
    assert chip.owner(6) == second.process.pid
    assert second.stop()
    assert chip.owner(6) == 0


def test_a_chip_that_may_not_be_opened(chip: GpioChip) -> None:
    chip.refuse(errno.EACCES)
    rig = ChipRig(chip)
    lost = rig.next(15)
    assert isinstance(lost, DeviceLost)
    assert "usermod -aG gpio" in lost.words
    chip.refuse(0)
    assert isinstance(rig.next(15), DeviceBack)
    assert rig.stop()


def test_without_a_pi_the_keys_say_so() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.devices.keys_process", str(SMALL), "numbers"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("RPI_LGPIO")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr.decode()
    lost = msgspec.json.decode(run.stdout.splitlines()[0], type=AnyEvent)
    assert isinstance(lost, DeviceLost)
    assert "usermod -aG gpio" in lost.words or "no Raspberry Pi" in lost.words


def test_a_cable_pulled_and_put_back_in_the_middle(pty: PtyPn532) -> None:
    events: queue.SimpleQueue = queue.SimpleQueue()
    thread: DeviceThread = DeviceThread(reader_at(pty.port), events)
    assert isinstance(events.get(timeout=10), DeviceBack)
    pty.unplug()
    lost = events.get(timeout=10)
    assert isinstance(lost, DeviceLost)
    assert "went away" in lost.words
    # While it is out, each new reason is told once.
    assert isinstance(told := events.get(timeout=10), DeviceLost)
    assert "there is no such port" in told.words
    pty.plug()
    assert isinstance(events.get(timeout=10), DeviceBack)
    assert thread.stop()


def test_a_silent_port_and_another_device_are_told_apart(tmp_path: Path) -> None:
    master, slave = os.openpty()
    fcntl.fcntl(master, fcntl.F_SETFL, os.O_NONBLOCK)
    try:
        with pytest.raises(NoAnswer, match=r"no answer from a PN532\. Check its switches"):
            reader_at(os.ttyname(slave)).open()
        termios.tcflush(slave, termios.TCIOFLUSH)
        os.write(master, b"\x01\x02\x03\x04 a tile board talks \x00" * 8)
        echo = PtyEcho(master)
        with pytest.raises((NotWhatWasExpected, NoAnswer)):
            reader_at(os.ttyname(slave)).open()
        echo.stop()
    finally:
        os.close(slave)
        os.close(master)


class PtyEcho:
    """Answers every write with bytes that are no frames."""

    def __init__(self, master: int) -> None:
        self._read, self._write = os.pipe()

        def serve() -> None:
            while True:
                ready, _, _ = select.select([master, self._read], [], [])
                if self._read in ready:
                    return
                os.read(master, 4096)
                os.write(master, b"\x01\x02\x03\x04\x05\x06\x07\x08")

        self._thread = threading.Thread(target=serve)
        self._thread.start()

    def stop(self) -> None:
        os.write(self._write, b"!")
        self._thread.join(5)
        os.close(self._read)
        os.close(self._write)
