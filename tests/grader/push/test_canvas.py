"""`grade push canvas` against a server that checks every request."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from grader.push import delivery

TOKEN = "7~canvas-secret-token"
PEOPLE = [
    {"id": 501, "sortable_name": "Lovelace, Ada", "login_id": "ada", "sis_user_id": "001001"},
    {"id": 502, "sortable_name": "Hopper, Grace", "login_id": "grace", "sis_user_id": None},
    {"id": 503, "sortable_name": "Turing, Alan", "login_id": "alan"},
    {"id": 504, "sortable_name": "Noether, Emmy", "login_id": "emmy"},
]
PLACE = "/api/v1/courses/42/assignments/4101"
FIELDS = {"submission[posted_grade]", "comment[text_comment]", "comment[file_ids][]"}
NUMBER = re.compile(r"\d+(\.\d{1,2})?")


@pytest.fixture
def canvas(fake_server: Any, reply: Any) -> Iterator[Any]:
    class Canvas(fake_server):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.assignment = {
                "id": 4101,
                "course_id": 42,
                "name": "HW 3: Attention",
                "points_possible": 20.0,
                "grading_type": "points",
            }
            self.scores: dict[str, float | None] = {"501": None, "502": None, "503": None, "504": None}
            self.excused: set[str] = set()
            self.comments: dict[str, list[dict[str, Any]]] = {user: [] for user in self.scores}
            self.files: dict[int, tuple[str, bytes]] = {}
            self.holds, self.reached, self.let_go = False, threading.Event(), threading.Event()

        def answer(self, request: Any) -> Any:
            if request.path == "/upload":
                return self._upload(request)
            if request.headers.get("authorization") != f"Bearer {TOKEN}":
                return reply(
                    401, {"errors": [{"message": "Invalid access token."}]}, {"WWW-Authenticate": "x"}
                )
            if request.method == "GET":
                return self._get(request)
            user = re.fullmatch(PLACE + r"/submissions/(\d+)(/comments/files)?", request.path)
            if user and user[2] and request.method == "POST":
                return self._announce(request)
            if user and not user[2] and request.method == "PUT":
                return self._put(request, user[1])
            self.problems.append(f"{request.method} {request.path}")
            return reply(404, {})

        def _get(self, request: Any) -> Any:
            if request.path == PLACE:
                return reply(200, self.assignment)
            if request.path == "/api/v1/courses/42/search_users":
                self.need(request.query.get("enrollment_type[]") == ["student"], "all people were asked for")
                return self._page(request, PEOPLE)
            if request.path == f"{PLACE}/submissions":
                return self._page(request, [self._submission(user) for user in self.scores])
            user = request.path.rpartition("/")[2]
            if request.path == f"{PLACE}/submissions/{user}" and user in self.scores:
                found = self._submission(user)
                if request.query.get("include[]") == ["submission_comments"]:
                    found["submission_comments"] = self.comments[user]
                return reply(200, found)
            self.problems.append(f"GET {request.path}")
            return reply(404, {})

        def _page(self, request: Any, rows: list[Any]) -> Any:
            """Two rows a page, whatever was asked for: as small as Canvas likes."""
            at = int(request.query.get("page", ["1"])[0])
            links = {}
            if at * 2 < len(rows):
                address = f"{self.url}{request.path}?page={at + 1}&enrollment_type[]=student"
                links = {"Link": f'<{address}>; rel="next"'}
            return reply(200, rows[at * 2 - 2 : at * 2], links)

        def _submission(self, user: str) -> dict[str, Any]:
            return {
                "id": int(user) + 9000,
                "user_id": int(user),
                "assignment_id": 4101,
                "score": self.scores[user],
                "excused": user in self.excused,
            }

        def _put(self, request: Any, user: str) -> Any:
            self.need(request.content_type == "application/x-www-form-urlencoded", "PUT is no form")
            fields = parse_qs(request.body.decode(), keep_blank_values=True)
            self.need(bool(fields) and set(fields) <= FIELDS, f"PUT with {sorted(fields)}")
            if "submission[posted_grade]" in fields:
                grade = fields["submission[posted_grade]"][0]
                self.need(bool(NUMBER.fullmatch(grade)), f"the grade {grade} is no plain number")
                self.scores[user] = float(grade)
            text = fields.get("comment[text_comment]", [""])[0]
            numbers = [int(one) for one in fields.get("comment[file_ids][]", [])]
            self.need(all(number in self.files for number in numbers), "a file that was not uploaded")
            if text or numbers:
                self.comments[user].append({"comment": text, "files": numbers})
            if self.holds:
                self.reached.set()
                self.let_go.wait(30)
            return reply(200, self._submission(user))

        def _announce(self, request: Any) -> Any:
            fields = parse_qs(request.body.decode())
            self.need(set(fields) == {"name", "size"}, f"a file announced with {sorted(fields)}")
            return reply(200, {"upload_url": f"{self.url}/upload", "upload_params": {"key": "abc"}})

        def _upload(self, request: Any) -> Any:
            self.need("authorization" not in request.headers, "the token was sent to the file store")
            self.need(request.content_type == "multipart/form-data", "the upload is not multipart")
            parts = request.body.split(b"--" + request.headers["content-type"].rpartition("=")[2].encode())[
                1:-1
            ]
            self.need(b'name="file"' in parts[-1].split(b"\r\n\r\n")[0], "the file is not the last part")
            self.need(any(b'name="key"' in part for part in parts), "upload_params are missing")
            number = 700 + len(self.files)
            name = re.search(rb'filename="([^"]*)"', parts[-1])
            content = parts[-1].partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
            self.files[number] = (name[1].decode() if name else "", content)
            return reply(201, {"id": number, "url": f"{self.url}/files/{number}"})

    server = Canvas()
    yield server
    server.close()
    assert server.problems == []


@pytest.fixture
def push(grade: Any, canvas: Any, small_class: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("CANVAS_TOKEN", TOKEN)
    monkeypatch.setenv("CANVAS_URL", canvas.url)

    def call(*options: object) -> tuple[int, str, str]:
        found: tuple[int, str, str] = grade(
            "push", "canvas", small_class.path, "--course", 42, "--assignment", 4101, *options
        )
        assert TOKEN not in found[1] + found[2]
        return found

    return call


def test_without_yes_nothing_is_sent(push: Any, canvas: Any, small_class: Any) -> None:
    code, out, err = push()
    assert code == 0
    assert "Lovelace, Ada (501): `` -> `11.5`, comment" in out
    assert "2 would be sent" in out
    assert "Turing, Alan (503): needs a regrade: left as it was" in err
    assert "Noether, Emmy (504)" in err
    assert "Nobody (nobody): has no row" in err
    assert canvas.writes() == []
    assert not (small_class.path / "push").exists()


def test_grades_and_comments_arrive_and_a_second_run_sends_nothing(
    push: Any, canvas: Any, small_class: Any
) -> None:
    code, out, _ = push("--yes")
    assert (code, "2 sent" in out) == (0, True)
    assert canvas.scores == {"501": 11.5, "502": 20.0, "503": None, "504": None}
    (comment,) = canvas.comments["501"]
    assert "Score: 11.5 / 20" in comment["comment"]
    assert "SECRET-INPUT" not in comment["comment"]
    assert canvas.comments["503"] == []
    canvas.requests.clear()
    code, out, _ = push("--yes")
    assert (code, canvas.writes()) == (0, [])
    assert "0 sent, 2 had everything already" in out
    assert TOKEN not in (small_class.path / "push" / "canvas.jsonl").read_text()


def test_only_what_changed_is_sent(push: Any, canvas: Any, small_class: Any) -> None:
    push("--yes")
    canvas.requests.clear()
    small_class.override("ada", 15)
    code, out, _ = push("--yes")
    assert (code, "1 sent" in out) == (0, True)
    assert [request.path.rpartition("/")[2] for request in canvas.writes()] == ["501"]
    assert canvas.scores["501"] == 15
    assert "The grade that counts: 15 / 20 (changed by staff)" in canvas.comments["501"][1]["comment"]


def test_the_feedback_page_goes_with_its_comment(push: Any, canvas: Any, small_class: Any) -> None:
    small_class.add_page("ada", "<p>page</p>")
    push("--yes")
    (comment,) = canvas.comments["501"]
    assert [canvas.files[number] for number in comment["files"]] == [("feedback.html", b"<p>page</p>")]
    assert canvas.comments["502"][0]["files"] == []
    push("--yes")
    small_class.add_page("ada", "<p>new page</p>")
    push("--yes", "-q")
    assert len(canvas.comments["501"]) == 2
    assert len(canvas.files) == 2


def test_without_comments_and_files_only_grades_are_sent(push: Any, canvas: Any, small_class: Any) -> None:
    small_class.add_page("ada", "<p>page</p>")
    push("--yes", "--no-comments", "--no-files")
    assert canvas.scores["501"] == 11.5
    assert canvas.comments["501"] == []
    assert canvas.files == {}


def test_what_canvas_turns_away_unread_is_sent_again(push: Any, canvas: Any) -> None:
    canvas.fail("PUT", "/submissions/501", 429, {}, headers={"Retry-After": "0"}, times=2)
    canvas.fail("PUT", "/submissions/502", 403, b"403 Forbidden (Rate Limit Exceeded)")
    canvas.fail("GET", "/search_users", 502, b"bad gateway")
    code, _, _ = push("--yes")
    assert code == 0
    assert canvas.scores["502"] == 20
    assert [len(canvas.comments[user]) for user in ("501", "502")] == [1, 1]


def test_the_time_that_canvas_names_is_waited(
    push: Any, canvas: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    canvas.fail("PUT", "/submissions/501", 429, {}, headers={"Retry-After": "7"})
    assert push("--yes")[0] == 0
    assert waited == [7]


@pytest.mark.parametrize("applied", [True, False])
def test_an_error_of_canvas_own_leads_to_one_comment(applied: bool, push: Any, canvas: Any) -> None:
    canvas.fail("PUT", "/submissions/501", 500, b"oops", applied=applied)
    assert push("--yes")[0] == 0
    assert canvas.scores["501"] == 11.5
    assert len(canvas.comments["501"]) == 1


def test_a_process_that_is_killed_while_canvas_works_leaves_one_comment(
    push: Any, canvas: Any, small_class: Any
) -> None:
    canvas.holds = True
    arguments = ["push", "canvas", str(small_class.path), "--course", "42", "--assignment", "4101", "--yes"]
    with subprocess.Popen([sys.executable, "-m", "grader", *arguments]) as process:
        try:
            assert canvas.reached.wait(60)
        finally:
            process.kill()
    canvas.holds = False
    canvas.let_go.set()
    assert push("--yes")[0] == 0
    assert [len(canvas.comments[user]) for user in ("501", "502")] == [1, 1]


@pytest.mark.parametrize("applied", [True, False])
def test_a_run_that_is_killed_in_the_middle_resumes_without_saying_anything_twice(
    applied: bool, push: Any, canvas: Any, small_class: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.push.canvas import CanvasDoor

    original = CanvasDoor.send

    def killed(door: Any, step: Any) -> None:
        if applied:
            original(door, step)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(CanvasDoor, "send", killed)
        assert push("--yes")[0] == 130
    ledger = small_class.path / "push" / "canvas.jsonl"
    ledger.write_bytes(ledger.read_bytes() + b'{"to": "canv')  # and its last line was cut off
    code, out, _ = push("--yes")
    assert code == 0
    assert f"{1 if applied else 2} sent" in out
    assert [len(canvas.comments[user]) for user in ("501", "502")] == [1, 1]
    assert all(json.loads(line) for line in ledger.read_text().splitlines() if not line.endswith('"canv'))
    canvas.requests.clear()
    push("--yes")
    assert canvas.writes() == []


def test_one_that_is_refused_does_not_stop_the_others(push: Any, canvas: Any) -> None:
    canvas.fail("PUT", "/submissions/501", 400, {"errors": "grade"}, times=9)
    code, out, err = push("--yes")
    assert (code, "1 sent" in out) == (3, True)
    assert "Failed (1)" in err
    assert canvas.scores["502"] == 20


def test_a_platform_that_stays_down_is_left_alone_and_asked_before_sending_again(
    push: Any, canvas: Any
) -> None:
    canvas.fail("PUT", "/submissions/501", 500, b"oops", times=delivery.TRIES - 1)
    canvas.fail("PUT", "/submissions/501", 500, b"oops", applied=True)
    canvas.fail("GET", "/submissions/501", 500, b"oops", times=99)
    assert push("--yes")[0] == 3
    canvas.faults.clear()
    push("--yes")
    assert len(canvas.comments["501"]) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_no_access_stops_everything(status: int, push: Any, canvas: Any) -> None:
    canvas.fail("PUT", "/submissions/501", status, {"errors": []}, times=9)
    code, _, err = push("--yes")
    assert code == 3
    assert f"stopped, 2 not sent: Canvas {'refuses the token' if status == 401 else 'does not allow'}" in err
    assert canvas.scores["502"] is None


def test_a_wrong_token_is_one_line(grade: Any, canvas: Any, small_class: Any, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("wrong-secret")
    file.chmod(0o600)
    code, out, err = grade(
        "push", "canvas", small_class.path, "--url", canvas.url, "--course", 42, "--assignment", 4101,
        "--token-file", file,
    )  # fmt: skip
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert "refuses the token" in err
    assert "wrong-secret" not in err


def test_grades_changed_by_hand_stay_unless_they_are_to_be_replaced(
    push: Any, canvas: Any, small_class: Any
) -> None:
    push("--yes")
    canvas.scores["501"] = 12.0
    code, _, err = push("--yes")
    assert code == 0
    assert "the grade is 12 there and 11.5 was sent" in err
    assert canvas.scores["501"] == 12
    push("--yes", "--overwrite")
    assert canvas.scores["501"] == 11.5
    assert len(canvas.comments["501"]) == 1


def test_excused_and_unassigned_students_are_kept(push: Any, canvas: Any) -> None:
    canvas.excused.add("501")
    del canvas.scores["502"]
    _, out, err = push("--yes")
    assert "0 sent" in out
    assert "excused in Canvas" in err
    assert "is not given to this student" in err


def test_another_maximum_is_refused_until_it_is_to_be_converted(push: Any, canvas: Any) -> None:
    canvas.assignment["points_possible"] = 100.0
    code, _, err = push("--yes")
    assert code == 3
    assert "--scale" in err
    assert canvas.writes() == []
    push("--yes", "--scale")
    assert canvas.scores["501"] == 57.5


def test_an_assignment_without_points_is_refused(push: Any, canvas: Any) -> None:
    canvas.assignment["grading_type"] = "pass_fail"
    assert push("--yes")[0] == 3
    assert canvas.writes() == []


def test_two_at_once_are_refused(push: Any, small_class: Any) -> None:
    from grader.push.ledger import Ledger

    with Ledger(small_class.path / "push" / "canvas.jsonl", "x").open():
        code, _, err = push("--yes")
    assert code == 3
    assert "Another `grade push`" in err


def test_ledger_keeps_destinations_apart(push: Any, canvas: Any, small_class: Any) -> None:
    push("--yes")
    lines = (small_class.path / "push" / "canvas.jsonl").read_text().splitlines()
    assert all(f"canvas {canvas.url} courses/42 assignments/4101" == json.loads(line)["to"] for line in lines)
    assert [json.loads(line)["state"] for line in lines] == ["begun", "sent"] * 2
    assert time.strptime(json.loads(lines[0])["at"][:19], "%Y-%m-%dT%H:%M:%S")
