"""Questions as plain data: what is asked, of whom, which answers are legal, which interrupts may come between.

A question never holds an object of the state. Its `hash` covers what can be answered, not the wording, so a
corrected text does not make old journals foreign; its `id` also says where in the journal it was asked, so that
a late or doubled answer is known as such.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from emberboard.engine.dice import DiceWanted
from emberboard.engine.errors import Refused

Cell = tuple[int, int]
Mode = Literal["one", "any", "each", "group"]
Json = Any
"""A value that JSON can carry: journals and questions hold nothing else."""


class Who(msgspec.Struct, frozen=True):
    """Who answers: `one` seat, `any` of the seats (the first wins), `each` singly and hidden, or the `group`."""

    mode: Mode
    seats: tuple[str, ...]


class Option(msgspec.Struct, frozen=True, omit_defaults=True):
    """One legal answer: its id, the words shown, and what on the table it points at."""

    id: str
    label: str = ""
    at: Cell | None = None
    figure: str = ""
    note: str = ""
    rules: tuple[str, ...] = ()


class Offer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A legal interrupt of one seat at this moment.

    Taking it runs `procedure` with `args`, nested; then the question is asked anew.
    """

    id: str
    seat: str
    label: str
    procedure: str
    args: dict[str, Json] = {}
    note: str = ""
    rules: tuple[str, ...] = ()


class Question(msgspec.Struct, kw_only=True, tag_field="kind"):
    """What all questions share. `top` marks those at which adjustments by agreement are allowed."""

    name: str = ""
    prompt: str
    who: Who
    rules: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()
    about: tuple[str, ...] = ()
    note: str = ""
    top: bool = False
    default: Json = None
    id: str = ""
    hash: str = ""

    @property
    def chance(self) -> bool:
        """Whether dice or a pile answer this, not a decision."""
        return False


class Choose(Question, tag="choose"):
    """Choose from `options`: exactly one, or between `least` and `most` of them.

    Answer: an id; a list of ids where `most` is more than 1 or the question says `many`.
    """

    options: tuple[Option, ...]
    least: int = 1
    most: int = 1
    many: bool = False

    @property
    def single(self) -> bool:
        """Whether the answer is one id and not a list."""
        return not self.many and self.least == 1 and self.most == 1


class Order(Question, tag="order"):
    """Put all `options` in an order. Answer: the list of their ids."""

    options: tuple[Option, ...]


class Place(Question, tag="place"):
    """Choose one of the cells that the options point at, for `figure`. Answer: the option's id."""

    options: tuple[Option, ...]
    figure: str = ""


class Path(Question, tag="path"):
    """Walk `figure` from `start`, one step at a time.

    Answer: the list of cells entered, or one stop, which stands for its suggested path.

    `steps` maps each cell that may be stood on during the walk to the cells that may be entered from it; `stops`
    are where it may end (the start among them when staying is allowed); `limit` is the number of steps.
    """

    figure: str
    start: Cell
    steps: dict[str, list[Cell]]
    stops: list[Cell]
    limit: int
    suggested: dict[str, list[Cell]] = {}
    refusals: dict[str, str] = {}


class Roll(Question, tag="roll"):
    """Dice to be rolled, in this order. Answer: a list of lists of faces, one list for each entry of `dice`."""

    dice: tuple[DiceWanted, ...]

    @property
    def chance(self) -> bool:
        return True


class Draw(Question, tag="draw"):
    """One draw from a pile, unseen. `contents` counts what may come. Answer: the name of what came."""

    pile: str
    contents: dict[str, int]

    @property
    def chance(self) -> bool:
        return True


class Number(Question, tag="number"):
    """A whole number from `low` to `high`."""

    low: int
    high: int


class Confirm(Question, tag="confirm"):
    """Yes or no. Answer: a bool."""


class Window(Question, tag="window"):
    """A moment that exists only for its offers: asked while some seat has one, closed by one entry. Answer: `go on`."""


AnyQuestion = Choose | Order | Place | Path | Roll | Draw | Number | Confirm | Window
GO_ON = "go on"


class Settled(msgspec.Struct, frozen=True):
    """A builder's word that there is nothing to ask: the procedure gets `value` at once."""

    value: Json


class Ask:
    """What a procedure yields: a builder of its question, called again whenever the question is asked anew.

    `build(game, *args)` is a function that returns a question or Settled; `args` are ids, never objects of the state.
    """

    __slots__ = ("args", "build")

    def __init__(self, build: Callable[..., Question | Settled], *args: Json) -> None:
        self.build, self.args = build, args

    def __repr__(self) -> str:
        return f"Ask({self.build.__name__}, {', '.join(map(repr, self.args))})"


_WORDING = frozenset(
    {"id", "hash", "prompt", "note", "label", "rules", "offers", "default", "about", "top", "suggested", "refusals"}
)


def question_hash(question: Question) -> str:
    """Sixteen hex digits over what can be answered here: kind, name, who, options, dice, piles; not the wording."""
    plain = msgspec.to_builtins(question)
    identity = {key: value for key, value in plain.items() if key not in _WORDING}
    options = plain.get("options")
    if options is not None:
        identity["options"] = [[option["id"], option.get("at"), option.get("figure", "")] for option in options]
    return hashlib.sha256(msgspec.json.encode(identity, order="deterministic")).hexdigest()[:16]


