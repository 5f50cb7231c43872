"""What students get: everything they need, and no line of what they must not see."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.__main__ import main
from grader.bundles.tree import BundleError, BundleFile, load_bundle
from grader.catalog import Assignment, read_assignment

ROOT = Path(__file__).parents[3]
STAFF = ("solutions", "tests/hidden", "tests/chaffs", "tests/wheats")
STAFF_NAMES = re.compile(r"solutions|hidden/|chaffs|wheats|misconceptions/")
MIN_LINE = 20  # characters without white space; shorter lines are in any program
# Lines of the grader that staff's files also have, and that give nothing away.
HARMLESS = (
    "withtorch.no_grad():",
    "torch.manual_seed(0)",
    'if__name__=="__main__":',
    'mode="training"iftrainingelse"evaluation"',
    # Two properties of stored weights, which shared code checks for several exercises.
    "ifisinstance(stored,torch.Tensor)andearlierisnotNoneandtorch.equal(stored,earlier):",
    'misconception="weights_only_in_eval"iftrainingelse"weights_kept_from_first_call",',
    # An example of a label.
    "#WHEAT|differs:aPythonloopoverthebatch",
    # The signature in the stand-in for the book's library.
    "defsequence_mask(X:torch.Tensor,valid_len:torch.Tensor,value:float=0)->torch.Tensor:",
)
ANSWER = """\
def double(x):
    doubled_values = x + x + 0 * x
    return doubled_values
