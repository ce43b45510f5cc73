"""What a game package gives the kernel: a state, named procedures, a scene, a summary (DESIGN section 2).

A `Game` binds immutable content to one current state. Procedures get it as their first argument, touch only
`game.state` and what they yield, and may write notes for the log, which nothing reads back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from emberboard.engine.errors import ProcedureError, Refused
from emberboard.engine.question import Cell, Json, Offer, Question, Who
from emberboard.engine.scene import Scene
from emberboard.engine.state import HasLedger, Step
from emberboard.engine.stats import Explained
from emberboard.engine.timing import Flow, Proc

S = TypeVar("S", bound=HasLedger)


class Candidate(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a criterion looked at: a figure and its cells, or cells alone; `why` in words, with the measure if any."""

    id: str = ""
    cells: tuple[Cell, ...] = ()
    why: str = ""


class Weighing(msgspec.Struct, frozen=True, omit_defaults=True):
    """One criterion of a decision that the rules take: in words, its rule, what it kept and what it dropped."""

    criterion: str
    rule: str
    kept: tuple[Candidate, ...] = ()
    dropped: tuple[Candidate, ...] = ()


class Note(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the log: words, the rule ids behind it, and numbers that explain themselves.

    `weighed` are the criteria of a decision in the rulebook's order, each on what the one before it kept.
    """

    text: str
    rules: tuple[str, ...] = ()
    numbers: tuple[Explained, ...] = ()
    detail: tuple[str, ...] = ()
    seat: str = ""
    weighed: tuple[Weighing, ...] = ()


class Refusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """What lies on a Character's board and cannot be done at the question that is asked.

    `id` is the id that its option or offer would have, `source` the card or Item behind it, `about` the Character;
    `why` is one short sentence for players, `rules` are the rule ids behind it.
    """

    id: str
    label: str
    why: str
    rules: tuple[str, ...] = ()
    about: str = ""
    source: str = ""


class OddsRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """How likely one outcome is: an exact fraction, and percent (0 to 100) for show. `case` says under what condition.

    The rows of one case add up to 1 unless it is `cumulative` (each row then says "so many or more").
    """

    label: str
    chance: str
    percent: float
    case: str = ""
    cumulative: bool = False

    @classmethod
    def of(cls, label: str, chance: Fraction, case: str = "", *, cumulative: bool = False) -> OddsRow:
        """The row of an exact probability."""
        return cls(label, str(chance), float(100 * chance), case, cumulative)


class Threat(msgspec.Struct, frozen=True, omit_defaults=True):
    """An opponent that could strike a figure where it stands: `near` without moving first. `why` says with what."""

    id: str
    name: str
    why: str
    near: bool = False


class Game(ABC, Generic[S]):
    """One game with its content and its current state."""

    name: ClassVar[str]
    rules_version: ClassVar[str]
    state_type: ClassVar[type[Any]]
    procedures: ClassVar[Mapping[str, Callable[..., Proc[Any]]]]
    rules_of_order: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        self.state: S
        self.flow = Flow()
        self.notes: list[Note] = []

    @classmethod
    @abstractmethod
    def open(cls, setup: Mapping[str, Json]) -> Game[S]:
        """The game with the content that `setup` names and its starting state. Raises ContentError, Refused."""

    def twin(self, setup: Mapping[str, Json]) -> Game[S]:
        """Another game of the same setup and content, for a fork; its state is laid in afterwards."""
        return type(self).open(setup)

    @property
    def content_version(self) -> str:
        """Names the content in use; journals keep it."""
        return ""

    @abstractmethod
    def seats(self) -> tuple[str, ...]:
        """The seats in play, clockwise."""

    @abstractmethod
    def scene(self, question: Question | None) -> Scene:
        """What the table shows now, as plain data."""

    @abstractmethod
    def summary(self) -> dict[str, Json]:
        """The state in a few plain values: result, round, who stands."""

    def over(self) -> bool:
        """Whether the game has its result and the outer queue is not to be taken up again."""
        return not self.state.ledger.agenda

    def group(self) -> Who:
        """All seats as one: any of them may speak for the group."""
        return Who("group", self.seats())

    def standing_offers(self, question: Question) -> Sequence[Offer]:
        """Interrupts that are legal at this question whatever it asks (a card refreshed with Fate, an item)."""
        return ()

    def odds(self, question: Question) -> list[str]:
        """How likely the outcomes of the roll that is asked for or about to come are, in lines for players."""
        return []

    def odds_table(self, question: Question) -> Sequence[OddsRow]:
        """The same odds as rows, for bars on a page. Computed when asked."""
        return ()

    def not_now(self, question: Question, seat: str) -> Sequence[Refusal]:
        """What lies on the boards of the seat's own Characters and cannot be done at this question, and why.

        What can be done is among the question's options and offers: of each thing there is exactly one of both.
        """
        return ()

    def threats(self, figure: str) -> Sequence[Threat]:
        """The opponents that could strike this figure where it stands now, as far as the printed cards tell."""
        return ()

    def adjust(self, change: Mapping[str, Json]) -> str:
        """Apply an adjustment by agreement to the state; the words for the log. Raises Refused and changes nothing."""
        raise Refused(f"{self.name} knows no adjustments")

    def migrate(self, version: str, state: Json) -> Json:
        """The plain state of an older rules version in today's shape. Raises Refused when there is no way."""
        raise Refused(f"a state of rules version {version} cannot be read by version {self.rules_version}")

    def view(self) -> Json:
        """The state as plain data, for worked examples and reports."""
        return msgspec.to_builtins(self.state)

    def call(self, procedure: str, args: Mapping[str, Json]) -> Proc[Any]:
        """The named procedure, started. Raises ProcedureError for a name that the game does not have."""
        try:
            function = self.procedures[procedure]
        except KeyError:
            raise ProcedureError(f"{self.name} has no procedure {procedure!r}") from None
        return function(self, **args)

    def begin(self, procedure: str, args: Mapping[str, Json]) -> Proc[Any]:
        """One step of the outer queue, started; a game may own the widest scopes here."""
        return self.call(procedure, args)

    def then(self, procedure: str, **args: Json) -> None:
        """Set what the outer queue does next."""
        self.state.ledger.agenda.insert(0, Step(procedure, args))

    def later(self, procedure: str, **args: Json) -> None:
        """Add to the end of the outer queue."""
        self.state.ledger.agenda.append(Step(procedure, args))

    def note(
        self,
        text: str,
        *rules: str,
        numbers: Sequence[Explained] = (),
        detail: Sequence[str] = (),
        seat: str = "",
        weighed: Sequence[Weighing] = (),
    ) -> None:
        """Write a line for the log; a `seat` makes it private to that seat."""
        self.notes.append(Note(text, rules, tuple(numbers), tuple(detail), seat, tuple(weighed)))
