"""Three kinds of consequence, kept apart: interrupt, trigger, due (DESIGN section 2, Events)."""

from __future__ import annotations

from typing import Any

from emberboard.engine.question import Ask, Order, Window
from emberboard.engine.timing import Proc, caused, come_due, due, end, scope, trigger
from tests.engine.toys.playground import (
    SEATS,
    Playground,
    answer,
    asked,
    confirm,
    did,
    offers_of,
    opened,
    reloaded,
    take,
    trace,
    used,
    who,
    window,
)


def step(game: Playground, what: str, then: list[str] | None = None) -> Proc[None]:
    """An effect in two halves that queues triggers between them; each trigger is `name` or `name<source`."""
    did(game, f"{what} begins")
    for word in then or []:
        name, _, source = word.partition("<")
        trigger(game, "step", source=source, label=name, what=name)
    did(game, f"{what} ends")
    yield from ()


# -- interrupts -------------------------------------------------------------------------------------------------


def test_an_interrupt_runs_now_inside_what_it_interrupts() -> None:
    def main(game: Playground) -> Proc[None]:
        did(game, "aims")
        yield Ask(window, "aim", {"shove": "east"})
        did(game, "shoots")
        yield Ask(confirm, "next")

    def shove(game: Playground) -> Proc[None]:
        used(game, "shove")
        yield Ask(window, "shove", {"hold": "south"})
        did(game, "is shoved")

    def hold(game: Playground) -> Proc[None]:
        used(game, "hold")
        did(game, "holds on")
        yield from ()

    session = opened(main=main, shove=shove, hold=hold)
    take(session, "shove")
    assert (asked(session), offers_of(session)) == ("shove", ["hold"])
    take(session, "hold")
    assert trace(session) == ["aims", "holds on", "is shoved", "shoots"]


def test_an_interrupt_by_yield_from_gives_its_result() -> None:
    def main(game: Playground) -> Proc[None]:
        dodged = yield from dodge(game)
        did(game, f"dodged {dodged}")
        yield Ask(confirm, "next")

    def dodge(game: Playground) -> Proc[bool]:
        return bool((yield Ask(confirm, "dodge")))

    session = opened(main=main)
    answer(session, True)
    assert trace(session) == ["dodged True"]


# -- triggers ---------------------------------------------------------------------------------------------------


def queue_of(*words: str) -> Any:
    def main(game: Playground) -> Proc[None]:
        yield from caused(game, step(game, "A", list(words)))
        yield Ask(confirm, "next")

    return opened(main=main, step=step, order_free=step)


def test_a_trigger_runs_when_its_cause_is_finished_not_inside_it() -> None:
    assert trace(queue_of("B")) == ["A begins", "A ends", "B begins", "B ends"]


def test_triggers_run_first_in_first_out() -> None:
    assert trace(queue_of("B", "C", "D"))[2::2] == ["B begins", "C begins", "D begins"]


def test_what_a_trigger_triggers_waits_behind_what_waits_already() -> None:
    """A triggers B and C; B triggers D: the order is A, B, C, D (first in, first out over the whole chain)."""

    def main(game: Playground) -> Proc[None]:
        yield from caused(game, first(game))
        yield Ask(confirm, "next")

    def first(game: Playground) -> Proc[None]:
        trigger(game, "step", what="B", then=["D"])
        trigger(game, "step", what="C")
        did(game, "A")
        yield from ()

    session = opened(main=main, step=step)
    assert [line for line in trace(session) if not line.endswith("ends")] == ["A", "B begins", "C begins", "D begins"]


def test_a_trigger_may_ask_and_its_successor_waits_for_it() -> None:
    def main(game: Playground) -> Proc[None]:
        yield from caused(game, first(game))
        did(game, "over")
        yield Ask(confirm, "next")

    def first(game: Playground) -> Proc[None]:
        trigger(game, "asks", what="B")
        trigger(game, "step", what="C")
        did(game, "A")
        yield from ()

    def asks(game: Playground, what: str) -> Proc[None]:
        yield Ask(confirm, what)
        did(game, what)

    session = opened(main=main, step=step, asks=asks)
    assert (asked(session), trace(session)) == ("B", ["A"])
    again = reloaded(session)
    for table in (session, again):
        answer(table, True)
        assert trace(table) == ["A", "B", "C begins", "C ends", "over"]


