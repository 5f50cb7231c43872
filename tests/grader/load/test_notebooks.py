"""What a notebook becomes: one module of its definitions, with a map back to the cells."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from grader.errors import SubmissionError
from grader.records import Problem, SourceText, Submission

from .conftest import ATTENTION, SOFTMAX, notebook, run

Load = Callable[..., Submission]


def load_cells(load: Load, *cells: str | tuple[str, str]) -> Submission:
    return load({"work.ipynb": notebook(*cells)})


def source_of(submission: Submission) -> SourceText:
    source = submission.exercises["masked_softmax"].source
    assert source is not None, submission.exercises["masked_softmax"].problem
    return source


def problem_of(submission: Submission) -> Problem:
    problem = submission.exercises["masked_softmax"].problem
    assert problem is not None
    return problem


FLOW = (
    ("markdown", "# Attention"),
    "%matplotlib inline\nimport math\nfrom math import sqrt",
    "n_train = 50\ndata = [n for n in range(n_train)]\nprint(data)",
    "!pip install d2l",
    "def masked_softmax(X, valid_lens):\n    return scale(X)\n",
    "masked_softmax(1, None)",
    "for epoch in range(10**9):\n    print(epoch)",
    "factor = sqrt(4)\nscale = lambda X: X * factor",
    "",
    "# only a comment",
)


def test_definitions_imports_and_needed_values_are_kept_in_order(load: Load) -> None:
    source = source_of(load_cells(load, *FLOW))
    names = run(source.text)
    assert names["masked_softmax"](3, None) == 6  # type: ignore[operator]
    assert names["n_train"] == 50
    assert "data" not in names
    assert source.definitions is None


def test_lines_lead_back_to_their_cells(load: Load) -> None:
    source = source_of(load_cells(load, *FLOW))
    line = source.text.split("\n").index("    return scale(X)") + 1
    assert source.where(line) == "`work.ipynb` cell 5, line 2"
    assert source.code(line) == "return scale(X)"


def test_what_is_left_out_is_listed_by_cell(load: Load) -> None:
    said = [note.text for note in source_of(load_cells(load, *FLOW)).left_out]
    assert said == [
        "`work.ipynb` cell 2: left out the notebook command `%matplotlib inline`.",
        "`work.ipynb` cell 4: left out the notebook command `!pip install d2l`.",
        "`work.ipynb` cell 3: left out `data = ...` and `print(...)`.",
        "`work.ipynb` cell 6: left out `masked_softmax(...)`.",
        "`work.ipynb` cell 7: left out a loop.",
    ]


def test_the_last_definition_wins_and_is_noted(load: Load) -> None:
    submission = load_cells(
        load, "def masked_softmax(X, n):\n    return 1", "def masked_softmax(X, n):\n    return 2"
    )
    assert run(source_of(submission).text)["masked_softmax"](0, 0) == 2  # type: ignore[operator]
    assert any(
        "is defined 2 times" in note.text and "cell 2, line 1" in note.text for note in submission.notes
    )


def test_later_patches_count(load: Load) -> None:
    cells = (
        "def masked_softmax(X, n):\n    return X",
        "class Net:\n    pass",
        "_old = masked_softmax\nmasked_softmax = lambda X, n: _old(X, n) + Net().forward()",
        "def forward(self):\n    return 10\n\nNet.forward = forward",
    )
    assert run(source_of(load_cells(load, *cells)).text)["masked_softmax"](1, 0) == 11  # type: ignore[operator]


def test_a_decorator_that_adds_a_method_keeps_its_needs(load: Load) -> None:
    cells = (
        "def add_to(Class):\n    return lambda f: setattr(Class, f.__name__, f)",
        "class Net:\n    pass",
        "@add_to(Net)\ndef forward(self, X):\n    return X + offset",
        "offset = int('3')",
        "def masked_softmax(X, n):\n    return Net().forward(X)",
    )
    assert run(source_of(load_cells(load, *cells)).text)["masked_softmax"](1, 0) == 4  # type: ignore[operator]


def test_a_broken_cell_is_left_out_alone(load: Load) -> None:
    submission = load_cells(load, SOFTMAX, "x = (1,\n", "def f():\n    pass\nreturn 3", "y = 1")
    said = [note.text for note in source_of(submission).left_out]
    assert any(
        text.startswith("`work.ipynb` cell 2, line 1: left out the whole cell, which") for text in said
    )
    assert any(
        text.startswith("`work.ipynb` cell 3, line 3:") and "outside function" in text for text in said
    )


def test_a_symbol_that_only_a_broken_cell_defines_says_so(load: Load) -> None:
    problem = problem_of(load_cells(load, "import math", "def masked_softmax(X, n)\n    return X"))
    assert problem.outcome == "raised"
    assert "cell 2 is not valid Python: SyntaxError, expected ':', in line 1" in problem.message
    assert "no other cell seems to define `masked_softmax`" in problem.message


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        (
            ("markdown", "```python\ndef masked_softmax(X, n):\n    pass\n```"),
            "cell 2, which is a markdown cell",
        ),
        (("raw", "def masked_softmax(X, n):\n    return X"), "cell 2, which is a raw cell"),
        ("%%writefile masked_softmax.py\ndef masked_softmax(X, n):\n    return X", "hands to something else"),
        ("'''\ndef masked_softmax(X, n):\n    return X\n'''", "in a string"),
    ],
)
def test_a_definition_that_is_not_code_is_missing_and_says_where(
    load: Load, cell: str | tuple[str, str], reason: str
) -> None:
    problem = problem_of(load_cells(load, "x = 1", cell))
    assert problem.outcome == "missing"
    assert reason in problem.message


def test_timed_cells_are_python_and_shell_cells_are_not(load: Load) -> None:
    submission = load_cells(
        load, "%%time\n" + SOFTMAX, "%%bash\nls", "?print", "print??\nz = 3", "files = !ls"
    )
    source = source_of(submission)
    assert "def masked_softmax" in source.text
    said = " ".join(note.text for note in source.left_out)
    assert all(
        command in said for command in ("`%%time`", "`%%bash`", "`?print`", "`print??`", "`files = !ls`")
    )


def test_future_imports_of_any_cell_come_first(load: Load) -> None:
    cells = ("x = 1", "from __future__ import annotations\ndef masked_softmax(X: Unknown, n):\n    return X")
    assert run(source_of(load_cells(load, *cells)).text)["masked_softmax"](1, 0) == 1  # type: ignore[operator]


def test_format_3_is_read(load: Load) -> None:
    cell = {"cell_type": "code", "input": [SOFTMAX], "language": "python", "outputs": [], "metadata": {}}
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": "x"}, "worksheets": [{"cells": [cell]}]}
    assert "def masked_softmax" in source_of(load({"old.ipynb": json.dumps(old)})).text


@pytest.mark.filterwarnings("error")
def test_small_breaches_of_the_schema_do_no_harm(load: Load) -> None:
    content = json.loads(notebook(SOFTMAX, ("markdown", "text")))
    content["cells"][0].pop("metadata")
    content["cells"][0].pop("outputs")
    content["cells"][1]["surprise"] = 1
    content["nbformat_minor"] = 5
    assert "def masked_softmax" in source_of(load({"odd.ipynb": json.dumps(content)})).text


def test_a_notebook_saved_as_py_is_recognised(load: Load) -> None:
    assert source_of(load({"work.py": notebook(SOFTMAX)})).cells


def test_several_notebooks(load: Load) -> None:
    submission = load({"one.ipynb": notebook(SOFTMAX), "two.ipynb": notebook(ATTENTION)})
    assert {exercise.source.path for exercise in submission.exercises.values() if exercise.source} == {
        "one.ipynb",
        "two.ipynb",
    }
    assert set(submission.modules) == {"one", "two", "masked_softmax", "dot_product_attention"}


EMPTY = "` holds no code. Was it saved before you handed it in?"


@pytest.mark.parametrize("content", ["", notebook(), notebook("", "# nothing")])
def test_an_empty_notebook_is_not_attempted_and_asked_about_once(load: Load, content: str) -> None:
    own = load({"masked_softmax.ipynb": content, "dot_product_attention.py": ATTENTION})
    problem = problem_of(own)
    assert problem.outcome == "not_attempted"
    assert problem.message == f"`masked_softmax.ipynb{EMPTY} (In Jupyter: File > Save.)"
    assert own.notes == ()


def test_an_empty_file_beside_the_answers_is_noted_once(load: Load) -> None:
    submission = load({"all.py": SOFTMAX + ATTENTION, "unsaved.ipynb": notebook(""), "__init__.py": ""})
    assert [note.text for note in submission.notes] == [f"`unsaved.ipynb{EMPTY} (In Jupyter: File > Save.)"]


@pytest.mark.parametrize("files", [{"unsaved.ipynb": notebook("")}, {"masked_softmax.py": "", "a.py": "# x"}])
def test_a_submission_without_any_code_is_rejected(load: Load, files: dict[str, str]) -> None:
    with pytest.raises(SubmissionError, match=EMPTY.replace("?", "[?]")):
        load(files)


def test_an_answer_in_prose_is_no_reason_to_reject(load: Load) -> None:
    cell = ("markdown", "```python\ndef masked_softmax(X, n):\n    pass\n```")
    assert problem_of(load_cells(load, cell)).outcome == "missing"


def test_cells_that_could_not_be_read_are_named_where_something_is_missing(load: Load) -> None:
    submission = load_cells(load, "import math", "x = (1,\n", "y = 1", "return 3")
    assert problem_of(submission).message == (
        "`masked_softmax` is not defined in `work.ipynb`. Cells 2 and 4 of `work.ipynb` could not be read "
        "(SyntaxError); if it was there, repair them first."
    )


def test_few_broken_cells_are_named_and_the_rest_counted(load: Load) -> None:
    said = problem_of(load_cells(load, "y = 1", *["x = ("] * 8)).message
    assert "Cells 2, 3, 4, 5, 6 and 3 more of `work.ipynb` could not be read" in said
    assert "Cell 2 of" in problem_of(load_cells(load, "y = 1", "x = (")).message


@pytest.mark.parametrize(
    "content",
    [
        "{", "[]", "3", '{"nbformat": 4}', '{"nbformat": 4, "cells": 3, "metadata": {}}', "[" * 100_000,
        '{"nbformat": 99}',
        '{"nbformat": 4, "metadata": {}, "cells": [3]}', '{"nbformat": 4, "metadata": 5, "cells": [[]]}',
        '{"nbformat": "x", "cells": []}', notebook("x", kernelspec={"language": "R"}),
    ],
)  # fmt: skip
def test_a_malformed_notebook_is_refused_and_the_rest_graded(load: Load, content: str) -> None:
    submission = load({"dot_product_attention.py": ATTENTION, "masked_softmax.ipynb": content})
    assert submission.exercises["dot_product_attention"].source is not None
    problem = problem_of(submission)
    assert problem.outcome in ("raised", "not_attempted")
    assert "masked_softmax.ipynb" in problem.message


def test_a_lone_malformed_notebook_is_refused_as_a_whole(load: Load) -> None:
    with pytest.raises(SubmissionError, match=r"`work\.ipynb` cannot be read as a notebook"):
        load({"work.ipynb": "[]"})


@pytest.mark.parametrize("content", ["{", notebook(SOFTMAX)[:-30]])
def test_a_notebook_that_is_cut_off_says_so(load: Load, content: str) -> None:
    said = r"`work.ipynb` is damaged \(cut off\?\): open it in Jupyter and save it again"
    with pytest.raises(SubmissionError, match=said):
        load({"work.ipynb": content})


# The notebook of the handout --------------------------------------------------------------------------

TOOLS = "import torch\nfrom grader.notebook import check, see as show"


def test_check_cells_are_no_part_of_the_answer_and_need_no_remark(load: Load) -> None:
    submission = load_cells(load, TOOLS, SOFTMAX, "check(masked_softmax)", "show(\n    masked_softmax,\n)")
    source = source_of(submission)
    assert source.left_out == ()
    assert submission.notes == ()
    assert "check" not in source.text
    assert "show" not in source.text
    assert run(source.text)["torch"]


def test_only_the_tools_own_statements_are_taken_out(load: Load) -> None:
    submission = load_cells(load, TOOLS, SOFTMAX, "kept = 1; check(masked_softmax)", "print(kept)")
    assert run(source_of(submission).text)["kept"] == 1
    told = [note.text for note in source_of(submission).left_out]
    assert any("`check(...)`" in text for text in told)
    assert any("`print(...)`" in text for text in told)
    # Another `check` is the student's own business.
    cells = ("def check(f):\n    f.is_checked = True", SOFTMAX, "check(masked_softmax)")
    assert any("check" in note.text for note in source_of(load_cells(load, *cells)).left_out)
