from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

import grader.pipeline
from grader import __version__
from grader.cli import cli
from grader.exports.targets import target_names

HEAVY = ("torch", "numpy", "pytest", "pydantic", "rich", "nbformat", "psutil")

# Found by name, so both grow without anybody listing them.
COMMANDS = ", ".join(cli.list_commands(click.Context(cli)))
FORMATS = ", ".join(target_names("results"))


@pytest.mark.parametrize(
    "arguments", [[], ["--help"], ["--version"], ["submit", "--help"], ["doctor", "-h"], ["schema", "--help"]]
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from grader.__main__ import main; code = main(sys.argv[1:]); "
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    command = [sys.executable, "-c", code, *arguments]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "[]\n")
    assert ended.stdout


def test_wrong_usage_imports_nothing_heavy() -> None:
    code = (
        "import sys; from grader.__main__ import main; main(['submit', '/nowhere/at/all']); "
        f"sys.exit(any(name in sys.modules for name in {HEAVY!r}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_help_lists_every_command_and_the_exit_codes(grade: Any) -> None:
    text = grade("--help").out
    assert all(f"\n  {name} " in text for name in ("doctor", "schema", "submit"))
    assert "Exit codes" in text
    assert grade().out == text


def test_every_option_of_submit_has_a_help_text(grade: Any) -> None:
    from grader.cli.submit import command

    text = grade("submit", "--help").out
    for option in command.params[1:]:
        assert option.opts[-1] in text
        assert option.help  # type: ignore[attr-defined]


def test_version_is_printed(grade: Any) -> None:
    assert grade("--version").out == f"grade {__version__}\n"


def test_schema_is_valid_json_schema(grade: Any) -> None:
    ended = grade("schema")
    assert (ended.code, ended.err) == (0, "")
    jsonschema.Draft202012Validator.check_schema(json.loads(ended.out))


def test_doctor_prints_what_the_pipeline_found(grade: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {
        "versions": {"torch": "9.9"},
        "devices": {"cpu": "ok"},
        "isolation": {"level": "auto", "layers": [], "missing": [], "sentences": ["All is well."]},
    }
    monkeypatch.setattr(grader.pipeline, "describe_environment", lambda assignment=None: environment)
    ended = grade("doctor")
    assert ended.code == 0
    assert "9.9" in ended.out
    assert "All is well." in ended.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["submti"],
            f"There is no command `submti`. Did you mean `submit`? Known commands: {COMMANDS}.",
        ),
        (["submit"], "Missing argument `PATH`. Try `grade submit --help`."),
        (["submit", ""], "PATH is empty."),
        (["batch", ""], "PATH is empty."),
        (["submit", "solutions", "--assignment", ""], "`--assignment` is empty."),
        (["submit", "solutoins"], "`solutoins` does not exist. Did you mean `solutions`?"),
        (["submit", "./homwork.py"], "`./homwork.py` does not exist. Did you mean `homework.py`?"),
        (["submit", "exercise/a.py"], "`exercise/a.py` does not exist. Did you mean `exercises`?"),
        (["submit", "zzz\x1b\n"], "`zzz\\x1b\\n` does not exist."),
        (["submit", "x" * 5000], f"`{'x' * 271} [... 5000 characters in all]` does not exist."),
        (
            ["submit", "solutions", "--exersise", "x"],
            "There is no option `--exersise`. Did you mean `--exercise`?",
        ),
        (["submit", "solutions", "extra"], "Got unexpected extra argument (extra)"),
        (
            ["submit", "solutions", "--format", "jsn"],
            f"`jsn` is not one of the formats. Did you mean `json` or `junit`? Known formats: {FORMATS}.",
        ),
        (
            ["submit", "solutions", "--device", "CUDA"],
            "`CUDA` is not one of the devices. Did you mean `cuda`? "
            "Known devices: auto, cpu, cuda, mps, xpu, pretend.",
        ),
        (
            ["submit", "solutions", "--isolation", "none"],
            "`none` is not one of the isolation levels. Known isolation levels: auto, strict, process.",
        ),
        (
            ["submit", "solutions", "--audience", "staf"],
            "`staf` is not one of the audiences. Did you mean `staff`? Known audiences: student, staff.",
        ),
        (
            ["submit", "solutions", "--exercise", "masked_sofmax"],
            "`masked_sofmax` is not an exercise of `tiny`. Did you mean `masked_softmax`? "
            "Known exercises: masked_softmax, positional_encoding.",
        ),
        (
            ["submit", "solutions", "--seed", "x"],
            "Invalid value for `--seed`: `x` is not a valid integer range.",
        ),
        (["submit", "solutions", "--fail-under", "nan"], "`--fail-under` takes a finite number, got `nan`."),
        (["submit", "solutions", "-o", "solutions"], "`solutions` is a folder; -o takes a file."),
        (
            ["submit", "solutions", "-o", "no/where.json"],
            "`no/where.json` cannot be written: there is no folder `no`.",
        ),
        (
            ["submit", "solutions", "--assignment", "exercses"],
            "`exercses` does not exist. Did you mean `exercises`?",
        ),
    ],
)
def test_wrong_usage_gives_one_clear_line(
    grade: Any, pipeline: Any, arguments: list[str], complaint: str
) -> None:
    ended = grade(*arguments)
    assert (ended.code, ended.out, ended.err) == (2, "", f"grade: {complaint}\n")
    assert pipeline.calls == []


def test_output_that_a_terminal_cannot_encode_is_escaped_not_fatal(course: Path) -> None:
    command = [sys.executable, "-m", "grader", "submit", "søløtions"]
    environment = {"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    ended = subprocess.run(command, check=False, capture_output=True, env=environment)
    assert ended.returncode == 2
    assert ended.stderr == b"grade: `s\\xf8l\\xf8tions` does not exist. Did you mean `solutions`?\n"


def test_group_without_a_subcommand_prints_its_help(grade: Any) -> None:
    ended = grade("push")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == grade("push", "--help").out
    assert "\n  canvas " in ended.out
