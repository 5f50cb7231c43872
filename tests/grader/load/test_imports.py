"""A definition in the submission is never hidden by an import that leads to none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.records import SourceText, Submission

from .conftest import ATTENTION, SOFTMAX, SOFTMAX_STUB, notebook, run

Load = Callable[..., Submission]
IMPORT = "from masked_softmax import masked_softmax"
OWN = "def masked_softmax(X, valid_lens):\n    return 'own'\n"
USE = "class DotProductAttention:\n    def forward(self):\n        return masked_softmax(1, 2)\n"
STEMS = ("masked_softmax", "dot_product_attention")


def source_of(submission: Submission, stem: str) -> SourceText:
    source = submission.exercises[stem].source
    assert source is not None, submission.exercises[stem].problem
    return source


@pytest.mark.parametrize("stub", [{}, {"masked_softmax.py": SOFTMAX_STUB}])
@pytest.mark.parametrize("name", ["work.ipynb", "work.py", "dot_product_attention.py"])
def test_import_of_a_later_exercise_hides_no_answer_above_it(
    load: Load, name: str, stub: dict[str, str | bytes]
) -> None:
    parts = [SOFTMAX, ATTENTION]
    text = notebook(*parts) if name.endswith(".ipynb") else "\n".join(parts)
    submission = load({name: text, **stub})
    for stem in STEMS:
        source = source_of(submission, stem)
        assert source.path == name
        assert IMPORT not in source.text
    (note,) = source.left_out
    where = "cell 2, line 2" if name.endswith(".ipynb") else "line 9"
    assert note.text == (
        f"`{name}` {where}: left out the import of `masked_softmax`; the definition in this file counts."
    )


@pytest.mark.parametrize(
    "line",
    [
        IMPORT,
        "from mine import masked_softmax",
        "from mine import soft as masked_softmax",
        "from d2l.torch import masked_softmax",
        "from .work import masked_softmax",
        "from exercises.masked_softmax import masked_softmax",
        "from masked_softmax import (\n    masked_softmax,\n\n)",
        "from masked_softmax import (\n    masked_softmax,\n    )  # mine",
        "é = 1; from masked_softmax import masked_softmax; after = 2",
        "from masked_softmax import (  # mine\n  masked_softmax\n); after = 2",
        "try:\n    from masked_softmax import masked_softmax\nexcept ImportError:\n    pass",
        "from math import sqrt; from mine import masked_softmax; import json",
    ],
)
def test_script_runs_as_if_the_import_were_not_there(load: Load, line: str) -> None:
    text = f"{OWN}{line}\nplot = print\nplot()\n{USE}"
    source = source_of(load({"work.py": text}), "masked_softmax")
    assert source.text.count("\n") == text.count("\n")
    for ran in (source.text, source.definitions):
        assert ran is not None
        names = run(ran)
        assert names["DotProductAttention"]().forward() == "own"  # type: ignore[operator]
    assert ("after" in names) == ("after" in line)
    assert source.text.split("\n").index("class DotProductAttention:") == text.split("\n").index(
        "class DotProductAttention:"
    )


def test_other_names_of_the_import_stay(load: Load) -> None:
    line = "from math import (\n    pi, masked_softmax,\n    tau as whole\n)"
    names = run(source_of(load({"work.py": f"{OWN}{line}\n"}), "masked_softmax").text)
    assert names["pi"] == names["whole"] / 2  # type: ignore[operator]


def test_import_above_the_definition_does_not_stop_the_file(load: Load) -> None:
    submission = load({"work.py": ATTENTION + SOFTMAX})
    assert IMPORT not in source_of(submission, "dot_product_attention").text
    assert source_of(submission, "masked_softmax").path == "work.py"


def test_import_of_an_answer_elsewhere_stays(load: Load) -> None:
    text = f"{OWN}{IMPORT}\n{USE}"
    submission = load({"dot_product_attention.py": text, "masked_softmax.py": SOFTMAX})
    assert source_of(submission, "dot_product_attention").text == text
    assert source_of(submission, "masked_softmax").path == "masked_softmax.py"


def test_stub_above_an_import_from_outside_is_told_apart(load: Load) -> None:
    """What is missed then is the file that was not handed in; with the exercise's own name it is the stub."""
    problem = (
        load({"work.py": f"{SOFTMAX_STUB}from mine import masked_softmax\n"}).exercises[STEMS[0]].problem
    )
    assert problem is not None
    assert "only imports it from `mine`" in problem.message
    problem = load({"work.py": f"{SOFTMAX_STUB}{IMPORT}\n"}).exercises[STEMS[0]].problem
    assert problem is not None
    assert problem.outcome == "not_attempted"
