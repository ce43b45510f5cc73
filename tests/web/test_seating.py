"""Who may say what, over real WebSockets: seats, table, those who look on; secrets; two at once; late and doubled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from emberboard.engine.errors import Refused
from emberboard.web.seating import Seating, Visitor
from tests.web.house import SECRET, SPY, Caller, House, house

pytestmark = pytest.mark.anyio
SEATS = ("north", "east", "south")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def vote(caller: Caller, value: str, seat: str = "") -> Any:
    """Answer what is asked now."""
    return await caller.done("answer", question=caller.id, value=value, seat=seat)


async def to_question(table: Caller, name: str) -> None:
    """Let the table answer until this is asked."""
    answers = {"first": "bell", "mine": "stay", "anyone?": "go on"}
    async with asyncio.timeout(10):
        while table.asked != name:
            before = table.id
            if table.asked == "way":
                for seat in list(table.view["fight"]["waiting"]):
                    await vote(table, "left", seat)
            else:
                await vote(table, answers[table.asked])
            await table.until(lambda before=before: table.id != before)  # type: ignore[misc]


@asynccontextmanager
async def around(second: str = "east") -> AsyncIterator[tuple[House, Caller, Caller, Caller]]:
    """A house, the table's page, a phone at the seat of north, another at the second one (or only looking on)."""
    async with house() as one, one.page() as table, one.page(1, "north") as north, one.page(2, second) as other:
        yield one, table, north, other


# -- who is who -------------------------------------------------------------------------------------------------------


def visitor(browser: str, page: str = "page one", *, table: bool = False) -> Visitor:
    """A page of a browser."""
    return Visitor(browser, page, table)


def test_a_seat_is_a_browsers_and_a_page_of_another_that_bears_its_name_has_none() -> None:
    seating = Seating()
    seating.lay(SEATS)
    phone, thief = visitor("phone"), visitor("other")
    seating.claim(phone, "north")
    assert (seating.role(phone), seating.role(thief)) == ("seat", "watcher"), "the same page name, another browser"
    for act in (seating.claim, seating.leave):
        with pytest.raises(Refused):
            act(thief, "north")
    with pytest.raises(Refused, match="looks on"):
        seating.speaker(thief, "")
    with pytest.raises(Refused, match="do not sit at north"):
        seating.speaker(thief, "north")
    assert seating.holder("north") == phone


def test_the_same_browser_takes_its_seat_over_and_the_table_any() -> None:
    seating = Seating()
    seating.lay(SEATS)
    seating.claim(visitor("phone"), "north")
    again = visitor("phone", "page two")
    seating.claim(again, "north")
    assert seating.of(again) == ("north",) and not seating.of(visitor("phone"))
    laptop = visitor("the table", table=True)
    seating.claim(laptop, "north")
    assert seating.of(laptop) == ("north",)
    seating.claim(visitor("phone"), "east")
    seating.leave(laptop, "east")
    assert seating.holder("east") is None


def test_a_page_with_several_seats_says_for_which() -> None:
    seating = Seating()
    seating.lay(SEATS)
    who = visitor("phone")
    seating.claim(who, "north")
    assert seating.speaker(who, "") == "north"
    seating.claim(who, "south")
    assert seating.of(who) == ("north", "south")
    with pytest.raises(Refused, match="for which seat"):
        seating.speaker(who, "")
    assert seating.speaker(who, "south") == "south"
    assert seating.speaker(visitor("the table", table=True), "") == ""


def test_who_sits_at_a_seat_of_the_next_fight_stays_there() -> None:
    seating = Seating()
    seating.lay(SEATS)
    seating.claim(visitor("phone"), "north")
    seating.claim(visitor("other"), "east")
    seating.lay(("north", "west"))
    assert seating.of(visitor("phone")) == ("north",) and seating.role(visitor("other")) == "watcher"
    with pytest.raises(Refused, match="no seat"):
        seating.claim(visitor("other"), "east")


# -- over the wire ----------------------------------------------------------------------------------------------------


