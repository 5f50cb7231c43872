"""The notebook that is made from the stubs: in step, readable, and graded like any other."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from torch import nn

from grader.__main__ import main
from grader.authoring.notebook import make_notebook, notebook_path, text_path
from grader.catalog import Assignment
from grader.load import load_submission
from grader.records import Submission
from grader.report.writing import read_report

TEXTS = Path(__file__).parents[3] / "exercises" / "notebook"


def test_our_notebook_is_what_the_stubs_give(ours: Assignment) -> None:
    advice = "run `grade notebook`"
    assert notebook_path(ours).read_text("utf-8") == make_notebook(ours), advice


def test_every_exercise_has_text_stub_and_check(ours: Assignment, notebook: Any) -> None:
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in notebook.cells)
    cells = {cell.id: cell.source for cell in notebook.cells}
    assert len(cells) == len(notebook.cells)
    for number, spec in enumerate(ours.exercises, 1):
        start = f"{number}-{spec.stem}"
        assert cells[f"{start}-text"].startswith(f"## {number}. {spec.title}\n")
        assert all(
            re.search(rf"^(?:def|class) {name}\b", cells[f"{start}-stub"], re.M) for name in spec.symbols
        )
        assert cells[f"{start}-check"] == f"check({', '.join(spec.symbols)})"
        assert (
            cells.get(f"{start}-see", f"see({', '.join(spec.symbols)})") == f"see({', '.join(spec.symbols)})"
        )


def test_stubs_run_in_one_namespace(notebook: Any) -> None:
    names: dict[str, Any] = {}
    set_up = next(cell.source for cell in notebook.cells if cell.id == "set-up")
    exec("\n".join(line for line in set_up.split("\n") if "grader" not in line), names)
    for cell in notebook.cells:
        if cell.id.endswith("-stub"):
            exec(cell.source, names)
    with pytest.raises(NotImplementedError):
        names["masked_softmax"](torch.zeros(1, 2, 3), None)


@pytest.mark.parametrize("stem", [path.stem for path in sorted(TEXTS.glob("*.md"))])
def test_texts_hold_a_formula_and_an_example_that_is_right(ours: Assignment, stem: str) -> None:
    text = text_path(ours, stem).read_text("utf-8")
    assert re.search(r"\$\$\n.+?\n\$\$", text, re.S)
    assert "**By hand" in text
    names: dict[str, Any] = {"torch": torch, "nn": nn}
    sources = [ours.reference(one).read_text() for one in (*ours.exercise(stem).uses, stem)]
    for source in sources:
        exec(re.sub(r"(?m)^from (?!torch|__future__|collections|typing).* import .*\n", "", source), names)
    example = doctest.DocTestParser().get_doctest(text, names, stem, str(text_path(ours, stem)), 0)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_every_exercise_has_a_text(ours: Assignment) -> None:
    assert [stem for stem in ours.stems if not text_path(ours, stem).is_file()] == []


def test_a_changed_stub_is_told_by_the_command_line(
    ours: Assignment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ours.root / "exercises", tmp_path / "exercises")
    stub = tmp_path / "exercises" / "masked_softmax.py"
    stub.write_text(stub.read_text().replace("Softmax over the last axis", "The softmax over the last axis"))
    assert main(["notebook", "--assignment", str(tmp_path), "-o", str(tmp_path / "new.ipynb")]) == 0
    assert f"{len(ours.exercises)} exercises" in capsys.readouterr().out
    assert (tmp_path / "new.ipynb").read_bytes() != notebook_path(ours).read_bytes()
    stub.write_text(stub.read_text().replace("import torch\n", "import positional_encoding as other\n", 1))
    assert main(["notebook", "--assignment", str(tmp_path)]) == 3
    assert "`positional_encoding` in a way that a notebook cannot follow" in capsys.readouterr().err


# What is handed in -----------------------------------------------------------------------------------


def hand_in(ours: Assignment, folder: Path, notebook: str | None, **files: str) -> Submission:
    """The folder `exercises/` as a student hands it in, with this notebook and these files instead."""
    shutil.copytree(ours.root / "exercises", folder, ignore=shutil.ignore_patterns("notebook"))
    if notebook is not None:
        (folder / notebook_path(ours).name).write_text(notebook)
    for stem, text in files.items():
        (folder / f"{stem}.py").write_text(text)
    return load_submission(folder, ours)


def test_untouched_exercises_are_not_attempted(ours: Assignment, tmp_path: Path) -> None:
    submission = hand_in(ours, tmp_path / "exercises", None)
    problems = [exercise.problem for exercise in submission.exercises.values()]
    assert {problem.outcome for problem in problems if problem} == {"not_attempted"}
    assert len(problems) == len(ours.exercises)
    for stem, exercise in submission.exercises.items():
        assert exercise.problem is not None
        assert f"save `{stem}.py` first" in exercise.problem.hint


def test_the_attempted_one_of_stub_and_notebook_counts(ours: Assignment, tmp_path: Path, fill: Any) -> None:
    reference = ours.reference("positional_encoding").read_text()
    submission = hand_in(ours, tmp_path / "x", fill("masked_softmax"), positional_encoding=reference)
    paths = {stem: one.source.path for stem, one in submission.exercises.items() if one.source}
    assert paths == {"masked_softmax": "attention.ipynb", "positional_encoding": "positional_encoding.py"}
    assert submission.notes == ()


def test_where_both_are_filled_in_the_file_counts_and_that_is_said(
    ours: Assignment, tmp_path: Path, fill: Any
) -> None:
    own = "def masked_softmax(X, valid_lens):\n    return X\n"
    submission = hand_in(ours, tmp_path / "x", fill("masked_softmax"), masked_softmax=own)
    source = submission.exercises["masked_softmax"].source
    assert source is not None
    assert source.path == "masked_softmax.py"
    (note,) = submission.notes
    assert note.text == (
        "`masked_softmax` is defined in `masked_softmax.py`, which counts, and also in `attention.ipynb`."
    )


def test_half_a_file_gives_way_to_the_whole_exercise_in_the_notebook(
    ours: Assignment, tmp_path: Path, fill: Any
) -> None:
    stem = next(spec.stem for spec in ours.exercises if len(spec.symbols) > 1)
    stub = ours.stub(stem).read_text()
    half = stub.replace("raise NotImplementedError", "return 1", 1)
    source = hand_in(ours, tmp_path / "x", fill(stem), **{stem: half}).exercises[stem].source
    assert source is not None
    assert source.path == "attention.ipynb"


def test_the_notebook_with_the_references_in_it_gets_all_points(
    ours: Assignment, tmp_path: Path, fill: Any
) -> None:
    notebook = tmp_path / "work.ipynb"
    notebook.write_text(fill())
    result = tmp_path / "results.json"
    assert main(["submit", str(notebook), "--assignment", str(ours.root), "-q", "-o", str(result)]) == 0
    report = read_report(result.read_text())
    assert (report.status, report.score) == ("graded", ours.max_score)
    assert {exercise.stem: exercise.status for exercise in report.exercises} == dict.fromkeys(
        ours.stems, "passed"
    )
    assert [note.text for note in report.submission.notes] == []
