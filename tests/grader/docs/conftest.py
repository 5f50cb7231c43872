"""The pages, the `grade` command lines on them, and a small course in which those are run."""

from __future__ import annotations

import ast
import contextlib
import os
import re
import shlex
import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

import grader.pipeline
import grader.practice.practice
from grader.__main__ import main
from grader.judge.client import JudgeHost

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "tests" / "grader" / "exports" / "gradefiles" / "samples"
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "exercises/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
)
COMMAND = re.compile(r"(?:^|(?<=[\s;&|(]))grade (?=[a-z-])(.*)")
IN_PYTHON = re.compile(r'\["grade", .*?\]', re.DOTALL)
STEM = "masked_softmax"
# Two of the people in the sample grade files: login, name, Canvas' id, SIS id, e-mail.
CLASS = (
    ("ada", "Ada Lovelace", "501", "001001", "ada@example.edu"),
    ("ana", "Ana María Núñez-O'Brien", "502", "s1004", "ana@example.edu"),
)
ROSTER = "login,name,id,sis_id,email\n" + "".join(f"{','.join(row)}\n" for row in CLASS)
# The grade file that the LMS of a page has exported, under the name that the page gives it.
GRADE_FILES = {
    "docs/lms/canvas.md": {"Grades.csv": "canvas_gradebook.csv"},
    "docs/ta.md": {"gradebook.csv": "canvas_semicolon_bom.csv"},
    "docs/lms/moodle.md": {"worksheet.csv": "moodle_en.csv"},
    "docs/lms/blackboard.md": {"gc_export.csv": "blackboard.csv"},
    "docs/lms/brightspace.md": {"grades.csv": "brightspace.csv"},
    "docs/lms/gradescope.md": {"grades.csv": "gradescope_course.csv"},
}
# What a page's platform sets.
VARIABLES = {
    "docs/lms/classroom50.md": {
        "CLASSROOM": "cs-2026",
        "ASSIGNMENT": "attention",
        "SUBMISSION_TAG": "submit/2026-11-20T21-14-03Z",
        "COMMIT_URL": "https://example.org/commit",
        "RELEASE_URL": "https://example.org/release",
        "REVIEW_URL": "https://example.org/pull/1",
    },
}


@dataclass(frozen=True)
class Line:
    """A command line of a page, without `grade`."""

    page: str
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        return shlex.join(self.words)


@cache
def tokens_of(page: Path) -> tuple[Token, ...]:
    found = MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))
    return tuple(child for token in found for child in (token, *(token.children or ())))


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def lines_of(page: Path) -> list[Line]:
    """All command lines of a page, in blocks and in backticks."""
    lines = []
    for token in tokens_of(page):
        if token.type in ("fence", "code_block"):
            texts = [*token.content.replace("\\\n", " ").splitlines(), *_in_python(token.content)]
            lines += [Line(name_of(page), words) for words in map(_words_of, texts) if words]
        elif token.type == "code_inline" and (words := _words_of(token.content)):
            lines.append(Line(name_of(page), words))
    return list(dict.fromkeys(lines))


def _in_python(text: str) -> list[str]:
    return [shlex.join(ast.literal_eval(found)) for found in IN_PYTHON.findall(text)]


def _words_of(line: str) -> tuple[str, ...]:
    """What follows `grade`, up to a comment, a pipe or a redirection; nothing if the line has no command."""
    found = COMMAND.search(line)
    if found is None or line.lstrip().startswith("#"):
        return ()
    reader = shlex.shlex(re.sub(r"\s\d>", " >", found[1]), posix=True, punctuation_chars="|&;<>")
    reader.whitespace_split = True
    words: list[str] = []
    for word in reader:
        if set(word) <= set("|&;<>"):
            break
        words.append(word)
    return tuple(words)


class Lasting:
    """A judge host that outlives the command that started it, so that the next need not start another."""

    def __init__(self, host: JudgeHost) -> None:
        self.host = host

    def __getattr__(self, name: str) -> Any:
        return getattr(self.host, name)

    def __enter__(self) -> Lasting:
        return self

    def __exit__(self, *ending: object) -> None:
        pass

    def close(self) -> None:
        pass


class Hosts:
    """Stands in for `JudgeHost`: the same course is not started twice in the same way."""

    def __init__(self) -> None:
        self._started: dict[tuple[object, ...], JudgeHost] = {}

    def __call__(self, assignment: Any, **how: Any) -> Lasting:
        key = (assignment is not None and assignment.is_practice, *sorted(how.items()))
        if key not in self._started:
            self._started[key] = JudgeHost(assignment, **how)
        return Lasting(self._started[key])

    def close(self) -> None:
        for host in self._started.values():
            host.close()


@dataclass(frozen=True)
class Setting:
    """A course in a folder of its own; what a page calls `/opt/...` or `~` lies below the same folder."""

    root: Path

    @property
    def course(self) -> Path:
        return self.root / "course"

    def here(self, word: str) -> str:
        """The word with an absolute path brought below `root`."""
        return f"{self.root}{word[1:] if word.startswith('~') else word}" if word[:1] in "/~" else word

    @contextlib.contextmanager
    def standing(self, folder: str = "") -> Iterator[None]:
        """In the course, or a folder of it. `contextlib.chdir` came with Python 3.11."""
        before = Path.cwd()
        os.chdir(self.course / folder)
        try:
            yield
        finally:
            os.chdir(before)

    def run(self, words: tuple[str, ...], folder: str = "") -> int:
        with self.standing(folder):
            return main([self.here(word) for word in words])


