"""Scene files and their drawings: what is read, what is refused with file, line and field, what is drawn."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import typer

from emberboard.cli.plane import plane as command
from emberboard.engine.errors import ContentError
from emberboard.engine.plane.draw import svg
from emberboard.engine.plane.reach import reach
from emberboard.engine.plane.scene import SceneError
from emberboard.engine.plane.scenefile import load
from emberboard.engine.plane.units import Point

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "plane").glob("*.yaml"))
SVG = "{http://www.w3.org/2000/svg}"


def write(folder: Path, text: str) -> Path:
    path = folder / "scene.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_are_drawn(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "scene.svg"
    command(path, out)
    scene = load(path)
    tree = ElementTree.parse(out).getroot()
    texts = [t.text or "" for t in tree.iter(f"{SVG}text")]
    assert scene.title in texts
    for model in scene.plane.scene.models:
        circles = [
            c for c in tree.iter(f"{SVG}circle") if (title := c.find(f"{SVG}title")) is not None and title.text
        ]
        mine = [c for c in circles if (c.find(f"{SVG}title").text or "").startswith(f"{model.id},")]  # type: ignore[union-attr]
        assert [float(c.get("cx", "0")) for c in mine] == [round(model.at.x * 24 / 1000, 2)]
    assert len(list(tree.iter(f"{SVG}polygon"))) == len(scene.plane.scene.pieces)


def test_the_drawing_shows_the_answers(tmp_path: Path) -> None:
    scene = load(EXAMPLES[[p.stem for p in EXAMPLES].index("village_square")])
    field = reach(scene.plane, "adric", 6000, 3000)
    drawn = svg(scene.plane, scene.pictures, scene.title)
    root = ElementTree.fromstring(drawn)
    tiles = [r for r in root.iter(f"{SVG}rect") if r.get("fill") == "#9cc4ee"]
    assert len(tiles) == len(field.tiles)
    words = " ".join(t.text or "" for t in root.iter(f"{SVG}text"))
    assert "fale sees rat: BLOCKED (LT-LOS-07); barn blocks 100%" in words
    assert "fale sees ghost: CLEAR (LT-LOS-05); nothing between; free 100%; Cover (LT-AREA-02)" in words
    assert "around tree" in words


def test_inches_become_thousandths(tmp_path: Path) -> None:
    scene = load(
        write(
            tmp_path,
            "board: [12, 10]\ndarkness: 12\n"
            "pieces: [{id: w, kinds: [impassable], height: 1.5, rect: [1, 2, 3, 0.125]}]\n"
            "models: [{id: a, side: x, at: [5.125, 6.001], size: 2, ignores: [woodland]}]\n"
            "markers: [{id: chest, at: [9, 9], solid: true}]\nlights: [{radius: 3, bearer: a}]\n",
        )
    )
    assert scene.plane.model("a").at == Point(5125, 6001)
    assert scene.plane.piece("w").shape[2] == Point(4000, 2125)
    assert scene.plane.scene.darkness == 12_000 and scene.plane.scene.width == 12_000
    assert scene.title == "scene"


@pytest.mark.parametrize(
    ("text", "line", "field", "message"),
    [
        ("models:\n  - {id: a, side: x, at: [1, 2.0005]}\n", 2, "models.0.at", "at most three decimals"),
        ("models:\n  - {id: a, side: x}\n", 2, "models.0", "required field"),
        ("pieces:\n  - {id: p, kinds: [open]}\n", 2, "pieces.0", "one of shape, rect, disc, got none"),
        ("pieces:\n  - id: p\n    kinds: [hole]\n    disc: [1, 1, 1]\n", 3, "pieces.0.kinds.0", "Invalid enum value"),
        ("models: []\nwind: 3\n", 0, "", "unknown field"),
        ("draw:\n  - {model: nobody, reach: 3}\n", 2, "draw.0.model", "expected the id of a model"),
        ("lights:\n  - {radius: 3}\n", 2, "lights.0", "either a place (at) or a bearer"),
        ("- 1\n", 1, "", "expected a mapping"),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, line: int, field: str, message: str) -> None:
    with pytest.raises(ContentError) as caught:
        load(write(tmp_path, text))
    assert message in str(caught.value)
    assert str(tmp_path / "scene.yaml") in str(caught.value)
    if line:
        assert caught.value.line == line
    if field:
        assert caught.value.field == field


def test_what_cannot_stand_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "models:\n  - {id: a, side: x, at: [5, 5]}\n  - {id: b, side: x, at: [5.5, 5]}\n")
    with pytest.raises(SceneError, match=r"'b'.*overlaps 'a'"):
        load(path)
    with pytest.raises(typer.Exit) as left:
        command(path, tmp_path / "x.svg")
    assert left.value.exit_code == 2 and not (tmp_path / "x.svg").exists()
    assert "overlaps 'a'" in capsys.readouterr().err
