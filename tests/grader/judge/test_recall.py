"""A check that need not run, because the code's replies are known: nobody can tell, but by the time."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

LIMITS = {"import_cpu_s": 1, "call_cpu_s": 0.5, "wall_factor": 60}

# What runs says so; a case that is recalled leaves no line.
LOGGED = """
    import random

    import pytest
    import torch
    from torch import nn

    from grader.errors import StudentError
    from grader.suite import check_untouched, fail, gradients_of, require

    LOG = __file__.removesuffix(".py") + ".log"

    def runs(name):
        with open(LOG, "a") as log:
            print(name, file=log)
"""

PUBLIC = (
    LOGGED
    + """
    @pytest.mark.points(1)
    def test_example(student):
        \"\"\"Two and two.\"\"\"
        runs("example")
        require(student.double(2) == 4, "No.")
"""
)

HIDDEN = (
    LOGGED
    + """
    @pytest.fixture
    def net(student):
        return student.Scale(1.5)

    @pytest.fixture(scope="module")
    def kept():
        return torch.arange(4.0)

    @pytest.mark.points(1)
    def test_values(student, reference, tensors, assert_close, kept):
        \"\"\"Values, one call after the other.\"\"\"
        runs("values")
        for X in (tensors.randn(3), tensors.randn(2, 2), kept):
            assert_close(student.double(X.clone()), reference.double(X), like=X)
            check_untouched(student, X=X)

    @pytest.mark.points(1)
    def test_net(net, reference, tensors, assert_close):
        \"\"\"A module that a fixture makes: result, state and gradient.\"\"\"
        runs("net")
        ours = reference.Scale(1.5)
        for _ in range(2):
            X, upstream = tensors.randn(2, 3), tensors.randn(2, 3)
            mine, theirs = {"X": X.clone().requires_grad_()}, {"X": X.double().requires_grad_()}
            result, expected = net(mine["X"]), ours(theirs["X"])
            assert_close(result, expected, like=X)
            wanted = gradients_of(expected, theirs, upstream)["X"]
            assert_close(gradients_of(result, mine, upstream)["X"], wanted, like=X, name="the gradient")
            assert_close(net.last, ours.last, like=X, name="`last`")

    @pytest.mark.points(1)
    @pytest.mark.needs("test_values")
    @pytest.mark.accelerator
    def test_device(student, reference, tensors, assert_close):
        \"\"\"Where its inputs are.\"\"\"
        runs("device")
        X = tensors.randn(3)
        assert_close(student.double(X.clone()), reference.double(X), like=X)
"""
)

RIGHT = """
    import torch
    from torch import nn

    def double(x):
        return 2 * x

    class Scale(nn.Module):
        def __init__(self, by):
            super().__init__()
            self.by = nn.Parameter(torch.tensor(by))

        def forward(self, X):
            self.last = X.detach() + 1
            return X * self.by
"""

# Its checks draw from nowhere that we know of.
UNSTEADY = (
    LOGGED
    + """
    @pytest.mark.points(1)
    def test_ever_other_values(student):
        \"\"\"Other values each time.\"\"\"
        runs("values")
        X = random.SystemRandom().randrange(1 << 30)
        require(student.unsteady(X) == X + 1, "No.")
"""
)

RIGHT_ONLY_ONCE = "n = 0\ndef keeping(x):\n    global n\n    n += 1\n    return 2 * x if n == 1 else 3 * x"

# What a suite keeps between its checks, or hears from elsewhere: a suite, right code, and wrong code. Of each
# wrong one, what it gets must not depend on whether right code, or the other wrong code, was graded before.
KEEPING: dict[str, tuple[str, str, list[str]]] = {
    "an_optional_name": (
        """
    def test_optional(student):
        runs("optional")
        require(student.keeping(1) == 2, "No.")
        try:
            require(student.extra(1) == 3, "The extra is wrong.")
        except StudentError as err:
            require(err.outcome == "missing", "No.")
""",
        "def keeping(x): return 2 * x\ndef extra(x): return 3 * x",
        ["def keeping(x): return 2 * x", "def keeping(x): return 2 * x\ndef extra(x): return 4 * x"],
    ),
    "a_module_fixture_that_draws": (
        """
    @pytest.fixture(scope="module")
    def drawn():
        return torch.randn(3)

    def test_first(student, drawn):
        runs("first")
        require(torch.equal(student.keeping(drawn), 2 * drawn), f"No: {drawn.sum():.6f}.")

    def test_second(student, drawn):
        runs("second")
        require(torch.equal(student.keeping(drawn), 2 * drawn), f"No: {drawn.sum():.6f}.")
