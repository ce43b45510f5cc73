"""Errands: what pages ask for, done once or refused in words without a trace. The rules and the table are real."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

import pytest

from emberboard.devices.table_file import table_named
from emberboard.engine.example_file import load_examples
from emberboard.engine.game import Note
from emberboard.engine.question import Who
from emberboard.engine.session import Session
from emberboard.store.saves import folder, list_saves, trash
from emberboard.virtual.table import VirtualTable
from emberboard.web import messages as m
from tests.web.parlours import HELD, SCENARIO, Room, in_a_room, room

pytestmark = pytest.mark.usefixtures("place")


def asked(room: Room) -> Session:
    session = room.parlour.playing().session
    assert session.question is not None
    return session


# -- saves ------------------------------------------------------------------------------------------------------------


def test_saves_are_listed_with_their_title_people_and_last_lines(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        room.answer("black")
        name = room.parlour.playing().path.stem
        await room.done(m.Close())
        (save,) = await room.done(m.Saves())
        assert (save["name"], save["title"], save["seats"]) == (name, "Outlaws of Bear Peak", HELD)
        assert "The token is black." in save["log"]
        assert save["entries"] == 1 and not save["finished"] and not save["damaged"]
        assert save["picture"].startswith(f"/saves/{name}.svg?")
        assert datetime.fromisoformat(save["played"]).tzinfo is not None
        await room.done(m.GoOn(save=name))
        room.answer("go on")
        (later,) = await room.done(m.Saves())
        assert later["picture"] != save["picture"]

    in_a_room(works, act)


def test_a_save_is_deleted_only_after_the_second_question(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        path = room.parlour.playing().path
        assert "open" in (await room.refused(m.Delete(save=path.stem, sure=True))).words
        await room.done(m.Close())
        first = await room.refused(m.Delete(save=path.stem))
        assert first.data == {"sure": True} and "trash" in first.words
        assert path.is_file()
        await room.done(m.Delete(save=path.stem, sure=True))
        assert not path.exists() and (trash() / path.name).is_file()

    in_a_room(works, act)


@pytest.mark.parametrize("name", ["", "nowhere", "../outside", "trash/inside", "outside.ember", "/etc/passwd"])
def test_only_saves_of_the_list_are_opened_or_deleted(works: VirtualTable, place: Path, name: str) -> None:
    trash().mkdir(parents=True)
    for path in (place / "outside.ember", trash() / "inside.ember"):
        path.write_bytes(b"here to stay")

    async def act(room: Room) -> None:
        for one in (m.GoOn(save=name), m.Delete(save=name, sure=True)):
            assert "There is no save" in (await room.refused(one)).words
        assert (place / "outside.ember").is_file() and (trash() / "inside.ember").is_file()

    in_a_room(works, act)


def test_a_damaged_save_is_recovered_only_when_the_table_agrees(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        room.answer("black")
        path = room.parlour.playing().path
        await room.done(m.Close())
        harm(path)
        (save,) = await room.done(m.Saves())
        assert save["damaged"]
        await room.begin()
        before = room.parlour.playing()
        first = await room.refused(m.GoOn(save=path.stem))
        assert first.data["agree"] is True and "damaged" in first.words
        assert room.parlour.playing() is before
        await room.done(m.GoOn(save=path.stem, agree=True))
        assert room.parlour.playing().path == path
        assert list(folder().glob("*damaged*"))

    in_a_room(works, act)


def harm(path: Path) -> None:
    """Change one letter of the last line of the log that the save holds, as a bad card does."""
    data = path.read_bytes()
    at = data.rindex(b'"black"')
    path.write_bytes(data[: at + 1] + b"B" + data[at + 2 :])


def test_a_guest_neither_sees_nor_touches_saves(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        await room.done(m.Close())
        (save,) = list_saves()
        guest, name = room.page("Ann"), save.path.stem
        for one in (
            m.Saves(),
            m.GoOn(save=name),
            m.Delete(save=name, sure=True),
            m.Begin(game="evershade", scenario=SCENARIO, seats=HELD),
            m.Close(),
        ):
            assert "Only the page at the table" in (await room.refused(one, guest)).words
        assert room.parlour.fight is None and save.path.is_file()

    in_a_room(works, act)


# -- a new fight ------------------------------------------------------------------------------------------------------


def test_a_new_fight_seats_whom_the_form_named(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        (scenario,) = [one for one in await room.done(m.Scenarios(), room.page("Eve")) if one["id"] == SCENARIO]
        held = {"Ann": [scenario["characters"][0]["id"], scenario["characters"][3]["id"]]}
        await room.done(m.Begin(game=scenario["game"], scenario=SCENARIO, seats=held))
        seen = room.parlour.view(room.table)
        assert seen is not None and seen.fight is not None
        boards = room.parlour.playing().desk.boards(room.parlour.playing().session.game)
        assert [(one.seat, one.id) for one in boards] == [("Ann", "malah"), ("Ann", "isme")]

    in_a_room(works, act)


@pytest.mark.parametrize(
    ("seats", "words"),
    [
        ({}, "name of 1 to 40 letters"),
        ({" ": ["malah"]}, "name of 1 to 40 letters"),
        ({"x" * 41: ["malah"]}, "name of 1 to 40 letters"),
        ({"Ann": []}, "1 to 5 Characters"),
        ({"Ann": ["malah"], "Ben": ["malah"]}, "given to two seats"),
        ({"Ann": ["nobody"]}, "no ready-made Character"),
    ],
)
def test_a_fight_that_cannot_be_is_refused_and_leaves_no_save(
    works: VirtualTable, seats: dict[str, list[str]], words: str
) -> None:
    async def act(room: Room) -> None:
        assert words in (await room.refused(m.Begin(game="evershade", scenario=SCENARIO, seats=seats))).words
        assert list_saves() == [] and room.parlour.fight is None

    in_a_room(works, act)


# -- what a seat cannot do --------------------------------------------------------------------------------------------


def test_each_card_of_a_seat_can_be_used_or_has_a_reason(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        ann, ben = room.page("Ann"), room.page("Ben")
        await room.done(m.Claim(seat="Ann"), ann)
        await room.done(m.Claim(seat="Ben"), ben)
        room.answer("white")
        room.answer("malah")
        session = asked(room)
        question = session.question
        assert question is not None and question.name == "action"
        able = {option.id for option in question.options}  # type: ignore[attr-defined]
        mine = await room.done(m.NotNow(seat="Ann"), ann)
        why = {one["source"]: one["why"] for one in mine if one.get("source")}
        for card in room.parlour.playing().desk.boards(session.game)[0].cards:
            assert (card.id in able) != (card.id in why), card.name
        assert all(one["about"] == "malah" for one in mine)
        others = await room.done(m.NotNow(seat="Ben"), ben)
        assert {one["about"] for one in others} == {"chiri", "doran"}

    in_a_room(works, act)


def test_nobody_is_told_what_another_seat_cannot_do(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        ann = room.page("Ann")
        assert "Take a seat first" in (await room.refused(m.NotNow(seat=""), ann)).words
        assert "You do not sit at Ann" in (await room.refused(m.NotNow(seat="Ann"), ann)).words
        await room.done(m.Claim(seat="Ann"), ann)
        assert "You do not sit at Ben" in (await room.refused(m.NotNow(seat="Ben"), ann)).words

    in_a_room(works, act)


# -- what if ----------------------------------------------------------------------------------------------------------


def test_what_if_shows_where_a_walk_leads_and_leaves_everything_as_it_is(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        ann = room.page("Ann")
        await room.done(m.Claim(seat="Ann"), ann)
        for value in ("white", "malah", "move"):
            room.answer(value)
        session = asked(room)
        before = (session.state_hash(), session.head, len(session.journal.operations()))
        question = session.question
        assert question is not None and question.name != "action"
        seen = await room.done(m.WhatIf(question=question.id, value=[5, 7], seat="Ann"), ann)
        (malah,) = [one for one in seen["scene"]["figures"] if one["id"] == "malah"]
        assert malah["at"] == (5, 7)
        assert "What now?" in seen["prompt"] and any(one["id"] == "move" for one in seen["options"])
        assert before == (session.state_hash(), session.head, len(session.journal.operations()))
        assert session.question is not None and session.question.id == question.id

    in_a_room(works, act)


def test_what_if_is_of_the_open_question_by_whom_it_asks(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        first = asked(room).question
        assert first is not None
        assert "odds" in (await room.refused(m.WhatIf(question=first.id, value="white"))).words
        room.answer("white")
        assert "Another question" in (await room.refused(m.WhatIf(question=first.id, value="white"))).words
        now = asked(room).question
        assert now is not None
        await room.refused(m.WhatIf(question=now.id, value="nobody"))
        eve = room.page("Eve")
        assert "Take a seat" in (await room.refused(m.WhatIf(question=now.id, value="malah"), eve)).words
        assert (await room.done(m.WhatIf(question=now.id, value="malah")))["prompt"]
        now.who = Who("each", now.who.seats)
        assert "in secret" in (await room.refused(m.WhatIf(question=now.id, value="malah"))).words

    in_a_room(works, act)


def test_odds_come_as_lines_and_as_rows_of_the_open_question(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        odds = await room.done(m.Odds(), room.page("Eve"))
        pending = asked(room).question
        assert pending is not None and odds["question"] == pending.id
        for value in ("white", "malah", "command", "chiri"):
            room.answer(value)
        now = asked(room).question
        odds = await room.done(m.Odds())
        assert now is not None and odds["question"] == now.id and odds["lines"]
        for case in {row.get("case", "") for row in odds["rows"]}:
            shares = [row["percent"] for row in odds["rows"] if row.get("case", "") == case]
            assert shares and all(0 <= share <= 100 for share in shares)

    in_a_room(works, act)


# -- the capsule ------------------------------------------------------------------------------------------------------


def test_a_capsule_is_a_worked_example_of_this_moment(works: VirtualTable, tmp_path: Path) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        room.answer("black")
        room.parlour.trace.append((77, "key OK"))
        before = (asked(room).state_hash(), asked(room).head)
        got = await room.done(m.Capsule())
        assert got["name"].endswith(f"-at-{asked(room).head}.yaml")
        (tmp_path / "capsule.yaml").write_text(got["text"], encoding="utf-8")
        (example,) = load_examples(tmp_path / "capsule.yaml")
        assert example.id.startswith("capsule-")
        assert "key OK" in got["text"]
        assert before == (asked(room).state_hash(), asked(room).head)
        assert "Take a seat" in (await room.refused(m.Capsule(), room.page("Eve"))).words

    in_a_room(works, act)


def test_a_capsule_tells_no_seat_what_another_one_keeps(works: VirtualTable, monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        ann = room.page("Ann")
        await room.done(m.Claim(seat="Ann"), ann)
        assert (await room.done(m.Capsule(), ann))["text"] == (await room.done(m.Capsule()))["text"]
        told = [*asked(room).log_lines(), ("1.9", Note("The letter is in the well.", seat="Ben"))]
        monkeypatch.setattr(asked(room), "log_lines", lambda: told)
        assert "only Ben may know" in (await room.refused(m.Capsule(), ann)).words
        await room.done(m.Capsule())

    in_a_room(works, act)


# -- play -------------------------------------------------------------------------------------------------------------


def test_an_answer_that_comes_twice_or_late_changes_nothing_more(works: VirtualTable) -> None:
    async def act(room: Room) -> None:
        assert room.parlour.fingers is not None
        room.parlour.fingers.help = True
        await room.begin()
        await until_open(room)
        ann = room.page("Ann")
        await room.done(m.Claim(seat="Ann"), ann)
        question = asked(room).question
        assert question is not None
        await room.done(m.Answer(question=question.id, value="black", seat="Ann"), ann)
        head = asked(room).head
        await room.refused(m.Answer(question=question.id, value="black", seat="Ann"), ann)
        await room.refused(m.Answer(question=question.id, value="white"))
        await room.refused(m.Roll(question=question.id))
        assert asked(room).head == head

    in_a_room(works, act)


async def until_open(room: Room) -> None:
    """Until the hands have set up the table and the question is open."""
    page = room.page("watching")
    async with asyncio.timeout(60):
        while room.parlour.playing().table.controller.phase != "open":
            page.wake.clear()
            await page.wake.wait()


def test_a_room_closes_with_its_fight_safe(works: VirtualTable) -> None:
    async def whole() -> None:
        async with room(works) as one:
            await one.begin()
            one.answer("black")
        (save,) = list_saves()
        assert save.entries == 1 and not save.damaged
        async with room(works) as again:
            await again.done(m.GoOn(save=save.path.stem))
            assert asked(again).head == 1

    asyncio.run(whole())


def test_ok_and_no_put_figures_and_bag_right_where_no_key_can() -> None:
    """At a table of its own: what others left standing would be taken for its figures."""

    async def act(room: Room) -> None:
        await room.begin()
        table, guest = room.parlour.playing().table.controller, room.page("guest")
        assert table.phase == "mending"
        assert "seat" in (await room.refused(m.Settle(ok=True), guest)).words
        await room.done(m.Settle(ok=True))
        assert table.phase == "bag"
        await asyncio.sleep(0.3)  # the same key at once would be the same press
        await room.done(m.Settle(ok=True))
        assert table.phase == "open"
        assert "done already" in (await room.refused(m.Settle(ok=True))).words

    with VirtualTable(table_named("2x2")) as bare:
        in_a_room(bare, act)


def test_what_breaks_is_told_in_words_and_kept_as_a_report(
    works: VirtualTable, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act(room: Room) -> None:
        await room.begin()
        before = asked(room).state_hash()
        monkeypatch.setattr(type(asked(room).game), "odds", lambda game, question: 1 / 0)
        reply = await room.refused(m.Odds())
        assert "ZeroDivisionError" in reply.words and "Traceback" not in reply.words
        (report,) = (place / "saves" / "reports").iterdir()
        assert "ZeroDivisionError" in report.read_text() and str(report) in reply.words
        assert asked(room).state_hash() == before

    in_a_room(works, act)
