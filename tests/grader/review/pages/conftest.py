"""One small class, graded once by a judge host that only pretends, and the pages over copies of it."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

import grader.judge.client
from grader.__main__ import main
from grader.catalog import Assignment
from grader.errors import GraderError, HarnessError
from grader.pictures import Curve, Curves
from grader.records import ExerciseRun, Submission, SuiteRun

pytest.importorskip("fastapi", reason="the extra [review] is not installed")

from grader.review.address import LOOPBACK, Address
from grader.review.app import make_app
from grader.review.desk import open_desk
from grader.review.desk_accounts import Accounts
from grader.review.site import Site

SAMPLE = Path(__file__).parents[3] / "samples" / "doubling"
GOOD = {path.stem: path.read_text("utf-8") for path in sorted((SAMPLE / "solutions").glob("*.py"))}
SQUARES = "def double(x):\n    # adds_two\n    return x + 2\n"
RAISES = "def double(x):\n    y = x.nothing\n    return y  # raises\n"
ATTACK = (
    "def double(x):\n"
    "    # attack </code></pre><script>document.title = 'owned'; alert(1)</script>\n"
    "    a = '<img src=x onerror=alert(2)> \" onmouseover=\"alert(3)'\n"
    "    b = '\u202e desrever \u2066 \x1b[31m red \x07 &amp; {{ 7 * 7 }} {% raw %} ]]> <!--'\n"
    "    return x + 2\n"
)
ATTACK_TEXT = (
    "<script>alert(4)</script><b>bold</b> \u202egnorw\u2069 \x1b[2J &lt;i&gt; {{ 7 * 7 }} javascript:alert(5)"
)
CHECKS = (
    ("double", "test_values", "Every element is doubled.", 3.0),
    ("double", "test_zero", "Zero stays zero.", 1.0),
    ("triple", "test_values", "Every element is tripled.", 2.0),
)
ALIKE = ("ben", "cyd", "dan", "eve")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


class PretendHost:
    """In the place of `grader.judge.client.JudgeHost`: reads the outcome off the code."""

    def __init__(self, assignment: Assignment, **settings: Any) -> None:
        self.environment = {"torch": "2.0", "level": "strict"}
        self.jobs: deque[tuple[str, Submission]] = deque()
        self.is_dead = False

    def wait_ready(self) -> None:
        return

    def send(self, job: str, submission: Submission, **settings: Any) -> None:
        self.jobs.append((job, submission))

    def receive(self) -> tuple[str, SuiteRun | GraderError]:
        job, submission = self.jobs.popleft()
        text = "".join(one.source.text for one in submission.exercises.values() if one.source)
        if "# kills judge" in text:
            return job, HarnessError("The judge died before it was done.")
        return job, pretend_run(submission)

    def close(self) -> None:
        self.is_dead = True


def pretend_run(submission: Submission) -> SuiteRun:
    catalogue, tests = [], []
    for stem, name, title, points in CHECKS:
        info = {"stem": stem, "name": name, "title": title, "visibility": "hidden", "points": points}
        catalogue.append({**info, "cases": 1})
        source = submission.exercises[stem].source
        if source is None:
            continue
        record = {**info, "outcome": "passed", "devices": {"cpu": "passed"}, **_verdict(source.text)}
        if stem != "double":
            record = {**info, "outcome": "passed"}
        outcome = "passed" if record["outcome"] == "passed" else "failed"
        tests.append({"nodeid": f"{stem}::{name}", "outcome": outcome, "metadata": {"check": record}})
    report = {"exitcode": 0, "checks": catalogue, "tests": tests}
    source = submission.exercises["double"].source
    stdout = ATTACK_TEXT if source is not None and "attack" in source.text else ""
    line = Curve("<script>", "0 1", "0 2")
    seen = Curves("Doubled & <b>", "A line.", (line,))
    runs = {"double": ExerciseRun("double", stdout=stdout, pictures=(seen,)), "triple": ExerciseRun("triple")}
    return SuiteRun(report, {"layers": [], "device": ["cpu"]}, runs, {})


def _verdict(text: str) -> dict[str, Any]:
    frame = {"where": "`double.py` line 2", "code": text.split("\n")[1].strip()}
    if "attack" in text:
        return {"outcome": "raised", "message": ATTACK_TEXT, "staff_message": ATTACK_TEXT, "frames": [frame]}
    if "# adds_two" in text:
        diagnosis = {"misconception": "adds_two", "hint": "Doubling multiplies; you add."}
        message = "The values are off by up to 2.3."
        return {"outcome": "failed", "message": message, "diagnosis": diagnosis, "hint": "Try 3."}
    if "# raises" in text:
        message = "Your code raises AttributeError: no attribute `nothing`."
        return {"outcome": "raised", "message": message, "frames": [frame]}
    return {}


@dataclass(frozen=True)
class Class:
    """`batch` is the folder to review; `students` has a folder for each submission."""

    batch: Path
    students: Path

    def copy_to(self, root: Path) -> Class:
        """The same class at another place, with which one may do what one likes."""
        old = self.batch.parent
        shutil.copytree(old, root)
        settings = root / "batch" / "batch.json"
        settings.write_text(settings.read_text("utf-8").replace(str(old), str(root)), "utf-8")
        return Class(root / "batch", root / "students")

    def hand_in(self, student: str, **files: str) -> None:
        for stem, text in {**GOOD, **files}.items():
            write(self.students / student / f"{stem}.py", text)


@pytest.fixture(scope="session")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """One right, four with the same mistake, one that raises, one attack, one that we failed on."""
    root = tmp_path_factory.mktemp("review") / "small"
    course = root / "course"
    shutil.copytree(SAMPLE, course, ignore=shutil.ignore_patterns("__pycache__"))
    made = Class(root / "batch", root / "students")
    made.hand_in("ada")
    for student in ALIKE:
        made.hand_in(student, double=SQUARES)
    made.hand_in("fay", double=RAISES)
    made.hand_in("mal", double=ATTACK)
    made.hand_in("zoe", double="def double(x):\n    return 2 * x  # kills judge\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grader.judge.client, "JudgeHost", PretendHost)
        patch.chdir(course)
        arguments = ["batch", str(made.students), "-o", str(made.batch), "--jobs", "1", "--quiet"]
        assert main([*arguments, "--isolation", "auto"]) == 3  # one needs a regrade
    ended = {
        line["id"]: line["status"]
        for line in json.loads((made.batch / "summary.json").read_text())["submissions"]
    }
    assert {name for name, status in ended.items() if status != "graded"} == {"zoe"}
    return made


@pytest.fixture
def small_class(graded: Class, tmp_path: Path) -> Class:
    """A copy for one test."""
    return graded.copy_to(tmp_path / "small")


TOKEN = "the-token"


class Pages:
    """A browser without a screen: keeps cookies, follows nothing, sends what its pages' forms would."""

    def __init__(self, app: Any, url: str, origin: str) -> None:
        self.cookies = httpx.Cookies()
        self.origin = origin
        self._app, self._url = app, url

    def send(self, method: str, path: str, **request: Any) -> httpx.Response:
        """A bug of ours is answered with status 500, as by the real server."""

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
            async with httpx.AsyncClient(
                transport=transport, base_url=self._url, cookies=self.cookies
            ) as client:
                answer = await client.request(method, path, **request)
                self.cookies = client.cookies
                return answer

        return asyncio.run(ask())

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.send("GET", path, headers=headers)

    def post(self, path: str, fields: dict[str, Any], **headers: str) -> httpx.Response:
        return self.send("POST", path, data=fields, headers={"Origin": self.origin, **headers})

    def hidden(self, path: str) -> dict[str, str]:
        """What every form of a page sends along."""
        text = self.get(path).text
        found = {name: re.search(rf'name="{name}" value="([^"]*)"', text) for name in ("csrf", "seen")}
        return {name: match[1] for name, match in found.items() if match}

    def act(self, what: str, at: str, /, **fields: Any) -> httpx.Response:
        return self.post(f"/act/{what}", {**self.hidden(at), "back": at, **fields})


Open = Callable[..., Pages]


@contextmanager
def opened(folder: Path, *, signs_in: bool = True, public_url: str = "", **changes: Any) -> Iterator[Pages]:
    """The pages over a batch; with `signs_in` the printed link has been opened."""
    with open_desk(folder, read_only=changes.get("is_read_only", False)) as desk:
        address = Address(LOOPBACK, 8123, public_url)
        settings = {"token": TOKEN, "who": "mei", "accounts": Accounts.in_folder(folder), **changes}
        site = Site(desk=desk, address=address, **settings)
        pages = Pages(make_app(site), address.url, address.url)
        if signs_in and settings["token"]:
            assert pages.get(f"/enter?token={TOKEN}").status_code == 303
        yield pages


@pytest.fixture
def open_pages() -> Iterator[Open]:
    with ExitStack() as stack:

        def open_them(folder: Path, **choices: Any) -> Pages:
            return stack.enter_context(opened(folder, **choices))

        yield open_them


@pytest.fixture
def pages(small_class: Class, open_pages: Open) -> Pages:
    return open_pages(small_class.batch)
