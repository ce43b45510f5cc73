"""Three kinds of consequence and the ends of things (DESIGN section 2).

An **interrupt** runs now, nested: `yield from` it. A **trigger** is queued with `trigger` and runs when its cause
(`caused`) is finished, first in, first out. A **due** is a record in the state, made with `due`, that `come_due`
runs at the end of its scope. An **end** (`Ended`) leaves a `scope` from deep inside; `shielded` makes the
deferrable ones wait.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from emberboard.engine.errors import ProcedureError
from emberboard.engine.question import Ask, Json, Option, Order, Question, Settled, Who
from emberboard.engine.state import Due

if TYPE_CHECKING:
    from emberboard.engine.game import Game

T = TypeVar("T")
Proc = Generator[Ask, Any, T]
"""A rule procedure: yields builders of questions, is sent their answers, returns its result."""


class Ended(Exception):
    """The end of a scope from deep inside it: `activation` of `malah`, `fight` of nobody in particular.

    `behind` are other ends that came meanwhile and were put off; none of them is lost.
    """

    def __init__(self, scope: str, owner: str = "", *, reason: str = "") -> None:
        super().__init__(f"{scope} of {owner or 'the table'} ended: {reason or 'no reason given'}")
        self.scope, self.owner, self.reason = scope, owner, reason
        self.behind: list[Ended] = []


class Trigger(msgspec.Struct, frozen=True):
    """A queued consequence. Triggers of one non-empty `batch` that wait together are ordered by `orderer`.

    `source` is what triggered (a card, an item); an effect never triggers itself, directly or through its own result.
    """

    procedure: str
    args: dict[str, Json]
    source: str
    label: str
    batch: str
    orderer: Who | None
    ancestors: tuple[str, ...]


class Flow:
    """What lives only while procedures are alive: waiting triggers, shields, deferred ends. Empty at every boundary."""

    def __init__(self) -> None:
        self.waiting: list[list[Trigger]] = []
        self.running: tuple[str, ...] = ()
        self.shields: list[tuple[tuple[str, ...], list[Ended]]] = []


def trigger(
    game: Game[Any],
    procedure: str,
    *,
    source: str = "",
    label: str = "",
    batch: str = "",
    orderer: Who | None = None,
    **args: Json,
) -> None:
    """Queue `procedure(game, **args)` to run when its cause is finished.

    Does nothing for an effect that would trigger itself.
    """
    flow = game.flow
    if source and source in flow.running:
        return
    if not flow.waiting:
        raise ProcedureError(f"trigger {procedure!r} outside any cause: run the effect under caused()")
    ancestors = (*flow.running, source) if source else flow.running
    flow.waiting[-1].append(Trigger(procedure, args, source, label or procedure, batch, orderer, ancestors))


def caused(game: Game[Any], effect: Proc[T]) -> Proc[T]:
    """Run `effect` to its end, then what it triggered and what those triggered, first in, first out."""
    flow = game.flow
    queue: list[Trigger] = []
    flow.waiting.append(queue)
    before = flow.running
    try:
        result = yield from effect
        while queue:
            first = yield from _next_of(game, queue)
            flow.running = first.ancestors
            yield from game.call(first.procedure, first.args)
            flow.running = before
    finally:
        flow.waiting.pop()
        flow.running = before
    return result


def _next_of(game: Game[Any], queue: list[Trigger]) -> Proc[Trigger]:
    batch = queue[0].batch
    together = [waiting for waiting in queue if batch and waiting.batch == batch]
    if len(together) > 1:
        orderer = together[0].orderer or game.group()
        alike = all((one.procedure, one.args) == (together[0].procedure, together[0].args) for one in together)
        order = yield Ask(_order_of, [waiting.label for waiting in together], msgspec.to_builtins(orderer), alike)
        first = [msgspec.structs.replace(together[int(index)], batch="") for index in order]
        queue[:] = first + [waiting for waiting in queue if not any(waiting is one for one in together)]
    return queue.pop(0)


def _order_of(game: Game[Any], labels: Sequence[str], orderer: dict[str, Json], alike: bool) -> Question | Settled:
    if alike:
        return Settled([str(index) for index in range(len(labels))])
    return Order(
        name="order",
        prompt="Several effects come at the same moment: which first?",
        who=msgspec.convert(orderer, Who),
        options=tuple(Option(str(index), label) for index, label in enumerate(labels)),
        rules=game.rules_of_order,
    )


def due(
    game: Game[Any], scope: str, owner: str, procedure: str, *, label: str = "", rules: Sequence[str] = (), **args: Json
) -> None:
    """Record in the state that `procedure(game, **args)` comes up at the end of `scope` of `owner`."""
    game.state.ledger.dues.append(Due(scope, owner, procedure, args, label or procedure, tuple(rules)))


def come_due(game: Game[Any], scope: str, owner: str = "", orderer: Who | None = None) -> Proc[None]:
    """Run what is due at the end of `scope` of `owner`; several at once in the order that `orderer` gives them."""
    ledger = game.state.ledger
    ready = [item for item in ledger.dues if (item.scope, item.owner) == (scope, owner)]
    if len(ready) > 1:
        who = msgspec.to_builtins(orderer or game.group())
        alike = all((item.procedure, item.args) == (ready[0].procedure, ready[0].args) for item in ready)
        order = yield Ask(_order_of, [item.label for item in ready], who, alike)
        ready = [ready[int(index)] for index in order]
    for item in ready:
        if item in game.state.ledger.dues:
            game.state.ledger.dues.remove(item)
            yield from game.call(item.procedure, item.args)
    for seat, until in list(game.state.ledger.passed.items()):
        if until == scope:
            del game.state.ledger.passed[seat]


def end(game: Game[Any], scope: str, owner: str = "", *, reason: str = "", deferrable: bool = False) -> None:
    """End `scope` of `owner` from here. A deferrable end inside a shield for it waits until the shield is left."""
    ended = Ended(scope, owner, reason=reason)
    if deferrable:
        for scopes, pending in reversed(game.flow.shields):
            if scope in scopes:
                pending.append(ended)
                return
    raise ended


def shielded(game: Game[Any], scopes: Sequence[str], body: Proc[T]) -> Proc[T]:
    """Run `body` with deferrable ends of `scopes` put off until it is finished, or is itself ended.

    Then the first ends its scope, with the others behind it.
    """
    put_off: list[Ended] = []
    flow = game.flow
    flow.shields.append((tuple(scopes), put_off))
    try:
        result = yield from body
    except Ended as ended:
        ended.behind += put_off
        raise
    finally:
        flow.shields.pop()
    if put_off:
        raise _in_a_row(put_off)
    return result


def scope(
    game: Game[Any], name: str, owner: str, body: Proc[Any], clean_up: Callable[[], Proc[None]] | None = None
) -> Proc[Ended | None]:
    """Own the scope `name` of `owner`: run `body`; its end (or None) is the result, a wider one's goes on outward.

    `clean_up` runs in every case. It may ask questions, and may itself run into an end: one of this scope, which is
    over already, stops there; a wider one goes on outward.
    """
    ends: list[Ended] = []
    try:
        yield from body
    except Ended as ended:
        ends += [ended, *ended.behind]
    if clean_up is not None:
        try:
            yield from clean_up()
        except Ended as ended:
            ends += [ended, *ended.behind]
    wider = [ended for ended in ends if (ended.scope, ended.owner) != (name, owner)]
    if wider:
        raise _in_a_row(wider)
    return ends[0] if ends else None


def _in_a_row(ends: Sequence[Ended]) -> Ended:
    first, *others = ends
    first.behind = others
    return first
