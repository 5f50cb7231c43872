"""`grade verify` on the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import grader.verify
from grader.__main__ import main
from grader.errors import HarnessError
from grader.verify.schema import Proof, proof_json_schema


@pytest.fixture(autouse=True)
def no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADE_ASSIGNMENT", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")


def test_table_shows_who_catches_what_and_every_problem(
    sample: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    sample.cut_check("tests/hidden/test_clip_values.py", "test_gradient")
    arguments = ["verify", "--assignment", str(sample.root), "--exercise", "clip_values", "--seeds", "1"]
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert "\x1b" not in out
    words = [" ".join(row.split()) for row in out.splitlines()]
    assert "3 test_input_is_left_alone hidden 2 2 in_place" in words
    assert "4 test_runs_where_its_inputs_are device 1 2 bound_on_cpu" in words
    assert "in_place 6 of 8 3 * only this one" in words
    assert "lower_bound_only 0 of 8 1 2 3 4" in words
    assert "graph_cut 8 of 8 NOT CAUGHT" in words
    assert any(row.startswith("clip_values float32 0.0e+00 1.0e-06 2.5e+00 yes") for row in words)
    assert any(row.startswith("clip_values 4 8 of 10 0 8 1 of 1 3 of 4") for row in words)
    assert any(row.startswith("Seeds: 1 for right code, 1 for chaffs;") for row in words)
    assert "1. exercises/assignment.toml" in words
    assert "2. tests/chaffs/clip_values/graph_cut.py" in words
    assert words[-1] == "Not proved: 2 problems."


def test_json_is_all_of_standard_output_and_fits_its_schema(
    sample: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        "verify",
        "--assignment",
        str(sample.root),
        "--exercise",
        "moving_average",
        "--quick",
        "--json",
    ]
    assert main(arguments) == 0
    fields = json.loads(capsys.readouterr().out)
    jsonschema.validate(fields, proof_json_schema())
    proof = Proof.model_validate(fields)
    assert proof.is_proved
    assert (proof.seeds.wheats, proof.seeds.chaffs) == (3, 1)
    assert [exercise.stem for exercise in proof.exercises] == ["moving_average"]


def test_schema_is_printed_without_an_assignment(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["verify", "--schema"]) == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(capsys.readouterr().out))


def test_broken_toml_lists_all_of_its_problems(sample: Any, capsys: pytest.CaptureFixture[str]) -> None:
    sample.edit("exercises/assignment.toml", ("points = 10", "points = 0"))
    assert main(["verify", "--assignment", str(sample.root)]) == 1
    out = capsys.readouterr().out
    assert out.count("`points` must be a positive number, got 0") == 2
    assert out.rstrip().endswith("Not proved: 2 problems.")


def test_our_own_failure_is_no_verdict(
    sample: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> Proof:
        raise HarnessError("The judge host died.")

    monkeypatch.setattr(grader.verify, "verify_assignment", fail)
    assert main(["verify", "--assignment", str(sample.root)]) == 3
    assert capsys.readouterr().err == "grade: The judge host died.\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--quick", "--seeds", "5"], "`--quick` and `--seeds` exclude each other"),
        (
            ["--exercise", "clip_value"],
            "`clip_value` is not an exercise of `sample`. Did you mean `clip_values`?",
        ),
        (["--seeds", "0"], "0 is not in the range"),
    ],
)
def test_wrong_usage_is_explained(
    sample: Any, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    assert main(["verify", "--assignment", str(sample.root), *arguments]) == 2
    assert complaint in capsys.readouterr().err


def test_no_assignment_at_all_is_not_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["verify"]) == 2
    assert "No assignment found" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--quick", "--json"])
def test_handout_has_nothing_to_prove_with(
    sample: Any, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    for folder in ("solutions", "tests/hidden"):
        shutil.rmtree(sample.root / folder)
    assert main(["verify", "--assignment", str(sample.root), option]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "is a handout: the hidden suites and solutions" in err
    assert err.count("\n") == 1


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from grader.__main__ import main; main(['verify', '--help']); "
        "sys.exit(any(name in sys.modules for name in ('torch', 'pydantic', 'rich', 'pytest')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0
