"""One circuit being drawn: parts placed, pins connected, rules checked, netlist and bill of materials written.

A thin layer over skidl: every part carries its maker's number, every capacitor says which pin it stands by, and the
electrical rules' findings come back as words in place of a log file.
"""

from __future__ import annotations

import csv
import io
import logging
import os
import re
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from typing import Any

from hardware.parts import CAPACITORS, RESISTORS, Kind

_KICAD_FOLDERS = ("KICAD_SYMBOL_DIR", *(f"KICAD{n}_SYMBOL_DIR" for n in range(6, 11)))
for _name in _KICAD_FOLDERS:
    # skidl asks for KiCad's libraries on import; these circuits bring their own parts.
    os.environ.setdefault(_name, "")

logging.disable(logging.WARNING)  # it warns of KiCad's missing footprint table, which is not needed either
with tempfile.TemporaryDirectory() as _away, chdir(_away):
    # On import skidl opens log files in the current folder, where two processes would take them from each other.
    import skidl
    from skidl.logger import erc_logger, rt_logger, stop_log_file_output
    from skidl.net import NCNet

    stop_log_file_output()
logging.disable(logging.NOTSET)

_NODE = re.compile(r'\(node\s+\(ref ("[^"]*")\)\s+\(pin ("[^"]*")\)\s+\(pintype ("[^"]*")\)\)')
"""A pin of a net, which skidl spreads over four lines."""
_TAGS = uuid.UUID("6e0b4c1e-8f0a-4f5b-9f0e-3a1f5f1f2d36")


