"""Refuse what could make two replays of one journal differ: a lint for `games/` (DESIGN section 2).

Rules are replayed from the journal, so a rule procedure may not use `random`, `time`, `os` and their kin,
count in floats, or iterate over a set. Exit status 1 and one line a finding: file, line, what, what to do.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FORBIDDEN_MODULES = {"random", "secrets", "time", "datetime", "os", "uuid", "threading", "asyncio", "socket"}
UNORDERED = {"set", "frozenset"}
ITERATING_CALLS = {"list", "tuple", "enumerate", "iter", "map", "filter", "zip", "reversed", "join"}


def _is_set(node: ast.expr) -> bool:
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in UNORDERED


def findings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Each offending line of one parsed module, with what to do instead."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(node.module or "").split(".")[0]] if node.level == 0 else []
        else:
            names = []
        for name in names:
            if name in FORBIDDEN_MODULES:
                yield node.lineno, f"imports {name}: chance and time come only as answers to questions"
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            yield node.lineno, f"float {node.value}: rules count in integers"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield node.lineno, "true division gives a float: use // or the stat's own rounding"
        if isinstance(node, (ast.For, ast.comprehension)) and _is_set(node.iter):
            yield node.iter.lineno, "iterates over a set: its order is not fixed, use sorted() or a dict"
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in ITERATING_CALLS and any(_is_set(arg) for arg in node.args):
                yield node.lineno, f"{name}() over a set: its order is not fixed, use sorted() or a dict"


def main(roots: list[str]) -> int:
    """Check every module below the roots; print the findings and return the exit status."""
    bad = 0
    for root in roots:
        for path in sorted(Path(root).rglob("*.py")):
            for line, what in findings(ast.parse(path.read_text(encoding="utf-8"), str(path))):
                print(f"{path}:{line}: {what}")
                bad += 1
    print(f"determinism: {bad} finding(s)")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
