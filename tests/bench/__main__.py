"""Runs every benchmark: `python -m tests.bench` for all, `python -m tests.bench grid odds` for some.

A benchmark is a module of this package with `def measure() -> list[Row]`. The table goes to the screen, the numbers to
build/bench.json. A benchmark that fails is named and the others still run; the exit code is then 1.
"""

from __future__ import annotations

import json
import pkgutil
import platform
import sys
import traceback
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

import tests.bench

from .row import Row

OUTPUT = Path("build") / "bench.json"


def modules(wanted: list[str]) -> list[str]:
    """The names of the benchmarks to run, in alphabetical order."""
    present = sorted(module.name for module in pkgutil.iter_modules(tests.bench.__path__) if module.name != "__main__")
    unknown = [name for name in wanted if name not in present]
    if unknown:
        raise SystemExit(f"expected benchmarks among {', '.join(present)}, got {', '.join(unknown)}")
    return [name for name in present if not wanted or name in wanted]


def table(rows: dict[str, list[Row]], notes: list[str]) -> Table:
    """All rows as one table, each peer with how many times better ours is; notes are numbered, and put into `notes`."""
    shown = Table(title="Benchmarks: ours beside others, in one run", title_justify="left")
    for heading in ("benchmark", "what", "unit"):
        shown.add_column(heading)
    shown.add_column("ours", justify="right")
    shown.add_column("peers (ours is better by)", justify="right")
    for module, measured in rows.items():
        for row in measured:
            name = row.name
            if row.note:
                if row.note not in notes:
                    notes.append(row.note)
                name += f" ({notes.index(row.note) + 1})"
            ratios = row.ratios()
            peers = [f"{peer} {value:.4g}" for peer, value in row.peers.items()]
            shares = [f" ({ratios[peer]:.2f}x)" if peer in ratios else "" for peer in row.peers]
            shown.add_row(module, name, row.unit, f"{row.ours:.4g}", "\n".join(map("".join, zip(peers, shares))))
        shown.add_section()
    return shown


def as_json(rows: dict[str, list[Row]], failed: list[str]) -> str:
    """What build/bench.json holds."""
    found = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "failed": failed,
        "rows": [
            {
                "benchmark": module,
                "name": row.name,
                "unit": row.unit,
                "ours": row.ours,
                "peers": row.peers,
                "ratios": row.ratios(),
                "note": row.note,
            }
            for module, measured in rows.items()
            for row in measured
        ],
    }
    return json.dumps(found, indent=2) + "\n"


def main(wanted: list[str]) -> int:
    console = Console()
    rows: dict[str, list[Row]] = {}
    failed: list[str] = []
    for name in modules(wanted):
        try:
            measure = getattr(import_module(f"tests.bench.{name}"), "measure", None)
            if measure is not None:
                rows[name] = measure()
        # One broken benchmark must not hide the others; it is shown in full and makes the run fail.
        except Exception:  # noqa: BLE001
            failed.append(name)
            traceback.print_exc()
    notes: list[str] = []
    console.print(table(rows, notes))
    for number, note in enumerate(notes, 1):
        console.print(f"({number}) {note}", markup=False)
    if failed:
        console.print(f"failed: {', '.join(failed)}")
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(as_json(rows, failed), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
