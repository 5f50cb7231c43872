"""Every `grade` command line of the pages is one: it is run, or at least read with its real options."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from grader.cli import cli

# Lines that are only read: with the real commands, options, choices and paths, but not carried out. The rest
# is run. Why, and what runs it instead:
ONLY_READ = {
    r"push (canvas|lti) ": "asks a server: tests/grader/push has one of its own",
    r"review (?!.*--(add-user|remove-user|users))": "serves until it is stopped: tests/grader/review/pages",
    r"check .*--watch|check -w": "stays until `q` is pressed: tests/grader/practice/test_watch.py",
    r"batch .*--cluster": "needs a scheduler: tests/grader/classroom/batch/cluster",
    r"batch assignment_\d+_export": "a download of Gradescope: tests/grader/classroom/test_samples.py",
    r"bundle .*--try": "sets a platform's image up: tests/grader/bundles",
    r"verify(?! --schema)": "grades for minutes: tests/grader/verify, and authoring/test_tutorial.py",
    r"new ": "adds to the course that all pages share: tests/grader/authoring/test_tutorial.py",
    r"export nbgrader": "nbgrader is not installed: tests/grader/exports/gradefiles/test_nbgrader.py",
}
# Words in capitals stand for something of the reader's.
STANDS_FOR = {
    "PATH": "homework.py",
    "HANDIN": "homework.py",
    "SUBMISSION": "homework/",
    "DIR": "week5",
    "FILE": "out.txt",
    "STEM": "masked_softmax",
    "ADDRESS": "tcp://10.0.0.1:8786",
}
# A line with one of these shows a form (`grade export TARGET DIR`): its options are read and nothing else.
SHAPES = ("NAME", "TARGET", "COMMAND", "...", "PATH...")
# A repository of a student is the current folder there, and the course lies elsewhere.
IN_THE_SUBMISSION = re.compile(r"^submit \. ")
PASSWORD = "correct horse battery staple"


def test_every_command_line_is_run_or_read(
    page: Path, page_setting: Any, command_lines: Any,
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n" * 9))
    problems = []
    for line in command_lines(page):
        try:
            code = follow(line, page_setting)
        except click.ClickException as err:
            problems.append(f"`grade {line.text}`: {err.format_message()}")
            continue
        err_text = capfd.readouterr().err
        if code != 0:
            problems.append(f"`grade {line.text}` ended with {code}: {err_text[-800:]}")
    assert not problems, "\n".join(problems)


def follow(line: Any, setting: Any) -> int:
    """The exit code; 0 for what is only read."""
    if any(word in SHAPES for word in line.words) or not line.words[1:]:
        read_options(line.words)
        return 0
    words = tuple(STANDS_FOR.get(word, word) for word in line.words)
    text = " ".join(words)
    if any(re.match(pattern, text) for pattern in ONLY_READ):
        read(tuple(setting.here(word) for word in words), setting)
        return 0
    folder = "homework" if IN_THE_SUBMISSION.match(text) else ""
    code: int = setting.run(words, folder)
    return code


def read(words: tuple[str, ...], setting: Any) -> None:
    """Click's own reading, callbacks and all, without calling the command."""
    command, rest = leaf_of(words)
    with setting.standing():
        command.make_context(words[0], rest)


def read_options(words: tuple[str, ...]) -> None:
    """The command is there, and it has every option that is named."""
    command, rest = leaf_of(words)
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    unknown = [word for word in rest if word.startswith("-") and word not in {*known, "-", "--help"}]
    if unknown:
        raise click.UsageError(f"there is no option {unknown}")


def leaf_of(words: tuple[str, ...]) -> tuple[click.Command, list[str]]:
    command: click.Command = cli
    rest = list(words)
    while isinstance(command, click.Group) and rest and rest[0] not in SHAPES and rest[0][0] != "-":
        _, found, rest = command.resolve_command(click.Context(command), rest)
        assert found is not None
        command = found
    return command, rest


def test_no_reason_not_to_run_is_left_over(pages: Any, command_lines: Callable[[Path], Any]) -> None:
    texts = [" ".join(line.words) for page in pages for line in command_lines(page)]
    idle = [pattern for pattern in ONLY_READ if not any(re.match(pattern, text) for text in texts)]
    assert idle == []


@pytest.mark.parametrize(
    "words",
    [("submti", "x"), ("submit", "--htlm"), ("push", "nowhere", "week5"), ("export", "TARGET", "--nothing")],
)
def test_a_slip_is_noticed(words: tuple[str, ...]) -> None:
    with pytest.raises(click.ClickException):
        read_options(words)
