"""What a .py file becomes: its text, its definitions alone, and clear words where it cannot be read."""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable

import pytest

from grader.errors import SubmissionError
from grader.records import Problem, SourceText, Submission

from .conftest import ATTENTION, SOFTMAX, run

Load = Callable[..., Submission]
NAME = "masked_softmax.py"


def source_of(submission: Submission) -> SourceText:
    source = submission.exercises["masked_softmax"].source
    assert source is not None, submission.exercises["masked_softmax"].problem
    return source


def refused(load: Load, content: str | bytes) -> Problem:
    """The problem of an unreadable file, after checking that the exercise beside it is still graded."""
    submission = load({NAME: content, "dot_product_attention.py": ATTENTION})
    assert submission.exercises["dot_product_attention"].source is not None
    problem = submission.exercises["masked_softmax"].problem
    assert problem is not None
    assert problem.outcome == "raised"
    assert NAME in problem.message
    return problem


DEMO = """\
import os
import torch; torch.manual_seed(0)
SCALE = 2.0; print(SCALE); SIZE = 3

table = dict(a=1)
table.update(b=2)
unrelated = [n for n in range(9)]


def masked_softmax(X, valid_lens):
    return helper(X) * SCALE, table, shift(1), late


def helper(X):
    return X


late = lambda: base + 1
base = int("5")
try:
    import missing_package
except ImportError:
    missing_package = None
    print("none")
if os.environ:
    print("yes")
else:
    print("no")
for step in range(3):
    print(step)
with open(os.devnull) as handle:
    shift = None
    unrelated = handle.read()
if True:
    shift = helper


def plot(x=unrelated):
    return x


if __name__ == "__main__":
    print("main")
"""


def test_definitions_keep_what_the_answer_needs_and_every_line_number(load: Load) -> None:
    source = source_of(
        load({NAME: DEMO.replace("import torch; torch", "import random; random").replace("manual_", "")})
    )
    assert source.definitions is not None
    assert source.text.count("\n") == source.definitions.count("\n")
    kept, whole = source.definitions.split("\n"), source.text.split("\n")
    assert all(new in ("", old) or "pass" in new for old, new in zip(whole, kept, strict=True))
    assert "print" not in source.definitions
    assert kept[2] == "SCALE = 2.0; pass; SIZE = 3"
    names = run(source.definitions)
    assert names["masked_softmax"](4, None)[:3] == (8.0, {"a": 1, "b": 2}, 1)  # type: ignore[operator]
    assert names["late"]() == 6  # type: ignore[operator]
    assert names["missing_package"] is None
    assert not {"unrelated", "plot", "step"} & set(names)


def test_what_is_left_out_is_said_with_its_lines(load: Load) -> None:
    (note,) = source_of(load({NAME: DEMO})).left_out
    assert note.text.startswith("`masked_softmax.py` lines 2 to 39: left out where only the definitions run:")
    assert "`torch.manual_seed(...)`" in note.text
    assert note.line is None  # the text names all lines, so nobody puts a place before it


def test_a_plain_file_has_nothing_to_fall_back_to(load: Load) -> None:
    guarded = SOFTMAX + 'if __name__ == "__main__":\n    print(masked_softmax(1, 2))\n'
    source = source_of(load({NAME: guarded}))
    assert source.text == guarded
    assert source.definitions is None
    assert source.left_out == ()


