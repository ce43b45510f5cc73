"""Which magnet works through which table top: the field of a disc magnet at a sensor, and what follows for the tiles.

The disc is two charged faces (the Coulomb model of a uniformly magnetised body; Furlani, "Permanent Magnet and
Electromechanical Devices", 3.2), integrated in rings. Lengths in mm, fields in mT; only the vertical component counts,
which is what a hall sensor lying flat feels. It feels either sign, so the magnet may lie either way up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hardware.data_files import read

RINGS, SPOKES = 12, 36


@dataclass(frozen=True)
class Disc:
    """A magnet: diameter and height in mm, remanence in mT."""

    diameter: float
    height: float
    remanence: float

    def field(self, distance: float, aside: float = 0.0) -> float:
        """The vertical field in mT, `distance` below the lower face and `aside` from the axis."""
        near, far = self._face(distance, aside), self._face(distance + self.height, aside)
        return self.remanence / (4 * math.pi) * (near - far)

    def reach(self, distance: float, threshold: float) -> float:
        """How far from the axis the field still reaches the threshold, in mm to 0.1; 0 when nowhere."""
        steps = [step / 10 for step in range(400)]
        return max((aside for aside in steps if abs(self.field(distance, aside)) >= threshold), default=0.0)

    def _face(self, below: float, aside: float) -> float:
        """Solid-angle integral of one face: the sum of z / r**3 over its area."""
        total, width = 0.0, self.diameter / 2 / RINGS
        for ring in range(RINGS):
            radius = (ring + 0.5) * width
            area = radius * width * 2 * math.pi / SPOKES
            for spoke in range(SPOKES):
                angle = 2 * math.pi * (spoke + 0.5) / SPOKES
                x, y = aside - radius * math.cos(angle), radius * math.sin(angle)
                total += area * below / (x * x + y * y + below * below) ** 1.5
        return total


def distance_mm(data: dict[str, Any]) -> float:
    """From the sensor's element to the magnet's face."""
    return float(sum(data["stack_mm"].values()))


def discs(data: dict[str, Any]) -> dict[str, Disc]:
    """The magnets by what they are for."""
    return {one["for"]: Disc(one["diameter"], one["height"], one["remanence_mt"]) for one in data["magnets"]}


def report() -> str:
    """What each magnet does through the stack, as Markdown."""
    data = read("magnet.yaml")
    sensor, away, pitch = data["sensor"], distance_mm(data), data["pitch_mm"]
    layers = ", ".join(f"{name.replace('_', ' ')} {mm}" for name, mm in data["stack_mm"].items())
    lines = [
        "# Magnets", "", "Made by `python -m hardware.build` from `hardware/magnet.yaml`. The sensor switches on for "
        f"sure at {sensor['surely_on_mt']} mT, never below {sensor['perhaps_on_mt']} mT, and lets go for sure below "
        f"{sensor['surely_off_mt']} mT.", "",
        f"Sensor to magnet: {away} mm ({layers}).", "",
        "| magnet | mm | mT at the middle | felt for sure within mm | never felt beyond mm | mT at the next tile |",
        "|---|---|---:|---:|---:|---:|",
    ]  # fmt: skip
    for name, disc in discs(data).items():
        lines.append(
            f"| {name} | {disc.diameter} x {disc.height} | {disc.field(away):.0f} | "
            f"{disc.reach(away, sensor['surely_on_mt']):.1f} | {disc.reach(away, sensor['perhaps_on_mt']):.1f} | "
            f"{abs(disc.field(away, pitch)):.2f} |"
        )
    lines += ["", "Field at the middle in mT, by the distance from sensor to magnet:", "",
              "| magnet | 4 mm | 6 mm | 8 mm | 10 mm | 12 mm |", "|---|---:|---:|---:|---:|---:|"]  # fmt: skip
    for name, disc in discs(data).items():
        lines.append(f"| {name} | " + " | ".join(f"{disc.field(mm):.0f}" for mm in (4, 6, 8, 10, 12)) + " |")
    return "\n".join(lines) + "\n"