""",
        "def keeping(x): return 2 * x",
        [RIGHT_ONLY_ONCE],
    ),
    "a_generator_of_the_module": (
        """
    DRAW = torch.Generator().manual_seed(3)

    def test_first(student):
        runs("first")
        X = torch.rand(2, generator=DRAW)
        require(torch.equal(student.keeping(X), 2 * X), f"No: {X.sum():.6f}.")

    def test_second(student):
        runs("second")
        X = torch.rand(2, generator=DRAW)
        require(torch.equal(student.keeping(X), 2 * X), f"No: {X.sum():.6f}.")
""",
        "def keeping(x): return 2 * x",
        [RIGHT_ONLY_ONCE],
    ),
    "a_reply_that_another_check_takes_up": (
        """
    SEEN = {}

    def test_first(student):
        runs("first")
        SEEN["y"] = student.keeping(2)

    def test_second(student):
        runs("second")
        require(student.keeping(3) - SEEN["y"] == 2, "No.")
""",
        "def keeping(x): return 2 * x",
        ["def keeping(x): return 5 if x == 2 else 2 * x", "def keeping(x): return 7 if x == 3 else 2 * x"],
    ),
    "a_fixture_that_asks_at_its_end": (
        """
    @pytest.fixture
    def asked(student):
        yield student
        require(student.keeping(7) == 14, "No.")

    def test_value(asked):
        runs("value")
        require(asked.keeping(1) == 2, "No.")

    def test_other(student):
        runs("other")
        require(student.keeping(2) == 4, "No.")
""",
        "def keeping(x): return 2 * x",
        [
            "def keeping(x): return 0 if x == 7 else 2 * x",
            "n = 0\ndef keeping(x):\n    global n\n    n += 1\n    return 2 * x if n < 3 else 0",
        ],
    ),
    "a_module_fixture_that_fails_at_its_end": (
        """
    @pytest.fixture(scope="module")
    def failing():
        yield
        raise OSError("at the end")

    def test_first(student, failing):
        runs("first")
        require(student.keeping(1) == 2, "No.")

    def test_second(student):
        runs("second")
        require(student.keeping(2) == 4, "No.")
""",
        "def keeping(x): return 2 * x",
        ["def keeping(x): return 0 if x == 2 else 2 * x"],
    ),
    "an_error_that_is_accepted": (
        """
    def test_refuses(student):
        runs("refuses")
        try:
            student.keeping("word")
        except StudentError as err:
            require("word" not in str(err.frames), "The line tells it.")
            return
        fail("It was taken.")

    def test_value(student):
        runs("value")
        require(student.keeping(2) == 4, "No.")
""",
        "def keeping(x):\n    return x * 2.0 if x != 'word' else None + x",
        ["def keeping(x):\n    return x * 2.0 if x != 'word' else None + x  # a word"],
    ),
}

# The clock tells a check what no reply does.
CLOCK = (
    "    import time\n"
    + LOGGED
    + """
    @pytest.mark.points(2)
    def test_is_quick(student):
        \"\"\"It takes no time.\"\"\"
        runs("quick")
        began = time.monotonic()
        require(student.clock(1) == 2, "No.")
        require(time.monotonic() - began < 0.2, "It is slow.")
"""
)

KEEPS = """
    import pytest
    from grader.suite import require

    KEPT = []

    @pytest.mark.points(1)
    def test_makes(student):
        \"\"\"Makes a module.\"\"\"
        KEPT.append(student.Keeps())
        require(KEPT[-1](1) == 1, "No.")

    @pytest.mark.points(1)
    def test_takes(student):
        \"\"\"Takes that of another check.\"\"\"
        require(KEPT[-1](1) == 1, "No.")