@pytest.mark.parametrize(
    "code",
    [
        "def make():\n    return lambda X, n: X\nmasked_softmax = make()\nprint(1)\n",
        "def f(X, n):\n    return X\nold = f\nmasked_softmax = lambda X, n: old(X, n)\nprint(1)\n",
        "class M: pass\ndef f(self, X, n): return X\nM.__call__ = f\nmasked_softmax = M()\nprint(1)\n",
        "class M: pass\nsetattr(M, '__call__', lambda self, X, n: X)\nmasked_softmax = M()\nprint(1)\n",
        "import functools\n@functools.wraps(len)\ndef masked_softmax(X, n):\n    return X\nprint(1)\n",
        "if 1:\n if 1:\n  print(1)\n  def masked_softmax(X, n): return X\n else: print(2)\nprint(1)\n",
        "x = 1\ndef f(X, n): return X\nif x: masked_softmax = f\nelif x:\n    print(1)\nelse: print(2)\n",
        "print('é'); masked_softmax = lambda X, n: X; print(\n    1); z = 2; print(3)\n",
        "# comment\nprint(1)  # why\n'''text'''\ndef masked_softmax(X, n):\n    return X\n",
        "sizes = [1]\ndef masked_softmax(X, n, s=len(sizes)):\n    return X\nsizes.append(2)\nprint(1)\n",
        "try:\n    print(1)\nfinally:\n    print(2)\ndef masked_softmax(X, n):\n    return X\n",
    ],
)
def test_definitions_run_and_answer(load: Load, code: str) -> None:
    source = source_of(load({NAME: code}))
    assert source.definitions is not None
    assert "print(1)" not in source.definitions
    assert run(source.definitions)["masked_softmax"](7, None) == 7  # type: ignore[operator]


def test_names_that_a_sibling_imports_are_kept(load: Load) -> None:
    tools = "def build():\n    return 3\nLIMIT = build()\nprint(LIMIT)\ndef used():\n    return 1\n"
    submission = load({NAME: "from tools import LIMIT\n" + SOFTMAX, "tools.py": tools})
    assert run(submission.modules["tools"].definitions or "")["LIMIT"] == 3


@pytest.mark.parametrize(
    "content",
    [
        codecs.BOM_UTF8 + SOFTMAX.encode(),
        SOFTMAX.replace("\n", "\r\n").encode(),
        SOFTMAX.replace("\n", "\r").encode(),
        ("# -*- coding: gbk -*-\n# 位置\n" + SOFTMAX).encode("gbk"),
        ("# coding: latin-1\n# é\n" + SOFTMAX).encode("latin-1"),
        ("# coding: latin-1\r# é\r" + SOFTMAX).encode("latin-1"),
        SOFTMAX.replace("    ", "\t").encode(),
        SOFTMAX.encode() + b"s = '\\d' is 3\n" * 50,
    ],
)
def test_honest_encodings_and_line_ends_load(load: Load, content: bytes) -> None:
    text = source_of(load({NAME: content})).text
    assert "\r" not in text
    assert "\ufeff" not in text
    assert "def masked_softmax" in text


@pytest.mark.parametrize(
    ("content", "said", "hint"),
    [
        (SOFTMAX.encode("utf-16"), "saved as UTF-16", "Save it as UTF-8."),
        (SOFTMAX.encode("utf-16-le"), "looks like UTF-16", "UTF-8"),
        (b"x = 1\ny = '\0'\n", "NUL byte in line 2", "UTF-8"),
        (b"x = 1\ny = '\xe9'\n", "not valid UTF-8 text: line 2 holds the byte 0xe9", "coding"),
        (b"# coding: klingon\nx = 1\n", "does not know", "UTF-8"),
        (b"# coding: utf-7\nx = 1\n", "`utf-7`", "UTF-8"),
        (b"# coding: punycode\nx = 1\n", "`punycode`", "UTF-8"),
        (b"%PDF-1.7", "is a PDF file", "Export"),
        (b"<!DOCTYPE html><html></html>", "is a web page", "Export"),
        ("x = 1\n<<<<<<< HEAD\n=======\n>>>>>>> theirs\n", "merge-conflict marker in line 2", "Resolve"),
        ("if 1:\n        x = 1\n\ty = 2\n", "mixes tabs and spaces in the indentation of line 3", "spaces"),
        ("x = 1\nprint(“hello”)\n", "U+201C (LEFT DOUBLE QUOTATION MARK) in line 2", "Replace “"),
        ("def f():\n\xa0\xa0\xa0 return 1\n", "U+00A0 (NO-BREAK SPACE) in line 2", "plain form"),
        ("def f（x）:\n    return x\n", "U+FF08 (FULLWIDTH LEFT PARENTHESIS) in line 1", "plain form"),
        ("def masked_softmax(X, n)\n    return X\n", "SyntaxError, expected ':', in line 1", ""),
        ("x = (1,\n", "was never closed, in line 1", ""),
        ("if x:\nreturn 1\n", "IndentationError, expected an indented block", ""),
        ("print 'hello'\n", "Missing parentheses", "Python 2"),
        ("x = " + "(" * 250 + ")" * 250 + "\n", "in line 1", ""),
        ("x = " + "-" * 100_000 + "1\n", "nested too deeply", "Split"),
        ("x = " + "1+" * 100_000 + "1\n", "nested too deeply", "Split"),
        ("x = 1\n" * 200_000, "larger than 512 KiB", "Leave"),
    ],
)  # fmt: skip
def test_an_unreadable_file_says_what_is_wrong_and_where(
    load: Load, content: str | bytes, said: str, hint: str
) -> None:
    problem = refused(load, content)
    assert said in problem.message
    assert hint in problem.hint
    assert problem.message.endswith(".")
    assert len(problem.message) < 400


