"""What the judge makes of suites: points, needs, devices, follow-through, and whose fault a failure is."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from grader.errors import AssignmentError, HarnessError
from grader.judge.client import JudgeHost

LIMITS = {"import_cpu_s": 1, "call_cpu_s": 1, "wall_factor": 60}

ORDINARY = """
    import pytest
    from grader.suite import fail, require

    @pytest.mark.points(2)
    @pytest.mark.hint("Count again.")
    @pytest.mark.parametrize("value", [1, 2, 3])
    def test_cases(student, value):
        \"\"\"Each value is doubled.

        Not part of the title.
        \"\"\"
        require(student.ordinary(value) == 2 * value, f"No for case {value}.")

    @pytest.mark.points(1)
    @pytest.mark.needs("test_cases")
    def test_after(student):
        \"\"\"Runs only afterwards.\"\"\"
        require(student.ordinary(5) == 10, "No.", hint="A hint of its own.")

    @pytest.mark.points(1)
    @pytest.mark.needs("test_after")
    def test_last_of_all(student):
        require(student.ordinary(6) == 12, "No.")

    @pytest.mark.points(0.5)
    def test_values(student, reference, tensors, assert_close):
        \"\"\"Values of a tensor.\"\"\"
        X = tensors.randn(2, 3)
        assert_close(student.ordinary(X.clone()), reference.ordinary(X), like=X)
"""

DEVICE = """
    import pytest
    from grader.suite import require

    @pytest.mark.points(1)
    @pytest.mark.accelerator
    @pytest.mark.parametrize("size", [2, 3])
    def test_where_its_inputs_are(student, reference, tensors, assert_close, size):
        \"\"\"Runs where its inputs are.\"\"\"
        X = tensors.randn(size)
        assert_close(student.moved(X.clone()), reference.moved(X), like=X)

    @pytest.mark.points(1)
    def test_plain(student):
        \"\"\"On the CPU only.\"\"\"
        require(student.initial_seed() > 0, "No.")
"""

BUGGY = """
    import pytest
    from grader.suite import require

    @pytest.mark.points(1)
    def test_fine(student):
        \"\"\"A check without a mistake.\"\"\"
        require(student.buggy(1) == 1, "No.")

    @pytest.mark.points(1)
    def test_with_a_bug(student, reference):
        \"\"\"A check with one.\"\"\"
        value = student.buggy(2)
        assert value == undefined  # noqa: F821
"""

BARE = """
    import pytest

    @pytest.mark.points(2)
    def test_bare(student, reference):
        \"\"\"An assertion without words.\"\"\"
        expected = "secret"
        assert student.bare(1) == expected
"""

BASE = """
    import pytest
    from grader.suite import require

    @pytest.mark.points(1)
    def test_base(student):
        \"\"\"The base adds one.\"\"\"
        require(student.base(1) == 2, "No.")

    @pytest.mark.points(1)
    def test_base_of_two(student):
        \"\"\"The base adds one to two.\"\"\"
        require(student.base(2) == 3, "No.")
"""

USER = """
    import pytest
    from grader.suite import require

    @pytest.mark.points(1)
    def test_form(student):
        \"\"\"It is a number.\"\"\"
        require(isinstance(student.user(1), int), "No.")

    @pytest.mark.points(2)
    @pytest.mark.needs("test_form")
    def test_value(student):
        \"\"\"Ten times the base.\"\"\"
        require(student.user(1) == 20, "Wrong.", hint="Think.")

    @pytest.mark.points(1)
    def test_sign(student):
        \"\"\"It is positive.\"\"\"
        require(student.user(3) > 0, "Wrong.")
"""

FIXTURE = """
    import pytest
    from grader.suite import require

    @pytest.fixture
    def resource():
        yield 1
        raise OSError("the suite's own")

    @pytest.mark.points(2)
    def test_fixture(student, resource):
        \"\"\"Uses something that cannot be cleared away.\"\"\"
        require(student.fixture(1) == 1, "No.")
"""

SLOW = """
    import time
    import pytest

    @pytest.mark.points(2)
    def test_slow(student):
        \"\"\"Waits for whoever interrupts it.\"\"\"
        time.sleep(student.slow(0))
        student.slow(1)
