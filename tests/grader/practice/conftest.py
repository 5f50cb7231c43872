"""A small handout, and `grade check --watch` on a terminal of its own."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

GRADE = str(Path(sys.executable).with_name("grade"))
PATIENCE_S = 120.0  # a test that fails says so late; none passes or fails by how fast the machine is

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

TWICE_SUITE = '''
    """Visible checks."""
    import pytest
    import torch
    from grader.suite import check_form

    @pytest.mark.points(1)
    @pytest.mark.hint("Add it to itself.")
    def test_twice_as_much(student, assert_close):
        """Every number is doubled."""
        X = torch.tensor([1.0, 2.0, 3.0])
        assert_close(student.twice(X), torch.tensor([2.0, 4.0, 6.0]), name="the result")

    @pytest.mark.points(1)
    @pytest.mark.parametrize("size", [1, 4])
    def test_keeps_the_shape(student, size):
        """The shape stays as it is."""
        check_form(student.twice(torch.ones(2, size)), (2, size), torch.float32, name="the result")
'''
FOURFOLD_SUITE = '''
    """Visible checks."""
    import pytest
    import torch

    @pytest.mark.points(1)
    def test_four_times_as_much(student, assert_close):
        """Every number is taken four times."""
        assert_close(student.fourfold(torch.ones(3)), torch.full((3,), 4.0), name="the result")

    @pytest.mark.points(1)
    @pytest.mark.needs("test_four_times_as_much")
    def test_of_nothing(student, assert_close):
        """Nothing stays nothing."""
        assert_close(student.fourfold(torch.zeros(2)), torch.zeros(2), name="the result")
'''
TWICE = "def twice(X):\n    return 2 * X\n"
FOURFOLD = "from twice import twice\n\n\ndef fourfold(X):\n    return twice(twice(X))\n"
STUB = "def {}(X):\n    raise NotImplementedError\n"


@pytest.fixture(scope="session")
def right() -> Mapping[str, str]:
    """The right answer of each exercise."""
    return {"twice": TWICE, "fourfold": FOURFOLD}


@pytest.fixture(scope="session")
def write_handout(write_course: Any, exercise_type: Any) -> Callable[[Path], Path]:
    """Writes a handout, with stubs, and gives its folder: no reference, no hidden suite."""

    def write(folder: Path) -> Path:
        parts = {
            "twice": exercise_type("", public=TWICE_SUITE, stub=STUB.format("twice")),
            "fourfold": exercise_type(
                "", public=FOURFOLD_SUITE, stub=STUB.format("fourfold"), uses=("twice",)
            ),
        }
        write_course(folder, {"call_cpu_s": 0.5, "import_cpu_s": 2, "wall_factor": 60}, parts)
        return folder

    return write


@pytest.fixture
def handout(write_handout: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh handout that the test stands in."""
    folder = write_handout(tmp_path / "handout")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("GRADE_ASSIGNMENT", raising=False)
    return folder


# Makes standard input the controlling terminal, as in a student's window, and becomes the command.
_LOGIN = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """`grade check` on a pseudo-terminal."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.ours, self._theirs = pty.openpty()  # theirs is kept open, so that its mode can be read
        self.mode = termios.tcgetattr(self._theirs)
        environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
        environment.pop("GRADE_ASSIGNMENT", None)
        self._started = subprocess.Popen(
            [sys.executable, "-c", _LOGIN, GRADE, "check", *arguments], cwd=folder, env=environment,
            stdin=self._theirs, stdout=self._theirs, stderr=self._theirs, start_new_session=True,
        )  # fmt: skip
        self._seen = ""
        self.process = psutil.Process(self._started.pid)

    @property
    def has_its_mode_back(self) -> bool:
        return termios.tcgetattr(self._theirs) == self.mode

    def wait_for(self, text: str) -> str:
        """Read until `text` has come, and give what came before it; both are forgotten."""
        end = time.monotonic() + PATIENCE_S
        while text not in self._seen:
            left = max(0.0, end - time.monotonic())
            if not select.select([self.ours], [], [], left)[0]:
                raise TimeoutError(f"`{text}` did not come; seen was: {self._seen}")
            try:
                self._seen += os.read(self.ours, 65536).decode("utf-8", "replace")
            except OSError as err:
                raise EOFError(f"`{text}` did not come; seen was: {self._seen}") from err
        before, _, self._seen = self._seen.partition(text)
        return before

    def page(self, *expected: str) -> str:
        """The first whole page that holds all that is expected, without colours."""
        while True:
            page = _COLOURS.sub("", self.wait_for("[q] quit"))
            if all(text in page for text in expected):
                return page

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def family(self) -> list[psutil.Process]:
        """The processes that it has started."""
        return self.process.children(recursive=True)

    def hang_up(self) -> None:
        os.close(self._theirs)
        os.close(self.ours)
        self.ours = self._theirs = -1

    def wait(self) -> int:
        """How it ended: an exit code."""
        return self._started.wait(PATIENCE_S)

    def close(self) -> None:
        if self._started.poll() is None:
            self._started.send_signal(signal.SIGTERM)
            self.wait()
        if self.ours >= 0:
            self.hang_up()


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    """`terminal(folder, *arguments)` starts `grade check` there."""
    started: list[Terminal] = []

    def start(folder: Path, *arguments: str) -> Terminal:
        started.append(Terminal(folder, *arguments))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture(scope="module")
def watched(
    write_handout: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Terminal, Path]]:
    """One `grade check --watch` that the tests of a module share, and the `exercises/` that it watches."""
    folder = write_handout(tmp_path_factory.mktemp("watched") / "handout")
    started = Terminal(folder, "--watch")
    started.page("0 of 2 exercises done")
    yield started, folder / "exercises"
    started.close()