@pytest.fixture(scope="session")
def hosts() -> Iterator[Hosts]:
    shared = Hosts()
    yield shared
    shared.close()


@pytest.fixture(scope="session")
def graded(tmp_path_factory: pytest.TempPathFactory, hosts: Hosts) -> Setting:
    """One exercise of this repository as a course, a graded class `week5`, and a `results.json`."""
    made = Setting(tmp_path_factory.mktemp("docs"))
    _write_course(made.course)
    _hand_in(made)
    with pytest.MonkeyPatch.context() as patch:
        _settle(made, hosts, patch)
        assert made.run(("notebook",)) == 0
        batch = ("batch", "submissions.zip", "-o", "week5", "--roster", "class.csv", "--quiet")
        assert made.run(batch) == 0
        assert made.run(("submit", "homework.py", "--quiet")) == 0
    return made


@pytest.fixture
def setting(graded: Setting, hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> Setting:
    """The graded course, where the hosts of earlier lines judge. No test outside this folder meets them."""
    _settle(graded, hosts, monkeypatch)
    return graded


def _settle(made: Setting, hosts: Hosts, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(grader.pipeline, "JudgeHost", hosts)
    patch.setattr(grader.practice.practice, "JudgeHost", hosts)
    patch.delenv("GRADE_ASSIGNMENT", raising=False)
    patch.setenv("HOME", str(made.root))


def _write_course(course: Path) -> None:
    for place in ("exercises", "solutions", "solutions/misconceptions", "exercises/notebook"):
        for path in (ROOT / place).glob(f"{STEM}.*"):
            (course / place).mkdir(parents=True, exist_ok=True)
            shutil.copy(path, course / place)
    for place in ("public", "hidden"):
        (course / "tests" / place).mkdir(parents=True)
        shutil.copy(ROOT / "tests" / place / f"test_{STEM}.py", course / "tests" / place)
    toml = (ROOT / "exercises" / "assignment.toml").read_text("utf-8")
    head, *tables = toml.split("[[exercises]]")
    own = next(table for table in tables if f'stem = "{STEM}"' in table)
    (course / "exercises" / "assignment.toml").write_text(f"{head}[[exercises]]{own}")
    shutil.copy(ROOT / "exercises" / "README.md", course / "exercises")


def _hand_in(made: Setting) -> None:
    """Every submission that a page names, all with the same right code, and the class as Canvas gives it."""
    course, code = made.course, ROOT / "solutions" / f"{STEM}.py"
    for name in (
        "homework.py",
        "answer.py",
        f"{STEM}.py",
        f"homework/{STEM}.py",
        f"submissions/ada/{STEM}.py",
    ):
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(code, course / name)
    with zipfile.ZipFile(course / "alice.zip", "w") as archive:
        archive.write(code, f"{STEM}.py")
    with zipfile.ZipFile(course / "submissions.zip", "w") as archive:
        for login, _, number, *_ in CLASS:
            archive.write(code, f"{login}_{number}_9{number}_{STEM}.py")
    (course / "class.csv").write_text(ROSTER, "utf-8")
    shutil.copy(course / "submissions.zip", course / "assignment_12345_export.zip")
    for secret in (made.root / ".canvas-token", course / "private.pem", course / "gradebook.db"):
        secret.touch(0o600)
    (course / "mine.csv").write_text("login,Points\nada,\nana,\n")
    (course / "users.csv").write_text("user,login\n5323497,ada\n")
    platforms = ("autograder/submission", "grade/student", "shared/submission", "home/codio/workspace")
    for place in platforms:
        shutil.copytree(course / "homework", made.root / place)
    for place in ("opt/course", "autograder/source/course", "grade/tests/course"):
        (made.root / place).parent.mkdir(parents=True, exist_ok=True)
        (made.root / place).symlink_to(course)
    for place in ("autograder/results", "grade/results"):
        (made.root / place).mkdir(parents=True)


@pytest.fixture
def page_setting(setting: Setting, page: Path, monkeypatch: pytest.MonkeyPatch) -> Setting:
    """The setting with what the page's LMS has exported, and with the variables that it sets."""
    for name, sample in GRADE_FILES.get(name_of(page), {}).items():
        shutil.copy(SAMPLES / sample, setting.course / name)
    for name, text in VARIABLES.get(name_of(page), {}).items():
        monkeypatch.setenv(name, text)
    return setting


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes a `page` runs for each that holds a command line or a link."""
    if "page" in metafunc.fixturenames:
        metafunc.parametrize("page", [path for path in PAGES if path.is_file()], ids=name_of)


@pytest.fixture(scope="session")
def pages() -> tuple[Path, ...]:
    return tuple(path for path in PAGES if path.is_file())


@pytest.fixture(scope="session")
def command_lines() -> Callable[[Path], list[Line]]:
    return lines_of


@pytest.fixture(scope="session")
def page_tokens() -> Callable[[Path], tuple[Token, ...]]:
    return tokens_of
