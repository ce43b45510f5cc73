"""Pictures of saves: what is in them, that they take nothing from a game in progress, and when there is none."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from emberboard.engine.scene import Figure, Scene, Token
from emberboard.engine.session import Session
from emberboard.games.desk import desk_of
from emberboard.games.evershade.game import Evershade
from emberboard.play import pictures
from emberboard.play.pictures import CELL, Pictures, picture, svg_of
from emberboard.store import create
from emberboard.store.contents import seal, squeeze
from tests.games.evershade_play import play_one
from tests.store.journals import played

SVG = "{http://www.w3.org/2000/svg}"


def fight(path: Path, inputs: int = 12) -> Session:
    setup = desk_of("evershade").setup("outlaws-of-bear-peak", {"Ada": ["malah"], "Ben": ["chiri"]})
    session = Session.new(Evershade, setup, journal=lambda meta: create(path, meta), rng=random.Random(1))
    for _ in range(inputs):
        play_one(session, random.Random(1))
    return session


def test_the_picture_of_a_save_that_is_being_played(tmp_path: Path) -> None:
    session = fight(tmp_path / "one.ember")
    files = sorted(path.name for path in tmp_path.iterdir())
    assert picture(tmp_path / "one.ember") == session.game.scene(session.question)
    assert sorted(path.name for path in tmp_path.iterdir()) == files
    play_one(session, random.Random(1))
    assert picture(tmp_path / "one.ember") == session.game.scene(session.question)
    scene = session.game.scene(session.question)
    session.close()
    assert picture(tmp_path / "one.ember") == scene
    assert [path.name for path in tmp_path.iterdir()] == ["one.ember"]


def test_no_picture_of_what_is_damaged_gone_or_of_another_game(tmp_path: Path) -> None:
    fight(tmp_path / "one.ember").close()
    (tmp_path / "text.ember").write_text("no save")
    (tmp_path / "cut.ember").write_bytes((tmp_path / "one.ember").read_bytes()[:-4096])
    for name in ("none", "text", "cut"):
        assert picture(tmp_path / f"{name}.ember") is None
    played(tmp_path / "mine.ember", 1, 5).close()
    assert picture(tmp_path / "mine.ember") is None


def with_state(path: Path, state: bytes) -> None:
    """Replace every stored state of the save, with a right checksum."""
    db = sqlite3.connect(path)
    body = squeeze(state)
    for (entry,) in db.execute("SELECT entry FROM snapshot").fetchall():
        db.execute("UPDATE snapshot SET body = ?, crc = ? WHERE entry = ?", (body, seal(entry, body), entry))
    db.commit()
    db.close()


def test_no_picture_of_what_the_rules_no_longer_fit(tmp_path: Path) -> None:
    session = fight(tmp_path / "one.ember")
    state = msgspec.json.decode(msgspec.json.encode(session.game.state))
    session.close()
    with_state(tmp_path / "one.ember", b'{"ledger":{},"members":7}')
    assert picture(tmp_path / "one.ember") is None
    # A state of the right shape over which the rules raise.
    state["ledger"]["agenda"] = [{"procedure": "activate_character", "args": {"who": "nobody"}}]
    with_state(tmp_path / "one.ember", msgspec.json.encode(state))
    assert picture(tmp_path / "one.ember") is None


def test_a_list_draws_again_only_what_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def counting(path: Path) -> Scene | None:
        drawn.append(path.stem)
        return picture(path)

    monkeypatch.setattr(pictures, "picture", counting)
    first = fight(tmp_path / "first.ember")
    fight(tmp_path / "second.ember").close()
    (tmp_path / "bad.ember").write_text("no save")
    listed, names = Pictures(), ("first", "second", "bad")

    def look() -> list[str | None]:
        return [listed.svg(tmp_path / f"{name}.ember") for name in names]

    before = look()
    assert before == look()
    assert drawn == ["first", "second", "bad"]
    assert before[2] is None and before[1] is not None
    # An open save grows in its log, and its file may be as before.
    while before[0] == look()[0]:
        play_one(first, random.Random(1))
    assert set(drawn[3:]) == {"first"}
    first.close()
    (tmp_path / "second.ember").unlink()
    assert look()[1] is None


def elements(scene: Scene, tag: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(svg_of(scene)).findall(f".//{SVG}{tag}")


def test_sides_differ_by_shape_and_figures_have_letters_and_hp() -> None:
    scene = Scene(
        4,
        3,
        missing=((0, 0),),
        walls=(((1, 1), (2, 1)), ((1, 1), (1, 2))),
        terrain={"dangerous": ((3, 0),), "blocked": ((3, 1),), "trigger": ((3, 2),)},
        figures=(
            Figure("malah", "Malah", (1, 1), "party", hp=6, hp_max=14),
            Figure("goon:A", "Goon A", (2, 2), "enemy", letter="A", hp=1, hp_max=1),
            Figure("troll", "Troll", (0, 1), "enemy", size=2, hp=30),
        ),
        tokens=(Token("mark", "Mark", (2, 0)),),
        round=2,
    )
    (circle,) = elements(scene, "circle")
    assert (circle.get("cx"), circle.get("cy")) == (str(CELL * 3 // 2), str(CELL * 3 // 2))
    spaces = [one for one in elements(scene, "rect") if one.get("width") == str(CELL)]
    squares = [one for one in elements(scene, "rect") if one not in spaces and one.get("width") != str(CELL)]
    assert len(spaces) == 4 * 3 - 1
    assert sorted(float(one.get("width", "0")) for one in squares) == [CELL - 6, 2 * CELL - 6]
    assert [one.text for one in elements(scene, "text")] == ["MA", "6", "gA", "1", "tr", "30"]
    walls = [one.get("d") for one in elements(scene, "path") if one.get("stroke-width") == "4"]
    assert walls == [f"M{2 * CELL} {CELL}v{CELL}", f"M{CELL} {2 * CELL}h{CELL}"]
    assert len(elements(scene, "path")) == 2 + 3 + 1
    (title,) = elements(scene, "title")
    assert title.text == "Round 2; party: Malah 6 HP; enemy: Goon A 1 HP, Troll 30 HP"


def test_names_do_no_harm() -> None:
    scene = Scene(1, 1, figures=(Figure("x", '<script>"&\x1b\x00', (0, 0), "party"),))
    svg = svg_of(scene)
    assert "<script" not in svg
    (title,) = elements(scene, "title")
    assert title.text == 'party: <script>"&  '


def test_an_immense_scene_is_not_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fight(tmp_path / "one.ember", 0).close()
    monkeypatch.setattr(Evershade, "scene", lambda self, question: Scene(10_000, 10_000))
    assert picture(tmp_path / "one.ember") is None
