"""`check` and `see` in a notebook: IPython's shell without a browser, and plain Python without IPython."""

from __future__ import annotations

import atexit
import linecache
import os
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

Run = Callable[[str], Any]

LOOK = '''
    """Pictures of the small exercise."""
    import torch
    from grader.suite.pictures import heatmaps, row

    def look(student, reference=None):
        """Two rows of numbers, doubled."""
        return [heatmaps("Doubled", "A heatmap of two rows.", [row("own", student.twice(torch.eye(2)))])]
'''


@pytest.fixture(scope="module")
def notebook_folder(
    write_handout: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The handout's `exercises/`, in which the kernel runs as it does for a notebook that lies there."""
    folder = write_handout(tmp_path_factory.mktemp("notebook") / "handout")
    look = folder / "tests" / "public" / "see" / "twice.py"
    look.parent.mkdir()
    look.write_text(textwrap.dedent(LOOK).lstrip("\n"), "utf-8")
    before = Path.cwd()
    os.chdir(folder / "exercises")
    yield folder / "exercises"
    os.chdir(before)


@pytest.fixture
def run(notebook_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Run]:
    """`run(text)`: runs a cell and gives what it shows."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.delenv("GRADE_ASSIGNMENT", raising=False)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # the shell puts its own there
    settings = Config()
    settings.HistoryManager.hist_file = ":memory:"
    shell = InteractiveShell.instance(config=settings)

    def run_cell(text: str) -> Any:
        return shell.run_cell(textwrap.dedent(text), store_history=True).result

    run_cell("from grader.notebook import check, see")
    yield run_cell
    atexit.unregister(shell.atexit_operations)
    shell.atexit_operations()
    InteractiveShell.clear_instance()


def test_verdicts_of_a_cell_come_as_a_table_and_as_text(run: Run) -> None:
    run("def twice(X):\n    return 3 * X")
    verdicts = run("check(twice)")
    page = verdicts._repr_html_()
    assert page.count("<tr>") == 2
    assert "1 of 2 checks pass" in page
    assert "<details><summary>Hint</summary>Add it to itself.</details>" in page
    assert "expected:  [2.0, 4.0, 6.0]" in repr(verdicts)


def test_helpers_imports_and_constants_of_other_cells_count(run: Run) -> None:
    run("import torch\n%time 1\nFACTOR = 2")
    run("def helper(X):\n    return torch.add(X, (FACTOR - 1) * X)")
    run("def twice(X):\n    return helper(X)")
    assert "2 of 2 checks pass" in repr(run("check(twice)"))


def test_what_was_run_last_counts(run: Run) -> None:
    run("def twice(X):\n    return 2 * X")
    run("def twice(X):\n    return 5 * X")
    assert "1 of 2 checks pass" in repr(run("check(twice)"))
    run("def twice(X):\n    return 2 * X")
    assert "2 of 2 checks pass" in repr(run("check('twice')"))


@pytest.mark.parametrize("is_found", [False, True])
def test_import_in_the_cell_of_another_exercise_hides_no_answer(
    run: Run, monkeypatch: pytest.MonkeyPatch, is_found: bool
) -> None:
    """The other stub's first line fails in the notebook, or brings an object that is no answer."""
    if is_found:
        monkeypatch.setitem(sys.modules, "twice", types.SimpleNamespace(twice=abs))
    else:
        monkeypatch.setitem(sys.modules, "twice", None)
    run("def twice(X):\n    return 2 * X")
    run("from twice import twice\n\ndef fourfold(X):\n    return twice(twice(X))")
    assert "2 of 2 checks pass" in repr(run("check('twice')"))
    assert ("2 of 2 checks pass" in repr(run("check('fourfold')"))) == is_found


def test_who_has_not_run_the_cell_is_asked_to_run_it(run: Run) -> None:
    run("def twice(X):\n    raise NotImplementedError")
    said = repr(run("check(twice)"))
    assert "run the cell that defines it, then this one again" in said
    assert "save" not in said


def test_error_names_the_cell_and_the_line(run: Run) -> None:
    run("import torch")
    run("def twice(X):\n    Y = X + 1\n    return Y[9]")
    said = repr(run("check(twice)"))
    assert "`this notebook` cell 3, line 3: return Y[9]" in said


def test_checked_code_never_runs_in_the_kernel(run: Run) -> None:
    run("calls = []\ndef twice(X):\n    calls.append(1)\n    return 2 * X")
    assert "2 of 2 checks pass" in repr(run("check(twice)"))
    assert run("calls") == []


def test_several_and_none_named(run: Run) -> None:
    run("def twice(X):\n    return 2 * X")
    run("def fourfold(X):\n    return twice(twice(X))")
    for call in ("check(twice, fourfold)", "check()"):
        assert repr(run(call)).count("2 of 2 checks pass") == 2


def test_exercise_is_named_by_its_stem_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "other" / "exercises"
    folder.mkdir(parents=True)
    (folder / "assignment.toml").write_text(
        'id = "o"\ntitle = "Other"\n[[exercises]]\nstem = "two_sums"\ntitle = "Sums"\npoints = 1\n'
        'symbols = ["RowSum", "ColumnSum"]\n'
    )
    (folder.parent / "tests" / "public" / "see").mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert "`RowSum` is not defined here yet" in repr(run("see('two_sums')"))
    run("class ColumnSum:\n    pass")
    assert "There is no picture for `two_sums`." in repr(run("see('two_sums')"))
    assert "Did you mean `two_sums`?" in repr(run("see('two_sum')"))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("check('twice')", "`twice` is not defined here yet: run the cell that defines it"),
        ("check()", "Nothing that the exercises ask for is defined yet"),
        ("check('twise')", "No exercise asks for `twise`. Did you mean `twice`?"),
        ("check(3)", "This is an `int`; expected the function or class itself"),
        ("see('twice')", "`twice` is not defined here yet"),
    ],
)
def test_slips_are_answered_in_a_sentence(run: Run, call: str, said: str) -> None:
    shown = run(call)
    assert said in repr(shown)
    assert "<p" in shown._repr_html_()


def test_students_text_is_escaped(run: Run) -> None:
    run("def twice(X):\n    raise ValueError('<script>alert(1)</script>')")
    page = run("check(twice)")._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_pictures_are_drawn_from_the_kernels_own_function(run: Run) -> None:
    run("def twice(X):\n    return 2 * X")
    shown = run("see(twice)")
    assert "<svg" in shown._repr_html_()
    assert "Doubled: A heatmap of two rows." in repr(shown)


def test_code_that_fails_gives_a_sentence_for_a_picture(run: Run) -> None:
    run("def twice(X):\n    raise KeyError(X)")
    assert "No picture" in repr(run("see(twice)"))
    run("def fourfold(X):\n    return X")
    assert "There is no picture for `fourfold`." in repr(run("see(fourfold)"))


def test_without_ipython_the_texts_of_tracebacks_are_checked(
    notebook_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.notebook import check

    monkeypatch.delenv("GRADE_ASSIGNMENT", raising=False)
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, text in enumerate(
        ["def helper(X):\n    return X + X\n", "def twice(X):\n    return helper(X)\n"]
    ):
        file = f"<cell {number}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), names)
    assert "2 of 2 checks pass" in repr(check(names["twice"]))


def test_function_of_a_file_is_checked_with_its_folder(
    notebook_folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notebook_folder / "twice.py").write_text("def twice(X):\n    return 2 * X\n", "utf-8")
    monkeypatch.syspath_prepend(str(notebook_folder))
    run("from twice import twice")
    assert "Twice  (twice.py)\n2 of 2 checks pass" in repr(run("check(twice)"))