"""

GOOD = {
    "ordinary.py": "def ordinary(x): return 2 * x",
    "moved.py": "import torch\ndef moved(X): return X + torch.ones(X.shape, device=X.device)",
    "buggy.py": "def buggy(x): return x",
    "bare.py": "def bare(x): return x",
    "fixture.py": "def fixture(x): return x",
    "base.py": "def base(x): return x + 1",
    "user.py": "from base import base\ndef user(x): return 10 * base(x)",
    "slow.py": "def slow(x): return 0",
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, start_grader: Any, exercise_type: Any) -> Iterator[Any]:
    def one(suite: str, points: float, uses: tuple[str, ...] = (), public: str = "", stem: str = "") -> Any:
        reference = GOOD[f"{stem}.py"]
        return exercise_type(reference, hidden=suite, public=public, points=points, uses=uses)

    exercises = {
        "ordinary": one("", 4.5, public=ORDINARY, stem="ordinary"),
        "moved": one(DEVICE, 2, stem="moved"),
        "buggy": one(BUGGY, 2, stem="buggy"),
        "bare": one(BARE, 2, stem="bare"),
        "fixture": one(FIXTURE, 2, stem="fixture"),
        "base": one(BASE, 2, stem="base"),
        "user": one(USER, 4, uses=("base",), stem="user"),
        "slow": one(SLOW, 2, stem="slow"),
    }
    grader = start_grader(tmp_path_factory.mktemp("judging"), LIMITS, exercises)
    yield grader
    grader.host.close()


def outcomes(found: dict[str, Any]) -> dict[str, str]:
    return {name: check.outcome for name, check in found.items()}


# Points, titles, hints, needs ------------------------------------------------------------------------


def test_right_code_gets_all_points_and_says_nothing(shared: Any, tmp_path: Path, checks: Any) -> None:
    report = shared.grade(tmp_path, GOOD, "ordinary")
    found = checks(report, "ordinary")
    assert (report.status, report.score, report.max_score) == ("graded", 4.5, 4.5)
    assert [check.max_score for check in found.values()] == [2, 1, 1, 0.5]
    assert {check.visibility for check in found.values()} == {"public"}
    assert all(not check.message and not check.hint and not check.frames for check in found.values())
    assert [check.title for check in found.values()] == [
        "Each value is doubled.", "Runs only afterwards.", "Last of all", "Values of a tensor.",
    ]  # fmt: skip


def test_one_failing_case_fails_its_check_and_what_needs_it_is_skipped(
    shared: Any, tmp_path: Path, checks: Any
) -> None:
    files = {**GOOD, "ordinary.py": "def ordinary(x): return 5 if isinstance(x, int) and x == 2 else 2 * x"}
    report = shared.grade(tmp_path, files, "ordinary")
    found = checks(report, "ordinary")
    assert report.score == 0.5
    assert outcomes(found) == {
        "test_cases": "failed", "test_after": "skipped", "test_last_of_all": "skipped",
        "test_values": "passed",
    }  # fmt: skip
    assert (found["test_cases"].message, found["test_cases"].hint) == ("No for case 2.", "Count again.")
    assert found["test_after"].message == "Skipped: needs `Each value is doubled.` to pass first."


def test_hint_of_the_failure_wins_over_that_of_the_check(shared: Any, tmp_path: Path, checks: Any) -> None:
    files = {**GOOD, "ordinary.py": "def ordinary(x): return 0 if isinstance(x, int) and x == 5 else 2 * x"}
    found = checks(shared.grade(tmp_path, files, "ordinary"), "ordinary")
    assert found["test_after"].hint == "A hint of its own."
    assert outcomes(found)["test_last_of_all"] == "skipped"


def test_public_check_shows_input_and_result(shared: Any, tmp_path: Path, checks: Any) -> None:
    files = {**GOOD, "ordinary.py": "def ordinary(x): return 2 * x if isinstance(x, int) else x"}
    message = checks(shared.grade(tmp_path, files, "ordinary"), "ordinary")["test_values"].message
    assert message.startswith("The values of the result are off by up to ")
    assert "called:    ordinary([[" in message
    assert "\nexpected:  [[" in message


def test_time_limit_hit_twice_skips_the_rest_of_the_exercise_only(
    shared: Any, tmp_path: Path, checks: Any
) -> None:
    files = {**GOOD, "ordinary.py": "def ordinary(x):\n    while True:\n        pass"}
    report = shared.grade(tmp_path, files, "ordinary", "base")
    found = checks(report, "ordinary")
    assert outcomes(found) == {
        "test_cases": "timed_out", "test_after": "skipped", "test_last_of_all": "skipped",
        "test_values": "skipped",
    }  # fmt: skip
    assert found["test_values"].message == "Skipped: the code hit the time limit twice before."
    assert found["test_cases"].frames[0].where in ("`ordinary.py` line 2", "`ordinary.py` line 3")
    assert report.score == 2


# Devices ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "outcome", "states"),
    [
        (GOOD["moved.py"], "passed", {"cpu": "passed", "pretend": "passed"}),
        (
            "import torch\ndef moved(X): return X + torch.ones(X.shape)",
            "raised", {"cpu": "passed", "pretend": "failed"},
        ),
        ("import torch\ndef moved(X): return X.cpu() + 1", "failed", {"cpu": "passed", "pretend": "failed"}),
        ("def moved(X): return X", "failed", {"cpu": "failed", "pretend": "failed"}),
        (
            "import torch\ndef moved(X):\n"
            "    torch.ones(2, device=X.device).to_sparse()\n    return X + 1",
            "passed", {"cpu": "passed", "pretend": "inconclusive"},
        ),
    ],
    ids=["right", "mixes devices", "leaves the device", "wrong everywhere", "unsupported there"],
)  # fmt: skip
def test_device_check_costs_points_only_where_it_fails(
    shared: Any, tmp_path: Path, checks: Any, text: str, outcome: str, states: dict[str, str]
) -> None:
    report = shared.grade(tmp_path, {**GOOD, "moved.py": text}, "moved", device="pretend")
    check = checks(report, "moved")["test_where_its_inputs_are"]
    assert (check.outcome, check.devices) == (outcome, states)
    assert checks(report, "moved")["test_plain"].devices == {"cpu": "passed"}


# Whose fault -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stem", "broken", "words"),
    [
        ("buggy", "test_with_a_bug", "NameError"),
        ("bare", "test_bare", "AssertionError"),
        ("fixture", "test_fixture", "teardown: OSError: the suite's own"),
    ],
)
def test_mistake_in_a_suite_needs_a_regrade_and_tells_students_nothing(
    shared: Any, tmp_path: Path, checks: Any, stem: str, broken: str, words: str
) -> None:
    report = shared.grade(tmp_path, GOOD, stem)
    assert (report.status, report.score) == ("needs_regrade", None)
    check = checks(report, stem)[broken]
    assert (check.outcome, check.score) == ("harness_error", None)
    assert check.message == "The check itself failed; this is not your fault."
    assert words in check.staff_message
    assert "secret" not in check.message


def test_judge_that_dies_is_told_and_the_host_serves_the_next(shared: Any, tmp_path: Path) -> None:
    submission = shared.load(tmp_path, {**GOOD, "slow.py": "def slow(x): return 100"})
    with _killed_meanwhile(shared.host, lambda judge, template: judge), pytest.raises(HarnessError) as caught:
        shared.run(submission, "slow")
    assert caught.value.message == "The judge died before it was done."
    assert shared.grade(tmp_path / "next", GOOD, "base").score == 2


@contextlib.contextmanager
def _killed_meanwhile(
    host: JudgeHost, choose: Callable[[psutil.Process, psutil.Process], psutil.Process]
) -> Iterator[None]:
    """Kill the judge or the template as soon as a judge runs."""
    parent = psutil.Process(host._process.pid)
    template = parent.children()[0]

    def kill() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            judges = [child for child in parent.children() if child != template]
            if judges and len(template.children(recursive=True)) > workers_before:
                time.sleep(0.3)  # the check is running now
                choose(judges[0], template).kill()
                return
            time.sleep(0.02)

    workers_before = len(template.children(recursive=True))
    killer = threading.Thread(target=kill)
    killer.start()
    yield
    killer.join()


def test_template_that_dies_needs_a_regrade(
    tmp_path: Path, start_grader: Any, exercise_type: Any, checks: Any
) -> None:
    exercises = {"slow": exercise_type(GOOD["slow.py"], hidden=SLOW)}
    grader = start_grader(tmp_path / "course", LIMITS, exercises)
    with grader.host:
        submission = grader.load(tmp_path / "own", {"slow.py": "def slow(x): return 3"})
        killed = _killed_meanwhile(grader.host, lambda judge, template: template)
        with killed, pytest.raises(HarnessError, match="template process has died"):
            grader.run(submission)
    assert not psutil.pid_exists(grader.host._process.pid)


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "reference is not Python": (
        {"reference": "def one(x) return x"}, "solutions/one.py` does not import: SyntaxError",
    ),
    "reference raises": (
        {"reference": "raise OSError('gone')"}, "solutions/one.py` does not import: OSError: gone",
    ),
    "reference lacks a symbol": (
        {"reference": "def other(x): return x"}, "solutions/one.py` does not define `one`",
    ),
    "suite imports too much": ({"hidden": "import nothing_here"}, "1 of the suites cannot be collected"),
    "suite is not Python": ({"hidden": "def test_x(student: return"}, "1 of the suites cannot be collected"),
    "unknown marker": (
        {"hidden": "import pytest\n@pytest.mark.pionts(1)\ndef test_x(): pass"},
        "'pionts' not found in `markers`",
    ),
    "no check": ({"hidden": "def check_nothing(student): pass"}, "The suites hold no check."),
    "no suite": ({"hidden": ""}, "holds no suite of this assignment"),
    "one name in both suites": (
        {"public": BASE.replace("base", "one")}, "Both suites of an exercise have a check of one name: `one`",
    ),
    "symbol that the handle has": (
        {"symbols": ("device",), "reference": "def device(x): return x"},
        "Symbols must not be called `device`.",
    ),
}  # fmt: skip

# A fork for each, because a process collects only once.
COLLECT = """
import json, os, sys
from pathlib import Path
from grader.catalog import read_assignment
from grader.errors import AssignmentError
from grader.judge.prepared import PreparedSuites
for root in sys.argv[1:]:
    if (pid := os.fork()) == 0:
        try:
            PreparedSuites(read_assignment(Path(root)))
            print(json.dumps("fine"), flush=True)
        except AssignmentError as err:
            print(json.dumps(err.message), flush=True)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
