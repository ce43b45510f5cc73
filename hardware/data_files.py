"""`hardware/pins.yaml` read: which GPIO of the RP2040 does what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

HERE = Path(__file__).parent


def read(name: str) -> dict[str, Any]:
    """One of this folder's data files as plain data."""
    return dict(YAML(typ="safe").load((HERE / name).read_text(encoding="utf-8")))