"""
KEEPER = "from torch import nn\nclass Keeps(nn.Module):\n    def forward(self, x): return x"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, start_grader: Any, exercise_type: Any) -> Iterator[Any]:
    exercises = {
        "double": exercise_type(RIGHT, HIDDEN, PUBLIC, symbols=("double", "Scale"), points=4),
        "unsteady": exercise_type("def unsteady(x): return x + 1", UNSTEADY, points=1),
        "keeps": exercise_type(KEEPER, KEEPS, symbols=("Keeps",)),
        "clock": exercise_type("def clock(x): return 2 * x", CLOCK),
    }
    grader = start_grader(tmp_path_factory.mktemp("recall"), LIMITS, exercises)
    yield grader
    grader.host.close()


_seeds = itertools.count(100)


@pytest.fixture
def seed() -> int:
    """A seed that no other test of this module has: nothing is known of its checks."""
    return next(_seeds)


def what_ran(grader: Any, stem: str, kind: str = "hidden") -> list[str]:
    """The names of the cases that ran since the last time."""
    log = grader.assignment.root / "tests" / kind / f"test_{stem}.log"
    names = log.read_text().split() if log.exists() else []
    log.unlink(missing_ok=True)
    return names


def timeless(part: Any) -> Any:
    if isinstance(part, dict):
        left_out = ("duration_s", "started_at")
        return {key: timeless(value) for key, value in part.items() if key not in left_out}
    return [timeless(value) for value in part] if isinstance(part, (list, tuple)) else part


def grade(grader: Any, folder: Path, text: str, seed: int, stem: str = "double") -> Mapping[str, Any]:
    found: Mapping[str, Any] = timeless(
        grader.grade(folder, {f"{stem}.py": text}, stem, seed=seed).model_dump()
    )
    return found


ALL = ["values", "net", "device", "device"]


def test_the_same_code_is_graded_the_same_and_no_check_runs_twice(
    shared: Any, tmp_path: Path, seed: int
) -> None:
    what_ran(shared, "double")
    first = grade(shared, tmp_path, RIGHT, seed)
    assert first["score"] == 4
    assert what_ran(shared, "double") == ALL
    assert grade(shared, tmp_path, RIGHT, seed) == first
    assert what_ran(shared, "double") == []


def test_code_of_another_style_with_the_same_numbers_is_recalled(
    shared: Any, tmp_path: Path, seed: int
) -> None:
    first = grade(shared, tmp_path, RIGHT, seed)
    what_ran(shared, "double")
    other = grade(shared, tmp_path, RIGHT.replace("2 * x", "x + x"), seed)
    assert what_ran(shared, "double") == []
    assert other["exercises"][0]["checks"] == first["exercises"][0]["checks"]


def test_other_numbers_that_are_right_as_well_are_compared_and_then_known(
    shared: Any, tmp_path: Path, seed: int
) -> None:
    grade(shared, tmp_path, RIGHT, seed)
    what_ran(shared, "double")
    rounded = RIGHT.replace("return 2 * x", "return 2 * x if isinstance(x, int) else x * 2.000001")
    found = grade(shared, tmp_path, rounded, seed)
    assert found["score"] == 4
    assert what_ran(shared, "double") == ALL  # from the first line of the first check
    assert grade(shared, tmp_path, rounded, seed) == found
    assert what_ran(shared, "double") == []


def test_another_seed_is_another_run(shared: Any, tmp_path: Path, seed: int) -> None:
    grade(shared, tmp_path, RIGHT, seed)
    what_ran(shared, "double")
    grade(shared, tmp_path, RIGHT, next(_seeds))
    assert what_ran(shared, "double") == ALL


# Each of them answers some requests as right code does, and then no more.
WRONG = {
    "wrong_at_the_second_call": """
        calls = 0
        def double(x):
            global calls
            calls += 1
            print("call", calls)
            return 2 * x if calls != 3 else 3 * x
    """,
    "raises_at_the_second_shape": """
        def double(x):
            if getattr(x, "ndim", 0) == 2:
                raise RuntimeError("two axes")
            return 2 * x
    """,
    "ends_the_process": """
        import os
        def double(x):
            if getattr(x, "ndim", 0) == 2:
                os._exit(0)
            return 2 * x
    """,
    "never_returns": """
        def double(x):
            while getattr(x, "ndim", 0) == 2:
                pass
            return 2 * x
    """,
    "prints_without_end": """
        def double(x):
            while getattr(x, "ndim", 0) == 2:
                print("x" * 5000)
            return 2 * x
    """,
    "writes_into_its_argument": """
        def double(x):
            return x.mul_(2) if getattr(x, "ndim", 0) == 2 else 2 * x
    """,
    "returns_no_tensor": """
        def double(x):
            return {1: x} if getattr(x, "ndim", 0) == 2 else 2 * x
    """,
    "patches_torch": """
        import torch
        def double(x):
            torch.softmax = None
            return 2 * x
    """,
    "no_such_class": """
        def double(x):
            return 2 * x
        del Scale
    """,
    "does_not_import": "import torch_of_another_kind",
    "not_there": "def other(x): return 2 * x",
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_code_is_graded_as_if_nothing_were_known(
    shared: Any, tmp_path: Path, seed: int, name: str
) -> None:
    own = textwrap.dedent(WRONG[name])
    text = textwrap.dedent(RIGHT) + own if "def double" in own else own
    before = grade(shared, tmp_path, text, seed)
    right = grade(shared, tmp_path, RIGHT, seed)
    assert (right["score"], before["score"] < 4) == (4, name != "patches_torch")
    after = grade(shared, tmp_path, text, seed)
    assert after == before
    assert grade(shared, tmp_path, RIGHT, seed) == right


def test_code_that_counts_its_calls_is_called_as_often_as_ever(
    shared: Any, tmp_path: Path, seed: int
) -> None:
    counting = RIGHT.replace("def double(x):", "calls = []\n    def double(x):\n        calls.append(x)")
    counting = counting.replace("return 2 * x", "return 2 * x if len(calls) < 6 else 2 * x + 1e-6")
    before = grade(shared, tmp_path, counting, seed)
    grade(shared, tmp_path, RIGHT, seed)
    assert grade(shared, tmp_path, counting, seed) == before


def test_check_that_asks_something_else_each_time_runs_again_where_it_is_seen(
    shared: Any, tmp_path: Path, seed: int
) -> None:
    right, wrong = "def unsteady(x): return x + 1", "def unsteady(x): return x + 2"
    what_ran(shared, "unsteady")
    reports = [grade(shared, tmp_path, text, seed, "unsteady") for text in (right, right, wrong, right)]
    assert [report["status"] for report in reports] == ["graded"] * 4
    assert [report["score"] for report in reports] == [1, 1, 0, 1]
    # The second submission is asked what the first one was. With the third the check asks something else: it
    # runs once more, on a process that was asked nothing, and always from then on.
    assert what_ran(shared, "unsteady") == ["values"] * 4


def test_check_that_reads_the_clock_always_runs(shared: Any, tmp_path: Path, seed: int) -> None:
    quick = "def clock(x): return 2 * x"
    slow = "import time\ndef clock(x):\n    time.sleep(0.3)\n    return 2 * x"
    what_ran(shared, "clock")
    scores = [grade(shared, tmp_path, text, seed, "clock")["score"] for text in (quick, quick, slow, quick)]
    assert scores == [2, 2, 0, 2]
    assert what_ran(shared, "clock") == ["quick"] * 4


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory, start_grader: Any, exercise_type: Any) -> Iterator[Any]:
    exercises = {}
    for name, (suite, right, _) in KEEPING.items():
        checks = suite.replace("keeping", name).replace("def test_", "@pytest.mark.points(1)\n    def test_")
        symbols = (name, "extra") if "extra" in right else (name,)
        reference = right.replace("keeping", name)
        exercises[name] = exercise_type(
            reference, LOGGED + checks, symbols=symbols, points=suite.count("def test_")
        )
    grader = start_grader(tmp_path_factory.mktemp("keeping"), LIMITS, exercises)
    yield grader
    grader.host.close()


@pytest.mark.parametrize("name", KEEPING)
def test_what_a_suite_keeps_between_its_checks_changes_nothing(
    keeping: Any, tmp_path: Path, seed: int, name: str
) -> None:
    _, right, wrong = KEEPING[name]
    texts = [text.replace("keeping", name) for text in (right, *wrong)]
    before = {}
    for text in texts:  # each as the first of its run
        seeds = [next(_seeds) for _ in texts]
        before[text] = [grade(keeping, tmp_path, text, one, name) for one in seeds]
        for one, first in zip(seeds, before[text], strict=True):
            for other in texts:
                grade(keeping, tmp_path, other, one, name)
            assert grade(keeping, tmp_path, text, one, name) == first


def test_module_of_another_check_is_a_mistake_of_the_suite(shared: Any, tmp_path: Path, seed: int) -> None:
    report = grade(shared, tmp_path, KEEPER, seed, "keeps")
    assert report["status"] == "needs_regrade"
    first, second = report["exercises"][0]["checks"]
    assert (first["outcome"], second["outcome"]) == ("passed", "harness_error")
