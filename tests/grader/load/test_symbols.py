"""Which file answers an exercise, and what is said where none does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.catalog import Assignment, read_assignment
from grader.errors import SubmissionError
from grader.load import load_submission
from grader.records import Problem, Submission

from .conftest import ATTENTION, ATTENTION_STUB, SOFTMAX, SOFTMAX_STUB, notebook

Load = Callable[..., Submission]


def problem_of(submission: Submission, stem: str = "masked_softmax") -> Problem:
    problem = submission.exercises[stem].problem
    assert problem is not None
    return problem


def path_of(submission: Submission, stem: str = "masked_softmax") -> str:
    source = submission.exercises[stem].source
    assert source is not None, submission.exercises[stem].problem
    return source.path


def test_a_file_per_exercise(load: Load) -> None:
    submission = load({"masked_softmax.py": SOFTMAX, "dot_product_attention.py": ATTENTION})
    assert path_of(submission) == "masked_softmax.py"
    assert path_of(submission, "dot_product_attention") == "dot_product_attention.py"
    assert set(submission.modules) == {"masked_softmax", "dot_product_attention"}
    assert [file.path for file in submission.files] == ["dot_product_attention.py", "masked_softmax.py"]
    assert all(len(file.sha256) == 64 for file in submission.files)
    assert submission.id == "hand in"
    assert submission.notes == ()


def test_one_file_with_everything_is_one_source(load: Load) -> None:
    submission = load({"deep/er/all.py": SOFTMAX + ATTENTION.replace("from masked_softmax", "# from")})
    sources = [exercise.source for exercise in submission.exercises.values()]
    assert sources[0] is sources[1] is submission.modules["all"] is submission.modules["masked_softmax"]


def test_a_single_file_can_be_named(load: Load, folder: Path) -> None:
    (folder / "answer.py").write_text(SOFTMAX)
    submission = load(path=folder / "answer.py")
    assert path_of(submission) == "answer.py"
    assert submission.id == "answer"
    assert problem_of(submission, "dot_product_attention").outcome == "missing"


@pytest.mark.parametrize(
    "name",
    [
        "MaskedSoftmax.py", "masked_softmax (1).py", "masked_softmax copy.py", "Masked-Softmax.PY",
        "masked_softmax - Copy (2).py", "lee_123_456_masked_softmax-1.py", "masked_softmax.py.txt",
        "masked_softmax/__init__.py",
    ],
)  # fmt: skip
def test_file_names_are_matched_leniently(load: Load, name: str) -> None:
    other = SOFTMAX.replace("torch.softmax(X, dim=-1)", "X")
    submission = load({name: SOFTMAX, "a.py": other})
    assert path_of(submission) == name
    assert any("`a.py`" in note.text for note in submission.notes)
    assert submission.modules["masked_softmax"].path == name


def test_the_exact_name_wins_over_a_copy_and_the_shallow_over_the_deep(load: Load) -> None:
    submission = load({"old/masked_softmax.py": SOFTMAX, "masked_softmax (1).py": SOFTMAX,
                       "masked_softmax.py": SOFTMAX})  # fmt: skip
    assert path_of(submission) == "masked_softmax.py"
    assert any("which counts, and also in" in note.text for note in submission.notes)


@pytest.mark.parametrize(
    "code",
    [
        SOFTMAX_STUB,
        "def masked_softmax(X, valid_lens):\n    # to do\n    '''doc'''\n    pass\n",
        "def masked_softmax(X, valid_lens): ...\n",
        "def masked_softmax(X, valid_lens):\n    return None\n",
        "def masked_softmax(X, valid_lens):\n    raise NotImplementedError('later')\n",
        "masked_softmax = None\n",
        "",
        "# nothing yet\nimport torch\n",
    ],
)
def test_an_unwritten_exercise_is_not_attempted(load: Load, code: str) -> None:
    problem = problem_of(load({"masked_softmax.py": code, "other.py": "x = 1\n"}))
    assert problem.outcome == "not_attempted"
    assert "masked_softmax.py" in problem.message


def test_in_a_handout_the_answer_stands_in_the_file_of_the_stub(assignment: Assignment) -> None:
    (assignment.root / "exercises" / "dot_product_attention.py").write_text(ATTENTION)
    submission = load_submission(assignment.root / "exercises", assignment.as_handout())
    assert submission.exercises["dot_product_attention"].source is not None
    assert problem_of(submission, "masked_softmax").outcome == "not_attempted"


def test_a_stub_that_does_something_is_recognised_with_its_docstrings_removed(load: Load) -> None:
    code = ATTENTION_STUB.replace('"""Attend."""', "# done soon").replace(
        '    """Scaled dot-product attention."""\n', ""
    )
    submission = load({"dot_product_attention.py": code})
    assert problem_of(submission, "dot_product_attention").outcome == "not_attempted"
    changed = code.replace("raise NotImplementedError", "return self.dropout(queries)")
    assert path_of(load({"dot_product_attention.py": changed}), "dot_product_attention")


def test_a_class_of_empty_methods_is_not_attempted_unless_it_inherits_or_is_patched(load: Load) -> None:
    empty = """
    from torch import nn
    class DotProductAttention(nn.Module):
        def __init__(self, dropout):
            super().__init__()
        def forward(self, queries, keys, values, valid_lens=None):
            pass
    """
    stem = "dot_product_attention"
    assert problem_of(load({f"{stem}.py": empty}), stem).outcome == "not_attempted"
    assert path_of(load({f"{stem}.py": empty.replace("nn.Module", "Base")}), stem)
    patched = empty + "\n    DotProductAttention.forward = lambda self, *a: a[2]\n"
    assert path_of(load({f"{stem}.py": patched}), stem)


def test_a_written_notebook_beats_untouched_stubs(load: Load) -> None:
    submission = load({"masked_softmax.py": SOFTMAX_STUB, "attention.ipynb": notebook(SOFTMAX)})
    assert path_of(submission) == "attention.ipynb"
    assert submission.modules["masked_softmax"].path == "attention.ipynb"


def test_a_missing_symbol_names_what_is_near(load: Load) -> None:
    problem = problem_of(load({"masked_softmax.py": SOFTMAX.replace("def masked_s", "def maskedS")}))
    assert problem.outcome == "missing"
    assert problem.message == "`masked_softmax` is not defined in `masked_softmax.py`."
    assert problem.hint.startswith("Did you mean `maskedSoftmax` (`masked_softmax.py` line 4)?")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def f():\n    def masked_softmax(X, n): return X\n", "line 2 defines it inside `f`"),
        ("if False:\n    def masked_softmax(X, n): return X\n", "inside a `if` block that does not run"),
        ("if __name__ == '__main__':\n    def masked_softmax(X, n): return X\n", "block that does not run"),
        ("x = 1\n# def masked_softmax(X, n):\n#     return X\n", "only in a comment"),
        ("def masked_softmax(X, n): return X\ndel masked_softmax\n", "line 2 deletes it"),
        ("from d2l.torch import masked_softmax\nx = 1\n", "only imports it from `d2l.torch`"),
    ],
)
def test_a_hidden_definition_is_missing_and_says_where(load: Load, code: str, reason: str) -> None:
    problem = problem_of(load({"masked_softmax.py": code}))
    assert problem.outcome == "missing"
    assert reason in problem.message
    assert "top level" in problem.hint


@pytest.mark.parametrize(
    "code",
    [
        "globals()['masked_softmax'] = lambda X, n: X\n",
        "from answers import *\n",
        "for name in ['masked_softmax']:\n    exec(f'def {name}(X, n): return X')\n",
        "import sys\nsetattr(sys.modules[__name__], 'masked_' + 'softmax', lambda X, n: X)\n",
        "def install():\n    global masked_softmax\n    masked_softmax = lambda X, n: X\ninstall()\n",
        "while True:\n    masked_softmax = lambda X, n: X\n    break\n",
        "def __getattr__(name):\n    return lambda X, n: X\n",
    ],
)
def test_an_expected_file_that_binds_the_name_dynamically_is_handed_over(load: Load, code: str) -> None:
    assert path_of(load({"masked_softmax.py": code})) == "masked_softmax.py"


@pytest.mark.parametrize(
    "code",
    [
        "class _M:\n    def __call__(self, X, n): return X\nmasked_softmax = _M()\n",
        "try:\n    import fast\nexcept ImportError:\n    def masked_softmax(X, n): return X\n",
        "if True:\n    async def masked_softmax(X, n): return X\n",
        "def ｍａｓｋｅｄ＿ｓｏｆｔｍａｘ(X, n): return X\n",
        "import math\nmasked_softmax, other = math.exp, 2\n",
        "masked_softmax: object = len\n",
    ],
)
def test_every_way_to_bind_a_name_at_top_level_counts(load: Load, code: str) -> None:
    assert path_of(load({"any.py": code})) == "any.py"


def test_an_import_from_a_sibling_counts_and_follows_its_state(load: Load) -> None:
    imported = "from .impl import soft as masked_softmax\n"
    written = load({"masked_softmax.py": imported, "impl.py": "def soft(X, n):\n    return X\n"})
    assert path_of(written) == "masked_softmax.py"
    unwritten = load({"impl.py": "def soft(X, n):\n    pass\n"})
    assert problem_of(unwritten).outcome == "not_attempted"


def test_an_import_cycle_ends(load: Load) -> None:
    files = {
        "masked_softmax.py": "from b import masked_softmax\n",
        "b.py": "from masked_softmax import masked_softmax\n",
    }
    assert problem_of(load(files)).outcome == "missing"


@pytest.mark.parametrize(
    ("header", "base", "name"),
    [
        ("import tensorflow as tf", "tf.keras.layers.Layer", "TensorFlow"),
        ("from mxnet.gluon import nn", "nn.Block", "MXNet"),
        ("from d2l import paddle as d2l", "d2l.nn.Layer", "PaddlePaddle"),
        ("import flax.linen as nn", "nn.Module", "JAX (Flax)"),
    ],
)
def test_another_framework_is_named(load: Load, header: str, base: str, name: str) -> None:
    code = f"{header}\nclass DotProductAttention({base}):\n    def call(self, q):\n        return q\n"
    problem = problem_of(load({"dot_product_attention.py": code}), "dot_product_attention")
    assert problem.outcome == "raised"
    assert f"is written for {name}; expected PyTorch" in problem.message


def test_a_pytorch_answer_beside_another_framework_is_taken(load: Load) -> None:
    body = "class DotProductAttention(nn.{}):\n    def forward(self, q):\n        return q\n"
    submission = load({"a.py": "from mxnet.gluon import nn\n" + body.format("Block"),
                       "b.py": "from torch import nn\n" + body.format("Module")})  # fmt: skip
    assert path_of(submission, "dot_product_attention") == "b.py"


def test_modules_hold_every_readable_file_under_a_free_name(load: Load) -> None:
    submission = load(
        {"masked_softmax.py": SOFTMAX, "a/tools.py": "x = 1\n", "b/tools.py": "y = 1\n",
         "torch/__init__.py": "z = 1\n", "random.py": "w = 1\n", "bad.py": "def (\n",
         "pack/__init__.py": "v = 1\n", "2 odd-name.py": "u = 1\n"}
    )  # fmt: skip
    assert set(submission.modules) == {
        "masked_softmax", "tools", "b.tools", "submitted_torch", "submitted_random", "pack", "_2_odd_name",
    }  # fmt: skip
    assert any("`bad.py` is not valid Python" in note.text for note in submission.notes)


def test_repeated_definitions_are_noted_and_the_last_one_counts(load: Load) -> None:
    submission = load({"masked_softmax.py": SOFTMAX_STUB + SOFTMAX})
    assert path_of(submission) == "masked_softmax.py"
    assert any("is defined 2 times" in note.text and "line 11" in note.text for note in submission.notes)


def test_the_same_folder_gives_the_same_record(load: Load) -> None:
    files = {"masked_softmax.py": SOFTMAX, "x.ipynb": notebook(ATTENTION), "y/masked_softmax.py": SOFTMAX}
    assert load(files) == load(files)


def test_the_handout_itself_is_not_attempted(assignment: Assignment) -> None:
    submission = load_submission(assignment.root / "exercises", assignment, submission_id="me")
    assert submission.id == "me"
    assert {problem_of(submission, stem).outcome for stem in assignment.stems} == {"not_attempted"}


EXTENSION = """
[[exercises]]
stem = "further"
title = "Further"
points = 20
symbols = ["further_step", "last_step"]
track = "extension"
"""


@pytest.fixture
def extended(assignment: Assignment) -> Assignment:
    path = assignment.root / "exercises" / "assignment.toml"
    path.write_text(path.read_text() + EXTENSION)
    return read_assignment(assignment.root)


@pytest.mark.parametrize(
    ("more", "outcome"), [("", "not_attempted"), ("def furtherstep(x): return x", "missing")]
)
def test_extension_that_is_left_out_is_not_attempted_and_a_misspelt_one_is_missing(
    extended: Assignment, folder: Path, more: str, outcome: str
) -> None:
    (folder / "masked_softmax.py").write_text(f"{SOFTMAX}\n{more}\n")
    submission = load_submission(folder, extended)
    assert problem_of(submission, "further").outcome == outcome
    assert problem_of(submission, "dot_product_attention").outcome == "missing"


def test_extension_saves_no_submission_that_cannot_be_read(extended: Assignment, folder: Path) -> None:
    (folder / "masked_softmax.py").write_text("def broken(")
    assert problem_of(load_submission(folder, extended), "further").outcome == "missing"


def test_a_folder_without_code_is_refused(load: Load) -> None:
    with pytest.raises(SubmissionError, match=r"no Python file and no notebook: found only `report.pdf`"):
        load({"report.pdf": b"%PDF"})


@pytest.mark.parametrize("name", ["maksed_softmax", "masked_sotfmax"])
def test_a_misspelt_name_that_a_sibling_imports_is_asked_about(load: Load, name: str) -> None:
    softmax = SOFTMAX.replace("def masked_softmax", f"def {name}")
    submission = load({"masked_softmax.py": softmax, "dot_product_attention.py": ATTENTION})
    problem = problem_of(submission)
    assert problem.outcome == "missing"
    assert problem.message.startswith("`masked_softmax` is not defined in ")
    said = f"Did you mean `{name}` (`masked_softmax.py` line 4)? Rename it to `masked_softmax`."
    assert problem.hint == said


def told(submission: Submission) -> list[str]:
    return [note.text for note in submission.notes if note.audience == "student"]


@pytest.mark.parametrize(
    ("written", "found", "meant"),
    [
        ("def foward(", "foward", "forward"),
        ("def Forward(", "Forward", "forward"),
        ("def _init_(self): pass\n    def forward(", "_init_", "__init__"),
        ("def __init_(self): pass\n    def forward(", "__init_", "__init__"),
    ],
)
def test_a_misspelt_method_is_noted(load: Load, written: str, found: str, meant: str) -> None:
    notes = told(load({"dot_product_attention.py": ATTENTION.replace("def forward(", written)}))
    place = "`dot_product_attention.py` line 6"
    assert notes == [f"{place}: found `{found}` in `DotProductAttention`: did you mean `{meant}`?"]


@pytest.mark.parametrize(
    "changed",
    [
        ATTENTION,
        ATTENTION.replace("def forward(", "def _init_weights(self): pass\n    def forward("),
        ATTENTION.replace(
            "def forward(", "def __init__(self): pass\n    def _init_(self): pass\n    def forward("
        ),
        ATTENTION.replace("nn.Module", "Base").replace("def forward(", "def _forward("),
        ATTENTION.replace("def forward(", "def attend(") + "    forward = attend\n",
        ATTENTION.replace("def forward(", "def _forward(") + "DotProductAttention.forward = len\n",
        "DotProductAttention = len\n",
    ],
)
def test_methods_that_are_meant_so_are_not_noted(load: Load, changed: str) -> None:
    assert told(load({"dot_product_attention.py": changed})) == []


def test_expected_file_that_binds_its_name_oddly_comes_before_another_that_defines_it(load: Load) -> None:
    """A class file may hold a helper of the same name; the exercise's own file answers for it."""
    odd = "import sys\nsetattr(sys.modules[__name__], 'masked_softmax', lambda X, n: X)\n"
    helper = "def masked_softmax(X, n): return X + 1\n"
    submission = load({"masked_softmax.py": odd, "dot_product_attention.py": helper + ATTENTION})
    assert path_of(submission) == "masked_softmax.py"


