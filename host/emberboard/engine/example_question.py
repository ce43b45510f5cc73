"""The pending question as a worked example sees it: what `ask` compares, and what `answer` and `roll` mean to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from emberboard.engine.dice import Face
from emberboard.engine.errors import EmberboardError
from emberboard.engine.example_file import nearest
from emberboard.engine.example_match import in_words, matches
from emberboard.engine.question import (
    Choose,
    Confirm,
    Json,
    Offer,
    Option,
    Order,
    Path,
    Place,
    Question,
    Roll,
    as_cell,
    cell_key,
)

KINDS = ("choose", "order", "place", "path", "roll", "draw", "number", "confirm", "window")
NOTHING = ("nothing", "none")
_YES_NO = {"yes": True, "no": False}


class Mismatch(EmberboardError):
    """What a step expected and what was found; `trail` leads to the place inside the step that it is about.

    `field` is short for a trail of one key.
    """

    def __init__(self, expected: str, found: str, field: str = "", *, trail: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"expected {expected}; found {found}")
        self.expected, self.found, self.trail = expected, found, trail or ((field,) if field else ())


def kind_of(question: Question) -> str:
    """The word for the question's kind: choose, order, place, path, roll, draw, number, confirm, window."""
    return str(type(question).__struct_config__.tag)


def options_of(question: Question) -> tuple[Option, ...]:
    """The options; of a path the spaces on which it may end."""
    if isinstance(question, (Choose, Order, Place)):
        return question.options
    if isinstance(question, Path):
        return tuple(Option(cell_key(as_cell(stop)), at=as_cell(stop)) for stop in question.stops)
    return ()


def asked_words(question: Question | None) -> str:
    """The question on one line: kind, who, prompt, options."""
    if question is None:
        return "nothing is asked"
    options = ", ".join(_shown(option) for option in options_of(question)[:20])
    who = ", ".join(question.who.seats) if question.who.mode == "one" else question.who.mode
    return f"{kind_of(question)} {question.name!r} for {who}: {question.prompt}" + (f" [{options}]" if options else "")


def _shown(option: Option | Offer) -> str:
    return f"{option.id} ({option.label})" if option.label and option.label != option.id else option.id


def find_named(options: Sequence[Option] | Sequence[Offer], word: Json) -> str | None:
    """The id of what `word` names: by id, by the label shown, or by its space; None when nothing or two fit."""
    for option in options:
        if option.id == str(word):
            return option.id
    by_label = [option.id for option in options if option.label.casefold() == str(word).casefold()]
    if len(by_label) == 1:
        return by_label[0]
    if isinstance(word, list) and len(word) == 2:
        by_cell = [option.id for option in options if isinstance(option, Option) and option.at == tuple(word)]
        if len(by_cell) == 1:
            return by_cell[0]
    return None


def nearest_named(options: Sequence[Option] | Sequence[Offer], word: Json) -> str:
    """Words for what was probably meant."""
    double = [option.id for option in options if option.label.casefold() == str(word).casefold()]
    if len(double) > 1:
        return f"several are shown as {word!r}, so name one by its id: {', '.join(double)}"
    return nearest(word, [name for option in options for name in (option.label, option.id) if name])


def answer_value(question: Question, word: Json) -> Json:
    """The answer that `word` means, labels replaced by ids. What names no option is left for the kernel to refuse."""
    match question:
        case Choose() | Order() | Place():
            named = find_named(question.options, word)
            if named is not None:
                return named
            if isinstance(word, list):
                return [_id_or_word(question.options, item) for item in word]
            return word
        case Confirm():
            return _YES_NO.get(word, word) if isinstance(word, str) else word
        case _:
            return word


def _id_or_word(options: Sequence[Option], word: Json) -> Json:
    named = find_named(options, word)
    return word if named is None else named


def dice_value(question: Question, spec: Json) -> list[list[Face]]:
    """The faces for each entry of the roll, from `{owner: {kind or name: faces in order}}`.

    Missing and surplus faces are left for the kernel to refuse. Raises Mismatch for an owner or kind not asked for.
    """
    if not isinstance(question, Roll):
        raise Mismatch("a roll", asked_words(question))
    if not isinstance(spec, dict) or not all(isinstance(dice, dict) for dice in spec.values()):
        raise Mismatch("dice as {owner: {kind: [faces]}}", in_words(spec))
    left = {
        (str(owner), str(key)): list(faces) if isinstance(faces, list) else [faces]
        for owner, dice in spec.items()
        for key, faces in dice.items()
    }
    rows: list[list[Face]] = []
    row_of: dict[tuple[str, str], int] = {}
    for number, wanted in enumerate(question.dice):
        key = next((pair for pair in ((wanted.owner, wanted.key), (wanted.owner, wanted.kind)) if pair in left), None)
        rows.append([] if key is None else left[key][: wanted.count])
        if key is not None:
            left[key] = left[key][wanted.count :]
            row_of[key] = number
    for key, faces in left.items():
        if key not in row_of:
            known = [f"{wanted.owner}: {wanted.key}" for wanted in question.dice]
            raise Mismatch(
                f"dice of {key[0]}: {key[1]}", f"the roll wants other dice; {nearest(': '.join(key), known)}"
            )
        rows[row_of[key]].extend(faces)
    return rows


