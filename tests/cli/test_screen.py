"""What the group sees: every picture of whole fights fits, and nothing of the program's inside shows."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from emberboard.cli.board_view import hp_bar
from emberboard.cli.screen import screen_lines
from emberboard.cli.signs import PLAIN, UNICODE, signs_for
from emberboard.cli.table_view import GridDrawing
from emberboard.engine.players import random_input
from emberboard.engine.question import Choose, Option, Who
from emberboard.engine.scene import Figure, Scene, Token
from emberboard.engine.scene_labels import labels_of
from tests.cli.sittings import Group, open_fight

FIVE = {"Ada": ["malah"], "Benedict the Bold": ["chiri"], "Cleo": ["doran"], "Dora": ["isme"], "Emil": ["oswin"]}
INSIDE = re.compile(r"None|<[a-z_. ]*object|Traceback|\w+\(\w+=|\{'|\['|frozenset|\bnan\b")


def pictures(group: Group, width: int, height: int) -> list[str]:
    lines = screen_lines(group.sitting.picture(width), width, height)
    return [line.plain for line in lines]


@pytest.mark.parametrize("seed", [1, 2])
def test_every_picture_of_a_fight_fits(tmp_path: Path, seed: int) -> None:
    group = Group(open_fight(tmp_path / "fight.ember", seed, FIVE), tmp_path / "fight.ember")
    rng = random.Random(seed)
    kinds: set[str] = set()
    for _ in range(160):
        question = group.session.question
        if question is None:
            break
        kinds.add(type(question).__name__)
        for width, height in ((80, 24), (80, 50), (120, 45)):
            lines = pictures(group, width, height)
            wide = [line for line in lines if cell_len(line) > width]
            assert not wide, (width, question.prompt)
            text = "\n".join(lines)
            assert not INSIDE.search(text), INSIDE.search(text)
            assert question.prompt.split()[0] in text
            keys = text[text.rindex("u undo") :]
            assert "q leave" in keys, f"{width}: the keys are cut: {keys}"
        random_input(group.session, rng)
    assert {"Choose", "Draw", "Roll", "Path", "Window"} <= kinds


def test_a_wide_terminal_shows_a_whole_question_without_scrolling(tmp_path: Path) -> None:
    group = Group(open_fight(tmp_path / "fight.ember"), tmp_path / "fight.ember")
    group.session.answer(group.session.question.id, "white")  # type: ignore[union-attr]
    group.session.answer(group.session.question.id, "malah")  # type: ignore[union-attr]
    assert len(pictures(group, 120, 45)) <= 45
    assert len(pictures(group, 80, 45)) <= 45


def test_drawing_is_quick(tmp_path: Path, show: Callable[[str], None]) -> None:
    group = Group(open_fight(tmp_path / "fight.ember", 3, FIVE), tmp_path / "fight.ember", width=120)
    group.sitting.show()
    times = []
    for _ in range(10):
        started = time.perf_counter()
        group.sitting.show()
        times.append(time.perf_counter() - started)
    show(f"terminal: the table is drawn in {1000 * min(times):.1f} ms (at most 50)")
    assert min(times) < 0.05


SCENE = Scene(
    width=3,
    height=2,
    missing=((2, 0),),
    walls=(((0, 0), (1, 0)), ((0, 0), (0, 1))),
    terrain={"dangerous": ((1, 1),)},
    roles={"active": ((0, 0),), "reachable": ((1, 0), (1, 1))},
    figures=(
        Figure("malah", "Malah", (0, 0), "party", colour="red"),
        Figure("goon:A", "Goon A", (2, 1), "enemy", letter="A"),
    ),
    tokens=(Token("arrow", "Arrow Salvo", (0, 1)),),
)


def drawn(scene: Scene, *, compact: bool = False) -> list[str]:
    return [line.plain.rstrip() for line in GridDrawing(scene, None).lines(compact=compact)]


def test_the_grid() -> None:
    assert drawn(SCENE) == [
        "     0   1   2",
        "   ┼───┃───┼",
        " 0 │▶MA┃ • │",
        "   ━━━━╋───┼───┼",
        " 1 │ ◆a│•▲ │ gA│",
        "   ┼───┼───┼───┼",
        "     0   1   2",
    ]


def test_the_grid_with_one_line_a_row() -> None:
    assert drawn(SCENE, compact=True) == ["     0   1   2", " 0 │▶MA┃ • │", " 1 │ ◆a│•▲ │ gA│"]
    empty = drawn(Scene(2, 2, walls=(((0, 0), (0, 1)),)), compact=True)
    assert empty[1] == " 0 │▁▁▁│   │"


def test_answers_are_numbered_where_they_stand() -> None:
    options = (Option("malah", "Malah", (0, 0)), Option("goon:A", "Goon A", (2, 1)))
    question = Choose(prompt="Whom?", who=Who("group", ("Ada",)), options=options)
    lines = [line.plain for line in GridDrawing(SCENE, question).lines(compact=True)]
    assert "1MA" in lines[1] and "2gA" in lines[2]


def test_a_large_figure_covers_all_its_spaces() -> None:
    ogre = Figure("ogre", "Ogre", (0, 0), "enemy", size=2)
    assert sum(line.count("og") for line in drawn(Scene(2, 2, figures=(ogre,)))) == 4


def test_letters_differ_even_for_like_names() -> None:
    known = {name: (name.capitalize(), "party", "") for name in ("malah", "maler", "malon", "ma")}
    assert len(set(labels_of(known).values())) == 4
    assert labels_of({"g:A": ("Goon A", "enemy", "A"), "c": ("Goon", "party", "")}) == {"g:A": "gA", "c": "GO"}


def test_hp_bars_are_honest() -> None:
    assert hp_bar(1, 100, UNICODE).plain == "█░░░░░░░ 1/100"
    assert hp_bar(99, 100, UNICODE).plain == "███████░ 99/100"
    assert hp_bar(0, 10, UNICODE).plain == "░░░░░░░░ 0/10"
    assert hp_bar(10, 10, UNICODE).plain == "████████ 10/10"


def test_a_terminal_without_unicode_gets_plain_signs(tmp_path: Path) -> None:
    assert signs_for("utf-8") is UNICODE and signs_for("UTF8") is UNICODE
    assert signs_for("ascii") is PLAIN and signs_for("latin-1") is PLAIN
    for line in GridDrawing(SCENE, None, PLAIN).lines():
        assert line.plain.isascii()


def test_only_colours_that_can_be_read_on_any_background(tmp_path: Path) -> None:
    group = Group(open_fight(tmp_path / "fight.ember", 1, FIVE), tmp_path / "fight.ember")
    for answer in ("white", "malah"):
        assert group.session.question is not None
        group.session.answer(group.session.question.id, answer)
    for line in screen_lines(group.sitting.picture(120), 120, 45):
        for style in (str(line.style), *(str(span.style) for span in line.spans)):
            on_its_own_ground = " on " in style or "reverse" in style
            assert on_its_own_ground or not re.search(r"white|black|yellow|bright", style), (style, line.plain)
