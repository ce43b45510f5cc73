"""What eyes make of light: colour vision deficiencies, CIELAB and the difference of two colours.

Light is linear red, green, blue with sRGB's primaries, 0 to 1; 1, 1, 1 is the white at which a tile is brightest.
Written from the papers alone, so that it judges `emberboard.table` and shares nothing with it.

Sources: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes 2009, "A Physiologically-based Model for Simulation of Color
Vision Deficiency", its published matrices for severity 1.0; IEC 61966-2-1 (sRGB); CIE 15 (CIELAB, white D65);
G. Sharma, W. Wu, E. N. Dalal 2005, "The CIEDE2000 Color-Difference Formula".
"""

from __future__ import annotations

from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]

VISIONS: dict[str, Matrix] = {
    "normal": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
XYZ: Matrix = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))


def of_light(colour: tuple[int, int, int]) -> Triple:
    """A light's three numbers, 0 to 255, as linear light: they say how long it is lit, and nothing corrects them."""
    red, green, blue = colour
    return red / 255, green / 255, blue / 255


def of_screen(colour: tuple[int, int, int]) -> Triple:
    """A page's `rgb()`, 0 to 255, as linear light (IEC 61966-2-1)."""
    red, green, blue = (_decoded(part / 255) for part in colour)
    return red, green, blue


def _decoded(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def seen(light: Triple, vision: str) -> Triple:
    """The light that normal eyes would have to see to see what these eyes see; clipped to what a light can show."""
    red, green, blue = (min(1.0, max(0.0, part)) for part in _times(VISIONS[vision], light))
    return red, green, blue


def _times(matrix: Matrix, light: Triple) -> Triple:
    first, second, third = (sum(a * b for a, b in zip(row, light)) for row in matrix)
    return first, second, third


def lab(light: Triple) -> Triple:
    """L*, a*, b*; the white is the light 1, 1, 1."""
    x, y, z = (_root(part / sum(row)) for part, row in zip(_times(XYZ, light), XYZ))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(share: float) -> float:
    return float(share ** (1 / 3)) if share > (6 / 29) ** 3 else share / (3 * (6 / 29) ** 2) + 4 / 29


def difference(first: Triple, second: Triple) -> float:
    """CIEDE2000 of two L*, a*, b*: 1 is about what can just be seen side by side, 100 is black and white."""
    (l1, a1, b1), (l2, a2, b2) = first, second
    stretch = 1.5 - 0.5 * _weight((hypot(a1, b1) + hypot(a2, b2)) / 2)
    a1, a2 = stretch * a1, stretch * a2
    c1, c2 = hypot(a1, b1), hypot(a2, b2)
    h1, h2 = degrees(atan2(b1, a1)) % 360, degrees(atan2(b2, a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    if c1 * c2 and turn == -180 and h2 > h1:
        turn = 180.0
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    t = (
        1
        - 0.17 * _cos(hue - 30)
        + 0.24 * _cos(2 * hue)
        + 0.32 * _cos(3 * hue + 6)
        - 0.20 * _cos(4 * hue - 63)
    )  # fmt: skip
    d_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / sqrt(20 + (light - 50) ** 2))
    d_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    d_hue = 2 * sqrt(c1 * c2) * sin(radians(turn / 2)) / (1 + 0.015 * chroma * t)
    bend = -2 * _weight(chroma) * sin(radians(60 * exp(-(((hue - 275) / 25) ** 2))))
    return sqrt(d_light**2 + d_chroma**2 + d_hue**2 + bend * d_chroma * d_hue)


def _weight(chroma: float) -> float:
    return sqrt(chroma**7 / (chroma**7 + 25.0**7))


def _cos(angle: float) -> float:
    return cos(radians(angle))