def cell_key(cell: Cell) -> str:
    """A cell as the key of a JSON mapping and as an option's id: `x,y`."""
    return f"{cell[0]},{cell[1]}"


def as_cell(value: object) -> Cell:
    """A cell from `x,y` or a pair. Raises Refused for anything else."""
    if isinstance(value, str):
        parts: list[Any] = value.split(",")
    elif isinstance(value, (list, tuple)) and all(type(part) is int for part in value):
        parts = list(value)
    else:
        parts = []
    try:
        x, y = (int(part) for part in parts)
    except (TypeError, ValueError):
        raise Refused(f"expected a space as x,y, got {value!r}") from None
    return (x, y)


def _among(options: tuple[Option, ...], value: object) -> str:
    for option in options:
        if value == option.id:
            return option.id
    if isinstance(value, (list, tuple)) and len(value) == 2:
        for option in options:
            if option.at is not None and list(option.at) == list(value):
                return option.id
    known = ", ".join(option.id for option in options[:12]) or "nothing"
    raise Refused(f"{value!r} is not among the legal answers: {known}{' ...' if len(options) > 12 else ''}")


def _several(question: Choose, value: object) -> list[str]:
    if not isinstance(value, (list, tuple)):
        value = [value]
    chosen = [_among(question.options, item) for item in value]
    if len(dict.fromkeys(chosen)) != len(chosen):
        raise Refused("the same option was named twice")
    if not question.least <= len(chosen) <= question.most:
        wanted = str(question.least) if question.least == question.most else f"{question.least} to {question.most}"
        raise Refused(f"choose {wanted}; got {len(chosen)}")
    return [option.id for option in question.options if option.id in chosen]


def _walk(question: Path, value: object) -> list[Cell]:
    if isinstance(value, str) or (isinstance(value, (list, tuple)) and len(value) == 2 and isinstance(value[0], int)):
        stop = as_cell(value)
        key = cell_key(stop)
        if stop == question.start and stop in question.stops:
            return []
        if key in question.suggested and stop in question.stops:
            return [as_cell(cell) for cell in question.suggested[key]]
        raise Refused(
            question.refusals.get(key)
            or f"{key} cannot be reached within {question.limit} steps, or no figure may stop there"
        )
    if not isinstance(value, (list, tuple)):
        raise Refused(f"expected the spaces entered, or one space to end on, got {value!r}")
    walked = [as_cell(item) for item in value]
    if walked and walked[0] == question.start:
        walked = walked[1:]
    here = question.start
    for number, cell in enumerate(walked, 1):
        if cell not in [tuple(step) for step in question.steps.get(cell_key(here), [])]:
            why = question.refusals.get(cell_key(cell)) or "it is not a free connected space"
            raise Refused(f"step {number}, {cell_key(here)} to {cell_key(cell)}: {why}")
        here = cell
    if len(walked) > question.limit:
        raise Refused(f"{len(walked)} steps; at most {question.limit} are allowed")
    if here not in [tuple(stop) for stop in question.stops]:
        raise Refused(question.refusals.get(cell_key(here)) or f"the move may not end on {cell_key(here)}")
    return walked


def accept(question: Question, value: Json) -> Json:
    """The answer in its normal form (ids in the order of the options, faces as lists, cells as pairs).

    Raises Refused with a plain reason when it is not legal now.
    """
    match question:
        case Choose():
            if not question.single:
                return _several(question, value)
            if isinstance(value, (list, tuple)) and len(value) == 1:
                value = value[0]
            return _among(question.options, value)
        case Order():
            if not isinstance(value, (list, tuple)):
                raise Refused(f"expected all {len(question.options)} in an order, got {value!r}")
            ids = [_among(question.options, item) for item in value]
            if sorted(ids) != sorted(option.id for option in question.options):
                raise Refused(f"each of {', '.join(option.id for option in question.options)} is to be named once")
            return ids
        case Place():
            return _among(question.options, value)
        case Path():
            return _walk(question, value)
        case Roll():
            if not isinstance(value, (list, tuple)) or len(value) != len(question.dice):
                raise Refused(f"expected {len(question.dice)} list(s) of faces, got {value!r}")
            return [wanted.accept(faces) for wanted, faces in zip(question.dice, value)]
        case Draw():
            if not isinstance(value, str) or question.contents.get(value, 0) < 1:
                held = ", ".join(f"{count} {name}" for name, count in question.contents.items() if count)
                raise Refused(f"{value!r} is not in {question.pile}; it holds {held or 'nothing'}")
            return value
        case Number():
            if isinstance(value, bool) or not isinstance(value, int) or not question.low <= value <= question.high:
                raise Refused(f"expected a number from {question.low} to {question.high}, got {value!r}")
            return value
        case Confirm():
            if not isinstance(value, bool):
                raise Refused(f"expected yes or no, got {value!r}")
            return value
        case Window():
            if value != GO_ON:
                raise Refused(f"take one of the offers, or answer {GO_ON!r}; got {value!r}")
            return value
    raise Refused(f"a question of kind {type(question).__name__} cannot be answered")