def wanted_dice(question: Roll) -> dict[str, dict[str, int]]:
    """How many dice of each kind or name each owner is to roll."""
    counts: dict[str, dict[str, int]] = {}
    for wanted in question.dice:
        of_owner = counts.setdefault(wanted.owner, {})
        of_owner[wanted.key] = of_owner.get(wanted.key, 0) + wanted.count
    return counts


def check_question(question: Question | None, spec: Json) -> None:
    """Compare the pending question with what an example says is asked. Raises Mismatch naming every difference."""
    if spec is None or spec in NOTHING:
        if question is not None:
            raise Mismatch("nothing is asked", asked_words(question))
        return
    if not isinstance(spec, dict):
        raise Mismatch("`ask` as a mapping of fields, or `nothing`", in_words(spec))
    if question is None:
        raise Mismatch(f"a question with {in_words(spec)}", "nothing is asked")
    differences: list[tuple[str, str, str]] = []
    for field, expected in spec.items():
        difference = _difference(question, field, expected)
        if difference is not None:
            differences.append((field, *difference))
    if differences:
        raise Mismatch(
            "; ".join(f"{field}: {expected}" for field, expected, _ in differences),
            "; ".join(f"{field}: {found}" for field, _, found in differences) + f". Asked is: {asked_words(question)}",
            differences[0][0],
        )


def _difference(question: Question, field: str, expected: Json) -> tuple[str, str] | None:
    match field:
        case "kind":
            if expected not in KINDS:
                return str(expected), f"there is no such kind; {nearest(expected, KINDS)}"
            found = kind_of(question)
            return None if found == expected else (str(expected), found)
        case "who":
            return _who(question, expected)
        case "options":
            return _named_set(options_of(question), expected)
        case "offers":
            return _offers(question.offers, expected)
        case "dice":
            counts = wanted_dice(question) if isinstance(question, Roll) else {}
            return None if matches(expected, counts) else (in_words(expected), in_words(counts))
        case "rules":
            lacking = [rule for rule in expected if rule not in question.rules]
            return (", ".join(expected), ", ".join(question.rules) or "none") if lacking else None
    if field not in question.__struct_fields__:
        known = ("kind", *question.__struct_fields__)
        return in_words(expected), f"a {kind_of(question)} question has no such field; {nearest(field, known)}"
    value = msgspec.to_builtins(getattr(question, field))
    return None if matches(expected, value) else (in_words(expected), in_words(value))


def _who(question: Question, expected: Json) -> tuple[str, str] | None:
    seats, about = question.who.seats, question.about
    found = f"{question.who.mode} of {', '.join(seats)}" + (f", about {', '.join(about)}" if about else "")
    if isinstance(expected, list):
        fits = sorted(map(str, expected)) in (sorted(seats), sorted(about))
    else:
        fits = expected in seats or expected in about or expected == question.who.mode
    return None if fits else (in_words(expected), found)


def _offers(offers: Sequence[Offer], expected: Json) -> tuple[str, str] | None:
    if isinstance(expected, dict) and not set(expected) <= {"contains", "lacks", "count"}:
        for seat, words in expected.items():
            difference = _named_set([offer for offer in offers if offer.seat == seat], words)
            if difference is not None:
                return f"{seat}: {difference[0]}", f"{seat}: {difference[1]}"
        return None
    return _named_set(offers, expected)


def _named_set(options: Sequence[Option] | Sequence[Offer], expected: Json) -> tuple[str, str] | None:
    found = ", ".join(_shown(option) for option in options) or "none"
    if isinstance(expected, Mapping):
        return None if _some_named(options, expected) else (in_words(dict(expected)), found)
    listed = expected if isinstance(expected, list) else [expected]
    named = {find_named(options, word): word for word in listed}
    missing = [in_words(word) for word in listed if find_named(options, word) is None]
    beyond = [_shown(option) for option in options if option.id not in named]
    if not missing and not beyond:
        return None
    told = [f"not there: {', '.join(missing)}"] if missing else []
    told += [f"not expected: {', '.join(beyond)}"] if beyond else []
    near = f"; {nearest_named(options, missing[0])}" if missing and options else ""
    return ", ".join(map(in_words, listed)) or "none", f"{found} ({'; '.join(told)}{near})"


def _some_named(options: Sequence[Option] | Sequence[Offer], expected: Mapping[str, Json]) -> bool:
    def listed(word: str) -> list[Json]:
        value = expected.get(word, [])
        return value if isinstance(value, list) else [value]

    if not set(expected) <= {"contains", "lacks", "count"}:
        return False
    return (
        all(find_named(options, word) is not None for word in listed("contains"))
        and all(find_named(options, word) is None for word in listed("lacks"))
        and ("count" not in expected or matches(expected["count"], len(options)))
    )