"""


@pytest.fixture(scope="module")
def handed() -> list[BundleFile]:
    return load_bundle("handout").files(read_assignment(ROOT))


def contents(files: list[BundleFile]) -> Iterator[tuple[str, str]]:
    """Every file as text, a notebook as its cells, and every file inside the wheel."""
    for file in files:
        if file.path.endswith(".whl"):
            with zipfile.ZipFile(io.BytesIO(file.content)) as wheel:
                yield from ((name, wheel.read(name).decode()) for name in wheel.namelist())
        elif file.path.endswith(".ipynb"):
            cells = json.loads(file.content)["cells"]
            yield file.path, "\n".join("".join(cell["source"]) for cell in cells)
        else:
            yield file.path, file.content.decode()


def telling_lines(text: str) -> set[str]:
    """Lines that say something, without white space: no imports, no bare keywords, no short ones."""
    lines = ("".join(line.split()) for line in text.split("\n"))
    return {line for line in lines if len(line) >= MIN_LINE and not line.startswith(("import", "from", "@"))}


def lines_below(*folders: str) -> dict[str, str]:
    """Every telling line of the Python files in these folders of the repository, and a file that has it."""
    return {
        line: path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in telling_lines(path.read_bytes().decode("utf-8", "replace"))
    }


def test_no_line_of_a_staff_part_is_in_it(handed: list[BundleFile]) -> None:
    given = dict(contents(handed))
    assert [name for name in given if STAFF_NAMES.search(name)] == []
    # What stubs and public suites hold is handed out on purpose; `grade verify` guards what that may be.
    secret, public = lines_below(*STAFF), lines_below("exercises", "tests/public")
    assert len(secret) > 2000
    skeleton = [text for name, text in given.items() if name.startswith("grader/authoring/templates/")]
    innocent = {*public, *HARMLESS, *(line for text in skeleton for line in telling_lines(text))}
    found = [
        f"{name}: {line} (in {secret[line]})"
        for name, text in given.items()
        for line in sorted(telling_lines(text) & secret.keys() - innocent)
    ]
    assert found == []


def test_a_copy_of_an_answer_is_refused(course: Assignment, tmp_path: Path) -> None:
    (course.root / "solutions" / "double.py").write_text(ANSWER)
    (course.root / "exercises" / "old_version.py").write_text(ANSWER.replace("    ", "  "))
    with pytest.raises(BundleError) as caught:
        load_bundle("handout").files(course)
    assert "`small/exercises/old_version.py` holds `doubled_values = x + x + 0 * x`" in caught.value.message
    checkpoints = course.root / "exercises" / ".ipynb_checkpoints"
    checkpoints.mkdir()
    (course.root / "exercises" / "old_version.py").rename(checkpoints / "double.py")
    assert not any("checkpoints" in file.path for file in load_bundle("handout").files(course))


def test_an_exercise_without_public_checks_is_refused(build: Any, exercise_type: Any) -> None:
    course = build(double=exercise_type(reference="", hidden="def test_x(): ..."))
    with pytest.raises(BundleError, match="double without a public suite"):
        load_bundle("handout").files(course)


def test_unfinished_exercise_is_refused_and_nothing_is_written(
    course: Assignment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "handout.zip"
    arguments = ["bundle", "handout", "--assignment", str(course.root), "-o", str(output)]
    solution = course.root / "solutions" / "double.py"
    solution.write_text(solution.read_text() + "# TODO(author): shorter\n")
    assert main(arguments) == 0  # nobody gets this one
    output.unlink()
    stub, suite = course.stub("double"), course.suite("double", "public")
    stub.write_text("# TODO(author): say what is asked\n" + stub.read_text())
    suite.write_text(suite.read_text() + "# TODO(author): a gradient\n")
    capsys.readouterr()
    assert main(arguments) != 0
    error = capsys.readouterr().err
    assert "`TODO(author)` stands in `exercises/double.py`, `tests/public/test_double.py`" in error
    assert not output.exists()


def test_page_for_students_is_handed_out_where_there_is_one(course: Assignment) -> None:
    def handed() -> dict[str, bytes]:
        return {file.path: file.content for file in load_bundle("handout").files(course)}

    assert "small/STUDENT.md" not in handed()
    assert b"STUDENT.md" not in handed()["small/README.md"]
    (course.root / "docs").mkdir()
    (course.root / "docs" / "student.md").write_text("# How to work\n")
    assert handed()["small/STUDENT.md"] == b"# How to work\n"
    assert b"[STUDENT.md](STUDENT.md)" in handed()["small/README.md"]
    (course.root / "docs" / "student.md").write_text(ANSWER)
    (course.root / "solutions" / "double.py").write_text(ANSWER)
    with pytest.raises(BundleError, match=r"small/STUDENT\.md"):
        load_bundle("handout").files(course)


def test_layout_and_readme(handed: list[BundleFile]) -> None:
    paths = {file.path for file in handed}
    assert {path.partition("/")[0] for path in paths} == {"attention"}
    assert {"attention/exercises/attention.ipynb", "attention/exercises/README.md"} <= paths
    assert {f"attention/tests/public/test_{stem}.py" for stem in read_assignment(ROOT).stems} <= paths
    assert not any("exercises/notebook/" in path for path in paths)
    readme = next(file.content.decode() for file in handed if file.path == "attention/README.md")
    (wheel,) = (path.rpartition("/")[2] for path in paths if path.endswith(".whl"))
    assert f"\n    pip install -c constraints.txt ./{wheel}\n" in readme
    assert "| `exercises/masked_softmax.py` | `masked_softmax` |  | 20 |" in readme
    assert "| `exercises/sequence_mask.py` | `sequence_mask` |  | extension exercise |" in readme
    assert "An extension exercise is checked and reported like the others" in readme
    assert "further exercise" not in readme
    assert "attention/STUDENT.md" in paths
    assert "{" not in readme
    again = load_bundle("handout").files(read_assignment(ROOT))
    assert again == handed


def test_what_is_in_it_gives_a_practice_score(
    course: Assignment, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    submission = tmp_path / "double.py"
    submission.write_text("def double(x):\n    return x * 2\n")
    arguments = ["--assignment", str(course.root), "--try", str(submission)]
    assert main(["bundle", "handout", *arguments]) == 0
    out, err = capfd.readouterr()
    report = json.loads(out)
    assert report["status"] == "practice"
    assert [exercise["status"] for exercise in report["exercises"]] == ["passed"]
    assert "SECRET" not in out
    assert "Practice total" in err
