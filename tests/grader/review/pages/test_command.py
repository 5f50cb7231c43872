"""`grade review` on the command line: what it refuses, its accounts, its start and its end."""

from __future__ import annotations

import io
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest

import grader.cli.review
from grader.__main__ import main
from grader.review.desk_accounts import Accounts

PASSWORD = "a long enough password"
Review = Callable[..., tuple[int, str]]


@pytest.fixture
def review(small_class: Any, capfd: pytest.CaptureFixture[str]) -> Review:
    """`review(...)`: the command, which must not start a server; its code and what it printed."""

    def call(*arguments: str) -> tuple[int, str]:
        capfd.readouterr()
        code = main(["review", str(small_class.batch), *arguments])
        printed = capfd.readouterr()
        return code, printed.out + printed.err

    return call


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda text: monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_accounts_are_added_listed_given_another_password_and_removed(
    review: Review, typed: Callable[[str], None], small_class: Any
) -> None:
    accounts = Accounts.in_folder(small_class.batch)
    assert review("--users") == (0, "No accounts.\n")
    typed(f"{PASSWORD}\n")
    assert review("--add-user", "lin") == (0, "Added `lin`.\n")
    assert review("--users") == (0, "lin\n")
    typed("another long password\n")
    assert review("--add-user", "lin")[0] == 0
    assert accounts.check("lin", "another long password")
    assert not accounts.check("lin", PASSWORD)
    assert review("--remove-user", "lin") == (0, "Removed `lin`.\n")
    assert accounts.names() == ()


@pytest.mark.parametrize(
    ("name", "password"), [("lin", ""), ("lin", "short"), ("", PASSWORD), ("a\nb", PASSWORD)]
)
def test_an_account_that_cannot_be_is_refused(
    review: Review, typed: Callable[[str], None], small_class: Any, name: str, password: str
) -> None:
    typed(f"{password}\n")
    code, printed = review("--add-user", name)
    assert code in (2, 3)
    assert "Traceback" not in printed
    assert Accounts.in_folder(small_class.batch).names() == ()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--listen", "0.0.0.0:0"], "there are no accounts"),
        (["--listen", "192.0.2.7:8000"], "--add-user"),
        (["--public-url", "https://review.example.edu"], "there are no accounts"),
        (["--public-url", "https://review.example.edu/path"], "cannot be the address"),
        (["--listen", "8000"], "is no address"),
        (["--listen", "127.0.0.1:0", "--port", "8000"], "names the port already"),
        (["--port", "99999"], "--port"),
    ],
)
def test_what_would_not_be_safe_or_makes_no_sense_is_refused(
    review: Review, arguments: list[str], said: str
) -> None:
    code, printed = review(*arguments)
    assert code == 2
    assert said in printed


def test_whoever_lets_others_in_says_under_which_address(review: Review, small_class: Any) -> None:
    Accounts.in_folder(small_class.batch).add("lin", PASSWORD)
    code, printed = review("--listen", "0.0.0.0:0")
    assert code == 2
    assert "--public-url" in printed


def test_a_port_that_is_taken_is_told(review: Review) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, printed = review("--port", str(taken.getsockname()[1]))
    assert code == 3
    assert "cannot be listened on" in printed


def test_a_folder_without_a_batch_is_told(tmp_path: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(tmp_path)]) == 2
    assert "holds no batch" in capfd.readouterr().err


def test_without_the_extra_it_says_what_to_install(review: Review, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grader.cli.review, "find_spec", lambda name: None if name == "fastapi" else name)
    code, printed = review()
    assert code == 2
    assert "not installed here: fastapi" in printed
    assert "pip install 'attention-grader[review]'" in printed


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_this_machine_only_until_it_is_stopped(small_class: Any, ending: signal.Signals) -> None:
    command = [sys.executable, "-m", "grader", "review", str(small_class.batch)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        link = next(line.strip() for line in process.stdout if line.startswith("  http://127.0.0.1:"))
        assert httpx.get(link).status_code == 303
        assert httpx.get(link[:-1]).status_code == 403
        process.send_signal(ending)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "closed" in err
    assert "Traceback" not in err
    assert not os.path.exists(f"/proc/{process.pid}")
