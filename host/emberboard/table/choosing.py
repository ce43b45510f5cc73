"""Answers by choice: one or several of N, an order, a number; by tap, wand or keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from emberboard.engine.question import Cell, Choose, Number, Option, Order
from emberboard.table.draft import Answer, Changed, Draft, Nothing, Outcome, Setting
from emberboard.table.figures import Happening


def option_words(option: Option) -> str:
    """An option in the words of its number's line."""
    return option.label or option.id


def options_at(options: Iterable[Option], happening: Happening) -> list[Option]:
    """The options that a tap or the wand points at: by cell, or by the figure that stands there."""
    found = [one for one in options if one.at is not None and (one.at[0], one.at[1]) == happening.cell]
    if not found and len(happening.who) == 1:
        who = next(iter(happening.who))
        found = [one for one in options if who in (one.figure, one.id)]
    return found


class Gathering(Draft):
    """Options named one after the other; Undo takes back the last one."""

    picked: list[str]

    def undo(self) -> bool:
        if super().undo():
            return True
        if not self.picked:
            return False
        self.picked.pop()
        return True


class Choosing(Gathering):
    """Choose: a tap on the only one wanted answers at once; several are gathered until OK."""

    def __init__(self, question: Choose, setting: Setting) -> None:
        super().__init__(question, setting)
        self.question = question
        self.picked: list[str] = []

    def lines(self) -> Sequence[tuple[str, str]]:
        return [(one.id, option_words(one)) for one in self.question.options]

    def marks(self) -> Mapping[str, Iterable[Cell]]:
        chosen = [one.at for one in self.question.options if one.id in self.picked and one.at is not None]
        return {"chosen": [(x, y) for x, y in chosen]}

    def said(self) -> tuple[str, ...]:
        words = dict(self.lines())
        return tuple(words[name] for name in self.picked)

    def pick(self, option: str) -> Outcome:
        if self.question.single:
            self.picked = [option]
            return Changed(f"{dict(self.lines())[option]}: OK?")
        if option in self.picked:
            self.picked.remove(option)
        elif len(self.picked) >= self.question.most:
            return Nothing(f"At most {self.question.most} may be chosen; choose one again to drop it.")
        else:
            self.picked.append(option)
        return Changed()

    def ok(self) -> Outcome:
        if self.question.single:
            if not self.picked:
                return Nothing(f"Choose one first: 1 to {len(self.question.options)}.")
            return Answer(self.picked[0], self.speaker())
        return Answer(list(self.picked), self.speaker())

    def figure(self, happening: Happening) -> Outcome:
        if happening.kind not in ("tapped", "pointed"):
            return super().figure(happening)
        found = options_at(self.question.options, happening)
        if not found:
            return Nothing("That is not among the answers.", happening.cell)
        if len(found) > 1:
            numbers = [line.number for line in self.numbered() if line.option in {one.id for one in found}]
            return Nothing(f"Several answers are there: key in {' or '.join(map(str, numbers))}.", happening.cell)
        self.offer = None
        if self.question.single:
            return Answer(found[0].id, self.speaker())
        return self.pick(found[0].id)


class Ordering(Gathering):
    """Order: the options one after the other, by keys, taps or wand; OK when all are named."""

    def __init__(self, question: Order, setting: Setting) -> None:
        super().__init__(question, setting)
        self.question = question
        self.picked: list[str] = []

    def lines(self) -> Sequence[tuple[str, str]]:
        return [(one.id, option_words(one)) for one in self.question.options]

    def said(self) -> tuple[str, ...]:
        words = dict(self.lines())
        return tuple(f"{n}. {words[name]}" for n, name in enumerate(self.picked, 1))

    def pick(self, option: str) -> Outcome:
        if option in self.picked:
            return Nothing(f"{dict(self.lines())[option]} is in the order already; Undo takes back the last one.")
        self.picked.append(option)
        return Changed()

    def ok(self) -> Outcome:
        left = [words for name, words in self.lines() if name not in self.picked]
        if left:
            return Nothing(f"Not in the order yet: {', '.join(left)}.")
        return Answer(list(self.picked), self.speaker())

    def figure(self, happening: Happening) -> Outcome:
        if happening.kind not in ("tapped", "pointed"):
            return super().figure(happening)
        found = options_at(self.question.options, happening)
        return self.pick(found[0].id) if len(found) == 1 else Nothing("That is not in the list.", happening.cell)


class Counting(Draft):
    """Number: the keypad's number, then OK. No stands for 0 where 0 is allowed. Offers are taken by seat buttons."""

    def __init__(self, question: Number, setting: Setting) -> None:
        super().__init__(question, setting)
        self.question = question
        self.value: int | None = None

    def said(self) -> tuple[str, ...]:
        return (str(self.value),) if self.value is not None else ()

    def number(self, n: int) -> Outcome:
        if not self.question.low <= n <= self.question.high:
            return Nothing(f"From {self.question.low} to {self.question.high}, not {n}.")
        self.value, self.offer = n, None
        return Changed(f"{n}: OK?")

    def no(self) -> Outcome:
        if self.undo():
            return Changed("Dropped.")
        return self.number(0)

    def ok(self) -> Outcome:
        if self.value is None:
            return Nothing(f"Key in a number from {self.question.low} to {self.question.high} first.")
        return Answer(self.value, self.speaker())

    def undo(self) -> bool:
        if super().undo():
            return True
        had, self.value = self.value is not None, None
        return had
