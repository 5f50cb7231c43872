"""Classes as `grade batch` leaves them: settings, results, a summary and a gradebook."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.folder import BatchFolder, BatchSettings
from grader.classroom.gradebook import Gradebook, Override, StoredRun, add_override, open_database
from grader.classroom.records import Counts, Discovery, Found, Identity
from grader.classroom.summary import summary_of, summary_pieces
from grader.classroom.tally import Tally
from grader.exports.classgrades import read_class
from grader.exports.gradefile import Export, ExportRequest
from grader.exports.targets import load_gradefile
from grader.report.schema import Report

SAMPLES = Path(__file__).parent / "samples"
BATCH = "b" * 32
MAXIMUM = 20.0


@dataclass(frozen=True)
class Handed:
    """A submission and its score; None needs a regrade. `points` overrides the whole exercise."""

    id: str
    student: Identity
    score: float | None = MAXIMUM
    group: tuple[Identity, ...] = ()
    points: float | None = None
    status: str = ""


def report_of(handed: Handed) -> Report:
    failed = handed.score is None
    check = {
        "id": "alpha::test_values",
        "title": "Values.",
        "visibility": "hidden",
        "outcome": "harness_error" if failed else "failed",
        "score": handed.score,
        "max_score": MAXIMUM,
        "message": "SECRET-INPUT",
        "hint": "Look at <the> mask.",
    }
    exercise = {
        "stem": "alpha",
        "title": "Alpha",
        "status": "needs_regrade" if failed else "partial",
        "score": handed.score,
        "max_score": MAXIMUM,
        "checks": [check],
    }
    return Report.model_validate(
        {
            "status": handed.status or ("needs_regrade" if failed else "graded"),
            **({"status_reason": "The host died."} if failed else {}),
            "score": handed.score,
            "max_score": MAXIMUM,
            "assignment": {"id": "attention", "title": "Attention", "digest": "d"},
            "submission": {"id": handed.id},
            "exercises": [exercise],
            "environment": {
                "grader": "0.1.0",
                "python": "3.11",
                "torch": "2",
                "platform": "Linux",
                "isolation": {"level": "strict"},
            },
            "started_at": datetime(2026, 11, 20, 21, tzinfo=timezone.utc),
            "duration_s": 1.0,
        }
    )


MakeClass = Callable[..., Path]


@pytest.fixture
def make_class(tmp_path: Path) -> MakeClass:
    """`make_class(*submissions, with_gradebook=True, paths=())`: the folder of a batch."""

    def make(*handed: Handed, with_gradebook: bool = True, paths: Sequence[Path] = ()) -> Path:
        folder = BatchFolder(tmp_path / "week5")
        folder.path.mkdir()
        settings = BatchSettings(
            id=BATCH,
            created_at=datetime(2026, 11, 20, tzinfo=timezone.utc),
            assignment="attention",
            assignment_root=str(tmp_path),
            seed=7,
            paths=tuple(str(path) for path in paths),
        )
        folder.write_settings(settings)
        tally = Tally()
        runs = []
        for one in handed:
            report = report_of(one)
            tally.add(report)
            runs.append(StoredRun(report, folder.keep(one.id, report)))
        found = tuple(Found(one.id, one.student, (), group=one.group) for one in handed)
        counts = Counts(0, 0, 0, 0, len(found), 0, 0, 0, 0)
        discovery = Discovery("folders", "it was asked for", found, (), counts)
        folder.summary.write_text("".join(summary_pieces(summary_of(settings, discovery, tally, {}))))
        if with_gradebook:
            with open_database(folder.gradebook) as engine:
                book = Gradebook(engine, BATCH)
                book.enter_class(settings, "Attention", found)
                book.record(runs)
                for one in handed:
                    if one.points is not None:
                        add_override(engine, BATCH, Override(one.id, "alpha", one.points, "ta", "late"))
        return folder.path

    return make


@pytest.fixture
def handed() -> type[Handed]:
    return Handed


@pytest.fixture
def sample(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of an exported file; `sample(name, crlf=True, encoding=...)` in another form."""

    def copy(name: str, *, crlf: bool = False, encoding: str = "utf-8") -> Path:
        content = (SAMPLES / name).read_bytes()
        if crlf:
            content = content.replace(b"\n", b"\r\n")
        path = tmp_path / name
        path.write_bytes(content.decode().encode(encoding))
        return path

    return copy


Make = Callable[..., Export]


@pytest.fixture
def make() -> Make:
    """`make(target, folder, into=..., column=...)`: what the target makes of a class."""

    def call(target: str, folder: Path, **choices: Any) -> Export:
        return load_gradefile(target).make(ExportRequest(read_class(folder), **choices))

    return call


def table(content: bytes, encoding: str = "utf-8", delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(encoding), newline=""), delimiter=delimiter))


@pytest.fixture
def changed_cells() -> Callable[..., dict[tuple[int, str], str]]:
    """The cells that differ, as (row, header) -> new; checks that all else is the same byte for byte."""

    def compare(
        before: bytes, after: bytes, encoding: str = "utf-8", delimiter: str = ",", header: int = 0
    ) -> dict[tuple[int, str], str]:
        old, new = table(before, encoding, delimiter), table(after, encoding, delimiter)
        assert [len(row) for row in old] == [len(row) for row in new]
        changed = {
            (row, old[header][column]): new[row][column]
            for row in range(len(old))
            for column in range(len(old[row]))
            if old[row][column] != new[row][column]
        }
        _check_bytes(before.decode(encoding), after.decode(encoding), changed)
        return changed

    return compare


def _check_bytes(before: str, after: str, changed: dict[tuple[int, str], str]) -> None:
    """With every changed cell cut out of its line, what is left of the lines is the same."""
    lines = [text.splitlines(keepends=True) for text in (before, after)]
    assert len(lines[0]) == len(lines[1])
    rows = {row for row, _ in changed}
    for number, (old, new) in enumerate(zip(*lines, strict=True)):
        if number not in rows:
            assert old == new
            continue
        for (row, _), value in changed.items():
            if row == number:
                start = len(_common(old, new))
                end = len(_common(old[start:][::-1], new[start:][::-1]))
                assert len(new) - start - end <= len(value) + 2  # and its quotes


def _common(one: str, other: str) -> str:
    length = next((n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    return one[: min(len(one), len(other)) if length is None else length]
