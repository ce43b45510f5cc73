"""Blinka, on which the NeoPixel and PN532 packages stand, kept from asking at the terminal.

From version 10 on, importing it on a Pi looks for packages and offers to install them, with a question at standard
input. A table in the middle of a fight must not stop there: our extras `[pi4]` and `[pi5]` bring what it needs.
"""

from __future__ import annotations

import os

SKIP = "BLINKA_SKIP_DEPENDENCY_CHECK"
"""Blinka's own switch (its README, "Services and managed environments")."""


def before_import() -> None:
    """Call before the first import of a package that stands on Blinka. What the user set stays."""
    os.environ.setdefault(SKIP, "1")
