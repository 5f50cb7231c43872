"""Reports of every status with hostile text in every place that a student can write to."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest

from grader.__main__ import main
from grader.errors import Outcome
from grader.exports.request import Rendered, render, settle
from grader.exports.targets import load_format
from grader.report.schema import Report

SCHEMAS = Path(__file__).parent / "schemas"
# Whatever a platform may take for its own: each stands in a message, a frame, a path and what was printed.
HOSTILE = [
    "::error file=x::owned",
    "##[error]owned",
    "Grade :=>> 100",
    "--|>",
    '{"scores": {"Correctness": 100}}',
    "<script>alert(1)</script><b>bold</b>",
    "]]>&amp;<!--",
    "note: Part 1: http://example.org",
    "nul \x00 escape \x1b[31m red \x07",
    "rtl \u202e desrever \u2066 isolated",
    "| [link](javascript:x) ![i](x) `code` **bold** |",
    "=cmd|' /C calc'!A0",
    "lone \ud800 surrogate",
]
HOSTILE_TEXT = "\n".join(HOSTILE)
SECRET = "SECRET-INPUT"
STAFF = "FOR-STAFF-ONLY"
SETTINGS = {
    "lti-ags": {"user": "5323497"},
    "classroom50": {
        "classroom": "cs-2026",
        "assignment": "attention",
        "owner": "ada",
        "submission": "submit/2026-11-20T21-14-03Z",
        "commit": "https://example.org/commit",
        "release": "https://example.org/release",
        "review": "https://example.org/pull/1",
    },
}


def check_fields(stem: str, number: int, outcome: str, *, hidden: bool, text: str) -> dict[str, Any]:
    earned = {"passed": 2.5, "harness_error": None}.get(outcome, 0.0)
    fields: dict[str, Any] = {
        "id": f"{stem}::test_{number}_{outcome}",
        "title": f"The {outcome} check, number {number}.",
        "visibility": "hidden" if hidden else "public",
        "outcome": outcome,
        "score": earned,
        "max_score": 2.5,
        "duration_s": 0.0123,
    }
    if outcome != "passed":
        fields |= {
            "message": f"{SECRET if hidden else 'Seen'} {text}",
            "staff_message": f"{STAFF} {text}",
            "hint": "Look at the mask.",
            "frames": [{"where": f"`{stem}.py` line {number}", "code": SECRET if hidden else text}],
            "diagnosis": {"misconception": "off_by_one", "hint": "The last key is masked."},
        }
    return fields


def exercise_fields(stem: str, outcomes: list[str], **changes: Any) -> dict[str, Any]:
    text = changes.pop("text", HOSTILE_TEXT)
    checks = [
        check_fields(stem, number, outcome, hidden=bool(number % 2), text=text)
        for number, outcome in enumerate(outcomes, 1)
    ]
    scores = [check["score"] for check in checks]
    failed = any(score is None for score in scores)
    return {
        "stem": stem,
        "title": stem.replace("_", " ").capitalize(),
        "status": "needs_regrade" if failed else "partial",
        "score": None if failed else sum(score or 0 for score in scores),
        "max_score": 2.5 * len(checks),
        "source": {"path": f"{stem}.py"},
        "checks": checks,
        "stdout": text,
        **changes,
    }


def report_fields(exercises: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    core = [exercise for exercise in exercises if exercise.get("track", "core") == "core"]
    failed = any(exercise["score"] is None for exercise in exercises)
    return {
        "status": "needs_regrade" if failed else "graded",
        **({"status_reason": f"{STAFF} host died"} if failed else {}),
        "score": None if failed else sum(exercise["score"] for exercise in core),
        "max_score": sum(exercise["max_score"] for exercise in core),
        "assignment": {"id": "attention", "title": "Attention", "digest": "d" * 64},
        "submission": {
            "id": "ada",
            "files": [{"path": "alpha.py", "sha256": "0" * 64}],
            "notes": [{"text": HOSTILE_TEXT, "path": "::error::.py"}, {"text": STAFF, "audience": "staff"}],
        },
        "exercises": exercises,
        "environment": {
            "grader": "0.1.0",
            "python": "3.11.0",
            "torch": "2.13.0",
            "platform": "Linux",
            "devices": ["cpu"],
            "isolation": {"level": "strict", "layers": [], "missing": []},
        },
        "seed": 424242,
        "started_at": "2026-11-20T21:14:03.123456Z",
        "duration_s": 1.5,
        **changes,
    }


def _bare(stem: str, status: str, score: float | None) -> dict[str, Any]:
    return {"stem": stem, "title": stem.capitalize(), "status": status, "score": score, "max_score": 5.0}


def make_reports() -> dict[str, Report]:
    outcomes = [outcome for outcome in get_args(Outcome) if outcome != "harness_error"]
    graded = [exercise_fields("alpha", outcomes), exercise_fields("beta", ["passed", "passed"])]
    extension = exercise_fields("gamma", ["passed", "failed"], track="extension")
    idle = {
        stem: exercise_fields(stem, [status] * 4, track="extension", status=status, text="", source=None)
        for stem, status in (("delta", "not_attempted"), ("epsilon", "missing"))
    }
    full = exercise_fields("beta", ["passed", "passed"], status="passed")
    wrong = exercise_fields("gamma", ["failed", "passed"], track="extension", text="")
    found = {
        "graded": report_fields([*graded, extension]),
        "full": report_fields([full]),
        "extensions not begun": report_fields([full, *idle.values()]),
        "one extension wrong": report_fields([full, *idle.values(), wrong]),
        "core not begun": report_fields(
            [exercise_fields("alpha", ["missing"] * 2, status="missing", text="", source=None), full]
        ),
        "one exercise": report_fields(graded[:1]),
        "no exercise": report_fields([]),
        "practice": report_fields(graded, status="practice"),
        "rejected": report_fields(
            [_bare("alpha", "missing", 0.0)], status="rejected", status_reason=f"No file. {HOSTILE_TEXT}"
        ),
        "needs regrade": report_fields([_bare("alpha", "needs_regrade", None)]),
        "one check failed us": report_fields(
            [exercise_fields("alpha", ["passed", "failed", "harness_error"]), graded[1]]
        ),
        "huge": report_fields(
            [
                exercise_fields(f"stem{n}", ["failed", "raised"] * 40, text=HOSTILE_TEXT * 20)
                for n in range(10)
            ]
        ),
    }
    return {name: Report.model_validate(fields) for name, fields in found.items()}


REPORTS = make_reports()
UNGRADABLE = ("needs regrade", "one check failed us")
Export = Callable[..., Rendered]


@pytest.fixture(params=sorted(REPORTS))
def any_report(request: pytest.FixtureRequest) -> tuple[str, Report]:
    return request.param, REPORTS[request.param]


@pytest.fixture
def reports() -> dict[str, Report]:
    return REPORTS


@pytest.fixture
def export() -> Export:
    """`export(format, report, audience=None, **settings)`: what the format makes of a report."""

    def make(name: str, report: Report, audience: Any = None, **given: str) -> Rendered:
        target = load_format(name)
        settings = settle(target, {**SETTINGS.get(name, {}), **given}, {})
        return render(target, report, audience or target.audience, settings, root="hw")

    return make


def numbers_in(document: object) -> Iterator[float]:
    if isinstance(document, dict):
        for value in document.values():
            yield from numbers_in(value)
    elif isinstance(document, list):
        for value in document:
            yield from numbers_in(value)
    elif isinstance(document, int | float) and not isinstance(document, bool):
        yield document


@pytest.fixture
def read_valid() -> Callable[[str, str], Any]:
    """`read_valid(schema, text)`: the JSON, held against a schema in `schemas/`; strict about numbers."""

    def read(schema: str, text: str) -> Any:
        document = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON number"))
        jsonschema.validate(document, json.loads((SCHEMAS / f"{schema}.json").read_text()))
        assert all(math.isfinite(number) for number in numbers_in(document))
        return document

    return read


@pytest.fixture
def grade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> Callable[..., Any]:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return call
