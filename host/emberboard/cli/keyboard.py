"""What was typed, as a command or as an answer to the question.

It knows the question and not the session, so typing loses nothing. An answer that cannot be is told in plain words
with what was expected (Refused).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from emberboard.engine.dice import DiceWanted, Face, span
from emberboard.engine.errors import Refused
from emberboard.engine.question import (
    GO_ON,
    Choose,
    Confirm,
    Draw,
    Json,
    Number,
    Offer,
    Option,
    Order,
    Path,
    Place,
    Question,
    Roll,
    Window,
)

COMMANDS: dict[str, tuple[str, ...]] = {
    "undo": ("u", "undo"),
    "redo": ("y", "redo"),
    "why": ("?", "why"),
    "correct": ("x", "correct"),
    "adjust": ("a", "adjust"),
    "help": ("h", "help"),
    "pass": ("p", "pass"),
    "hold": ("w", "wait", "hold"),
    "redraw": ("m", "map", ""),
    "log": ("l", "log"),
    "roll": ("r", "roll"),
    "dice": ("dice",),
    "tokens": ("tokens",),
    "leave": ("q", "quit", "leave", "exit"),
}
"""Each command with the words that call it."""
_BY_WORD = {word: name for name, words in COMMANDS.items() for word in words}
OFFER_LETTERS = "bcdefijknostvz"
"""The letters that call no command and do not mean `go on`."""
_GO = ("g", "go", GO_ON, "1")
_YES, _NO = ("1", "y", "yes"), ("2", "n", "no")
Named = Callable[[str], str]
_CELL = re.compile(r"\(?(\d+)\s*,\s*(\d+)\)?")


@dataclass(frozen=True)
class Partly:
    """Dice of the first groups of a roll; the others are still to come."""

    groups: tuple[tuple[Face, ...], ...]


def command_of(typed: str, question: Question | None) -> tuple[str, str] | None:
    """The command that was typed and the rest of the line, or None. What answers the question is no command."""
    word, _, rest = typed.strip().partition(" ")
    word = word.lower()
    if word.startswith("?") and len(word) > 1:
        word, rest = "?", typed.strip()[1:]
    if isinstance(question, Draw) and word != "r" and word and _starting(word, list(question.contents)):
        return None
    if isinstance(question, Confirm) and word in (*_YES, *_NO):
        return None
    name = _BY_WORD.get(word)
    return None if name is None else (name, rest.strip())


def letters_of(offers: Sequence[Offer]) -> dict[str, Offer]:
    """The offers by the letters that take them."""
    count = len(OFFER_LETTERS)
    return {
        OFFER_LETTERS[index % count] + (str(index // count + 1) if index >= count else ""): offer
        for index, offer in enumerate(offers)
    }


def speaker_of(typed: str, seats: Sequence[str]) -> tuple[str, str]:
    """The seat that speaks (`ada: 2`), or an empty one, and the rest of the line."""
    name, colon, rest = typed.partition(":")
    if colon:
        for seat in seats:
            if seat.lower() == name.strip().lower():
                return seat, rest.strip()
    return "", typed


def expected(question: Question, groups: Sequence[Sequence[Face]] = (), named: Named = str) -> str:
    """What may be typed here, in words; `named` gives the names of those whose dice they are."""
    match question:
        case Choose() if question.single:
            return f"a number from 1 to {len(question.options)}"
        case Choose():
            most = min(question.most, len(question.options))
            if question.least == most == 1:
                return f"a number from 1 to {len(question.options)}"
            much = f"{question.least}" if question.least == most else f"{question.least} to {most}"
            none = ", or none" if question.least == 0 else ""
            return f"{much} of the numbers 1 to {len(question.options)}, such as 1 3{none}"
        case Order():
            return f"all {len(question.options)} numbers in the order you want, such as 2 1"
        case Place():
            return f"a number from 1 to {len(question.options)}, or its space, such as {_example(question)}"
        case Path():
            stay = ", or stay" if question.start in question.stops else ""
            return f"the space to end on, such as {_example(question)}, or the spaces one by one{stay}"
        case Roll():
            left = question.dice[len(groups) :]
            all_of_them = f", or all {sum(one.count for one in left)} in the order shown" if len(left) > 1 else ""
            return f"{_dice_words(left[0], named)}{all_of_them}, or r to let the program roll"
        case Draw():
            return f"{' or '.join(name for name, count in question.contents.items() if count)}, or r"
        case Number():
            return f"a number from {question.low} to {question.high}"
        case Confirm():
            return "yes or no"
        case Window():
            return "g to go on" + (", or the letter of an offer" if question.offers else "")
    return "an answer"


def _example(question: Place | Path) -> str:
    if isinstance(question, Path):
        x, y = question.start
        others = [(abs(stop[0] - x) + abs(stop[1] - y), stop) for stop in question.stops if stop != question.start]
        cell = min(others)[1] if others else question.start
    else:
        cell = next((option.at for option in question.options if option.at is not None), (0, 0))
    return f"{cell[0]},{cell[1]}"


def _dice_words(wanted: DiceWanted, named: Named) -> str:
    faces = span(wanted.legal_faces())
    meant = f" ({wanted.name})" if wanted.name else ""
    if wanted.count == 1:
        return f"one {wanted.kind}{meant} of {named(wanted.owner)}, {faces}"
    return f"{wanted.count} x {wanted.kind}{meant} of {named(wanted.owner)}, {faces} each"


def read_answer(
    question: Question, typed: str, groups: Sequence[Sequence[Face]] = (), named: Named = str
) -> Json | Partly:
    """The answer as the kernel wants it; for dice of several groups perhaps only a part, `groups` being there already.

    Raises Refused in plain words. Whether the answer is legal, the kernel says.
    """
    typed = typed.strip()
    match question:
        case Choose() if question.single:
            return _option(question.options, typed, question).id
        case Choose():
            if question.least == 0 and typed.lower() in ("none", "0", "nothing"):
                return []
            return [option.id for option in _options(question.options, typed, question)]
        case Order():
            return [option.id for option in _options(question.options, typed, question)]
        case Place():
            return _option(question.options, typed, question).id
        case Path():
            return _path(question, typed)
        case Roll():
            return _dice(question, typed, groups, named)
        case Draw():
            return _drawn(question, typed)
        case Number():
            if not re.fullmatch(r"[+-]?\d+", typed):
                raise Refused(f"{typed!r} is no number. Expected {expected(question)}.")
            return int(typed)
        case Confirm():
            if typed.lower() in (*_YES, *_NO):
                return typed.lower() in _YES
        case Window():
            if typed.lower() in _GO:
                return GO_ON
    raise _unknown(question, typed)


def _unknown(question: Question, typed: str) -> Refused:
    return Refused(f"{typed!r} is no answer here. Expected {expected(question)}; h shows all keys.")


def _starting(word: str, names: Sequence[str]) -> list[str]:
    word = word.lower()
    exact = [name for name in names if name.lower() == word]
    return exact or [name for name in names if name.lower().startswith(word)]


def _option(options: Sequence[Option], typed: str, question: Question) -> Option:
    """By its number as shown, its space, or the beginning of its words."""
    if typed.isdecimal():
        number = int(typed)
        if 1 <= number <= len(options):
            return options[number - 1]
        raise Refused(f"there is no {number} here. Expected {expected(question)}.")
    cell = _CELL.fullmatch(typed)
    if cell:
        at = (int(cell[1]), int(cell[2]))
        there = [option for option in options if option.at is not None and tuple(option.at) == at]
        if len(there) == 1:
            return there[0]
        raise Refused(f"{at[0]},{at[1]} is not among the answers. Expected {expected(question)}.")
    if typed:
        labels = {option.label or option.id: option for option in options}
        found = _starting(typed, list(labels)) or _starting(typed, [option.id for option in options])
        if len(found) == 1:
            return labels.get(found[0]) or next(option for option in options if option.id == found[0])
        if found:
            raise Refused(f"{typed!r} may mean {' or '.join(found)}. Expected {expected(question)}.")
    raise _unknown(question, typed)


def _options(options: Sequence[Option], typed: str, question: Question) -> list[Option]:
    if typed.lower() == "all":
        return list(options)
    if not typed:
        raise _unknown(question, typed)
    if re.fullmatch(r"[\d\s,;]+", typed):
        return [_option(options, number, question) for number in re.split(r"[\s,;]+", typed.strip(" ,;")) if number]
    return [_option(options, part.strip(), question) for part in re.split(r"[,;]", typed) if part.strip()]


def _path(question: Path, typed: str) -> Json:
    if typed.lower() in ("stay", ".", "here"):
        return [question.start[0], question.start[1]]
    cells = [[int(x), int(y)] for x, y in _CELL.findall(typed)]
    if not cells and re.fullmatch(r"\d+\s+\d+", typed):
        x, y = typed.split()
        cells = [[int(x), int(y)]]
    rest = _CELL.sub("", typed)
    if not cells or re.sub(r"[\s;>\-]", "", rest if "," in typed else ""):
        raise Refused(f"{typed!r} is no way to go. Expected {expected(question)}.")
    return cells[0] if len(cells) == 1 else cells


def _drawn(question: Draw, typed: str) -> str:
    held = [name for name, count in question.contents.items() if count]
    found = _starting(typed, held) if typed else []
    if len(found) == 1:
        return found[0]
    if found:
        raise Refused(f"{typed!r} may mean {' or '.join(found)}.")
    raise Refused(f"{typed!r} is not in the {question.pile}. Expected {expected(question)}.")


def _dice(question: Roll, typed: str, groups: Sequence[Sequence[Face]], named: Named) -> Json | Partly:
    """Whole groups only, from the first that is missing on, so that a die never lands with the wrong owner."""
    left = question.dice[len(groups) :]
    words = [word for word in re.split(r"[\s,;/|+]+", typed) if word]
    if not words:
        raise Refused(f"no dice were typed. Expected {expected(question, groups, named)}.")
    done: list[tuple[Face, ...]] = [tuple(group) for group in groups]
    for wanted in left:
        if not words and len(done) > len(groups):
            break
        mine, words = words[: wanted.count], words[wanted.count :]
        faces = [_face(wanted, word, named) for word in mine]
        if len(faces) < wanted.count:
            raise Refused(
                f"{wanted.count - len(faces)} missing: {named(wanted.owner)} rolls {wanted.count} x {wanted.key}, "
                f"got {len(faces)}. Expected {expected(question, groups, named)}."
            )
        done.append(tuple(faces))
    if words:
        raise Refused(f"{len(words)} too many ({' '.join(words)}). Expected {expected(question, groups, named)}.")
    if len(done) < len(question.dice):
        return Partly(tuple(done))
    return [list(group) for group in done]


def _face(wanted: DiceWanted, word: str, named: Named) -> Face:
    legal = wanted.legal_faces()
    if word.isdecimal() and int(word) in legal:
        return int(word)
    found = _starting(word, [*(face for face in legal if isinstance(face, str)), *wanted.symbols])
    if len(found) == 1:
        return found[0]
    raise Refused(f"a {wanted.kind} of {named(wanted.owner)} cannot show {word!r}; it shows {span(legal)}.")


def read_adjustment(typed: str, figures: Sequence[tuple[str, str]], bag: dict[str, int]) -> dict[str, Json]:
    """`malah hp 5`, `goon:A at 3,4`, `bag white 2 black 3`, `mark H` as the change that the game takes.

    `figures` are the ids and names on the table. Raises Refused in plain words.
    """
    words = typed.split()
    if not words:
        raise Refused("say whom and what, such as a malah hp 5")
    if words[0].lower() == "bag":
        return {"bag": bag | _bag(words[1:])}
    if words[0].lower() == "mark":
        if len(words) != 2:
            raise Refused("name one mark, such as a mark H")
        return {"mark": words[1]}
    who, rest = _figure(words, figures)
    if len(rest) < 2:
        raise Refused(f"say what of {who} becomes what, such as a {who} hp 5")
    what, value = rest[0].lower(), " ".join(rest[1:])
    return {"who": who, what: int(value) if re.fullmatch(r"[+-]?\d+", value) else value.replace(" ", "")}


def _bag(words: Sequence[str]) -> dict[str, int]:
    pairs = list(zip(words[::2], words[1::2]))
    if not pairs or len(words) % 2 or not all(count.isdecimal() for _, count in pairs):
        raise Refused("say how many of which colour, such as a bag white 2 black 3")
    return {colour.lower(): int(count) for colour, count in pairs}


def _figure(words: Sequence[str], figures: Sequence[tuple[str, str]]) -> tuple[str, list[str]]:
    """The figure that the first one or two or three words name, by id or by name, and what follows."""
    for count in (3, 2, 1):
        said = " ".join(words[:count]).lower()
        for ref, name in figures:
            if said in (ref.lower(), name.lower()):
                return ref, list(words[count:])
    known = ", ".join(ref for ref, _ in figures)
    raise Refused(f"there is nobody called {words[0]!r} to adjust; there are {known}")
