"""What page and host tell each other over the WebSocket, as JSON objects; `web/PROTOCOL.md` says it in words.

A page sends a `do` with a `ref` of its own and gets one Reply with that `ref`. The host sends a whole View whenever
something changed: whoever reloads, sleeps or reconnects is up to date with the next one. Cells are [x, y].
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from emberboard.engine.game import Note
from emberboard.engine.question import AnyQuestion, Cell, Json
from emberboard.engine.scene import Scene
from emberboard.games.desk import Board
from emberboard.table.bag_phase import BagTask
from emberboard.table.draft import Numbered
from emberboard.table.hardware import RailPicture, SeatLight
from emberboard.table.mending import Step

MOST_TEXT = 200
"""Letters in any name or word that a page sends."""
MOST_DEPTH = 6
"""Lists in lists, and objects, of a value that a page sends: an answer needs three."""
Name = Annotated[str, msgspec.Meta(max_length=MOST_TEXT)]


# -- page to host -----------------------------------------------------------------------------------------------------


class Do(msgspec.Struct, kw_only=True, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """What a page wants; `ref` comes back in the Reply."""

    ref: int = 0


class Hello(Do, frozen=True, tag="hello"):
    """The first message of a page. `page` is its own random name, which keeps its seats over a reload."""

    page: Annotated[str, msgspec.Meta(min_length=8, max_length=64)]


class Answer(Do, frozen=True, tag="answer"):
    """Answer the question of that id, for a seat, or (empty) for the table."""

    question: Name
    value: Json
    seat: Name = ""


class Take(Do, frozen=True, tag="take"):
    """Take an offer of the question of that id."""

    question: Name
    offer: Name
    seat: Name = ""


class Roll(Do, frozen=True, tag="roll"):
    """Let the program roll or draw."""

    question: Name
    seat: Name = ""


class Pass(Do, frozen=True, tag="pass"):
    """Let windows go by until the end of `until`; an empty word takes that back."""

    seat: Name
    until: Name


class HoldOn(Do, frozen=True, tag="hold"):
    """Ask the table to wait at windows."""

    seat: Name


class Undo(Do, frozen=True, tag="undo"):
    """Take back so many inputs, or (0) the last decision."""

    count: int = 0


class Redo(Do, frozen=True, tag="redo"):
    """Take back what was taken back."""


class Fixable(Do, frozen=True, tag="fixable"):
    """The last answers. Data: a list of {entry, back, value, words, about, question}; undo of `back` takes it back."""


class Fix(Do, frozen=True, tag="fix"):
    """Put an earlier answer right."""

    entry: int
    value: Json


class Change(Do, frozen=True, tag="adjust"):
    """Change the state by agreement."""

    change: dict[str, Json]
    seat: Name = ""


class Rule(Do, frozen=True, tag="rule"):
    """The text of a rule. Data: {id, section, rule, check, ruling}."""

    id: Name


class Odds(Do, frozen=True, tag="odds"):
    """The odds of the pending question, computed when asked for. Data: {question, lines, rows}."""


class WhatIf(Do, frozen=True, tag="what if"):
    """What would come of this answer; nothing is journalled. Data: a Preview (engine/what_if.py)."""

    question: Name
    value: Json
    seat: Name = ""


class NotNow(Do, frozen=True, tag="not now"):
    """What a seat's Characters cannot do at the pending question, and why. Data: a list of Refusals."""

    seat: Name


class Capsule(Do, frozen=True, tag="capsule"):
    """Write a dispute capsule of the last inputs. Data: {name, text}."""


class Settle(Do, frozen=True, tag="settle"):
    """What OK and No mean at the dice station while figures or the bag are put right: all is right, or it is not so."""

    ok: bool


class Claim(Do, frozen=True, tag="claim"):
    """Sit down at a seat."""

    seat: Name


class Leave(Do, frozen=True, tag="leave"):
    """Stand up from a seat; the table may send anybody away."""

    seat: Name


class Trust(Do, frozen=True, tag="trust"):
    """The table allows (or no longer) that seats answer for each other."""

    all: bool


class Saves(Do, frozen=True, tag="saves"):
    """The saves. Data: a list of {name, scenario, title, seats, entries, played, log, finished, damaged, picture}."""


class Scenarios(Do, frozen=True, tag="scenarios"):
    """What can be played. Data: a list of {game, id, name, text, most, characters: [{id, name, words}]}."""


class Begin(Do, frozen=True, tag="begin"):
    """A new fight: the seats' names in order, each with the Characters that it holds."""

    game: Name
    scenario: Name
    seats: dict[Name, list[Name]]


class GoOn(Do, frozen=True, tag="go on"):
    """Go on with a save. `agree` says that what cannot be kept may be given up, after a refusal that said so."""

    save: Name
    agree: bool = False


class Close(Do, frozen=True, tag="close"):
    """Close the fight that is open: back to the list of saves."""


class Delete(Do, frozen=True, tag="delete"):
    """Move a save to the trash; `sure` is the second question's answer."""

    save: Name
    sure: bool = False


class Finger(Do, frozen=True, tag="finger"):
    """A finger at the virtual hardware (only there).

    `lift` what stands on `cell`, `touch` it with what this page has in hand, with the figure `name` out of the box, or
    else with the wand; `bounce` does that with a wobble, or knocks against what stands there; `tap` lifts and puts
    back, and points with the wand where nothing stands; `box` puts what is in hand into the box. `press` and `release`
    the key `name` (`OK`, `seat 1 yes`); `tag` and `untag` the token `name` at the reader, `show` does both as soon as
    it is read. `unplug`, `replug` and `restart` the board at the place `name` (`A1`), `break` looses its sensors;
    `noise` disturbs the line for a moment; `miss` lets the reader miss two polls.
    """

    what: Literal[
        "touch", "lift", "tap", "bounce", "box", "press", "release", "tag", "untag", "show",
        "unplug", "replug", "restart", "break", "noise", "miss",
    ]  # fmt: skip
    cell: Cell | None = None
    name: Name = ""