def test_caused_gives_the_result_of_its_effect_after_the_triggers_ran() -> None:
    def main(game: Playground) -> Proc[None]:
        worth = yield from caused(game, effect(game))
        did(game, f"worth {worth}")
        yield Ask(confirm, "next")

    def effect(game: Playground) -> Proc[int]:
        trigger(game, "step", what="B")
        return 7
        yield

    assert trace(opened(main=main, step=step)) == ["B begins", "B ends", "worth 7"]


def test_an_effect_never_triggers_itself_nor_through_its_own_result() -> None:
    """The ring heals when the amulet heals, and the other way round: each answers once, then the chain is over."""

    def main(game: Playground) -> Proc[None]:
        yield from caused(game, heal(game, by="potion"))
        did(game, "over")
        yield Ask(confirm, "next")

    def heal(game: Playground, by: str) -> Proc[None]:
        did(game, f"heal by {by}")
        trigger(game, "heal", source="ring", by="ring")
        trigger(game, "heal", source="amulet", by="amulet")
        yield from ()

    session = opened(main=main, heal=heal)
    assert trace(session) == [
        "heal by potion",
        "heal by ring",
        "heal by amulet",
        "heal by amulet",  # the ring's heal woke the amulet; it may not wake the ring again
        "heal by ring",  # and likewise the amulet's heal
        "over",
    ]


def test_an_effect_may_trigger_anew_from_another_cause() -> None:
    def main(game: Playground) -> Proc[None]:
        for _ in range(2):
            yield from caused(game, step(game, "A", ["B<ring"]))
        yield Ask(confirm, "next")

    assert trace(opened(main=main, step=step)).count("B begins") == 2


def test_a_trigger_outside_any_cause_is_an_error_that_names_it() -> None:
    def main(game: Playground) -> Proc[None]:
        yield Ask(confirm, "go")
        trigger(game, "step", what="B")

    session = opened(main=main, step=step)
    session.answer(session.question.id, True)  # type: ignore[union-attr]
    assert session.trouble is not None
    assert "trigger 'step' outside any cause" in session.trouble.words


def test_triggers_of_an_inner_cause_run_before_the_outer_effect_goes_on() -> None:
    def main(game: Playground) -> Proc[None]:
        yield from caused(game, outer(game))
        yield Ask(confirm, "next")

    def outer(game: Playground) -> Proc[None]:
        trigger(game, "step", what="late")
        yield from caused(game, step(game, "inner", ["early"]))
        did(game, "outer ends")

    assert [line for line in trace(opened(main=main, step=step)) if "begins" in line or "outer" in line] == [
        "inner begins",
        "early begins",
        "outer ends",
        "late begins",
    ]


# -- simultaneous ones ------------------------------------------------------------------------------------------


def batch(*words: str, orderer: str = "") -> Any:
    """A effect whose triggers are given as `name` (alone) or `name@batch`."""

    def main(game: Playground) -> Proc[None]:
        yield from caused(game, effect(game))
        did(game, "over")
        yield Ask(confirm, "next")

    def effect(game: Playground) -> Proc[None]:
        for word in words:
            name, _, group = word.partition("@")
            asker = who(orderer) if orderer else None
            trigger(game, "said", label=name, batch=group, orderer=asker, what=name)
        yield from ()

    def said(game: Playground, what: str) -> Proc[None]:
        did(game, what)
        yield from ()

    return opened(main=main, said=said)


def labels(session: Any) -> list[str]:
    assert isinstance(session.question, Order)
    return [option.label for option in session.question.options]


