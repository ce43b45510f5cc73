"""Why something may not be done: words for players and the rules behind them."""

from __future__ import annotations

from collections.abc import Callable

from emberboard.games.evershade.state import Member


class Reason:
    """One short sentence for players, and rule ids. As text both, which is what an error says.

    Options are built at every question and their reasons seldom read, so the words may be a function that finds them.
    It is read before the state changes.
    """

    __slots__ = ("_words", "rules")

    def __init__(self, words: str | Callable[[], str], rules: tuple[str, ...]) -> None:
        self._words, self.rules = words, rules

    @property
    def words(self) -> str:
        """The sentence without the rules."""
        return self._words if isinstance(self._words, str) else self._words()

    def __str__(self) -> str:
        return f"{self.words} ({', '.join(self.rules)})" if self.rules else self.words


def because(words: str | Callable[[], str], *rules: str) -> Reason:
    """The reason in these words, by these rules."""
    return Reason(words, rules)


def not_standing(one: Member) -> Reason | None:
    """Why a Party Member that is down or out does nothing; None when it stands (EV-KO-04)."""
    if one.status == "standing":
        return None
    return because(f"{one.name} is {one.status}", *(("EV-KO-04",) if one.status == "knocked out" else ()))
