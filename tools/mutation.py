"""Break the rules on purpose, one small change at a time, and see whether the worked examples notice.

    python -m tools.mutation [--game evershade] [--sample 100] [--seed 1] [--jobs 2]

Each mutant is one changed comparison, constant, operator, condition or dropped statement in a rule file of the game, in
a copy of the package; all worked examples of the game are run on it in a process of their own. A mutant under which
they still pass has survived and is listed: either the change means nothing, or an example is missing. The kill rate is
the last line. (General mutation tools run a whole test suite a mutant; the worked examples alone take seconds.)
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HOST = Path(__file__).parents[1] / "host"
NOT_RULES = {"__init__.py", "policy.py", "scene.py", "odds.py", "single_steps.py", "setup.py", "content.py"}
"""Files of a game that hold no rule procedure: players, pictures, set-up, schemas."""
SECONDS = 120
SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
TURNED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """One change: in which file and line, in words, and the whole changed source."""

    file: Path
    line: int
    words: str
    source: str


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of one file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for index, node in enumerate(ast.walk(tree)):
        for number, words in enumerate(changes_of(node)):
            changed = copy.deepcopy(tree)
            target = list(ast.walk(changed))[index]
            apply(target, number)
            source = ast.unparse(ast.fix_missing_locations(changed))
            yield Mutant(path, getattr(node, "lineno", 0), words, source)


def changes_of(node: ast.AST) -> list[str]:
    """What can be changed at a node, in words; `apply` makes the change of the same number."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in SWAPPED:
            return [f"{type(op).__name__} becomes {SWAPPED[type(op)].__name__}"]
        case ast.BinOp(op=op) if type(op) in TURNED:
            return [f"{type(op).__name__} becomes {TURNED[type(op)].__name__}"]
        case ast.BoolOp(op=ast.And()):
            return ["and becomes or"]
        case ast.BoolOp(op=ast.Or()):
            return ["or becomes and"]
        case ast.UnaryOp(op=ast.Not()):
            return ["a not is dropped"]
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return [f"{value} becomes {value + 1}"]
        case ast.Constant(value=bool() as value):
            return [f"{value} becomes {not value}"]
        case ast.If() if node.body and not isinstance(node.body[0], (ast.Raise, ast.Import, ast.ImportFrom)):
            return ["the condition always holds", "the condition never holds"]
        case ast.AugAssign():
            return ["the assignment is dropped"]
    return []


def apply(node: ast.AST, number: int) -> None:
    """Make change `number` of `changes_of` at a node, in place."""
    match node:
        case ast.Compare():
            node.ops = [SWAPPED[type(node.ops[0])]()]
        case ast.BinOp():
            node.op = TURNED[type(node.op)]()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.UnaryOp():
            node.op = ast.UAdd()
            node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
        case ast.Constant(value=bool() as value):
            node.value = not value
        case ast.Constant(value=int() as value):
            node.value = value + 1
        case ast.If():
            node.test = ast.Constant(number == 0)
        case ast.AugAssign():
            node.op, node.value = ast.Add(), ast.Constant(0)
        case _:
            raise ValueError(f"nothing can be changed at {type(node).__name__}")


def survives(mutant: Mutant, game: str, folder: Path) -> bool:
    """Whether all worked examples still pass on the mutant."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        copied = Path(name) / "host"
        shutil.copytree(HOST, copied, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        (copied / mutant.file.relative_to(HOST)).write_text(mutant.source, encoding="utf-8")
        examples = sorted((copied / "emberboard" / "games" / game / "examples").glob("*.yaml"))
        environment = {**os.environ, "PYTHONPATH": str(copied), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", "from emberboard.cli.main import main; main()", "check", *map(str, examples)]
        try:
            done = subprocess.run(command, env=environment, cwd=name, capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def main() -> int:
    """Run a sample of mutants and print the kill rate."""
    parser = argparse.ArgumentParser(description="Mutants of a game's rules against its worked examples.")
    parser.add_argument("--game", default="evershade")
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    wanted = parser.parse_args()
    rules = sorted((HOST / "emberboard" / "games" / wanted.game).glob("*.py"))
    every = [mutant for path in rules if path.name not in NOT_RULES for mutant in mutants_of(path)]
    chosen = random.Random(wanted.seed).sample(every, min(wanted.sample, len(every)))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(wanted.jobs) as pool:
        alive = list(pool.map(lambda mutant: survives(mutant, wanted.game, Path(folder)), chosen))
    for mutant, lives in zip(chosen, alive):
        if lives:
            print(f"survived: {mutant.file.relative_to(HOST)}:{mutant.line}: {mutant.words}")
    killed = len(chosen) - sum(alive)
    share = 100 * killed // max(1, len(chosen))
    print(f"{wanted.game}: {killed} of {len(chosen)} mutants killed ({share} %), of {len(every)} that there are")
    return 0


if __name__ == "__main__":
    sys.exit(main())