async def test_the_same_question_reaches_five_pages() -> None:
    async with house() as open_house, AsyncExitStack() as stack:
        pages = [await stack.enter_async_context(open_house.page(place)) for place in (0, 0, 1, 1, 2)]
        seen = {page.id for page in pages}
        for seat in SEATS:
            await vote(pages[0], "left", seat)
        for name in ("first", "mine"):
            for page in pages:
                await page.until_asked(name)
            ids = {page.id for page in pages}
            assert len(ids) == 1 and not ids & seen
            seen |= ids
            await vote(pages[0], {"first": "bell", "mine": "go"}[name])
        for page in pages:
            await page.until_asked("anyone?")
        assert len({page.id for page in pages}) == 1


async def test_who_looks_on_can_do_nothing_but_look() -> None:
    async with house() as open_house, open_house.page(1) as watcher, open_house.page() as table:
        asked = {"question": watcher.id}
        for what, fields in (
            ("answer", {**asked, "value": "left"}), ("answer", {**asked, "value": "left", "seat": "north"}),
            ("take", {**asked, "offer": "duck"}), ("take", {**asked, "offer": "duck", "seat": "east"}),
            ("roll", asked), ("roll", {**asked, "seat": "north"}), ("pass", {"seat": "east", "until": "round"}),
            ("hold", {"seat": "east"}), ("undo", {}), ("undo", {"count": 1}), ("redo", {}), ("fixable", {}),
            ("fix", {"entry": 1, "value": "right"}), ("adjust", {"change": {"number": "coins", "to": 9}}),
            ("not now", {"seat": "north"}), ("leave", {"seat": "north"}), ("trust", {"all": True}), ("saves", {}),
            ("begin", {"game": "evershade", "scenario": "x", "seats": {"a": []}}), ("go on", {"save": "x"}),
            ("close", {}), ("delete", {"save": "x", "sure": True}), ("finger", {"what": "press", "name": "OK"}),
            ("hands", {"help": False}),
        ):  # fmt: skip
            await watcher.refused(what, **fields)
        assert (table.id, table.log) == (asked["question"], ["It begins."])
        assert watcher.view["you"] == {"role": "watcher", "seats": []}


async def test_what_is_the_tables_no_seat_can_do() -> None:
    async with house() as open_house, open_house.page(1, "north") as north:
        for what, fields in (
            ("trust", {"all": True}), ("saves", {}), ("close", {}), ("go on", {"save": "x"}),
            ("begin", {"game": "evershade", "scenario": "x", "seats": {"a": []}}), ("delete", {"save": "x"}),
            ("finger", {"what": "press", "name": "OK"}), ("hands", {"help": False}),
        ):  # fmt: skip
            assert "table" in await north.refused(what, **fields)


async def test_no_seat_answers_for_another_unless_the_table_allows_it() -> None:
    async with around() as (one, table, north, east):
        await east.refused("answer", question=east.id, value="left", seat="north")
        await to_question(table, "mine")
        await east.until_asked("mine")
        for seat in ("north", "east", ""):
            await east.refused("answer", question=east.id, value="go", seat=seat)
        await vote(north, "stay")
        await north.until_asked("anyone?")
        await east.until_asked("anyone?")
        for seat in ("", "north", "east"):
            await north.refused("take", question=north.id, offer="duck", seat=seat)
        for what, more in (("pass", {"until": "round"}), ("hold", {})):
            assert "do not sit at east" in await north.refused(what, seat="east", **more)
        assert "There is no seat" in await north.refused("hold", seat="nobody")

        await table.done("trust", all=True)
        await north.until(lambda: north.view["hall"]["trust"])
        await north.done("take", question=north.id, offer="duck", seat="east")
        await to_question(table, "mine")
        await east.until_asked("mine")
        await vote(east, "go", "north")
        async with one.page(2) as watcher:
            for what, more in (("hold", {}), ("pass", {"until": "round"}), ("answer", {"question": "x", "value": 1})):
                assert "do not sit at north" in await watcher.refused(what, seat="north", **more)
        await table.done("trust", all=False)
        await east.refused("hold", seat="north")


