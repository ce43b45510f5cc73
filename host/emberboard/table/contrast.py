"""How bright light is to different eyes, and how a tile's light looks on a page: luminance, contrast, screen colours.

A tile's three numbers say how long each light is lit, so they are linear light; a page's `rgb()` is not (sRGB).
Sources: IEC 61966-2-1 (sRGB); W3C, WCAG 2.1, "relative luminance" and "contrast ratio"; for the eyes G. M. Machado,
M. M. Oliveira, L. A. F. Fernandes 2009, matrices of severity 1.0.
"""

from __future__ import annotations

Light = tuple[float, float, float]
"""Linear red, green, blue, 0 to 1."""
Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255: of a tile's light or of a page."""

EYES: dict[str, Light] = {
    "normal": (0.2126, 0.7152, 0.0722),
    "protanopia": (0.1140, 0.7827, 0.1034),
    "deuteranopia": (0.2775, 0.6671, 0.0554),
    "tritanopia": (0.2112, 0.6993, 0.0895),
}
"""What red, green and blue give to the brightness that each kind of eyes sees: luminance after the eyes' matrix."""


def light(colour: Colour, full: int = 255) -> Light:
    """A tile's colour as linear light; `full` is the number that counts as 1."""
    red, green, blue = colour
    return red / full, green / full, blue / full


def luminance(shown: Light, eyes: str = "normal") -> float:
    """How bright light is to these `EYES`, 0 to 1."""
    return sum(weight * part for weight, part in zip(EYES[eyes], shown))


def brightness(colour: Colour, eyes: str = "normal") -> float:
    """How bright a tile's colour is to these `EYES`, 0 to 1."""
    return luminance(light(colour), eyes)


def on_screen(shown: Light) -> Colour:
    """Linear light as a page's `rgb()`, rounded."""
    red, green, blue = (round(255 * _encoded(min(1.0, max(0.0, part)))) for part in shown)
    return red, green, blue


def off_screen(colour: Colour) -> Light:
    """A page's `rgb()` as linear light."""
    red, green, blue = (_decoded(part / 255) for part in colour)
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of two colours of a page, 1 to 21 (WCAG 2.1)."""
    low, high = sorted(luminance(off_screen(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lifted(shown: Light, least: float) -> Light:
    """Light made just so bright that its luminance is `least` (0 to 1); brighter light is given back as it is.

    Its hue stays as long as its strongest part can grow; from there on white is mixed in.
    """
    now = luminance(shown)
    if now >= least:
        return shown
    grown = min(least / now, 1 / max(shown)) if now else 1.0
    red, green, blue = (grown * part for part in shown)
    now = luminance((red, green, blue))
    white = max(0.0, (least - now) / (1 - now))
    return red + white * (1 - red), green + white * (1 - green), blue + white * (1 - blue)


def _encoded(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else float(1.055 * part ** (1 / 2.4) - 0.055)


def _decoded(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
