from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from grader.report.schema import Report

COMMAND = re.compile(r"::(?P<kind>error|warning|notice) (?P<properties>[^:]*)::(?P<message>.*)")
PROPERTY = re.compile(r"(?P<name>[a-zA-Z]+)=(?P<value>[^,:]*)")


def commands(text: str) -> list[dict[str, str]]:
    found = []
    for line in text.rstrip("\n").split("\n"):
        match = COMMAND.fullmatch(line)
        assert match, line
        properties = match["properties"].split(",")
        parsed = [PROPERTY.fullmatch(one) for one in properties]
        assert all(parsed), line
        found.append(
            {
                **{one["name"]: unquote(one["value"]) for one in parsed if one},
                "kind": match["kind"],
                "message": unquote(match["message"]),
            }
        )
    return found


def test_every_line_is_one_command_of_ours(any_report: tuple[str, Report], export: Any) -> None:
    text = export("github", any_report[1]).text
    found = commands(text)
    assert "##[" not in text
    for kind in ("error", "warning"):
        assert sum(one["kind"] == kind for one in found) <= 10
    assert {name for one in found for name in one} <= {"kind", "message", "file", "line", "title"}


def test_annotations_stand_on_the_students_own_lines(reports: dict[str, Report], export: Any) -> None:
    found = commands(export("github", reports["one exercise"]).text)
    public = next(one for one in found if "The failed check" in one["title"])
    assert (public["file"], public["line"]) == ("hw/alpha.py", "2")
    assert "Seen ::error file=x::owned" in public["message"]
    hidden = next(one for one in found if "The raised check" in one["title"])
    assert (hidden["file"], hidden["line"]) == ("hw/alpha.py", "3")
    assert "Look at the mask." in hidden["message"]


def test_summary_has_no_markup_of_students(any_report: tuple[str, Report], export: Any) -> None:
    summary = export("github", any_report[1]).appended["GITHUB_STEP_SUMMARY"]
    assert len(summary.encode()) < 1024 * 1024
    assert "<" not in summary.replace("&lt;", "")
    for line in summary.splitlines():
        assert not line.lstrip().startswith("::")
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in (4, 5)


def test_outputs_are_numbers_and_our_own_words(any_report: tuple[str, Report], export: Any) -> None:
    lines = export("github", any_report[1]).appended["GITHUB_OUTPUT"].splitlines()
    assert [line.partition("=")[0] for line in lines] == ["status", "score", "max_score"]


@pytest.mark.parametrize("status", ["needs regrade", "one check failed us"])
def test_without_a_score_it_warns(status: str, reports: dict[str, Report], export: Any) -> None:
    rendered = export("github", reports[status])
    assert rendered.text.startswith("::warning title=Result::Not graded")
    assert "score=\n" in rendered.appended["GITHUB_OUTPUT"]


def test_extensions_that_were_not_begun_get_no_annotation(reports: dict[str, Report], export: Any) -> None:
    rendered = export("github", reports["extensions not begun"])
    assert [one["title"] for one in commands(rendered.text)] == ["Result"]
    summary = rendered.appended["GITHUB_STEP_SUMMARY"]
    assert r"| Delta \(extension\) | 0 / 10 | not attempted |" in summary
    wrong = commands(export("github", reports["one extension wrong"]).text)
    assert [one["kind"] for one in wrong] == ["notice", "error"]


def test_summary_is_added_to_the_files_that_github_names(
    reports: dict[str, Report], grade: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    (tmp_path / "results.json").write_text(reports["full"].model_dump_json())
    code, out, err = grade("convert", "results.json", "--format", "github")
    assert (code, err) == (0, "")
    assert commands(out)[0]["kind"] == "notice"
    assert summary.read_text().startswith("before\n## Attention")