async def test_an_answer_is_put_right_by_who_gave_it_or_by_the_table() -> None:
    async with around() as (_, table, north, east):
        await to_question(table, "mine")
        await north.until_asked("mine")
        await vote(north, "stay")
        entry = (await table.done("fixable"))[0]["entry"]
        await east.until_asked("anyone?")
        assert "do not sit at north" in await east.refused("fix", entry=entry, value="go")
        await north.done("fix", entry=entry, value="go")
        await north.until(lambda: "mine: go" in north.log)
        entry = (await table.done("fixable"))[0]["entry"]
        await table.done("fix", entry=entry, value="stay")
        await table.until(lambda: "mine: stay" in table.log)
        assert "not an answer" in await table.refused("fix", entry=10**6, value="go")


async def test_each_seat_takes_back_for_all_and_who_looks_on_does_not() -> None:
    async with around("") as (_, table, north, watcher):
        await to_question(table, "first")
        await north.until_asked("first")
        await watcher.refused("undo")
        await north.done("undo")
        await watcher.until_asked("way")
        await watcher.refused("redo")
        await north.done("redo")
        await watcher.until_asked("first")


# -- secrets ----------------------------------------------------------------------------------------------------------


async def test_a_note_for_one_seat_leaves_the_host_for_that_seat_alone() -> None:
    async with house() as open_house, AsyncExitStack() as stack:
        table, north, east, watcher = [
            await stack.enter_async_context(open_house.page(*where))
            for where in ((0,), (1, "north"), (2, "east"), (2,))
        ]
        await to_question(table, "mine")
        for page in (north, east, watcher):
            await page.until_asked("mine")
        assert SECRET in north.log and SPY in east.log
        for page, hidden in ((table, (SECRET, SPY)), (north, (SPY,)), (east, (SECRET,)), (watcher, (SECRET, SPY))):
            for secret in hidden:
                assert not any(secret in told for told in page.told)
        await east.done("leave", seat="east")
        await east.until(lambda: SPY not in east.log)
        async with open_house.page(2) as later:
            assert not any(secret in told for told in later.told for secret in (SECRET, SPY))


async def test_a_stolen_page_name_gives_neither_seat_nor_secret() -> None:
    async with house() as open_house, open_house.page(1, "north", name="the page of north") as north:
        async with open_house.page(2, name="the page of north") as thief:
            assert thief.view["you"] == {"role": "watcher", "seats": []}
            assert not any(SECRET in told for told in thief.told)
            for what, fields in (
                ("claim", {"seat": "north"}), ("leave", {"seat": "north"}),
                ("answer", {"question": thief.id, "value": "left", "seat": "north"}),
            ):  # fmt: skip
                await thief.refused(what, **fields)
        assert north.view["you"]["seats"] == ["north"]


async def test_a_seat_comes_back_after_a_reload_and_into_another_page_of_its_browser() -> None:
    async with house() as open_house:
        async with open_house.page(1, "north", name="the page of north"):
            pass
        async with open_house.page(1, name="the page of north") as again:
            assert again.view["you"]["seats"] == ["north"] and SECRET in again.log
        async with open_house.page(1, name="another page of it") as other:
            assert other.view["you"]["seats"] == []
            await other.done("claim", seat="north")
            await other.until(lambda: SECRET in other.log)


async def test_secret_answers_are_told_to_nobody_until_all_are_given() -> None:
    async with house() as open_house, AsyncExitStack() as stack:
        table, north, east, watcher = [
            await stack.enter_async_context(open_house.page(*where))
            for where in ((0,), (1, "north"), (2, "east"), (2,))
        ]
        others = (table, east, watcher)
        marks = [len(page.told) for page in others]
        await vote(north, "right")
        for page in others:
            await page.until(lambda page=page: page.view["fight"]["waiting"] == ["east", "south"])  # type: ignore[misc]
        for page in (table, east):
            assert await page.done("fixable") == []
        assert [one["value"] for one in await north.done("fixable")] == ["right"]
        await north.done("undo")
        for page in others:
            await page.until(lambda page=page: len(page.view["fight"]["waiting"]) == 3)  # type: ignore[misc]
        assert table.view["fight"]["notice"] == "Taken back: north: a secret answer."
        for page, mark in zip(others, marks):
            for told in page.told[mark:]:
                said = json.loads(told)
                if said["is"] == "view":
                    said["fight"]["question"] = said["fight"]["numbered"] = None  # which offer both ways to all
                assert "right" not in json.dumps(said)
        await vote(north, "right")
        await vote(east, "left")
        await vote(table, "left", "south")
        await watcher.until(lambda: "ways: north right, east left, south left" in watcher.log)


