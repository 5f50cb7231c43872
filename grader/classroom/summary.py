"""`summary.json` and `grades.csv`: a class in one file each, for programs and for spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from statistics import mean, median
from typing import Any

from grader.classroom.folder import BatchSettings
from grader.classroom.gradebook import Grade
from grader.classroom.records import Discovery, Found
from grader.classroom.rows import Row
from grader.classroom.tally import Tally
from grader.printable import printable
from grader.report.schema import rounded

SUMMARY_VERSION = "1.0"
_COUNTS = ("submissions", "older_attempts", "late", "empty", "groups")
# A cell that starts with one of these is a formula to a spreadsheet, whoever wrote it.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


def summary_of(
    settings: BatchSettings, discovery: Discovery, tally: Tally, why: Mapping[str, str]
) -> dict[str, Any]:
    """The whole class as JSON: counts, statistics, and a line per submission of the input.

    Its `submissions` can be gone through once: of a large class they would take more memory than all else.
    """
    by_status, counts = tally.by_status(), discovery.counts
    return {
        "summary_version": SUMMARY_VERSION,
        "batch": settings.model_dump(mode="json"),
        "made_at": datetime.now(timezone.utc).isoformat(),
        "layout": {"name": discovery.layout, "why": discovery.why},
        "entries": {
            "in": counts.entries,
            "in_submissions": counts.graded,
            "in_older_attempts": counts.older,
            "skipped": counts.skipped,
        },
        "counts": {
            **{name: getattr(counts, name) for name in _COUNTS},
            "graded": by_status["graded"] + by_status["practice"],
            "rejected": by_status["rejected"],
            "needs_regrade": by_status["needs_regrade"],
            "not_graded_yet": sum(one.id not in tally.rows for one in discovery.found),
        },
        "total": _statistics(tally.totals()),
        "exercises": [
            {
                "stem": stem,
                **asdict(info),
                "attempted": tally.attempts[stem],
                **_statistics(tally.scores(stem)),
            }
            for stem, info in tally.exercises.items()
        ],
        "checks": [
            {
                **{
                    name: getattr(count, name)
                    for name in ("id", "title", "exercise", "visibility", "max_score")
                },
                "outcomes": dict(sorted(count.outcomes.items())),
            }
            for count in tally.checks.values()
        ],
        "misconceptions": [asdict(mistake) for mistake in tally.misconceptions()],
        "submissions": (_submission(one, tally, why) for one in discovery.found),
        "skipped": [asdict(skipped) for skipped in discovery.skipped],
        "not_on_roster": list(discovery.not_on_roster),
        "without_submission": [asdict(person) for person in discovery.without_submission],
        "notes": list(discovery.notes),
    }


def _statistics(scores: Sequence[float]) -> dict[str, Any]:
    if not scores:
        return {"count": 0}
    return {
        "count": len(scores),
        "mean": rounded(mean(scores)),
        "median": rounded(median(scores)),
        "lowest": scores[0],
        "highest": scores[-1],
    }


def _submission(found: Found, tally: Tally, why: Mapping[str, str]) -> dict[str, Any]:
    row = tally.rows.get(found.id)
    return {
        "id": found.id,
        "student": asdict(found.student),
        "group": [asdict(member) for member in found.group],
        "late": found.late,
        "attempt": found.attempt,
        "older_attempts": len(found.older),
        "submitted": found.when,
        "notes": list(found.notes),
        "status": row.status if row is not None else "not_graded_yet",
        "stale": why.get(found.id, "") if row is not None else "",
        **(_of_row(row) if row is not None else {}),
    }


def _of_row(row: Row) -> dict[str, Any]:
    return {
        "reason": row.reason,
        "score": row.score,
        "max_score": row.max_score,
        "exercises": {stem: asdict(points) for stem, points in row.exercises.items()},
        "lost": dict(row.lost),
        "files": row.files,
        "suites": row.suites,
        "grader": row.grader,
    }


def summary_pieces(summary: Mapping[str, Any]) -> Iterator[str]:
    """The text of `summary.json` bit by bit, as `json.dumps(summary, indent=1)` has it."""
    opening = "{"
    for name, value in summary.items():
        yield f"{opening}\n {_json(name)}: "
        if isinstance(value, Iterator):
            yield from _array(value)
        else:
            yield _json(value)
        opening = ","
    yield "\n}\n"


def _array(values: Iterator[Any]) -> Iterator[str]:
    opening = "["
    for value in values:
        yield f"{opening}\n  {_json(value, depth=2)}"
        opening = ","
    yield "[]" if opening == "[" else "\n ]"


def _json(value: Any, *, depth: int = 1) -> str:
    """A value that stands `depth` levels deep; every line end in it is one between two values."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).replace("\n", "\n" + " " * depth)
    # A lone surrogate in a name would make the whole file unwritable: escaped, it is only ugly.
    return text.encode("utf-8", "backslashreplace").decode()


def grades_csv(grades: Iterable[Grade], stems: Sequence[str]) -> str:
    """The grades that count as CSV: plain UTF-8, a header, ids as they are with their leading zeros.

    Texts that a spreadsheet would run as a formula get an apostrophe in front.
    """
    made = io.StringIO(newline="")
    writer = csv.writer(made, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    people = ("name", "login", "lms_id", "sis_id", "email", "section", "members")
    writer.writerow(
        ["id", *people, "status", "score", "max_score", *stems, "late", "attempt", "submitted", "remark"]
    )
    for grade in grades:
        person = grade.person
        writer.writerow(
            [
                _cell(grade.submission),
                *(_cell(str(person[name]).replace("\n", "; ")) for name in people),
                grade.status,
                grade.score,
                grade.max_score if grade.run else None,
                *(grade.exercises.get(stem) for stem in stems),
                "yes" if person["late"] else "",
                person["attempt"],
                _cell(person["submitted"]),
                _remark(grade),
            ]
        )
    return made.getvalue()


def _cell(text: str) -> str:
    clean = printable(text, one_line=True)
    return f"'{clean}" if text.startswith(_FORMULA_STARTS) else clean


def _remark(grade: Grade) -> str:
    remarks = ["changed by staff"] if grade.is_overridden else []
    if grade.newer_failed:
        remarks.append("a later run needs a regrade")
    return "; ".join(remarks)
