"""Secrets come from closed places, and go nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.judge.client import JudgeHost
from grader.push.credentials import Secret, check_address, read_secret, same_origin
from grader.push.errors import PushError
from grader.push.patience import is_throttled, pause_s


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o601])
def test_a_file_that_others_can_read_is_refused(mode: int, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("secret")
    file.chmod(mode)
    with pytest.raises(PushError, match="by others") as caught:
        read_secret("token", file, "X", {})
    assert "secret" not in str(caught.value)


def test_a_closed_file_comes_before_the_variable(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("one\n")
    file.chmod(0o600)
    assert read_secret("token", file, "X", {"X": "two"}).reveal() == "one"
    assert read_secret("token", None, "X", {"X": "two"}).reveal() == "two"


@pytest.mark.parametrize("text", ["", " \n", "tokén", "a\0b"])
def test_what_is_no_secret_is_refused(text: str) -> None:
    with pytest.raises(PushError):
        read_secret("token", None, "X", {"X": text})


def test_without_a_secret_the_places_for_one_are_named() -> None:
    with pytest.raises(PushError) as caught:
        read_secret("token", None, "X", {})
    assert "variable X" in caught.value.hint


def test_a_secret_does_not_show() -> None:
    assert "abc" not in f"{Secret('abc')} {Secret('abc')!r} {[Secret('abc')]}"


@pytest.mark.parametrize(
    "address", ["http://lms.example.edu", "ftp://x", "lms.example.edu", "https://me:pw@x", "https://[x", ""]
)
def test_addresses_that_would_give_a_token_away_are_refused(address: str) -> None:
    with pytest.raises(PushError):
        check_address(address, "address")


def test_good_addresses() -> None:
    assert check_address("https://lms.example.edu/", "address") == "https://lms.example.edu"
    assert check_address("http://127.0.0.1:8", "address") == "http://127.0.0.1:8"
    assert same_origin("https://a.edu/x?y", "https://a.edu/z")
    assert not same_origin("https://a.edu", "https://a.edu.evil.org")
    assert not same_origin("https://a.edu", "http://a.edu")


def test_no_judge_host_has_a_token_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []
    original = subprocess.Popen

    def watch(*arguments: object, **choices: object) -> object:
        seen.append(dict(choices["env"]))  # type: ignore[call-overload]
        return original([sys.executable, "-c", ""], **{**choices, "pass_fds": ()})  # type: ignore[call-overload]

    for name in ("CANVAS_TOKEN", "LTI_KEY", "GRADE_LMS_TOKEN", "DB_PASSWORD", "client_secret"):
        monkeypatch.setenv(name, "secret-value")
    monkeypatch.setattr("grader.judge.client.subprocess.Popen", watch)
    with JudgeHost(None, isolation="auto", device="cpu"):
        pass
    assert len(seen) == 1
    assert "secret-value" not in seen[0].values()
    assert seen[0]["PATH"] == os.environ["PATH"]


def test_how_long_to_wait() -> None:
    assert is_throttled(429, {}, b"")
    assert is_throttled(403, {"X-Rate-Limit-Remaining": "0.0"}, b"")
    assert is_throttled(403, {}, b"403 Forbidden (Rate Limit Exceeded)")
    assert not is_throttled(403, {"X-Rate-Limit-Remaining": "500"}, b"user not authorized")
    assert pause_s({"Retry-After": "2.5"}, 1) == 2.5
    assert pause_s({"Retry-After": "1e9"}, 1) == 300
    assert pause_s({"Retry-After": "Fri, 20 Nov 2015 21:00:00 GMT"}, 1) == 0
    assert pause_s({"Retry-After": "soon"}, 3) == 8
    assert pause_s({}, 2) == 4
