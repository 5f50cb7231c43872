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
    import os
    from pathlib import Path

    import pytest
    import torch
    from torch import nn

    from grader.errors import StudentError
    from grader.suite import check_untouched, fail, gradients_of, require

    def runs(name):
        with Path(__file__).with_suffix(".log").open("a") as log:
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
    def test_refuses_words(student):
        \"\"\"A word is refused.\"\"\"
        runs("refuses")
        try:
            student.double("word")
        except StudentError:
            return
        fail("It was taken.", reason="property")

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
        if isinstance(x, str):
            raise ValueError("not a number")
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
        X = int.from_bytes(os.urandom(4), "little")
        require(student.unsteady(X) == X + 1, "No.")

    @pytest.mark.points(1)
    def test_ever_fewer_calls(student):
        \"\"\"Three calls the first time, then one.\"\"\"
        runs("calls")
        log = Path(__file__).with_suffix(".log").read_text()
        for X in range(3 if log.count("calls") == 1 else 1):
            require(student.unsteady(X) == X + 1, "No.")
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
        "double": exercise_type(RIGHT, HIDDEN, PUBLIC, symbols=("double", "Scale"), points=5),
        "unsteady": exercise_type("def unsteady(x): return x + 1", UNSTEADY),
        "keeps": exercise_type(KEEPER, KEEPS, symbols=("Keeps",)),
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


ALL = ["values", "net", "refuses", "device", "device"]


def test_the_same_code_is_graded_the_same_and_no_check_runs_twice(
    shared: Any, tmp_path: Path, seed: int
) -> None:
    what_ran(shared, "double")
    first = grade(shared, tmp_path, RIGHT, seed)
    assert first["score"] == 5
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
    assert found["score"] == 5
    assert what_ran(shared, "double") == ["values", "device", "device"]
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
    assert (right["score"], before["score"] < 5) == (5, True)
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


def test_check_that_asks_something_else_each_time_is_always_run(
    shared: Any, tmp_path: Path, seed: int
) -> None:
    right, wrong, odd = (f"def unsteady(x): return x + {one}" for one in ("1", "2", "1 + (x == 1)"))
    what_ran(shared, "unsteady")
    reports = [grade(shared, tmp_path, text, seed, "unsteady") for text in (right, right, wrong, odd, right)]
    assert [report["status"] for report in reports] == ["graded"] * 5
    # Only the first time the second of the calls was made that `odd` answers wrongly.
    assert [report["score"] for report in reports] == [2, 2, 0, 2, 2]
    ran = what_ran(shared, "unsteady")
    # The second submission is asked what the first one was. At the third, or at the fourth, it shows that
    # the check asks something else by now: there it runs once more, and from then on it always runs.
    assert (ran.count("values"), ran.count("calls")) == (5, 5)


def test_module_of_another_check_is_a_mistake_of_the_suite(shared: Any, tmp_path: Path, seed: int) -> None:
    report = grade(shared, tmp_path, KEEPER, seed, "keeps")
    assert report["status"] == "needs_regrade"
    first, second = report["exercises"][0]["checks"]
    assert (first["outcome"], second["outcome"]) == ("passed", "harness_error")