# -- late, doubled, at once -------------------------------------------------------------------------------------------


async def test_late_and_doubled_answers_do_no_harm() -> None:
    async with around() as (_, table, north, east):
        await to_question(table, "mine")
        await north.until_asked("mine")
        late = north.id
        twice = [await north.say("answer", question=late, value="go") for _ in range(2)]
        assert [(await north.reply(ref))["ok"] for ref in twice] == [True, False]
        await north.until_asked("anyone?")
        for page in (north, table):
            await page.until_asked("anyone?")
            for value in ("go", "stay", None, "go on"):
                assert "no longer asked" in await page.refused("answer", question=late, value=value)
            assert "no longer asked" in await page.refused("roll", question=late)
        assert "no longer asked" in await east.refused("take", question=late, offer="duck")
        assert north.log.count("mine: go") == 1
        await table.done("undo")
        await north.until(lambda: north.asked == "mine" and north.id == late)
        await vote(north, "stay")
        await north.until(lambda: "mine: stay" in north.log)


async def test_an_answer_that_is_none_changes_nothing() -> None:
    odd: list[Any] = [
        None, "", "up", 1, -1, True, 1.5, [], ["left", "left"], [["left"]], {"left": "left"}, [1, 2], "left\u0000",
        10**15, [[[[[]]]]], {"a": {"b": {"c": {}}}},
    ]  # fmt: skip
    async with house() as open_house, open_house.page(1, "north") as north:
        for value in odd:
            await north.refused("answer", question=north.id, value=value)
        await north.refused("take", question=north.id, offer="nothing")
        await north.refused("roll", question=north.id)
        await north.refused("fix", entry=0, value="left")
        await north.refused("fix", entry=-1, value="left")
        await north.refused("undo", count=-1)
        await north.refused("undo", count=10**30)
        await north.refused("pass", seat="north", until="the cows come home")
        await vote(north, "left")


async def two_at_once(north: Caller, east: Caller, values: tuple[str, str]) -> list[bool]:
    """Two seats answer the same question before either hears of the other: whether each was taken."""
    assert north.id == east.id
    shown = north.id
    refs = await asyncio.gather(
        north.say("answer", question=shown, value=values[0]), east.say("answer", question=shown, value=values[1])
    )
    replies = await asyncio.gather(north.reply(refs[0]), east.reply(refs[1]))
    return [reply["ok"] for reply in replies]


async def test_two_seats_at_once_answer_what_each_is_asked_and_one_wins_what_any_is() -> None:
    async with around() as (_, table, north, east):
        assert await two_at_once(north, east, ("left", "right")) == [True, True]
        await table.until(lambda: table.view["fight"]["waiting"] == ["south"])
        assert "already answered" in await north.refused("answer", question=north.id, value="right")
        await vote(table, "left", "south")
        for page in (north, east):
            await page.until_asked("first")
        won = await two_at_once(north, east, ("bell", "horn"))
        assert sorted(won) == [False, True]
        await table.until_asked("mine")
        assert table.log[-1] == f"first: {'bell' if won[0] else 'horn'}"


async def test_two_pages_that_are_the_table_do_not_answer_twice() -> None:
    async with house() as open_house, open_house.page() as one, open_house.page() as other:
        await to_question(one, "mine")
        await other.until_asked("mine")
        assert sorted(await two_at_once(one, other, ("go", "stay"))) == [False, True]
        await one.until_asked("anyone?")