class Hands(Do, frozen=True, tag="hands"):
    """Whether virtual hands put the figures where the light asks by themselves."""

    help: bool


class Watch(Do, frozen=True, tag="watch"):
    """Whether this page wants the Lamps of the virtual hardware."""

    on: bool


AnyDo = (
    Hello | Answer | Take | Roll | Pass | HoldOn | Undo | Redo | Fixable | Fix | Change | Rule | Odds | WhatIf | NotNow
    | Capsule | Settle | Claim | Leave | Trust | Saves | Scenarios | Begin | GoOn | Close | Delete | Finger | Hands
    | Watch
)  # fmt: skip


# -- host to page -----------------------------------------------------------------------------------------------------


class Told(msgspec.Struct, kw_only=True, tag_field="is"):
    """What the host sends."""


class Reply(Told, tag="reply"):
    """What came of a `do`: `words` say why it was refused, or what else is worth saying."""

    ref: int
    ok: bool
    words: str = ""
    data: Json = None


class You(msgspec.Struct, frozen=True):
    """Who this page is: `table` may do all, `seat` plays its `seats`, `watcher` only looks on."""

    role: Literal["table", "seat", "watcher"]
    seats: tuple[Name, ...]


class Seat(msgspec.Struct, frozen=True):
    """A seat as all see it: taken by some page, that page here now; asked, holding, passing until; its lights."""

    name: Name
    taken: bool
    here: bool
    asked: bool
    holding: bool
    passing: str
    light: SeatLight


class LogLine(msgspec.Struct, frozen=True):
    """A line of the log: `id` is its entry in the journal and its number there, `24.0`."""

    id: str
    note: Note


class Log(msgspec.Struct, frozen=True):
    """The log: of the lines that the page has it keeps the first `keep`, and these follow."""

    keep: int
    lines: tuple[LogLine, ...]


class Can(msgspec.Struct, frozen=True):
    """What the whole group may do now."""

    undo: bool
    redo: bool
    adjust: bool


class Fight(msgspec.Struct, frozen=True):
    """The fight that is open.

    `lights` is the role of each lit tile as the table last showed it, `dark` are tiles whose board does not answer,
    `kept` says what fell before an undo.
    """

    game: str
    title: str
    save: str
    scene: Scene
    phase: Literal["mending", "bag", "open", "over"]
    words: str
    notice: str
    question: AnyQuestion | None
    waiting: tuple[Name, ...]
    numbered: tuple[Numbered, ...]
    echo: tuple[str, ...]
    step: Step | None
    task: BagTask | None
    lights: dict[str, str]
    dark: tuple[Cell, ...]
    rail: RailPicture | None
    boards: tuple[Board, ...]
    seats: tuple[Seat, ...]
    can: Can
    kept: str
    scopes: tuple[str, ...]
    adjustable: tuple[str, ...]
    summary: dict[str, Json]


class Hall(msgspec.Struct, frozen=True):
    """What all pages know of the house: its hardware, whether hands help, its boards, whether seats trust each other.

    `join` is the address that other devices go to, empty while nobody else may join; `tags` are the virtual tokens.
    """

    hardware: Literal["virtual", "real", "none"]
    hands: bool
    columns: int
    rows: int
    places: tuple[str, ...]
    trust: bool
    join: str
    trouble: str
    tags: dict[str, str]


class View(Told, tag="view"):
    """All that a page shows. `fight` is an encoded Fight, None while the group chooses what to play."""

    number: int
    you: You
    hall: Hall
    fight: msgspec.Raw | None
    log: Log


class Lamps(Told, tag="lamps"):
    """The virtual hardware as it is: [x, y, red, green, blue] of each tile that is another than this page knows.

    `buttons` are lit, `rail` its pixels, `magnets` tiles under a magnet, `tokens` at the reader, `inside` those in the
    bag, `off` boards without power, `stands` where each figure truly is, `held` those in a hand, `noise` on the line.
    """

    tiles: list[tuple[int, int, int, int, int]]
    buttons: list[str]
    rail: list[tuple[int, int, int]]
    off: list[str]
    magnets: list[Cell] = []
    tokens: list[str] = []
    inside: list[str] = []
    stands: dict[Name, Cell] = {}
    held: list[Name] = []
    noise: bool = False


def read_do(raw: bytes | str) -> AnyDo:
    """A page's message. Raises msgspec.MsgspecError for anything else."""
    try:
        one: AnyDo = msgspec.json.decode(raw, type=AnyDo)
    except RecursionError:
        raise msgspec.ValidationError("lists in lists without end") from None
    value = one.change if isinstance(one, Change) else getattr(one, "value", None)
    if not _is_small(value, MOST_DEPTH):
        raise msgspec.ValidationError("a value too deep or with too long words")
    return one


def _is_small(value: Json, depth: int) -> bool:
    match value:
        case str():
            return len(value) <= MOST_TEXT
        case list():
            return depth > 0 and all(_is_small(one, depth - 1) for one in value)
        case dict():
            return depth > 0 and all(_is_small(one, depth - 1) for pair in value.items() for one in pair)
        case _:
            return True
