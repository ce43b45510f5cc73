"""The address to join at as a QR code (ISO/IEC 18004): for the table's page, and for the terminal."""

from __future__ import annotations

import io

import segno

DARK, LIGHT = "#14110f", "#ffffff"
"""Phones want dark on light, with a quiet zone of four modules around it."""


def qr_svg(text: str) -> bytes:
    """The code as a drawing of any size."""
    out = io.BytesIO()
    segno.make(text, micro=False).save(
        out, kind="svg", border=4, dark=DARK, light=LIGHT, omitsize=True, xmldecl=False, title="Join with this code"
    )
    return out.getvalue()


def qr_terminal(text: str) -> str:
    """The code in half blocks, a line for two rows of modules."""
    out = io.StringIO()
    segno.make(text, micro=False).terminal(out, border=2, compact=True)
    return out.getvalue().rstrip("\n")
