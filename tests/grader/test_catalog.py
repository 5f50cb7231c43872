"""The assignment: everything wrong with its file is said at once, and a submission never brings its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.catalog import Limits, find_assignment, read_assignment
from grader.errors import AssignmentError

GOOD = """
id = "small"
title = "A small assignment"

[limits]
call_cpu_s = 1.5
memory_mb = 64

[[exercises]]
stem = "one"
title = "One"
points = 2
symbols = ["one", "One"]

[[exercises]]
stem = "two"
title = "Two"
points = 0.5
symbols = ["two"]
uses = ["one"]
track = "extension"
"""


def written(root: Path, text: str = GOOD) -> Path:
    (root / "exercises").mkdir(parents=True)
    (root / "exercises" / "assignment.toml").write_text(text, "utf-8")
    return root


def problems_of(root: Path, text: str) -> list[str]:
    with pytest.raises(AssignmentError) as caught:
        read_assignment(written(root, text))
    assert all(problem in caught.value.message for problem in caught.value.problems)
    return list(caught.value.problems)


def test_all_of_a_good_file_is_read(tmp_path: Path) -> None:
    assignment = read_assignment(written(tmp_path))
    assert (assignment.id, assignment.title, assignment.stems) == (
        "small",
        "A small assignment",
        ("one", "two"),
    )
    assert assignment.limits == Limits(call_cpu_s=1.5, memory_mb=64)
    assert assignment.exercise("two").uses == ("one",)
    assert assignment.exercise("one").symbols == ("one", "One")
    assert assignment.max_score == 2  # what is an extension does not count
    assert not assignment.has_staff_parts


def test_paths_of_an_exercise_follow_from_its_stem(tmp_path: Path) -> None:
    assignment = read_assignment(written(tmp_path))
    paths = (
        assignment.stub("one"), assignment.reference("one"), assignment.misconceptions("one"),
        assignment.suite("one", "public"), assignment.suite("one", "hidden"),
    )  # fmt: skip
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "exercises/one.py", "solutions/one.py", "solutions/misconceptions/one.py",
        "tests/public/test_one.py", "tests/hidden/test_one.py",
    ]  # fmt: skip


def test_hidden_suite_makes_it_the_staffs(tmp_path: Path) -> None:
    assignment = read_assignment(written(tmp_path))
    suite = assignment.suite("two", "hidden")
    suite.parent.mkdir(parents=True)
    suite.write_text("")
    assert assignment.has_staff_parts


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('id = "small"', "", "`id` must be a non-empty string, got None"),
        ('id = "small"', "id = 5", "`id` must be a non-empty string, got 5"),
        ('title = "A small assignment"', 'title = ""', "`title` must be a non-empty string, got ''"),
        ('title = "A small assignment"', 'title = "x"\ntitel = 1', "`titel` is not a key that is known here"),
        ("call_cpu_s = 1.5", "call_cpu_s = 0", "`limits.call_cpu_s` must be a positive number, got 0"),
        ("call_cpu_s = 1.5", "call_cpu_s = nan", "`limits.call_cpu_s` must be a positive number, got nan"),
        ("call_cpu_s = 1.5", "call_cpu_s = true", "`limits.call_cpu_s` must be a positive number, got True"),
        ("call_cpu_s = 1.5", "cpu = 1", "`[limits]` has an unknown key: cpu"),
        ("memory_mb = 64", "memory_mb = 64.5", "`limits.memory_mb` must be a whole number, got 64.5"),
        ('stem = "one"', "", "exercise 1: `stem` must be a Python name, got None"),
        ('stem = "one"', 'stem = "o ne"', "exercise 1: `stem` must be a Python name, got 'o ne'"),
        ('stem = "one"', 'stem = "class"', "exercise 1: `stem` must be a Python name, got 'class'"),
        ('stem = "one"', 'stem = "../one"', "exercise 1: `stem` must be a Python name, got '../one'"),
        (
            'stem = "one"', 'stem = "random"',
            "exercise 1: `stem` must not be the name of a library's module, got 'random'",
        ),
        ('title = "One"', "", "exercise 1: `title` must be a non-empty string, got None"),
        ("points = 2", "points = -1", "exercise 1: `points` must be a positive number, got -1"),
        ("points = 2", 'points = "2"', "exercise 1: `points` must be a positive number, got '2'"),
        ("points = 2", "points = true", "exercise 1: `points` must be a positive number, got True"),
        ("points = 2", "points = inf", "exercise 1: `points` must be a positive number, got inf"),
        ('symbols = ["two"]', "symbols = []", "exercise 2: `symbols` must be a list of Python names, got []"),
        (
            'symbols = ["two"]', 'symbols = ["t.wo"]',
            "exercise 2: `symbols` must be a list of Python names, got ['t.wo']",
        ),
        ('uses = ["one"]', 'uses = "one"', "exercise 2: `uses` must be a list of stems, got 'one'"),
        ('uses = ["one"]', 'uses = ["three"]', "exercise `two` uses `three`, which is not an exercise"),
        ('uses = ["one"]', 'uses = ["two"]', "exercise `two` uses itself, directly or through others"),
        (
            'track = "extension"', 'track = "bonus"',
            "exercise 2: `track` must be \"core\" or \"extension\", got 'bonus'",
        ),
        ('track = "extension"', "weight = 3", "exercise 2 has unknown keys: weight"),
        ('stem = "two"', 'stem = "one"', "the stem `one` is used more than once"),
    ],
)  # fmt: skip
def test_each_problem_is_named(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert GOOD.count(old) == 1
    assert problem in problems_of(tmp_path, GOOD.replace(old, new))


@pytest.mark.parametrize(
    ("rest", "problem"),
    [
        ("", "`[[exercises]]` must list at least one exercise"),
        ("exercises = []", "`[[exercises]]` must list at least one exercise"),
        ("exercises = 5", "`[[exercises]]` must list at least one exercise"),
        ("exercises = [5]", "exercise 1 must be a table, got int"),
        ("limits = 5", "`[limits]` must be a table"),
    ],
)
def test_parts_of_another_kind(tmp_path: Path, rest: str, problem: str) -> None:
    assert problem in problems_of(tmp_path, f'id = "x"\ntitle = "y"\n{rest}')


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    text = GOOD.replace('id = "small"', "").replace("points = 2", "points = 0").replace("memory_mb", "mem")
    assert len(problems_of(tmp_path, text)) == 4  # `two` uses an exercise that could not be read


def test_circle_of_uses_is_a_problem_of_all_in_it(tmp_path: Path) -> None:
    text = GOOD.replace('symbols = ["one", "One"]', 'symbols = ["one"]\nuses = ["two"]')
    assert problems_of(tmp_path, text) == [
        f"exercise `{stem}` uses itself, directly or through others" for stem in ("one", "two")
    ]


@pytest.mark.parametrize("raw", [b"id = ", b"\xff", b"id = 'a'\nid = 'b'"])
def test_file_that_is_not_toml_is_one_clear_error(tmp_path: Path, raw: bytes) -> None:
    path = written(tmp_path) / "exercises" / "assignment.toml"
    path.write_bytes(raw)
    with pytest.raises(AssignmentError, match="cannot be read"):
        read_assignment(tmp_path)


def test_digest_changes_with_everything_that_decides_a_score_and_nothing_else(tmp_path: Path) -> None:
    written(tmp_path)
    seen = {read_assignment(tmp_path).digest}
    for name in (
        "exercises/one.py", "solutions/one.py", "solutions/misconceptions/two.py",
        "tests/public/test_one.py", "tests/hidden/test_two.py",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for text in ("a = 1", "a = 2"):
            path.write_text(text)
            seen.add(read_assignment(tmp_path).digest)
    assert len(seen) == 11
    (tmp_path / "exercises" / "README.md").write_text("hello")
    assert read_assignment(tmp_path).digest in seen


# Where it is found -----------------------------------------------------------------------------------


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four assignments whose ids are their folders' names, and a folder that is in none of them."""
    for name in ("explicit", "variable", "here", "there"):
        written(tmp_path / name, GOOD.replace('"small"', f'"{name}"'))
    (tmp_path / "there" / "homework" / "deep").mkdir(parents=True)
    (tmp_path / "nowhere").mkdir()
    monkeypatch.delenv("GRADE_ASSIGNMENT", raising=False)
    monkeypatch.chdir(tmp_path / "here" / "exercises")
    return tmp_path


