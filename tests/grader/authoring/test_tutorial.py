"""docs/authors.md as it stands: the exercise that it adds is proved, with the file that it brings along."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from grader.__main__ import main

PAGE = Path(__file__).parents[3] / "docs" / "authors.md"
FILE = re.compile(r"^\*\*(\S+)\*\*\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def proof(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    capsys.readouterr()
    main(["verify", "--quick", "--json", *arguments])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_the_page_adds_an_exercise_that_proves_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = PAGE.read_text("utf-8")
    monkeypatch.delenv("GRADE_ASSIGNMENT", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exercises").mkdir()
    beginning = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    command = re.search(r"^grade (new .*)$", page, re.MULTILINE)
    assert beginning
    assert command
    (tmp_path / "exercises" / "assignment.toml").write_text(beginning[1])
    assert main([part.strip('"') for part in re.findall(r'"[^"]*"|\S+', command[1])]) == 0
    named = dict(FILE.findall(page))
    for path, text in named.items():
        (tmp_path / path).write_text(text)
    # The file that is brought along stands at the end of the page, as the part behind its mark.
    brought = re.findall(r"```python\n(pytestmark = .*?)```", page, re.DOTALL)
    suite = tmp_path / "tests" / "hidden" / "test_log_mean_exp.py"
    suite.write_text(f"{named['tests/hidden/test_log_mean_exp.py']}\n\n{brought[0]}")
    toml = tmp_path / "exercises" / "assignment.toml"
    toml.write_text(toml.read_text().replace("points = 10", "points = 12"))
    found = proof(capsys)
    assert found["problems"] == []
    assert found["is_proved"] is True
    assert "TODO" not in "".join(named.values())
    assert main(["notebook"]) == 0
    assert main(["bundle", "handout", "-o", "handout.zip"]) == 0
