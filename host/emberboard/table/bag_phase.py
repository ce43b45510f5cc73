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

from emberboard.engine.question import Draw
from emberboard.table.draft import Answer, ByProgram, Changed, Draft, Nothing, Outcome, Setting


class BagTask(msgspec.Struct, frozen=True):
    """What is to be done before a draw: kinds and how many go in, and come out; kinds that no tag is left for."""

    put_in: dict[str, int]
    take_out: dict[str, int]
    missing: dict[str, int]
    words: str


class BagPhase:
    """Which tags are in the bag, as far as was seen. `tags` says which kind of token a tag is."""

    def __init__(self, tags: Mapping[str, str], pile: str = "bag") -> None:
        self.tags, self.pile = dict(tags), pile
        self.inside: set[str] = set()
        self.untagged: Counter[str] = Counter()
        self._assumed: set[str] = set()
        self._seen_out: set[str] = set()

    def counted(self) -> Counter[str]:
        """The tokens in the bag by kind."""
        return Counter(self.tags[tag] for tag in self.inside) + self.untagged

    def task(self, contents: Mapping[str, int]) -> BagTask | None:
        """What is to be done until the bag holds `contents`; None when it does."""
        held, registered = self.counted(), Counter(self.tags.values())
        kinds = sorted({*held, *contents})
        put_in = {kind: contents.get(kind, 0) - held[kind] for kind in kinds if contents.get(kind, 0) > held[kind]}
        take_out = {kind: held[kind] - contents.get(kind, 0) for kind in kinds if contents.get(kind, 0) < held[kind]}
        missing = {kind: contents[kind] - registered[kind] for kind in put_in if contents[kind] > registered[kind]}
        if not put_in and not take_out:
            return None
        said = [_listed("Put into the bag", put_in), _listed("Take out of the bag", take_out)]
        said += [_listed("No tags are registered for", missing)]
        words = " ".join(part for part in said if part)
        return BagTask(put_in, take_out, missing, f"{words} Show each to the reader; OK when it is all done.")

    def shown(self, tag: str, contents: Mapping[str, int]) -> Outcome:
        """A tag is shown while the bag is reconciled."""
        kind = self.tags.get(tag)
        task = self.task(contents)
        if kind is None:
            return Nothing(f"The tag {tag} is no known token: leave it out, or register it with `emberboard bag`.")
        if task is None:
            return Nothing(f"The {kind} token is not wanted now.")
        if tag in self.inside:
            if kind not in task.take_out:
                return Nothing(f"This {kind} token is in the bag already.")
            self.drawn(tag)
            return Changed(f"{kind} is out.")
        if kind not in task.put_in:
            return Nothing(f"No {kind} token goes into the bag now.")
        self.inside.add(tag)
        self._seen_out.discard(tag)
        return Changed(f"{kind} is in.")

    def settle(self, contents: Mapping[str, int]) -> list[str]:
        """The players say that the bag holds what it should. Returns words for kinds that there are no tags for."""
        before, self.inside = self.inside, set()
        self.untagged = Counter()
        lacking = []
        for kind, count in sorted(contents.items()):
            of_kind = [tag for tag, of in self.tags.items() if of == kind]
            tags = sorted(of_kind, key=lambda tag: (tag not in before, tag))
            self.inside |= set(tags[:count])
            if len(tags) < count:
                self.untagged[kind] = count - len(tags)
                lacking.append(f"{count - len(tags)} {kind}")
        self._assumed, self._seen_out = set(self.inside), set()
        return lacking

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
            self.inside.remove(same[0])
            self.inside.add(tag)
        return kind, None

    def drawn(self, tag: str) -> None:
        """The draw counted: the tag is out of the bag."""
        self.inside.discard(tag)
        self._assumed.discard(tag)
        self._seen_out.add(tag)

    def drawn_by_number(self, kind: str) -> None:
        """A token of this kind was drawn without its tag being shown."""
        if self.untagged[kind]:
            self.untagged[kind] -= 1
            return
        same = sorted(tag for tag in self.inside if self.tags[tag] == kind)
        self.inside -= set(same[:1])
        self._assumed |= set(same[1:])  # it may have been any of them


def _listed(words: str, counts: Mapping[str, int]) -> str:
    return f"{words}: {', '.join(f'{count} {kind}' for kind, count in counts.items())}." if counts else ""


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