def test_named_folder_wins_over_all(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADE_ASSIGNMENT", str(places / "variable"))
    named = str(places / "explicit")
    assert find_assignment(named, places / "here", places / "there").id == "explicit"
    assert find_assignment(f"{named}/exercises", places / "here").id == "explicit"


def test_variable_wins_over_folders(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADE_ASSIGNMENT", str(places / "variable"))
    assert find_assignment(None, places / "here", places / "there").id == "variable"


def test_first_start_wins_and_parents_count(places: Path) -> None:
    deep = places / "there" / "homework" / "deep"
    assert find_assignment(None, Path.cwd(), deep).id == "here"
    assert find_assignment(None, deep, Path.cwd()).id == "there"
    assert find_assignment(None, places / "nowhere", deep).id == "there"


def test_named_folder_that_is_none_is_an_error_even_if_others_are_near(places: Path) -> None:
    with pytest.raises(AssignmentError, match="nowhere` is not an assignment"):
        find_assignment(str(places / "nowhere"), places / "here")


def test_no_assignment_tells_where_it_was_looked_for(places: Path) -> None:
    with pytest.raises(AssignmentError) as caught:
        find_assignment(None, places / "nowhere")
    assert f"`{places / 'nowhere'}`" in caught.value.message
    assert "--assignment" in caught.value.hint


def test_broken_assignment_that_is_nearest_is_an_error(places: Path) -> None:
    (places / "here" / "exercises" / "assignment.toml").write_text("id = 5")
    with pytest.raises(AssignmentError):
        find_assignment(None, Path.cwd(), places / "there")


@pytest.mark.parametrize("start", [".", "exercises", "work"])
def test_assignment_inside_the_submission_is_never_found(places: Path, start: str) -> None:
    """Even for a grader who stands in the submission's folder."""
    submission = places / "there" / "homework"
    written(submission, GOOD.replace('"small"', '"planted"'))
    (submission / "work").mkdir()
    assert find_assignment(None, submission / start, submission=submission).id == "there"
    assert find_assignment(None, submission / start, submission=submission / ".." / "homework").id == "there"
    assert find_assignment(None, submission / start, submission=submission / "work").id == "planted"
