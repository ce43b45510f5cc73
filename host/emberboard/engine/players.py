"""Players who choose at random among what is legal: for soak runs, demonstrations and tests of whole games."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence

from emberboard.engine.chance import draw, throw
from emberboard.engine.errors import ProcedureError
from emberboard.engine.question import (
    GO_ON,
    Cell,
    Choose,
    Confirm,
    Draw,
    Json,
    Number,
    Order,
    Path,
    Place,
    Question,
    Roll,
    Window,
    as_cell,
    cell_key,
)
from emberboard.engine.session import Session


def random_answer(question: Question, rng: random.Random) -> Json:
    """A legal answer, of chance questions a possible result. Raises ProcedureError for a question that has none."""
    match question:
        case Choose() if question.single:
            return rng.choice(_some(question, [option.id for option in question.options]))
        case Choose():
            ids = [option.id for option in question.options]
            most = min(question.most, len(ids))
            if most < question.least:
                raise ProcedureError(f"{question.prompt!r} wants {question.least} of {len(ids)} options")
            return rng.sample(ids, rng.randint(question.least, most))
        case Order():
            return rng.sample([option.id for option in question.options], len(question.options))
        case Place():
            return rng.choice(_some(question, [option.id for option in question.options]))
        case Path():
            return _random_walk(question, rng)
        case Roll():
            return throw(question, rng)
        case Draw():
            return draw(question, rng)
        case Number():
            return rng.randint(question.low, question.high)
        case Confirm():
            return rng.random() < 0.5
        case Window():
            return GO_ON
    raise ProcedureError(f"a question of kind {type(question).__name__} cannot be answered")


def random_input(session: Session, rng: random.Random, *, scopes: Sequence[str] = (), offers: float = 0.3) -> str:
    """Give the session one legal input and say in words which.

    An offer is taken with the probability `offers` where there is one; where `scopes` are named, seats now and then
    pass ahead until the end of one, or ask the table to wait. Raises Refused when the kernel finds it illegal.
    """
    pending = session.question
    if pending is None:
        raise ProcedureError("nothing is asked: the game is over")
    if pending.offers and rng.random() < offers:
        offer = rng.choice(pending.offers)
        session.take(pending.id, offer.id, seat=offer.seat)
        return f"{offer.seat} takes {offer.id}"
    said = rng.random()
    if scopes and pending.offers and said < 0.1:
        seat = rng.choice(pending.offers).seat
        if said < 0.03:
            session.hold(seat)
            return f"{seat} holds"
        until = "" if seat in session.game.state.ledger.passed else rng.choice(scopes)
        session.pass_ahead(seat, until)
        return f"{seat} passes until {until or 'now'}"
    if pending.chance:
        session.roll(pending.id)
        return f"{pending.name}: chance"
    seat = _speaker(session, pending, rng)
    value = random_answer(pending, rng)
    session.answer(pending.id, value, seat=seat)
    return f"{seat or 'the table'} answers {pending.name}: {value}"


def _speaker(session: Session, pending: Question, rng: random.Random) -> str:
    if session.holding():
        return session.holding()[0]
    return rng.choice(session.waiting()) if pending.who.mode in ("each", "any") else ""


def _some(question: Question, ids: list[str]) -> list[str]:
    if not ids:
        raise ProcedureError(f"{question.prompt!r} has no legal answer")
    return ids


def _random_walk(question: Path, rng: random.Random) -> Json:
    """Sometimes one stop, which stands for its suggested path; otherwise steps at random, up to the last stop met."""
    stops = [as_cell(stop) for stop in question.stops]
    quick = [stop for stop in stops if cell_key(stop) in question.suggested]
    if quick and rng.random() < 0.3:
        return list(rng.choice(quick))
    walked: list[Cell] = []
    best: list[Cell] | None = [] if question.start in stops else None
    for _ in range(rng.randint(1, max(1, question.limit))):
        here = cell_key(walked[-1] if walked else question.start)
        onward = question.steps.get(here, [])
        if not onward or len(walked) >= question.limit:
            break
        walked.append(as_cell(rng.choice(onward)))
        if walked[-1] in stops:
            best = list(walked)
    return _as_lists(_shortest(question, stops) if best is None else best)


def _shortest(question: Path, stops: list[Cell]) -> list[Cell]:
    queue: deque[list[Cell]] = deque([[]])
    seen = {question.start}
    while queue:
        walked = queue.popleft()
        if walked and walked[-1] in stops:
            return walked
        for step in question.steps.get(cell_key(walked[-1] if walked else question.start), []):
            cell = as_cell(step)
            if cell not in seen and len(walked) < question.limit:
                seen.add(cell)
                queue.append([*walked, cell])
    raise ProcedureError(f"{question.prompt!r} has no legal path")


def _as_lists(walked: list[Cell]) -> Json:
    return [list(cell) for cell in walked]
