"""How a submission's modules find each other, the book's tools, and packages that are not there."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from grader.errors import StudentError
from grader.student.handle import Student

StudentOf = Callable[..., Student]

SIBLING = "def helper(x):\n    return x + 1\n"


def failing(student: Student) -> StudentError:
    with pytest.raises(StudentError) as caught:
        student.f(1)
    return caught.value


@pytest.mark.parametrize(
    "line",
    [
        "from sibling import helper",
        "from .sibling import helper",
        "from . import sibling; helper = sibling.helper",
        "from exercises.sibling import helper",
        "from src.course.sibling import helper",
        "import sibling; helper = sibling.helper",
        "import exercises.sibling as other; helper = other.helper",
        "import importlib; helper = importlib.import_module('sibling').helper",
        "from sibling import *",
    ],
)
def test_sibling_is_found_however_it_is_imported(student_of: StudentOf, line: str) -> None:
    student = student_of(f"{line}\ndef f(x): return helper(x)", sibling=SIBLING)
    assert student.f(1) == 2


def test_sibling_runs_once_under_all_its_names(student_of: StudentOf) -> None:
    student = student_of(
        """
        import sibling
        from . import sibling as relative
        from exercises import sibling as foldered

        def f(x):
            return [sibling is relative, sibling is foldered, len(sibling.runs)]
        """,
        sibling="import builtins\nruns = builtins.__dict__.setdefault('_runs', [])\nruns.append(1)\n",
    )
    assert student.f(1) == [True, True, 1]


@pytest.mark.parametrize("name", ["torch", "random", "json", "numpy", "d2l", "os"])
def test_sibling_that_shadows_a_library_is_ignored(student_of: StudentOf, name: str) -> None:
    student = student_of(
        f"import {name}\ndef f(x): return hasattr({name}, 'stolen')", **{name: "stolen = True"}
    )
    assert student.f(1) is False


def test_module_knows_itself(student_of: StudentOf) -> None:
    student = student_of(
        """
        import inspect, sys
        me = sys.modules[__name__]

        def f(x):
            return [me.__name__, __file__, inspect.getsource(f).splitlines()[0], __name__ == "__main__"]

        if __name__ == "__main__":
            raise SystemExit("run as a script")
        """
    )
    assert student.f(1) == ["own", "<student>/own.py", "def f(x):", False]


def test_missing_package_can_be_imported_and_complains_when_it_is_used(student_of: StudentOf) -> None:
    student = student_of(
        """
        import absent, absent.part as part, tensorflow as tf
        from absent.deep.er import Base, mark, CONSTANT

        class Own(Base):
            pass

        @mark
        def f(x):
            return x

        @absent.decorate
        class G:
            pass

        def call(x): return absent.compute(x)
        def deep(x): return part.more.compute(x)
        def other(x): return tf.nn.softmax(x)
        """
    )
    assert student.f(1) == 1
    for name, words in (
        ("call", "`absent` is not installed where your code is graded, and `absent.compute` needs it"),
        ("deep", "`absent.part.more.compute` needs it"),
        ("other", "`tensorflow.nn.softmax` belongs to tensorflow; this exercise is graded with PyTorch"),
    ):
        with pytest.raises(StudentError) as caught:
            getattr(student, name)(1)
        assert caught.value.message.startswith("ModuleNotFoundError: ")
        assert words in caught.value.message
        assert caught.value.frames[-1][1].startswith(f"def {name}(x)")


def test_missing_part_of_a_package_that_is_there_is_the_ordinary_error(student_of: StudentOf) -> None:
    err = failing(student_of("import torch.nothing_of_the_kind\ndef f(x): return x"))
    assert err.outcome == "raised"
    assert "ModuleNotFoundError: No module named 'torch.nothing_of_the_kind'" in err.message


def test_plotting_is_accepted_and_does_nothing(student_of: StudentOf) -> None:
    student = student_of(
        """
        import matplotlib.pyplot as plt
        from IPython import display
        from matplotlib_inline import backend_inline

        figure, axes = plt.subplots(1, 2)
        axes[0].plot([1, 2], label="x")
        with plt.style.context("dark"):
            plt.show()
        backend_inline.set_matplotlib_formats("svg")
        display.clear_output(wait=True)

        def f(x):
            plt.plot(x)
            return x
        """
    )
    assert student.f(1) == 1


def test_book_package_has_the_tools_but_not_the_answer(student_of: StudentOf) -> None:
    text = """
        import torch
        from d2l import torch as d2l

        class Net(d2l.Module):
            def __init__(self, size, rate=0.5):
                super().__init__()
                self.save_hyperparameters()

        @d2l.add_to_class(Net)
        def forward(self, x):
            return x * self.size

        def g(x):
            d2l.plot(x, x)
            d2l.show_heatmaps(x, xlabel="Keys")
            timer, animator = d2l.Timer(), d2l.Animator(xlim=[1, 2])
            animator.add(1, 2)
            sums = d2l.Accumulator(2)
            sums.add(1, 2.5)
            masked = d2l.sequence_mask(d2l.ones((2, 3)), d2l.tensor([1, 2]), value=-1)
            return [Net(3)(x), sums[1], masked.tolist(), timer.stop() >= 0, str(d2l.try_gpu())]

        def f(x):
            return d2l.f(x)

        def h(x):
            return d2l.MultiHeadAttention(x)
        """
    student = student_of(text, "f")
    assert student.g(2) == [6, 2.5, [[1, -1, -1], [1, 1, -1]], True, "cpu"]
    assert "`d2l.f` is what this exercise asks for: write it yourself" in failing(student).message
    with pytest.raises(StudentError) as caught:
        student.h(1)
    assert "`d2l.MultiHeadAttention` is not available where your code is graded" in caught.value.message


@pytest.mark.parametrize(
    "body",
    [
        "d2l.sequence_mask(x)",
        "sequence_mask(x)",
        "bare(x)",
        'd2l.try_gpu.__globals__["sequence_mask"](x)',
        'sys.modules["box.d2l_standin"].sequence_mask(x)',
    ],
)
def test_tool_of_the_book_that_is_what_an_exercise_asks_for_is_withheld(
    student_of: StudentOf, body: str
) -> None:
    text = f"""
        import sys
        from d2l import torch as d2l
        try:
            from d2l.torch import sequence_mask as bare
        except ImportError:
            pass

        def f(x):
            return {body}
        """
    found = failing(student_of(text, "f", "sequence_mask")).exception_type
    assert found in ("AttributeError", "NameError", "KeyError")
    # Elsewhere it is there, and wants more arguments.
    assert failing(student_of(text, "f")).exception_type == "TypeError"


def test_book_package_has_what_the_submission_defines_for_another_exercise(student_of: StudentOf) -> None:
    text = """
        from d2l import torch as d2l

        def near(x):
            return x + 10

        def f(x):
            return [d2l.helper(x), d2l.near(x)]
        """
    assert student_of(text, sibling=SIBLING, offers={"helper": "sibling"}).f(1) == [2, 11]
    message = failing(student_of(text, sibling="1 / 0", offers={"helper": "sibling"})).message
    assert "`d2l.helper` is not available where your code is graded" in message


def test_name_that_a_sibling_has_is_offered(student_of: StudentOf) -> None:
    text = "def f(x): return helper(x) + (lambda: [helper(0) for _ in 'a'][0])()"
    assert student_of(text, sibling=SIBLING, offers={"helper": "sibling"}).f(1) == 3
    assert "name 'helper' is not defined" in failing(student_of(text, sibling=SIBLING)).message
    own = student_of(f"def helper(x): return -x\n{text}", sibling=SIBLING, offers={"helper": "sibling"})
    assert own.f(1) == -1


def test_name_that_a_sibling_lacks_is_offered_to_it_too(student_of: StudentOf) -> None:
    text = "from middle import middle\ndef f(x): return middle(x)"
    middle = "def middle(x): return helper(x) * 2"
    assert student_of(text, sibling=SIBLING, middle=middle, offers={"helper": "sibling"}).f(1) == 4


def test_broken_sibling_that_is_only_offered_costs_nothing(student_of: StudentOf) -> None:
    text = "def f(x): return x\ndef g(x): return helper(x)"
    student = student_of(text, sibling="1 / 0", offers={"helper": "sibling"})
    assert student.f(1) == 1
    with pytest.raises(StudentError, match="name 'helper' is not defined"):
        student.g(1)


def test_book_function_that_notebooks_use_bare_is_offered(student_of: StudentOf) -> None:
    text = "import torch\ndef f(x): return sequence_mask(torch.ones(1, 2), torch.tensor([1])).tolist()"
    assert student_of(text).f(1) == [[1, 0]]


def test_broken_sibling_that_is_imported_is_told_with_its_line(student_of: StudentOf) -> None:
    err = failing(student_of("from sibling import x\ndef f(x): return x", sibling="a = 1\nx = 1 / 0\n"))
    assert err.message == "The file could not be imported: ZeroDivisionError: division by zero"
    assert err.frames == (
        ("`own.py` line 1", "from sibling import x"),
        ("`sibling.py` line 2", "x = 1 / 0"),
    )


def test_circle_of_imports_is_as_in_python(student_of: StudentOf) -> None:
    student = student_of(
        "import sibling\ndef f(x): return sibling.g(x)\ndef base(x): return x * 3",
        sibling="import own\ndef g(x): return own.base(x)\n",
    )
    assert student.f(1) == 3


WHOLE = """
    def f(x):
        return x + 1

    {line}
    """
ONLY = "def f(x):\n    return x + 1\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("raise ValueError('training')", "did not run as a whole (The file could not be imported: Value"),
        ("while True: pass", "was stopped after 1 s of CPU time (importing the file); only its"),
        ("import os; os._exit(1)", "imported: The code ended the Python process (exit status 1)); only its"),
        ("f(undefined)", "NameError: name 'undefined' is not defined); only its"),
    ],
)
def test_definitions_are_used_when_the_whole_does_not_run(
    student_of: StudentOf, line: str, reason: str
) -> None:
    student = student_of(textwrap.dedent(WHOLE).format(line=line), definitions=ONLY)
    assert student.f(1) == 2
    assert student._session.only_definitions
    (note,) = student._session.note_records()
    assert note.path == "own.py"
    assert reason in note.text
    assert note.text.startswith("`own.py` ")
    assert note.text.endswith("); only its definitions were used.")


def test_whole_is_used_when_it_runs(student_of: StudentOf) -> None:
    student = student_of("def f(x): return 'whole'", definitions="def f(x): return 'definitions'")
    assert (student.f(1), student._session.only_definitions) == ("whole", False)


def test_failure_of_the_definitions_is_the_one_that_counts(student_of: StudentOf) -> None:
    err = failing(student_of("1 / 0", definitions="raise KeyError('here')"))
    assert "KeyError" in err.message


@pytest.mark.parametrize(
    "doing",
    [
        "pass",
        "for name in [name for name in sys.modules if name.startswith('sympy')]: del sys.modules[name]",
        "sys.modules['torch.kept'] = sys.modules['another_name'] = sys.modules['own']",
        "sys.modules['own'] = sys.modules.pop('own')",
    ],
)
def test_second_load_finds_nothing_of_the_first(student_of: StudentOf, doing: str) -> None:
    student = student_of(
        f"""
        import sys
        import other
        MARKS = [0]

        def mark(x):
            MARKS[0] = other.MARKS[0] = 1
            {doing}

        def look(x):
            return [MARKS[0], other.MARKS[0], "torch.kept" in sys.modules, "another_name" in sys.modules]
        """,
        "mark",
        "look",
        other="MARKS = [0]",
    )
    student.mark(1)
    assert student.look(1)[:2] == [1, 1]
    student._session.go_on_from(student._session)
    assert student.look(1) == [0, 0, False, False]
