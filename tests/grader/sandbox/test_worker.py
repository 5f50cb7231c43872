"""Every way in which student code can end a call or its process has one outcome and leaves no process."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from grader.catalog import Limits
from grader.errors import StudentError
from grader.sandbox import deadlines
from grader.student.handle import Student

StudentOf = Callable[..., Student]


def ending(student: Student, *args: Any) -> StudentError:
    """How a call of `f` ends; its worker is gone afterwards, or alive and ready for the next call."""
    with pytest.raises(StudentError) as caught:
        student.f(*args)
    return caught.value


def processes_below_us() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def all_gone(before: set[int]) -> bool:
    """No process is left that was not there `before`; pids of workers themselves are of their namespace."""
    end = time.monotonic() + 20
    while processes_below_us() - before:
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


DEADLY: dict[str, tuple[str, str, str, str]] = {
    # label: (body of f, outcome, kind, words of the message)
    "segmentation fault": (
        "import ctypes; ctypes.string_at(0)", "crashed", "crash", "segmentation fault (SIGSEGV)",
    ),
    "abort": ("import os; os.abort()", "crashed", "crash", "abort() (SIGABRT)"),
    "exit 0": ("import os; os._exit(0)", "crashed", "exit", "exit status 0"),
    "exit 5": ("import os; os._exit(5)", "crashed", "exit", "exit status 5"),
    "its own signal": (
        "import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "crashed", "crash", "SIGTERM",
    ),
    "descriptors closed": ("import os; os.closerange(0, 64)", "bad_return", "protocol", "channel"),
    "channel closed": ("import os; os.close(3)", "bad_return", "protocol", "channel"),
    "noise on the channel": (
        "import os; os.write(3, b'GET / HTTP/1.1' + bytes(50)); return 1", "bad_return", "protocol",
        "not an answer",
    ),
    "a forged answer": (
        "import json, os\nhead = json.dumps({'id': 99, 'ok': 1}).encode()\n"
        "os.write(3, b'AG1\\n' + len(head).to_bytes(4, 'big') + bytes(8) + head)",
        "bad_return", "protocol", "not an answer",
    ),
    "endless loop": ("while True:\n    x = 1 + 1", "timed_out", "cpu_limit", "1 s of CPU time"),
    "too much output": ("while True:\n    print('x' * 1000)", "raised", "output", "printed more than 64 kB"),
}  # fmt: skip


def indented(body: str) -> str:
    return "def f(x=None):\n" + "".join(f"    {line}\n" for line in body.splitlines())


@pytest.mark.parametrize(("body", "outcome", "kind", "words"), DEADLY.values(), ids=DEADLY.keys())
def test_deadly_call_has_its_outcome_and_leaves_no_process(
    student_of: StudentOf, body: str, outcome: str, kind: str, words: str
) -> None:
    student, before = student_of(indented(body)), processes_below_us()
    pid = student._session.worker().pid
    assert processes_below_us() - before
    err = ending(student)
    assert (err.outcome, err.kind) == (outcome, kind)
    assert words in err.message
    assert all_gone(before)
    # The next check gets a new process that works.
    student._session.finish_check()
    assert not student._session.worker().is_dead
    assert student._session.worker().pid != pid


HARMLESS: dict[str, tuple[str, str, str, str]] = {
    "sys.exit": ("import sys; sys.exit(0)", "raised", "exit", "stopped the Python process itself"),
    "quit": ("quit()", "raised", "exit", "NameError"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "raised", "exit", "(KeyboardInterrupt)"),
    "exception": ("raise ValueError('mine')", "raised", "raised", "ValueError: mine"),
    "exception without words": ("raise ValueError", "raised", "raised", "ValueError"),
    "very long message": ("raise ValueError('y' * 100_000)", "raised", "raised", "characters in all"),
    "control characters": ("raise ValueError('\\x1b[2J\\u202e')", "raised", "raised", "\\x1b[2J\\u202e"),
    "message that raises": (
        "class Odd(Exception):\n    def __str__(self): raise SystemExit\nraise Odd", "raised", "raised",
        "(its message cannot be shown)",
    ),
    "too deep": ("return f(x)", "raised", "raised", "RecursionError"),
    "own memory error": ("raise MemoryError", "out_of_memory", "memory", "the limit is 512 MB"),
    "memory in Python": ("return len(bytearray(3 << 30))", "out_of_memory", "memory", "the limit is 512 MB"),
    "memory in torch": (
        "import torch; return torch.ones(3 << 28).sum()", "out_of_memory", "memory", "the limit is 512 MB",
    ),
    "a set": ("return {1}", "bad_return", "bad_return", "a value of type `set`"),
    "a module": ("import torch; return torch.nn.ReLU()", "bad_return", "bad_return", "of type `ReLU`"),
    "a generator": ("yield 1", "bad_return", "bad_return", "of type `generator`"),
    "a coroutine": (
        "async def g(): pass\nc = g(); c.close(); return c", "bad_return", "bad_return",
        "of type `coroutine`",
    ),
    "NumPy": ("import numpy; return numpy.ones(2)", "bad_return", "bad_return", "of type `ndarray`"),
    "sparse": ("import torch; return torch.eye(2).to_sparse()", "bad_return", "bad_return", "sparse_coo"),
    "meta": ("import torch; return torch.ones(2, device='meta')", "bad_return", "bad_return", "device meta"),
    "itself": ("x = []; x.append(x); return x", "bad_return", "bad_return", "too deeply nested"),
    "something enormous": (
        "import torch; return torch.ones(1).expand(1 << 40)", "bad_return", "bad_return",
        "4,398,046,511,104 bytes",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "outcome", "kind", "words"), HARMLESS.values(), ids=HARMLESS.keys())
def test_other_bad_call_has_its_outcome_and_keeps_the_worker(
    student_of: StudentOf, body: str, outcome: str, kind: str, words: str
) -> None:
    student = student_of(indented(body) + "\ndef fine(): return 'fine'\n")
    pid = student._session.worker().pid
    err = ending(student)
    if words == "NameError":  # `quit` comes from `site`, which a worker does not have
        outcome, kind = "raised", "raised"
    assert (err.outcome, err.kind) == (outcome, kind)
    assert words in err.message
    assert len(err.message) < 800
    assert student.fine() == "fine"
    assert student._session.worker().pid == pid


def test_exception_shows_the_own_lines_with_their_code_and_no_others(student_of: StudentOf) -> None:
    student = student_of(
        """
        import torch
        from sibling import deeper

        def f(x):
            return deeper(x)
        """,
        sibling="""
        def deeper(x):
            return x.reshape(3, 3)
        """,
    )
    err = ending(student, 5)
    assert err.frames == (
        ("`own.py` line 5", "return deeper(x)"),
        ("`sibling.py` line 2", "return x.reshape(3, 3)"),
    )
    assert err.exception_type == "AttributeError"


def test_time_out_names_the_line_where_the_code_was(student_of: StudentOf) -> None:
    err = ending(
        student_of(
            """
            def f():
                return spin()

            def spin():
                while True:
                    pass
            """
        )
    )
    assert err.frames[0] == ("`own.py` line 2", "return spin()")
    assert err.frames[-1][0] in ("`own.py` line 5", "`own.py` line 6")


def test_time_out_in_code_that_holds_the_interpreter_ends_too(student_of: StudentOf) -> None:
    err = ending(student_of("def f():\n    return len(str(9 ** (9 ** 9)))"))
    assert (err.outcome, err.kind) == ("timed_out", "cpu_limit")


def test_sleeping_code_meets_the_wall_limit(student_of: StudentOf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "MIN_WALL_S", 0.5)
    limits = Limits(import_cpu_s=30, call_cpu_s=0.1, wall_factor=5)
    student = student_of("import time\ndef f():\n    time.sleep(1000)", limits=limits)
    err = ending(student)
    assert (err.outcome, err.kind) == ("timed_out", "wall_limit")
    assert err.message == "Not finished after 0.5 s (the call)."
    assert err.frames == (("`own.py` line 3", "time.sleep(1000)"),)


def test_calls_do_not_pay_for_each_other(student_of: StudentOf) -> None:
    """Four calls of half a limit each: more CPU time together than one call may use."""
    student = student_of(
        """
        import time

        def f():
            end = time.process_time() + 0.25
            while time.process_time() < end:
                pass
            return True
        """,
        limits=Limits(call_cpu_s=0.5, wall_factor=100),
    )
    assert all(student.f() for _ in range(4))


def test_process_that_ends_between_two_calls_is_told_by_how_it_ended(student_of: StudentOf) -> None:
    student = student_of(
        """
        import os, threading

        def f():
            threading.Timer(0.05, os._exit, [3]).start()
        """
    )
    before = processes_below_us()
    student.f()
    assert all_gone(before)
    err = ending(student)
    assert (err.kind, err.message) == ("exit", "The code ended the Python process (exit status 3).")


def test_word_on_the_channel_between_two_calls_is_a_breach(student_of: StudentOf) -> None:
    student = student_of(
        """
        import os, threading, time

        def f():
            threading.Timer(0.05, os.write, [3, b"score=100"]).start()

        def g():
            time.sleep(0.3)
        """
    )
    student.f()
    with pytest.raises(StudentError) as caught:
        student.g()
    assert (caught.value.outcome, caught.value.kind) == ("bad_return", "protocol")


@pytest.mark.parametrize(
    ("line", "outcome", "words"),
    [
        ("raise ValueError('no')", "raised", "The file could not be imported: ValueError: no"),
        ("import sys; sys.exit(1)", "raised", "While the file was imported: The code stopped the Python"),
        ("import os; os._exit(0)", "crashed", "While the file was imported: The code ended the Python"),
        ("while True: pass", "timed_out", "Not finished after 1 s of CPU time (importing the file)"),
        ("x = bytearray(3 << 30)", "out_of_memory", "the limit is 512 MB"),
        ("1 / 0", "raised", "ZeroDivisionError"),
    ],
)
def test_failing_import_is_found_out_once_and_told_every_time(
    student_of: StudentOf, line: str, outcome: str, words: str
) -> None:
    student = student_of(f"import torch\n{line}\ndef f(): return 1")
    before = processes_below_us()
    first, second = ending(student), ending(student)
    assert first is second
    assert (first.outcome, first.kind) == (outcome, "import")
    assert words in first.message
    assert outcome == "crashed" or first.frames[-1] == ("`own.py` line 2", line)
    student._session.retire()
    assert all_gone(before)


def test_output_is_kept_up_to_a_bound(student_of: StudentOf) -> None:
    student = student_of("import sys\ndef f():\n    print('out' * 5000)\n    print('err', file=sys.stderr)")
    student.f()
    student._session.retire()
    assert student._session.stdout.startswith(b"outout")
    assert len(student._session.stdout) <= 8192


def test_symbol_that_does_not_exist_is_missing_and_a_near_name_is_told(student_of: StudentOf) -> None:
    err = ending(student_of("def ff(x): return x"))
    assert (err.outcome, err.message) == ("missing", "`f` is not defined once `own.py` has run.")
    assert err.hint == "The nearest name in the file is `ff`."


def test_worker_has_the_rights_of_nobody_and_no_way_to_us(student_of: StudentOf) -> None:
    student = student_of(
        """
        import os, sys

        def f():
            ours = ("grader", "pytest", "_pytest")
            names = [name for name in sys.modules if name.partition(".")[0] in ours]
            return [names, [name for name in os.environ if name.startswith("PYTEST")]]
        """
    )
    os.environ["PYTEST_SECRET"] = "x"
    try:
        assert student.f() == [[], []]
    finally:
        del os.environ["PYTEST_SECRET"]


def test_every_check_numbers_its_objects_anew(student_of: StudentOf) -> None:
    """So that a check asks the same whatever ran before it."""
    student = student_of("from torch import nn\nclass Net(nn.Module):\n    pass", "Net")
    seen = []
    for _ in range(2):
        seen.append([student.Net().handle().id, student.Net().handle().id])
        student._session.finish_check()
    assert seen == [[1, 2], [1, 2]]
