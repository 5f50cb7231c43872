"""`grade check --watch` on a terminal: what it shows after a save, and that nothing stops it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

GRADE = str(Path(sys.executable).with_name("grade"))
Watched = tuple[Any, Path]


@pytest.fixture(autouse=True)
def _start_from_right(request: pytest.FixtureRequest, right: Mapping[str, str]) -> None:
    """Each test of the shared watch begins with everything done."""
    if "watched" not in request.fixturenames:
        return
    terminal, exercises = request.getfixturevalue("watched")
    for number, (stem, text) in enumerate(right.items()):
        (exercises / f"{stem}.py").write_text(f"{text}# {request.node.name} {number}\n", "utf-8")
    terminal.press("r")
    terminal.page("2 of 2 exercises done", "Well done")


def test_save_shows_the_first_thing_to_fix_and_the_rest_in_a_line_each(watched: Watched) -> None:
    terminal, exercises = watched
    (exercises / "twice.py").write_text("def twice(X):\n    return X.sum()\n", "utf-8")
    page = terminal.page("0 of 2 checks", "The shape stays as it is.")
    assert "Every number is doubled." in page
    assert "shape" in page
    assert "✗ The shape stays as it is.  (failed)" in page


def test_saving_the_right_code_says_what_is_done_and_goes_on(
    watched: Watched, right: Mapping[str, str]
) -> None:
    terminal, exercises = watched
    (exercises / "twice.py").write_text("def twice(X):\n    return X\n", "utf-8")
    terminal.page("Fourfold  0 of 2 checks")
    (exercises / "twice.py").write_text(right["twice"], "utf-8")
    terminal.page("2 of 2 exercises done", "Done: Twice, Fourfold.")


def test_exercise_that_builds_on_the_saved_one_is_checked_again(watched: Watched) -> None:
    terminal, exercises = watched
    (exercises / "twice.py").write_text("def twice(X):\n    return X\n", "utf-8")
    page = terminal.page("Fourfold  0 of 2 checks")
    assert "Twice     1 of 2 checks" in page


def test_exercise_says_what_it_builds_on_when_that_fails(watched: Watched) -> None:
    terminal, exercises = watched
    (exercises / "twice.py").write_text("def twice(X):\n    return X\n", "utf-8")
    terminal.page("Fourfold  0 of 2 checks")
    terminal.press("n")
    assert "It builds on `twice`, which does not pass yet: look there first." in terminal.page("builds on")


def test_hint_waits_until_it_is_asked_for(watched: Watched) -> None:
    terminal, exercises = watched
    (exercises / "twice.py").write_text("def twice(X):\n    return 3 * X\n", "utf-8")
    assert "Add it to itself" not in terminal.page("There is a hint: press h.")
    terminal.press("h")
    terminal.page("Hint: Add it to itself.")


def test_list_names_every_check(watched: Watched) -> None:
    terminal, _ = watched
    terminal.press("l")
    page = terminal.page("Nothing stays nothing.")
    assert page.count("✓ Every number is doubled.") == 1


def test_syntax_error_is_told_with_its_line_and_the_next_save_counts(
    watched: Watched, right: Mapping[str, str]
) -> None:
    terminal, exercises = watched
    (exercises / "twice.py").write_text("def twice(X):\n    return (2 * X\n", "utf-8")
    assert "line 2" in terminal.page("twice.py", "unreadable")
    (exercises / "twice.py").write_text(right["twice"], "utf-8")
    terminal.page("2 of 2 exercises done")


def test_save_during_a_hang_takes_its_place(watched: Watched, right: Mapping[str, str]) -> None:
    terminal, exercises = watched
    (exercises / "twice.py").write_text("def twice(X):\n    while True: pass\n", "utf-8")
    terminal.wait_for("Checking twice ...")
    (exercises / "twice.py").write_text(right["twice"] + "# again\n", "utf-8")
    assert "Not finished" not in terminal.page("2 of 2 exercises done")


def test_hang_is_told_with_the_line_where_it_was(watched: Watched) -> None:
    terminal, exercises = watched
    (exercises / "twice.py").write_text("def twice(X):\n    while True: pass\n", "utf-8")
    page = terminal.page("Not finished after")
    assert "while True: pass" in page


def test_deleted_file_is_missed_and_welcomed_back(watched: Watched, right: Mapping[str, str]) -> None:
    terminal, exercises = watched
    (exercises / "twice.py").unlink()
    terminal.page("missing", "`twice` is not defined")
    (exercises / "twice.py").write_text(right["twice"], "utf-8")
    terminal.page("2 of 2 exercises done")


def test_file_that_is_given_the_name_of_the_old_one_counts(
    watched: Watched, right: Mapping[str, str]
) -> None:
    terminal, exercises = watched
    beside = exercises / ".twice.py.tmp"
    beside.write_text("def twice(X):\n    return 5 * X\n", "utf-8")
    beside.replace(exercises / "twice.py")
    terminal.page("1 of 2 checks")


def test_folder_that_goes_away_is_watched_again_when_it_is_back(watched: Watched) -> None:
    terminal, exercises = watched
    away = exercises.with_name("away")
    exercises.rename(away)
    terminal.page("Waiting for it to be saved again.")
    away.rename(exercises)
    (exercises / "twice.py").write_text("def twice(X):\n    return 7 * X\n", "utf-8")
    terminal.page("1 of 2 checks")


def test_host_that_dies_is_replaced(watched: Watched) -> None:
    terminal, exercises = watched
    host = next(child for child in terminal.process.children() if "host" in " ".join(child.cmdline()))
    host.kill()
    psutil.wait_procs([host])
    (exercises / "twice.py").write_text("def twice(X):\n    return 9 * X\n", "utf-8")
    terminal.page("1 of 2 checks")


@pytest.mark.parametrize("how", ["q", "ctrl-c", "hang up"])
def test_every_way_to_quit_leaves_no_process_and_the_terminal_as_it_was(
    handout: Path, terminal: Callable[..., Any], how: str
) -> None:
    started = terminal(handout, "--watch")
    started.page("0 of 2 exercises done")
    family = started.family()
    assert family
    if how == "hang up":
        started.hang_up()
    else:
        started.press({"q": "q", "ctrl-c": "\x03"}[how])
    assert started.wait() == (129 if how == "hang up" else 0)
    assert not psutil.wait_procs(family, timeout=60)[1]
    if how != "hang up":
        assert started.has_its_mode_back


def test_keys_are_read_a_line_each_from_a_pipe_whose_end_quits(handout: Path) -> None:
    process = subprocess.Popen(
        [GRADE, "check", "--watch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for line in process.stdout:
        if "[q] quit" in line:
            break
    process.stdin.write("l\n")
    process.stdin.flush()
    while "Nothing stays nothing." not in process.stdout.readline():
        pass
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "\x1b" not in rest


def test_without_standard_input_it_ends_after_the_first_verdict(handout: Path) -> None:
    ended = subprocess.run(
        [GRADE, "check", "-w"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert "0 of 2 exercises done" in ended.stdout


def test_file_that_is_not_there_yet_is_waited_for(handout: Path, terminal: Callable[..., Any]) -> None:
    started = terminal(handout, "mine.py", "--watch")
    started.page("`mine.py` does not exist")
    (handout / "mine.py").write_text("def twice(X):\n    return 2 * X\n", "utf-8")
    started.page("Twice     2 of 2 checks")