def test_simultaneous_triggers_are_ordered_by_the_group_unless_the_rules_say_who() -> None:
    session = batch("ring@heal", "amulet@heal", "boots@heal")
    assert labels(session) == ["ring", "amulet", "boots"]
    assert (session.question.who.mode, session.question.rules) == ("group", ("PG-ORDER-01",))
    answer(session, ["2", "0", "1"])
    assert trace(session) == ["boots", "ring", "amulet", "over"]


def test_simultaneous_triggers_are_ordered_by_whom_the_rules_name() -> None:
    session = batch("ring@heal", "amulet@heal", orderer="south")
    assert session.question.who.seats == ("south",)
    answer(session, ["1", "0"], "south")
    assert trace(session) == ["amulet", "ring", "over"]


def test_what_waits_alone_or_looks_alike_is_not_asked_about() -> None:
    assert trace(batch("ring@heal", "boots@walk")) == ["ring", "boots", "over"]
    assert trace(batch("spark@hit", "spark@hit")) == ["spark", "spark", "over"]


def test_one_order_is_asked_once() -> None:
    session = batch("ring@heal", "amulet@heal", "cape", "boots@walk", "belt@walk")
    answer(session, ["1", "0"])
    assert labels(session) == ["boots", "belt"], "heal is settled; walk comes when it is its turn"
    answer(session, ["0", "1"])
    assert trace(session) == ["amulet", "ring", "cape", "boots", "belt", "over"]


def test_ordered_triggers_with_another_between_them_each_run_once() -> None:
    session = batch("ring@heal", "cape", "amulet@heal")
    answer(session, ["1", "0"])
    assert trace(session) == ["amulet", "ring", "cape", "over"]


# -- dues -------------------------------------------------------------------------------------------------------


def dues(*words: str, orderer: str = "") -> Any:
    """Dues given as `name@scope:owner`; the turns of north and east end, then the round, then a turn of north."""

    def main(game: Playground) -> Proc[None]:
        for word in words:
            name, _, when = word.partition("@")
            until, _, owner = when.partition(":")
            due(game, until, owner, "said", label=name, rules=("PG-DUE-01",), what=name)
        did(game, "made")
        asker = who(orderer) if orderer else None
        for until, owner in (("turn", "north"), ("turn", "east"), ("round", ""), ("turn", "north")):
            yield Ask(window, "pause", {"wait": "north"})
            yield from come_due(game, until, owner, asker)
            did(game, f"{until} {owner}".strip())
        yield Ask(confirm, "next")

    def said(game: Playground, what: str) -> Proc[None]:
        did(game, what)
        yield from ()

    return opened(main=main, said=said, setup={"numbers": {"wait": 0}})


def test_a_due_comes_up_at_the_end_of_its_scope_and_owner_once() -> None:
    session = dues("poison@turn:east", "doom@round:", "fire@turn:north")
    assert trace(session) == ["made", "fire", "turn north", "poison", "turn east", "doom", "round", "turn north"]
    assert session.game.state.ledger.dues == []


def test_a_due_of_another_scope_or_owner_waits() -> None:
    session = dues("late@fight:", "other@turn:south")
    assert trace(session) == ["made", "turn north", "turn east", "round", "turn north"]
    assert [(item.scope, item.owner, item.label, item.rules) for item in session.game.state.ledger.dues] == [
        ("fight", "", "late", ("PG-DUE-01",)),
        ("turn", "south", "other", ("PG-DUE-01",)),
    ]


def test_several_dues_are_ordered_by_the_group_or_by_whom_the_rules_name() -> None:
    for orderer, seats in (("", SEATS), ("east", ("east",))):
        session = dues("fire@turn:north", "poison@turn:north", orderer=orderer)
        assert (labels(session), session.question.who.seats) == (["fire", "poison"], seats)
        answer(session, ["1", "0"])
        assert trace(session)[:4] == ["made", "poison", "fire", "turn north"]


