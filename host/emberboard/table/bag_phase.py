"""The initiative bag: a draw is a token shown to the reader; refilling is a question to the players.

Tokens carry tags. The phase decides whether a tag that is shown goes in or out. The state says what is in the bag (the
contents of the draw that is asked); before a draw opens, the tags that were seen are reconciled with it: what has to
go in or to come out is asked for, token by token, and what is unknown, already drawn or missing is named. Initiative
is never silently wrong. DESIGN section 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from emberboard.devices.bag import AlreadyIn, AlreadyOut, Bag, Moved, NotMeantIn, Phase, Unknown
from emberboard.engine.question import Draw
from emberboard.table.draft import Answer, ByProgram, Changed, Draft, Nothing, Outcome, Setting


class BagTask(msgspec.Struct, frozen=True):
    """What is to be done before a draw: kinds and how many go in, and come out; kinds that no tag is left for."""

    put_in: dict[str, int]
    take_out: dict[str, int]
    missing: dict[str, int]
    words: str


class BagPhase:
    """The bag between the reader and the players: draws, and what is to be done before one.

    `bag` knows tag by tag what was seen; beside it `untagged` counts, by kind, tokens in the bag that have no tag, and
    some tags are only assumed to be in, on the players' word.
    """

    def __init__(self, tags: Mapping[str, str], pile: str = "bag") -> None:
        """`tags` gives the kind of each registered tag; `pile` is the name of the pile that the bag is."""
        self.tags, self.pile, self.bag = dict(tags), pile, Bag(tags)
        self.untagged: Counter[str] = Counter()
        self._assumed: set[str] = set()
        self._seen_out: set[str] = set()

    @property
    def inside(self) -> frozenset[str]:
        """The tags in the bag."""
        return self.bag.inside

    def counted(self) -> Counter[str]:
        """The tokens in the bag by kind."""
        return self.bag.counted() + self.untagged

    def _tagged(self, contents: Mapping[str, int]) -> dict[str, int]:
        """Of what should be in the bag, the tokens that have tags."""
        return {kind: count - self.untagged[kind] for kind, count in contents.items()}

    def task(self, contents: Mapping[str, int]) -> BagTask | None:
        """What is to be done until the bag holds `contents`; None when it does."""
        found = self.bag.reconcile(self._tagged(contents))
        if found.agrees:
            return None
        words = f"{found.words()} Show each to the reader; OK when it is all done."
        lacking = {kind: count for kind, count in found.unregistered.items() if kind in found.missing}
        return BagTask(found.missing, found.surplus, lacking, words)

    def shown(self, tag: str, contents: Mapping[str, int]) -> Outcome:
        """A tag is shown while the bag is reconciled."""
        task = self.task(contents)
        out = task is not None and tag in self.inside and self.tags[tag] in task.take_out
        match self.bag.shown(tag, Phase.OUT if out else Phase.IN, self._tagged(contents)):
            case Unknown():
                return Nothing(f"The tag {tag} is no known token: leave it out, or register it with `emberboard bag`.")
            case AlreadyIn(kind=kind):
                return Nothing(f"This {kind} token is in the bag already.")
            case NotMeantIn(kind=kind) | AlreadyOut(kind=kind):
                return Nothing(f"No {kind} token goes into the bag now.")
            case Moved(kind=kind):
                self._note(tag, out=out)
                return Changed(f"{kind} is {'out' if out else 'in'}.")

    def settle(self, contents: Mapping[str, int]) -> list[str]:
        """The players say that the bag holds what it should. Returns words for kinds that there are no tags for."""
        self.untagged = Counter(self.bag.assume(contents))
        self._assumed, self._seen_out = set(self.inside), set()
        return [f"{count} {kind}" for kind, count in self.untagged.items()]

    def draw(self, tag: str) -> tuple[str, Nothing | None]:
        """The kind of a tag shown as a draw, or why it is none."""
        kind = self.tags.get(tag)
        if kind is None:
            return "", Nothing(f"The tag {tag} is no known token: put it aside and draw again.")
        if tag not in self.inside:
            same = sorted(other for other in self.inside & self._assumed if self.tags[other] == kind)
            if tag in self._seen_out or not same:
                return "", Nothing(f"This {kind} token was drawn before and should not be in the bag: draw again.")
            # The players said OK to a bag that was not counted tag by tag; tokens of one kind are alike to the rules.
            self.bag.shown(same[0], Phase.OUT)
            self.bag.shown(tag, Phase.IN)
        return kind, None

    def drawn(self, tag: str) -> None:
        """The draw counted: the tag is out of the bag."""
        self.bag.shown(tag, Phase.OUT)
        self._note(tag, out=True)

    def drawn_by_number(self, kind: str) -> None:
        """A token of this kind was drawn without its tag being shown."""
        if self.untagged[kind]:
            self.untagged[kind] -= 1
            return
        same = sorted(tag for tag in self.inside if self.tags[tag] == kind)
        for tag in same[:1]:
            self.bag.shown(tag, Phase.OUT)
        self._assumed |= set(same[1:])  # it may have been any of them

    def _note(self, tag: str, *, out: bool) -> None:
        self._assumed.discard(tag)
        if out:
            self._seen_out.add(tag)
        else:
            self._seen_out.discard(tag)


class Drawing(Draft):
    """Draw: the token's tag, or the number of its kind and OK; Roll lets the program draw."""

    def __init__(self, question: Draw, setting: Setting) -> None:
        super().__init__(question, setting)
        self.question = question
        self.picked = ""

    def lines(self) -> Sequence[tuple[str, str]]:
        return [(kind, f"{kind} ({count})") for kind, count in self.question.contents.items() if count]

    def said(self) -> tuple[str, ...]:
        return (self.picked,) if self.picked else ()

    def pick(self, option: str) -> Outcome:
        self.picked = option
        return Changed(f"{option}: OK?")

    def ok(self) -> Outcome:
        if not self.picked:
            return Nothing(f"Draw from the {self.question.pile} first.")
        return Answer(self.picked, self.speaker())

    def roll(self) -> Outcome:
        if self.picked:
            return Nothing(f"{self.picked} is keyed in: OK, or Undo takes it back.")
        return ByProgram()

    def token(self, kind: str) -> Outcome:
        if self.question.contents.get(kind, 0) < 1:
            return Nothing(f"No {kind} token should be in the {self.question.pile}: it was drawn before. Draw again.")
        return Answer(kind, self.speaker())

    def undo(self) -> bool:
        if super().undo():
            return True
        had, self.picked = bool(self.picked), ""
        return had