"""


def test_broken_assignment_is_its_authors_fault(
    tmp_path: Path, write_course: Any, exercise_type: Any
) -> None:
    whole = {"reference": "def one(x): return x", "hidden": BASE.replace("base", "one")}
    cases = {"nothing is broken": ({}, "fine"), **BROKEN}
    for number, (parts, _) in enumerate(cases.values()):
        write_course(tmp_path / str(number), LIMITS, {"one": exercise_type(**{**whole, **parts})})
    roots = [str(tmp_path / str(number)) for number in range(len(cases))]
    command = [sys.executable, "-c", COLLECT, *roots]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    messages = [json.loads(line) for line in ended.stdout.splitlines()]
    wanted = {name: words for name, (_, words) in cases.items()}
    found = dict(zip(cases, messages, strict=True))
    assert {name for name, words in wanted.items() if words not in found[name]} == set()


def test_host_that_cannot_judge_says_why_and_leaves_no_process(
    tmp_path: Path, start_grader: Any, exercise_type: Any
) -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    with pytest.raises(AssignmentError, match="does not import: OSError: gone"):
        start_grader(tmp_path, LIMITS, {"one": exercise_type("raise OSError('gone')", hidden=BASE)})
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before


# Follow-through --------------------------------------------------------------------------------------

# The book's package holds no answer: the name leads to the submission's own, or to the reference.
BY_THE_BOOK = "from d2l import torch as d2l\ndef user(x): return 10 * d2l.base(x)"
WRONG_BASE = "def base(x):\n    print('base here')\n    return x + 2\n"


def user_checks(report: Any, checks: Any) -> tuple[bool, dict[str, str]]:
    exercise = next(found for found in report.exercises if found.stem == "user")
    return exercise.follow_through, outcomes(checks(report, "user"))


@pytest.mark.parametrize(
    "user",
    [
        GOOD["user.py"],
        "import base\ndef user(x): return 10 * base.base(x)",
        "from exercises.base import base as own\ndef user(x): return 10 * own(x)",
        "def user(x): return 10 * base(x)",
        BY_THE_BOOK,
    ],
    ids=["from", "module", "renamed", "offered", "from the book"],
)
def test_mistake_of_another_exercise_counts_once(shared: Any, tmp_path: Path, checks: Any, user: str) -> None:
    report = shared.grade(tmp_path, {**GOOD, "base.py": WRONG_BASE, "user.py": user}, "base", "user")
    assert user_checks(report, checks) == (
        True, {"test_form": "passed", "test_value": "passed", "test_sign": "passed"},
    )  # fmt: skip
    assert report.score == 4
    assert any("Graded with the reference for `base`" in note.text for note in report.submission.notes)


def test_mistake_counts_once_in_one_file_with_everything(shared: Any, tmp_path: Path, checks: Any) -> None:
    files = {"all.py": WRONG_BASE + "\ndef user(x): return 10 * base(x)\n"}
    assert shared.grade(tmp_path, files, "base", "user").score == 4
    files = {"all.py": f"{GOOD['base.py']}\n{BY_THE_BOOK}"}
    assert shared.grade(tmp_path, files, "base", "user").score == 6


@pytest.mark.parametrize("user", [GOOD["user.py"], BY_THE_BOOK], ids=["from", "from the book"])
def test_missing_exercise_that_is_used_is_replaced(
    shared: Any, tmp_path: Path, checks: Any, user: str
) -> None:
    report = shared.grade(tmp_path, {"user.py": user}, "base", "user")
    assert user_checks(report, checks)[0]
    assert report.score == 4


def test_right_base_leaves_a_wrong_user_wrong(shared: Any, tmp_path: Path, checks: Any) -> None:
    files = {**GOOD, "user.py": "from base import base\ndef user(x): return 7 * base(x)"}
    report = shared.grade(tmp_path, files, "base", "user")
    followed, found = user_checks(report, checks)
    assert (followed, found["test_value"]) == (False, "failed")
    assert checks(report, "user")["test_value"].hint == "Think."


def test_own_mistake_beside_that_of_the_base_costs_its_points_and_hides_its_words(
    shared: Any, tmp_path: Path, checks: Any
) -> None:
    user = (
        "from base import base\n"
        "def user(x):\n"
        "    print('base gives', base(x))\n"
        "    if x == 3: raise ValueError(f'leak {base(x)}')\n"
        "    return 10 * base(x)\n"
    )
    report = shared.grade(tmp_path, {**GOOD, "base.py": WRONG_BASE, "user.py": user}, "base", "user")
    followed, found = user_checks(report, checks)
    assert (followed, report.score) == (True, 3)
    assert found == {"test_form": "passed", "test_value": "passed", "test_sign": "raised"}
    check = checks(report, "user")["test_sign"]
    assert check.message.startswith("Failed as well with the reference in place of your own code")
    exercise = next(found for found in report.exercises if found.stem == "user")
    shown = f"{exercise} {report.submission.notes}"
    assert "leak" not in shown
    assert "base gives 4" not in shown  # what it prints with the reference in place


def test_follow_through_that_helps_nothing_leaves_the_first_run(
    shared: Any, tmp_path: Path, checks: Any
) -> None:
    user = "from base import base\ndef user(x): return 7 * base(x)"
    report = shared.grade(tmp_path, {**GOOD, "base.py": WRONG_BASE, "user.py": user}, "base", "user")
    followed, found = user_checks(report, checks)
    assert (followed, found["test_value"]) == (False, "failed")
    assert checks(report, "user")["test_value"].message == "Wrong."


def test_follow_through_that_would_cost_points_is_taken_back(
    shared: Any, tmp_path: Path, checks: Any
) -> None:
    """The user fits its own base only: with the reference the first check fails and the next is skipped."""
    base = "def base(x, extra=0): return x + 2 + extra"
    user = "from base import base\ndef user(x): return 10 * base(x, -1) if x == 1 else -base(x, 1)"
    report = shared.grade(tmp_path, {**GOOD, "base.py": base, "user.py": user}, "base", "user")
    assert report.status == "graded"
    assert user_checks(report, checks) == (
        False, {"test_form": "passed", "test_value": "passed", "test_sign": "failed"},
    )  # fmt: skip
    assert report.score == 3


@pytest.mark.parametrize("base", [{"base.py": WRONG_BASE}, {}], ids=["wrong", "absent"])
def test_score_of_one_exercise_does_not_depend_on_what_else_is_chosen(
    base: dict[str, str], shared: Any, tmp_path: Path, checks: Any
) -> None:
    """The base is judged aside, and the report leaves it out."""
    report = shared.grade(tmp_path, {"user.py": GOOD["user.py"], **base}, "user")
    followed, found = user_checks(report, checks)
    assert (followed, found["test_value"]) == (True, "passed")
    assert [exercise.stem for exercise in report.exercises] == ["user"]


def test_one_file_with_both_counts_the_mistake_in_the_exercise_that_was_chosen(
    shared: Any, tmp_path: Path, checks: Any
) -> None:
    both = f"{WRONG_BASE}\ndef user(x): return 10 * base(x)\n"
    followed, found = user_checks(shared.grade(tmp_path, {"user.py": both}, "user"), checks)
    assert (followed, found["test_value"]) == (False, "failed")


# Notes, output, determinism --------------------------------------------------------------------------


def test_report_names_the_lines_and_the_output_of_public_checks(
    shared: Any, tmp_path: Path, checks: Any
) -> None:
    text = (
        "print('at import')\ndef ordinary(x):\n    print('in call')\n    return helper(x)\n"
        "def helper(x):\n    return x.no\n"
    )
    report = shared.grade(tmp_path, {**GOOD, "ordinary.py": text}, "ordinary")
    check = checks(report, "ordinary")["test_cases"]
    assert check.message == "AttributeError: 'int' object has no attribute 'no'"
    assert [(frame.where, frame.code) for frame in check.frames] == [
        ("`ordinary.py` line 4", "return helper(x)"), ("`ordinary.py` line 6", "return x.no"),
    ]  # fmt: skip
    (exercise,) = [found for found in report.exercises if found.stem == "ordinary"]
    assert exercise.stdout.startswith("at import\nin call\n")


def test_changed_state_of_one_exercise_is_noted_and_reaches_no_other(
    shared: Any, tmp_path: Path, checks: Any
) -> None:
    text = "import torch\ntorch.set_default_dtype(torch.float64)\ntorch.softmax = None\n" + GOOD["base.py"]
    files = {
        **GOOD,
        "base.py": text,
        "user.py": "import torch\ndef user(x): return int(torch.softmax(torch.ones(1), 0)) * 20",
    }
    report = shared.grade(tmp_path, files, "base", "user")
    assert report.score == 6
    notes = [note.text for note in report.submission.notes if note.exercise == "base"]
    assert [note.partition("(")[0].strip() for note in notes] == [
        "The code changes the default dtype",
        "The code changes `torch.softmax`",
    ]


def test_same_seed_gives_the_same_report_but_for_times(shared: Any, tmp_path: Path) -> None:
    files = {
        **GOOD,
        "ordinary.py": "import random, numpy, torch\n"
        "print(random.random(), numpy.random.rand(), torch.rand(()))\n"
        "def ordinary(x):\n    print(random.random(), numpy.random.rand(), torch.rand(()))\n"
        "    return 2 * x + 1e-3 * torch.rand(()) if isinstance(x, torch.Tensor) else 2 * x",
        "base.py": WRONG_BASE,
    }
    stems = ("ordinary", "moved", "base", "user")
    reports = [_timeless(shared.grade(tmp_path, files, *stems).model_dump()) for _ in range(3)]
    assert reports[0] == reports[1] == reports[2]
    other = _timeless(shared.grade(tmp_path, files, *stems, seed=8).model_dump())
    assert other != reports[0]


def _timeless(part: Any) -> Any:
    if isinstance(part, dict):
        return {
            key: _timeless(value) for key, value in part.items() if key not in ("duration_s", "started_at")
        }
    return [_timeless(value) for value in part] if isinstance(part, (list, tuple)) else part