class _Findings(logging.Handler):
    """Keeps the words of what is logged at warning or above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.words: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.words.append(f"{record.levelname.lower()}: {record.getMessage()}")


@contextmanager
def _listening(logger: logging.Logger) -> Iterator[list[str]]:
    """What this logger says, as words, and nothing of it on the terminal."""
    handlers, findings = list(logger.handlers), _Findings()
    logger.handlers = [findings]
    try:
        yield findings.words
    finally:
        logger.handlers = handlers


@dataclass
class Sheet:
    """One circuit. `name` is its file's; references count up by prefix in the order of placing."""

    name: str
    circuit: Any = field(default_factory=lambda: skidl.Circuit())
    kinds: dict[str, Kind] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _nets: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.circuit.no_files = True
        self.circuit.track_src = False

    def net(self, name: str, supply: bool = False) -> Any:
        """The net of that name; `supply` says that it is fed from outside (a plug), as KiCad's power flag does."""
        if name not in self._nets:
            self._nets[name] = skidl.Net(name, circuit=self.circuit)
        if supply:
            self._nets[name].drive = skidl.POWER
        return self._nets[name]

    def place(self, kind: Kind, ref: str = "", value: str = "", **pins: str) -> Any:
        """A part with its pins (by name) on the nets of those names. Raises ValueError on a reference given twice."""
        if not ref:
            self._counts[kind.prefix] = self._counts.get(kind.prefix, 0) + 1
            ref = f"{kind.prefix}{self._counts[kind.prefix]}"
        if ref in self.kinds:
            raise ValueError(f"{self.name}: {ref} is placed twice; give one of them another reference")
        made = [skidl.Pin(num=num, name=name, func=getattr(skidl.Pin.types, how)) for num, name, how in kind.pins]
        tag = str(uuid.uuid5(_TAGS, f"{self.name} {ref}"))
        part = skidl.Part(
            name=kind.name, tool=skidl.SKIDL, dest=skidl.TEMPLATE, ref_prefix=kind.prefix, pins=made,
            footprint=kind.footprint,
        )(circuit=self.circuit, ref=ref, value=value or kind.name, tag=tag)  # fmt: skip
        part.fields["Manufacturer"], part.fields["MPN"] = kind.manufacturer, kind.mpn
        self.kinds[ref] = kind
        for name, net in pins.items():
            self.join(part, name, net)
        return part

    def join(self, part: Any, pin: str, net: str) -> None:
        """Put one pin, by its exact name or number, on a net."""
        found = [one for one in part.pins if pin in (one.name, one.num)]
        if not found:
            raise ValueError(f"{self.name}: {part.ref} ({part.name}) has no pin {pin}")
        self.net(net).connect(found[0])

    def leave_open(self, part: Any, *pins: str) -> None:
        """Pins that the datasheet lets stay open."""
        for one in part.pins:
            if one.name in pins or one.num in pins:
                self.circuit.NC.connect(one)

    def resistor(self, value: str, one: str, two: str) -> Any:
        """A resistor of that value between two nets."""
        return self.place(RESISTORS[value], value=value, **{"1": one, "2": two})

    def capacitor(self, value: str, one: str, two: str, by: str = "") -> Any:
        """A capacitor between two nets, the positive one first; `by` is the pin it stands next to, as `U1.VCC`."""
        kind = CAPACITORS[value]
        first, second = kind.pins[0][1], kind.pins[1][1]
        part = self.place(kind, value=value, **{first: one, second: two})
        if by:
            part.fields["By"] = by
        return part

    def decouple(self, part: Any, value: str = "100n", ground: str = "GND") -> None:
        """A capacitor of that value at every supply pin of a part that wants one and has none yet."""
        had = {other.fields["By"] for other in self.circuit.parts if "By" in other.fields}
        for name in self.kinds[part.ref].decoupled:
            by = f"{part.ref}.{name}"
            if by not in had:
                self.capacitor(value, self.net_of(part.ref, name), ground, by=by)

    def part(self, ref: str) -> Any:
        """The placed part of that reference. Raises KeyError."""
        return {one.ref: one for one in self.circuit.parts}[ref]

    def net_of(self, ref: str, pin: str) -> str:
        """The name of the net on a part's pin, by the pin's name or number; empty when it is open."""
        for one in self.part(ref).pins:
            if pin in (one.name, one.num):
                return "" if one.net is None or isinstance(one.net, NCNet) else str(one.net.name)
        raise KeyError(f"{ref} has no pin {pin}")

    def pins_on(self, net: str) -> set[tuple[str, str]]:
        """(reference, pin name) of all that is on a net."""
        return {(pin.part.ref, pin.name) for pin in self.net(net).pins}

    def check(self) -> list[str]:
        """What the electrical rules find, as words; an empty list is a clean circuit."""
        with _listening(erc_logger) as words, _listening(rt_logger):
            self.circuit.ERC()
        return sorted(words)

    def netlist(self) -> str:
        """KiCad's netlist (import in pcbnew), without what changes from run to run or from machine to machine."""
        with _listening(rt_logger):
            text = str(self.circuit.generate_netlist(tool=skidl.KICAD8, do_backup=False, track_src=False))
        text = re.sub(r"\((date|source|tool) \"[^\"]*\"\)", r'(\1 "")', text)
        text = _NODE.sub(r"(node (ref \1) (pin \2) (pintype \3))", text)
        return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"

    def bill(self) -> str:
        """The bill of materials as CSV: quantity, references, value, manufacturer, part number, footprint."""
        lines: dict[tuple[str, ...], list[str]] = {}
        for part in self.circuit.parts:
            kind = self.kinds[part.ref]
            lines.setdefault((str(part.value), kind.manufacturer, kind.mpn, kind.footprint), []).append(part.ref)
        out = io.StringIO()
        write = csv.writer(out, lineterminator="\n").writerow
        write(["quantity", "references", "value", "manufacturer", "part number", "footprint"])
        for (value, maker, number, footprint), refs in sorted(lines.items(), key=lambda item: natural(item[1][0])):
            write([len(refs), " ".join(sorted(refs, key=natural)), value, maker, number, footprint])
        return out.getvalue()


def natural(ref: str) -> tuple[str, int]:
    """A reference's order: D2 before D10."""
    letters = ref.rstrip("0123456789")
    return letters, int(ref[len(letters) :] or 0)