IDLE = "def masked_softmax(X, valid_lens):\n    raise NotImplementedError\n"


def test_a_misspelt_answer_beside_a_stub_is_named(load: Load) -> None:
    written = SOFTMAX.replace("def masked_softmax", "def maskd_softmax")
    problem = problem_of(load({"masked_softmax.py": written, "work.ipynb": notebook(IDLE)}))
    assert problem.outcome == "missing"
    assert problem.message == (
        "`masked_softmax` is not defined in `masked_softmax.py`; "
        "in `work.ipynb` cell 1, line 1 it is still the stub."
    )
    assert problem.hint == (
        "Did you mean `maskd_softmax` (`masked_softmax.py` line 4)? Rename it to `masked_softmax`."
    )


@pytest.mark.parametrize(
    ("files", "named", "how"),
    [
        ({"masked_softmax.py": IDLE, "work.ipynb": notebook(IDLE)}, "masked_softmax.py", ""),
        ({"work.ipynb": notebook(IDLE)}, "work.ipynb", " (in Jupyter: File > Save)"),
        (
            {"masked_softmax.py": IDLE, "work.ipynb": notebook(IDLE, ATTENTION)},
            "work.ipynb",
            " (in Jupyter: File > Save)",
        ),
    ],
)
def test_who_may_not_have_saved_is_asked_about_the_file_that_is_worked_in(
    load: Load, files: dict[str, str | bytes], named: str, how: str
) -> None:
    problem = problem_of(load(files))
    assert problem.message.startswith(f"`masked_softmax` in `{named}` ")
    assert problem.hint == f"If you have written it: save `{named}` first{how}; only what is saved counts."


def test_who_works_in_files_is_not_asked_to_save_a_notebook(load: Load) -> None:
    files = {"masked_softmax.py": IDLE, "dot_product_attention.py": ATTENTION, "work.ipynb": notebook(IDLE)}
    problem = problem_of(load(files))
    assert (problem.outcome, problem.hint) == ("not_attempted", "")
