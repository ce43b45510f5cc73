"""Amounts on cards: small whole-number formulas such as `successes + half(div)` or `2 + half(characters)`.

Allowed are whole numbers, names, `+ - *`, and the functions half (rounded up, EV-GEN-01), half_down, min and max.

>>> value("successes + half(div)", {"successes": 4, "div": 2})
5
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from emberboard.engine.errors import ContentError

Amount = int | str
"""A whole number, or a formula for one."""

_FUNCTIONS = {"half": 1, "half_down": 1, "min": 2, "max": 2}


@lru_cache(maxsize=4096)
def parse(formula: str) -> ast.expr:
    """The checked syntax tree of a formula. Raises ContentError for anything that is not allowed in one."""
    try:
        tree = ast.parse(formula, mode="eval").body
    except SyntaxError as error:
        raise ContentError(f"{formula!r} is not a formula: {error.msg}") from error
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=int()) if not isinstance(node.value, bool):
                pass
            case ast.Name() | ast.Load() | ast.Add() | ast.Sub() | ast.Mult() | ast.USub():
                pass
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()) | ast.UnaryOp(op=ast.USub()):
                pass
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if _FUNCTIONS.get(name) == len(args):
                pass
            case _:
                allowed = "whole numbers, names, + - *, half(x), half_down(x), min(a, b), max(a, b)"
                raise ContentError(f"{formula!r}: a formula may use {allowed}")
    return tree


def names(formula: Amount) -> list[str]:
    """The names that a formula reads, in order of appearance."""
    if isinstance(formula, int):
        return []
    used = [node.id for node in ast.walk(parse(formula)) if isinstance(node, ast.Name) and node.id not in _FUNCTIONS]
    return list(dict.fromkeys(used))


def value(formula: Amount, known: Mapping[str, int]) -> int:
    """The value of a formula. Raises ContentError when it reads a name that is not known here."""
    return formula if isinstance(formula, int) else _value(parse(formula), known, formula)


def _value(node: ast.expr, known: Mapping[str, int], formula: str) -> int:
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name):
            if name not in known:
                raise ContentError(f"{formula!r} reads {name!r}; known here: {', '.join(sorted(known)) or 'nothing'}")
            return known[name]
        case ast.UnaryOp(operand=operand):
            return -_value(operand, known, formula)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _value(left, known, formula), _value(right, known, formula)
            return a + b if isinstance(op, ast.Add) else a - b if isinstance(op, ast.Sub) else a * b
        case ast.Call(func=ast.Name(id=name), args=args):
            given = [_value(arg, known, formula) for arg in args]
            if name == "half":
                return -(-given[0] // 2)
            if name == "half_down":
                return given[0] // 2
            return min(given) if name == "min" else max(given)
    raise ContentError(f"{formula!r} cannot be worked out")
