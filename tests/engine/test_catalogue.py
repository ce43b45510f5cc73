"""Rule catalogues: read, checked against their scope, and compared with what is proven."""

from __future__ import annotations

from pathlib import Path

import pytest

from emberboard.engine.catalogue import balance, load_catalogue, read_evidence, statuses
from emberboard.engine.errors import ContentError
from emberboard.games import registry

RULES = """\
rules:
- {id: TO-ROLL-01, section: Rolls, rule: Dice are rolled., check: They are.}
- {id: TO-ROLL-02, section: Rolls, rule: Ones are bad., check: They are., ruling: Always.}
- {id: TO-CAMP-01, section: Camp, rule: Sleep., check: They do.}
"""
SCOPE = "areas: [ROLL]\nbeyond: campaign\nopen:\n- {id: TO-ROLL-02, reason: later}\n"


def written(folder: Path, rules: str = RULES, scope: str = SCOPE) -> Path:
    (folder / "rules.yaml").write_text(rules, encoding="utf-8")
    (folder / "open_rules.yaml").write_text(scope, encoding="utf-8")
    return folder


def test_what_is_required_and_why_the_rest_waits(tmp_path: Path) -> None:
    catalogue = load_catalogue(written(tmp_path))
    assert catalogue.game == tmp_path.name
    assert catalogue.required() == ["TO-ROLL-01"]
    assert catalogue.open == {"TO-ROLL-02": "later", "TO-CAMP-01": "campaign"}
    assert catalogue.rules["TO-ROLL-02"].ruling == "Always."
    assert catalogue.rules["TO-ROLL-02"].area == "ROLL"


def test_without_a_scope_everything_is_required(tmp_path: Path) -> None:
    (written(tmp_path) / "open_rules.yaml").unlink()
    assert load_catalogue(tmp_path).required() == ["TO-ROLL-01", "TO-ROLL-02", "TO-CAMP-01"]


@pytest.mark.parametrize(
    ("rules", "scope", "file", "line", "said"),
    [
        (RULES + "- {id: TO-ROLL-01, section: X, rule: x, check: x}\n", SCOPE, "rules.yaml", 5, "stands twice"),
        (RULES + "- {id: TO-ROLL-03, section: X, rule: x}\n", SCOPE, "rules.yaml", 5, "check"),
        (RULES + "- {id: TO-ROLL-03, section: X, rule: x, check: x, chek: y}\n", SCOPE, "rules.yaml", 5, "chek"),
        ("[]", SCOPE, "rules.yaml", 1, "expected a mapping"),
        (RULES, SCOPE.replace("[ROLL]", "[ROL]"), "open_rules.yaml", 1, "nearest: ROLL"),
        (RULES, SCOPE.replace("ROLL-02", "ROLL-20"), "open_rules.yaml", 4, "nearest: TO-ROLL-0"),
        (RULES, SCOPE.replace("ROLL-02", "CAMP-01"), "open_rules.yaml", 4, "no rule of an area in scope"),
    ],
)
def test_a_wrong_catalogue_names_file_and_line(
    tmp_path: Path, rules: str, scope: str, file: str, line: int, said: str
) -> None:
    with pytest.raises(ContentError) as caught:
        load_catalogue(written(tmp_path, rules, scope))
    assert said in str(caught.value)
    assert (Path(caught.value.file).name, caught.value.line) == (file, line)


def test_statuses_and_balance(tmp_path: Path) -> None:
    catalogue = load_catalogue(written(tmp_path))
    evidence = {"TO-ROLL-02": ["t::a", "EX-1"]}
    first, second, third = statuses(catalogue, evidence)
    assert (first.proven, first.by, first.open) == (False, [], None)
    assert (second.proven, second.by, second.open) == (True, ["t::a", "EX-1"], "later")
    assert (third.id, third.proven, third.open) == ("TO-CAMP-01", False, "campaign")
    assert balance(catalogue, evidence, []).missing == ("TO-ROLL-01",)
    assert balance(catalogue, evidence, ["TO-ROLL-01"]).even
    uneven = balance(catalogue, {"TO-ROLL-01": ["t::a"]}, ["TO-ROLL-01", "TO-CAMP-01"])
    assert (uneven.stale, uneven.missing, uneven.unknown) == (("TO-ROLL-01",), (), ("TO-CAMP-01",))


def test_an_unknown_id_is_told_with_the_nearest(tmp_path: Path) -> None:
    catalogue = load_catalogue(written(tmp_path))
    catalogue.check(["TO-ROLL-01", "TO-CAMP-01"])
    with pytest.raises(ContentError, match="no rule TO-ROL-01; nearest: TO-ROLL-01"):
        catalogue.check(["TO-ROL-01"])


def test_damaged_evidence_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "toy.json").write_text('{"TO-ROLL-01": 3}', encoding="utf-8")
    with pytest.raises(ContentError, match="run `make test` to write it anew"):
        read_evidence(tmp_path / "toy.json")


def test_evershade_has_all_its_rules_and_what_is_in_scope() -> None:
    catalogue = load_catalogue(registry.folder("evershade"))
    assert len(catalogue.rules) == 397
    assert len(catalogue.required()) == 251
    assert catalogue.rules["EV-ROLL-05"].section
    assert catalogue.open["EV-STORY-01"] == "campaign"
    assert catalogue.open["EV-GEN-10"].startswith("campaign: Chapters")
