"""Several at once, and killed in the middle: every act is stored whole or not at all, and none is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from grader.review.desk import Desk, open_desk
from grader.review.desk_query import Query
from grader.review.desk_records import ConflictError

EACH = 8

# A desk in a process of its own; `sys.argv` has the folder, who acts, and the gradebook's URL or nothing.
_BEGIN = """
import os, signal, sys
from pathlib import Path
import grader.review.desk as desk_module, grader.review.desk_actions as actions
from grader.review.desk import open_desk
from grader.review.desk_records import ConflictError
folder, who, database = Path(sys.argv[1]), sys.argv[2], sys.argv[3] or None
"""
_WRITES = (
    _BEGIN
    + """
with open_desk(folder, database) as desk:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(EACH):
        desk.comment(who, "ben", f"{who} {number}", desk.version())
        while True:
            try:
                desk.override(who, "cem", "double", number % 4, f"{who} {number}", desk.version())
                break
            except ConflictError as err:
                print("conflict with", err.meanwhile[0].who)
""".replace("EACH", str(EACH))
)
_DIES_BEFORE_COMMIT = (
    _BEGIN
    + """
actions.refresh = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with open_desk(folder, database) as desk:
    desk.override(who, desk.ids(), "double", 1.0, "never", desk.version())
"""
)
_DIES_AFTER_COMMIT = (
    _BEGIN
    + """
with open_desk(folder, database) as desk:
    desk_module.publish = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    desk.override(who, ("ben", "cem"), "double", 4.0, "stored", desk.version())
"""
)


def _start(code: str, folder: Path, who: str, database: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder), who, database],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _run_both(folder: Path, database: str = "") -> None:
    """Two processes that write as fast as they can, from one moment on."""
    both = [_start(_WRITES, folder, who, database) for who in ("mei", "tom")]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        _, said = process.communicate("go\n", timeout=120)
        assert (process.returncode, said) == (0, "")


def _check_nothing_lost(desk: Desk) -> None:
    history = desk.history(limit=1000)
    for who in ("mei", "tom"):
        comments = [one.text for one in desk.submission("ben").comments if one.who == who]
        assert comments == [f"{who} {number}" for number in range(EACH)]
        reasons = [one.why for one in history if one.who == who and one.kind == "override"]
        assert reasons[::-1] == [f"{who} {number}" for number in range(EACH)]
    last = next(one for one in history if one.kind == "override")
    shown = desk.submission("cem").exercises[0].override
    assert shown is not None
    assert (shown.action, shown.why) == (last.number, last.why)
    numbers = [one.number for one in history]
    assert numbers == sorted(numbers, reverse=True)


def test_two_processes_lose_nothing(graded: Any) -> None:
    _run_both(graded.out)
    _check_nothing_lost(graded.desk())


def test_two_processes_lose_nothing_in_postgresql(made: Callable[..., Any], postgres: str) -> None:
    one = made(postgres)
    for name in ("ben", "cem"):
        one.hand_in(name)
    one.grade()
    _run_both(one.out, postgres)
    _check_nothing_lost(one.desk())
    assert not (one.out / "gradebook.sqlite").exists()


def test_all_of_the_desk_works_in_postgresql(made: Callable[..., Any], postgres: str) -> None:
    one = made(postgres)
    one.hand_in("ada")
    for name in ("ben", "cem"):
        one.hand_in(name, double="# squares\ndef double(x):\n    return x * x\n")
    one.grade()
    desk = one.desk()
    query = Query(search="e", sort="score", check="double::test_values", done=False, commented=False)
    assert desk.ids(query) == ("ben", "cem")
    assert desk.facets().checks[0].outcomes == {"failed": 2}
    assert desk.facets().misconceptions[0].count == 2
    (cluster,) = desk.clusters()
    acted = desk.override("ta", cluster.members, "double", 3.0, "nearly", desk.version())
    desk.comment("ta", cluster.members, "See the book.", desk.version())
    desk.mark("ta", "ben", True, desk.version())
    assert desk.distribution().mean == pytest.approx((6.0 + 5.0 + 5.0) / 3)
    assert '"graded",5.0' in one.grades_csv()["ben"]
    desk.undo("ta", acted.action.number, desk.version())
    assert [line.score for line in desk.listing(Query(sort="score")).lines] == [3.0, 3.0, 6.0]
    seen = desk.version() - 1
    with pytest.raises(ConflictError):
        desk.override("mei", "ben", "double", 1.0, "x", seen)


def test_two_desks_in_threads_meet_in_a_conflict(graded: Any) -> None:
    """Both have seen the same class and change the same check: one is first, the other is told."""
    seen, gate, told = 0, threading.Barrier(2), []

    def act(who: str, desk: Desk) -> None:
        gate.wait()
        try:
            desk.override(who, "ben", "double", 2.0, who, seen)
        except ConflictError as err:
            told.append((who, err.meanwhile[0].who))

    threads = [threading.Thread(target=act, args=(who, graded.desk())) for who in ("mei", "tom")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    desk = graded.desk()
    (action,) = desk.history()
    assert told in ([("tom", "mei")], [("mei", "tom")])
    assert action.who == told[0][1]


def _killed(code: str, folder: Path) -> None:
    process = _start(code, folder, "ta")
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL


def _is_sound(desk: Desk) -> bool:
    with desk.engine.connect() as connection:
        return connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"


def test_killed_in_the_middle_of_a_save_leaves_the_old_state(graded: Any) -> None:
    before = graded.grades_csv()
    _killed(_DIES_BEFORE_COMMIT, graded.out)
    desk = graded.desk()
    assert _is_sound(desk)
    assert (desk.history(), desk.ids(Query(overridden=True)), graded.grades_csv()) == ((), (), before)
    desk.override("mei", "ben", "double", 2.0, "goes on", desk.version())
    assert desk.ids(Query(overridden=True)) == ("ben",)


def test_killed_after_the_save_leaves_the_new_state_and_files_catch_up(graded: Any) -> None:
    before = graded.grades_csv()
    _killed(_DIES_AFTER_COMMIT, graded.out)
    assert graded.grades_csv() == before
    with open_desk(graded.out) as desk:
        assert _is_sound(desk)
        assert desk.ids(Query(overridden=True)) == ("ben", "cem")
    assert '"graded",6.0' in graded.grades_csv()["ben"]
