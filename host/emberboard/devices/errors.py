"""What can be wrong with a device, one class a cause; each text says what to do next.

All are DeviceError, and also the builtin that Python would have raised (gpiozero's `exc.py` is the model).
"""

from __future__ import annotations

import errno
import re
from pathlib import Path

from emberboard.engine.errors import EmberboardError


class DeviceError(EmberboardError):
    """A device cannot be used."""


class NotThere(DeviceError, FileNotFoundError):
    """The port or chip does not exist."""


class NoPermission(DeviceError, PermissionError):
    """The user may not open the port or chip."""


class PortTaken(DeviceError, BlockingIOError):
    """Another program has the port."""


class PinsTaken(DeviceError):
    """Another program has a pin."""


class NoAnswer(DeviceError, TimeoutError):
    """The port is open, but what should be behind it does not answer."""


class NotWhatWasExpected(DeviceError):
    """Something answers that is another device, or does not hold to its datasheet."""


class DriverMissing(DeviceError, ImportError):
    """The Python package that drives the device is not installed, or the wrong one is."""


BY_ID = Path("/dev/serial/by-id")


def holder_of(port: str, proc: Path = Path("/proc")) -> tuple[int, str] | None:
    """Process number and name of who has `port` open, as far as this user may see; None when nobody is seen."""
    wanted = Path(port).resolve()
    for process in sorted(proc.glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            for handle in (process / "fd").iterdir():
                if handle.resolve() == wanted:
                    return int(process.name), (process / "comm").read_text(encoding="utf-8").strip()
        except OSError:
            # The process ended meanwhile, or belongs to another user.
            continue
    return None


def port_error(port: str, what: str, error: OSError, *, by_id: Path = BY_ID) -> DeviceError:
    """Why the port of `what` could not be opened or was lost, and the fix. `error` is pyserial's or the system's."""
    said = f"{what} at {port}"
    number = error.errno
    if number == errno.ENOENT or (number is None and not Path(port).exists()):
        return NotThere(f"{said}: there is no such port. {_ports_there(by_id)}")
    if number in (errno.EACCES, errno.EPERM):
        return NoPermission(
            f"{said}: this user may not open it. Run `sudo usermod -aG dialout $USER`, then log out and in again."
        )
    if number in (errno.EBUSY, errno.EAGAIN):
        return port_taken(port, what)
    if number in (errno.EIO, errno.ENODEV, errno.ENXIO) or number is None:
        return NotThere(f"{said}: the port went away ({error}). Plug its cable in again; it is tried once a second.")
    return DeviceError(f"{said}: {error}. Run `emberboard doctor`.")


def port_taken(port: str, what: str, held: tuple[int, str] | None = None) -> PortTaken:
    """Another program has the port: who (`held`, or else the system is asked), and how to keep it away."""
    held = held or holder_of(port)
    if held is None:
        return PortTaken(
            f"{what} at {port}: another program has the port. `sudo fuser -v {port}` tells which; end it, "
            "or take a console off it (`sudo raspi-config`, Interface Options, Serial Port)."
        )
    number, name = held
    if name == "ModemManager":
        return PortTaken(
            f"{what} at {port}: ModemManager has grabbed the port. Run `sudo systemctl disable --now ModemManager`, "
            "or tell it to leave the port alone with the udev rule in wiring/README.md."
        )
    return PortTaken(f"{what} at {port}: the program {name} (process {number}) has the port. End it, then try again.")


def _ports_there(by_id: Path) -> str:
    there = sorted(path.name for path in by_id.iterdir()) if by_id.is_dir() else []
    if not there:
        return "No USB serial port is plugged in; a port of the header needs its overlay (wiring/README.md)."
    return f"Plugged in are {', '.join(str(by_id / name) for name in there)}: write one of these into the table's file."


def gpio_error(error: Exception, what: str, pin: int | None = None) -> DeviceError:
    """Why the pins of `what` cannot be used. `error` is what the RPi.GPIO API raised (RuntimeError, ImportError...)."""
    text = str(error)
    which = f"GPIO{pin}" if pin is not None else "the pins"
    if isinstance(error, ImportError):
        return DriverMissing(
            f"{what}: no module offers the RPi.GPIO API. Install Emberboard with its extra for this Pi: "
            "`pip install -e '.[pi4]'` on a Pi 4, `pip install -e '.[pi5]'` on a Pi 5."
        )
    if re.search("SOC peripheral base address|not detected|Cannot determine", text):
        return DriverMissing(
            f"{what}: the package RPi.GPIO does not know this Pi ({text}). On a Pi 5 run "
            "`pip uninstall RPi.GPIO`, then `pip install -e '.[pi5]'` (both have the same module's name)."
        )
    if re.search("busy|in use", text, re.IGNORECASE):
        return PinsTaken(
            f"{what}: {which} is taken by another program (or by a kernel overlay). `gpioinfo` tells by whom; "
            "end that program, or a second Emberboard, then try again."
        )
    if "only be run on a Raspberry Pi" in text:
        return NotThere(f"{what}: this is no Raspberry Pi. Without hardware use the virtual table: `make demo`.")
    if re.search("open gpiochip|No access|permission", text, re.IGNORECASE):
        return NoPermission(
            f"{what}: the GPIO chip cannot be opened ({text}). Run `sudo usermod -aG gpio $USER`, then log out and in "
            "again; `ls -l /dev/gpiochip*` shows whose it is."
        )
    return DeviceError(f"{what}: {which} cannot be used ({text}). Run `emberboard doctor`.")
