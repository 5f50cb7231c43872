"""Small classes as `grade batch` leaves them, and servers on this machine that stand in for an LMS.

The servers are written from the interfaces' descriptions: they check every request against them, keep what
they are sent, and fail when a test tells them to. What a request has wrong stands in `problems`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from grader.__main__ import main
from grader.classroom.folder import BatchFolder, BatchSettings
from grader.classroom.gradebook import Gradebook, Override, StoredRun, add_override, open_database
from grader.classroom.records import Counts, Discovery, Found, Identity
from grader.classroom.summary import summary_of, summary_pieces
from grader.classroom.tally import Tally
from grader.report.schema import Report

BATCH = "b" * 32
GRADED_AT = datetime(2026, 11, 20, 21, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Reply:
    """An answer: a value as JSON, or bytes as they are."""

    status: int
    value: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Fault:
    """Answers a request with `reply` instead; with `applied` after it took effect. `times` counts down."""

    method: str
    part: str
    reply: Reply
    times: int = 1
    applied: bool = False


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]


class FakeServer:
    """A server whose `answer(request)` a subclass writes."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                """Quiet."""

            def _handle(self) -> None:
                parts = urlsplit(self.path)
                length = int(self.headers.get("Content-Length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(
                    self.command, parts.path, parse_qs(parts.query), headers, self.rfile.read(length)
                )
                reply = outer._reply(request)
                raw = isinstance(reply.value, bytes)
                content = reply.value if raw else json.dumps(reply.value).encode()
                self.send_response(reply.status)
                self.send_header("Content-Type", "text/plain" if raw else "application/json")
                self.send_header("Content-Length", str(len(content)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_DELETE = _handle

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, request: Request) -> Reply:
        raise NotImplementedError

    def need(self, holds: bool, what: str) -> None:
        if not holds:
            self.problems.append(what)

    def writes(self) -> list[Request]:
        """The requests that change something."""
        return [one for one in self.requests if one.method != "GET" and "token" not in one.path]

    def fail(self, method: str, part: str, status: int, value: Any = None, **how: Any) -> None:
        headers = how.pop("headers", {})
        self.faults.append(Fault(method, part, Reply(status, value, headers), **how))

    def _reply(self, request: Request) -> Reply:
        self.requests.append(request)
        for fault in self.faults:
            if fault.times > 0 and fault.method == request.method and fault.part in request.path:
                fault.times -= 1
                if fault.applied:
                    self.answer(request)
                return fault.reply
        return self.answer(request)


@pytest.fixture
def fake_server() -> type[FakeServer]:
    return FakeServer


@pytest.fixture
def reply() -> type[Reply]:
    return Reply


@dataclass(frozen=True)
class Handed:
    """A submission and its score of 20; None needs a regrade."""

    id: str
    student: Identity
    score: float | None = 20.0


def report_of(handed: Handed) -> Report:
    failed = handed.score is None
    check = {
        "id": "alpha::test_values",
        "title": "Values.",
        "visibility": "hidden",
        "outcome": "harness_error" if failed else "failed",
        "score": handed.score,
        "max_score": 20.0,
        "message": "SECRET-INPUT",
        "hint": "Look at <the> mask.",
    }
    exercise = {
        "stem": "alpha",
        "title": "Alpha",
        "score": handed.score,
        "max_score": 20.0,
        "checks": [check],
    }
    fields: dict[str, Any] = {
        "status": "needs_regrade" if failed else "graded",
        "score": handed.score,
        "max_score": 20.0,
        "assignment": {"id": "attention", "title": "Attention", "digest": "d"},
        "submission": {"id": handed.id},
        "exercises": [{**exercise, "status": "needs_regrade" if failed else "partial"}],
        "environment": {
            "grader": "0.1.0",
            "python": "3.11",
            "torch": "2",
            "platform": "Linux",
            "isolation": {"level": "strict"},
        },
        "started_at": GRADED_AT,
        "duration_s": 1.0,
    }
    if failed:
        fields["status_reason"] = "The host died."
    return Report.model_validate(fields)


@dataclass(frozen=True)
class Class:
    """The folder of a batch; `override` changes a score as staff do, `add_page` adds a student's page."""

    path: Path

    def override(self, submission: str, points: float) -> None:
        with open_database(BatchFolder(self.path).gradebook) as engine:
            add_override(engine, BATCH, Override(submission, "alpha", points, "ta", "late"))

    def add_page(self, submission: str, text: str) -> None:
        (self.path / "feedback").mkdir(exist_ok=True)
        (self.path / "feedback" / f"{submission}.html").write_text(text)


@pytest.fixture
def make_class(tmp_path: Path) -> Callable[..., Class]:
    """`make_class(*handed)`: a class with these submissions."""

    def make(*handed: Handed) -> Class:
        folder = BatchFolder(tmp_path / "week5")
        folder.path.mkdir()
        settings = BatchSettings(
            id=BATCH, created_at=GRADED_AT, assignment="attention", assignment_root=str(tmp_path), seed=7
        )
        folder.write_settings(settings)
        tally, runs = Tally(), []
        for one in handed:
            report = report_of(one)
            tally.add(report)
            runs.append(StoredRun(report, folder.keep(one.id, report)))
        found = tuple(Found(one.id, one.student, ()) for one in handed)
        counts = Counts(0, 0, 0, 0, len(found), 0, 0, 0, 0)
        discovery = Discovery("folders", "it was asked for", found, (), counts)
        folder.summary.write_text("".join(summary_pieces(summary_of(settings, discovery, tally, {}))))
        with open_database(folder.gradebook) as engine:
            book = Gradebook(engine, BATCH)
            book.enter_class(settings, "Attention", found)
            book.record(runs)
        return Class(folder.path)

    return make


@pytest.fixture
def small_class(make_class: Any) -> Class:
    """Ada has 11.5 points, Grace 20, Alan needs a regrade, Nobody is known to no LMS."""
    made: Class = make_class(
        Handed("ada", Identity(name="Lovelace, Ada", lms_id="501", login="ada"), 11.5),
        Handed("grace", Identity(name="Hopper, Grace", lms_id="502", login="grace")),
        Handed("alan", Identity(name="Turing, Alan", lms_id="503", login="alan"), None),
        Handed("nobody", Identity(name="Nobody", lms_id="999", login="nobody"), 3.0),
    )
    return made


@pytest.fixture
def grade(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`grade(*arguments)`: exit code, what was printed, what was complained; without real waiting."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)

    def call(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return call


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine's own settings reaches a test."""
    for name in ("CANVAS_URL", "CANVAS_TOKEN", "LTI_KEY", "LTI_TOKEN_URL", "LTI_CLIENT_ID", "LTI_KEY_ID"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
