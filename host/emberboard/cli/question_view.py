"""The question as lines of text: who is asked, in bold words what, numbered answers, lettered offers, the odds."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.text import Text

from emberboard.cli.board_view import wrap_parts
from emberboard.cli.keyboard import expected, letters_of
from emberboard.cli.signs import Signs
from emberboard.cli.styles import HANDS, KEY, NOTICE, NUMBERS, ODDS, QUESTION, QUIET, TITLE
from emberboard.engine.dice import DiceWanted, Face
from emberboard.engine.question import (
    Choose,
    Confirm,
    Draw,
    Number,
    Option,
    Order,
    Path,
    Place,
    Question,
    Roll,
    Window,
)

_MANY = 9
"""From so many answers on, short ones stand side by side."""
Named = Callable[[str], str]


def asked(question: Question, waiting: Sequence[str]) -> str:
    """Who is to answer, in words."""
    seats = question.who.seats
    match question.who.mode:
        case "one":
            return seats[0] if seats else "the table"
        case "any":
            return f"any of {', '.join(seats)}"
        case "each":
            return f"{waiting[0] if waiting else 'each'}, for {'itself' if waiting else 'themselves'}"
    return "the group" if len(seats) != 1 else seats[0]


def question_lines(
    question: Question,
    width: int,
    signs: Signs,
    named: Named,
    *,
    waiting: Sequence[str] = (),
    holding: Sequence[str] = (),
    odds: Sequence[str] = (),
    groups: Sequence[Sequence[Face]] = (),
    kept: str = "",
    by_program: bool = False,
) -> list[Text]:
    """Everything about the pending question. `groups` are the dice typed so far, `kept` what fell before an undo."""
    who = asked(question, waiting)
    title = Text(signs.rule * 2).append(f" {who} ", TITLE)
    lines = [title.append(signs.rule * max(0, width - cell_len(title.plain)))]
    lines += _words(question.prompt, width, " ", QUESTION)
    if question.note:
        lines += _words(question.note, width, "   ", NUMBERS)
    lines += _answers(question, width, signs)
    if isinstance(question, Roll):
        lines += dice_lines(question, width, named, groups)
    for line in odds:
        lines += _words(f"odds: {line}", width, "   ", ODDS)
    if kept:
        lines += _words(kept, width, "   ", NOTICE)
    lines += _offers(question, width)
    if holding:
        held = f"{', '.join(holding)} asked the table to wait: answer as {holding[0]}: g"
        lines += _words(held, width, "   ", NOTICE)
    return lines + keys_lines(question, width, by_program=by_program)


def _words(words: str, width: int, indent: str, style: str) -> list[Text]:
    return [Text(line, style) for line in textwrap.wrap(words, width, initial_indent=indent, subsequent_indent=indent)]


def _answers(question: Question, width: int, signs: Signs) -> list[Text]:
    match question:
        case Choose() | Place() | Order():
            return _options(question.options, width, signs)
        case Confirm():
            return [_numbered("y", "yes", "", width), _numbered("n", "no", "", width)]
        case Window():
            return [_numbered("g", "go on", "", width)]
        case Path():
            stops = len(question.stops)
            return _words(
                f"{stops} spaces marked {signs.reach} can be reached. Type {expected(question)}.", width, "   ", ""
            )
        case Draw():
            held = ", ".join(f"{count} {name}" for name, count in question.contents.items() if count)
            return _words(f"In the {question.pile}: {held}.", width, "   ", "")
        case Number():
            return _words(f"From {question.low} to {question.high}.", width, "   ", "")
    return []


def _options(options: Sequence[Option], width: int, signs: Signs) -> list[Text]:
    plain = [_option_words(option) for option in options]
    if len(options) >= _MANY and not any(option.note for option in options):
        return _columns(plain, width)
    lines: list[Text] = []
    for number, (option, words) in enumerate(zip(options, plain), 1):
        lines += _numbered_lines(str(number), words, option.note, width, signs)
    return lines


def _option_words(option: Option) -> str:
    words = option.label or option.id
    at = f"{option.at[0]},{option.at[1]}" if option.at is not None else ""
    return f"{words} (at {at})" if at and at not in words else words


def _columns(words: Sequence[str], width: int) -> list[Text]:
    wide = max(map(cell_len, words)) + 7
    each = max(1, width // wide)
    lines = []
    for start in range(0, len(words), each):
        line = Text()
        for number, said in enumerate(words[start : start + each], start + 1):
            line.append(f" {number:>3}  ", KEY)
            line.append(said.ljust(wide - 6))
        line.rstrip()
        lines.append(line)
    return lines


def _numbered(key: str, words: str, note: str, width: int) -> Text:
    line = Text.assemble((f" {key:>3}  ", KEY))
    line.append(words, "bold")
    if note:
        line.append(f"  {note}", QUIET)
    line.truncate(width)
    return line


def _numbered_lines(key: str, words: str, note: str, width: int, signs: Signs) -> list[Text]:
    """One answer; a note that is too long for the line goes on below it."""
    line = _numbered(key, words, "", width)
    if not note:
        return [line]
    room = width - cell_len(line.plain) - 3
    wrapped = textwrap.wrap(note, max(20, room)) if room >= 20 else []
    if not wrapped:
        return [line, *_words(note, width, " " * 8, "")]
    line.append(f" {signs.dash} {wrapped[0]}")
    return [line, *_words(" ".join(wrapped[1:]), width, " " * 8, "")] if len(wrapped) > 1 else [line]


def _offers(question: Question, width: int) -> list[Text]:
    if not question.offers:
        return []
    lines = [Text("   Or one of these, now:", QUIET)]
    for letter, offer in letters_of(question.offers).items():
        line = Text.assemble((f" {letter:>3}  ", KEY))
        line.append(offer.label, "bold")
        line.append(f" ({offer.seat})", QUIET)
        note = textwrap.wrap(offer.note, max(20, width - cell_len(line.plain) - 2)) if offer.note else []
        if note:
            line.append(f"  {note[0]}")
        line.truncate(width)
        lines.append(line)
        if len(note) > 1:
            lines += _words(" ".join(note[1:]), width, " " * 8, "")
    return lines


def dice_lines(question: Roll, width: int, named: Named, groups: Sequence[Sequence[Face]] = ()) -> list[Text]:
    """The dice wanted, group by group in the order in which they are typed; those that are there already."""
    lines = []
    for index, wanted in enumerate(question.dice):
        line = Text("   ")
        line.append(dice_words(wanted, named), "bold")
        if index < len(groups):
            line.append(": " + " ".join(map(str, groups[index])), HANDS)
        elif index == len(groups) and len(question.dice) > 1:
            line.append("  <- type these first, or all in this order", QUIET)
        line.truncate(width)
        lines.append(line)
    return lines


def dice_words(wanted: DiceWanted, named: Named) -> str:
    """Whose dice, how many, of which kind and name."""
    kind = wanted.kind.upper()
    many = f"{wanted.count} {kind}" if wanted.count != 1 else f"one {kind}"
    name = f" ({wanted.name.upper()})" if wanted.name else ""
    return f"{named(wanted.owner)}: {many}{name}"


def prompt_words(
    question: Question | None, named: Named, groups: Sequence[Sequence[Face]], waiting: Sequence[str]
) -> str:
    """The short word in front of the cursor."""
    if question is None:
        return "> "
    if isinstance(question, Roll):
        return f"{dice_words(question.dice[min(len(groups), len(question.dice) - 1)], named)}> "
    if isinstance(question, Draw):
        return "token> "
    return f"{asked(question, waiting).split(',')[0]}> "


def keys_lines(question: Question, width: int, *, by_program: bool = False) -> list[Text]:
    """What may be typed here, and the keys that work everywhere."""
    if isinstance(question, (Roll, Draw)):
        does = "rolls" if isinstance(question, Roll) else "draws"
        first = f"Enter or r: the program {does}" if by_program else f"type what came, or r: the program {does}"
    else:
        # How to walk is told with the spaces above.
        first = "" if isinstance(question, Path) else expected(question)
    parts = [*([first] if first else []), "u undo", "? why", "h all keys", "q leave"]
    return wrap_parts([Text(part, QUIET) for part in parts], width, "   ", first="   ")