def test_a_broken_file_is_not_replaced_by_a_copy_elsewhere(load: Load) -> None:
    problem = load({NAME: "def (\n", "notes.py": SOFTMAX}).exercises["masked_softmax"].problem
    assert problem is not None
    assert problem.outcome == "raised"
    assert "`notes.py` also defines `masked_softmax`" in problem.hint


def test_a_broken_file_under_another_name_is_blamed_where_it_seems_to_hold_the_answer(load: Load) -> None:
    submission = load({"all.py": SOFTMAX + "x = (\n", "dot_product_attention.py": ATTENTION})
    problem = submission.exercises["masked_softmax"].problem
    assert problem is not None
    assert problem.outcome == "raised"
    assert "it seems to define `masked_softmax`" in problem.message


def test_nothing_readable_at_all_is_refused(load: Load) -> None:
    with pytest.raises(SubmissionError, match="No file of the submission can be read"):
        load({"a.py": b"\xff\xfe\0", "b.py": "def (\n"})


def test_ipython_lines_in_a_script_are_stripped_only_where_parsing_fails(load: Load) -> None:
    code = "%matplotlib inline\n!pip install torch\nx = (7\n % 4)\nif x:\n    !ls\n" + SOFTMAX
    source = source_of(load({NAME: code}))
    assert source.text.split("\n")[:6] == ["pass", "pass", "x = (7", " % 4)", "if x:", "    pass"]
    said = [note.text for note in source.left_out]
    assert "`masked_softmax.py` line 2: left out the notebook command `!pip install torch`." in said
    assert source.definitions is None or "def masked_softmax" in source.definitions


def test_bidirectional_marks_are_shown_to_staff(load: Load) -> None:
    submission = load({NAME: SOFTMAX + "# \u202e hidden\n"})
    assert [note.audience for note in submission.notes] == ["staff"]


def test_thousands_of_definitions_load(load: Load) -> None:
    many = "".join(f"def f{n}(): pass\n" for n in range(15_000))
    assert len(many) < 512 * 1024
    assert source_of(load({NAME: SOFTMAX + many})).definitions is None


@pytest.mark.parametrize(
    "content",
    [
        "x\n" * 200_000,
        "x;" * 20_000 + "x",
        "x();" * 19_000 + "x = 3",
        " " * 500_000 + "%",
        "\n" * 500_000 + "def (",
        "%a\n" * 100_000,
        "if x: pass\n" + "elif x: pass\n" * 30_000,
        "x = " + "[" * 90 + "]" * 90 + "\n",
        "def a0(x=missing): pass\n" + "".join(f"def a{n}(x=a{n - 1}): pass\n" for n in range(1, 12_000)),
        "x = " + ".a" * 200_000,
        "x = " + "lambda: " * 50_000 + "1",
        "x = f" + "'{x}'" * 50_000,
        "'" * 400_000,
        "(" * 400_000,
        "# coding: gbk\n" + "\\\n" * 200_000,
    ],
)
def test_hostile_text_neither_crashes_nor_takes_long(load: Load, content: str) -> None:
    started = time.process_time()
    submission = load({NAME: content, "dot_product_attention.py": ATTENTION})
    assert submission.exercises["dot_product_attention"].source is not None
    assert submission.exercises["masked_softmax"].problem is not None
    assert time.process_time() - started < 20