def test_two_equal_dues_each_come_up() -> None:
    assert trace(dues("blast@turn:north", "blast@turn:north"))[:4] == ["made", "blast", "blast", "turn north"]


def test_dues_of_one_name_that_do_different_things_are_ordered() -> None:
    def main(game: Playground) -> Proc[None]:
        for what in ("fire", "frost"):
            due(game, "turn", "north", "said", label="omen", what=what)
        yield from come_due(game, "turn", "north")

    def said(game: Playground, what: str) -> Proc[None]:
        did(game, what)
        yield from ()

    session = opened(main=main, said=said)
    assert labels(session) == ["omen", "omen"]
    answer(session, ["1", "0"])
    assert trace(session)[:2] == ["frost", "fire"]


def test_a_due_is_part_of_the_saved_state() -> None:
    def main(game: Playground) -> Proc[None]:
        due(game, "round", "", "said", what="doom")
        game.then("second")
        yield from ()

    def second(game: Playground) -> Proc[None]:
        yield Ask(confirm, "pause")
        yield from come_due(game, "round")
        yield Ask(confirm, "next")

    def said(game: Playground, what: str) -> Proc[None]:
        did(game, what)
        yield from ()

    session = reloaded(opened(main=main, second=second, said=said))
    answer(session, True)
    assert trace(session) == ["doom"]


def test_a_due_that_an_earlier_one_took_away_does_not_come_up() -> None:
    def main(game: Playground) -> Proc[None]:
        due(game, "turn", "north", "cure", label="cure")
        due(game, "turn", "north", "poison", label="poison")
        yield from come_due(game, "turn", "north")
        yield Ask(confirm, "next")

    def cure(game: Playground) -> Proc[None]:
        did(game, "cure")
        game.state.ledger.dues = [item for item in game.state.ledger.dues if item.procedure != "poison"]
        yield from ()

    def poison(game: Playground) -> Proc[None]:
        did(game, "poison")
        yield from ()

    session = opened(main=main, cure=cure, poison=poison)
    answer(session, ["0", "1"])
    assert trace(session) == ["cure"]


def test_a_due_made_while_its_scope_comes_due_is_not_lost() -> None:
    """It waits for the next end of that scope and owner; what is to come up still now is the game's to call for."""

    def main(game: Playground) -> Proc[None]:
        due(game, "round", "", "bell")
        for number in (1, 2):
            yield from come_due(game, "round")
            did(game, f"round {number}")
        yield Ask(confirm, "next")

    def bell(game: Playground) -> Proc[None]:
        did(game, "bell")
        due(game, "round", "", "bell")
        yield from ()

    assert trace(opened(main=main, bell=bell)) == ["bell", "round 1", "bell", "round 2"]


def test_the_three_kinds_in_one_effect_come_in_their_own_time() -> None:
    def main(game: Playground) -> Proc[None]:
        yield from scope(game, "turn", "north", turn(game), lambda: come_due(game, "turn", "north"))
        did(game, "turn over")
        yield Ask(confirm, "next")

    def turn(game: Playground) -> Proc[None]:
        yield from caused(game, blow(game))
        did(game, "second action")
        end(game, "turn", "north")
        did(game, "never")

    def blow(game: Playground) -> Proc[None]:
        due(game, "turn", "north", "said", what="due: blast")
        trigger(game, "said", what="trigger: ring")
        did(game, "blow begins")
        yield Ask(reaction)
        did(game, "blow ends")

    def reaction(game: Playground) -> Window:
        return window(game, "reaction", {"parry": "east"})

    def parry(game: Playground) -> Proc[None]:
        used(game, "parry")
        did(game, "interrupt: parry")
        yield from ()

    def said(game: Playground, what: str) -> Proc[None]:
        did(game, what)
        yield from ()

    session = opened(main=main, said=said, parry=parry)
    take(session, "parry")
    assert trace(session) == [
        "blow begins",
        "interrupt: parry",
        "blow ends",
        "trigger: ring",
        "second action",
        "due: blast",
        "turn over",
    ]
