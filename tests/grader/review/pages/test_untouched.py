"""What nobody handed in takes no room on the pages, and what stands between backticks is code."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from sqlalchemy import select, update

from grader.classroom.folder import BatchFolder
from grader.classroom.gradebook import Gradebook, StoredRun, open_database, tables
from grader.report.writing import dump_report

# Texts of this folder's conftest, which cannot be imported.
ALIKE = ("ben", "cyd", "dan", "eve")


def links(text: str, start: str) -> list[str]:
    return [html.unescape(one) for one in re.findall(rf'href="({start}[^"]*)"', text)]


def test_what_nobody_handed_in_of_an_extension_is_left_out(pages, small_class) -> None:
    touched = pages.get("/").text
    assert re.search(r'<th [^>]*class="number part">Triple</th>', touched)
    _make_extension(small_class, begun=("ada",))
    begun = pages.get("/").text
    assert re.search(r'<th [^>]*class="number part">Triple \(extension\)</th>', begun)
    assert '<option value="triple">Triple (7)</option>' in begun
    assert not [
        one for one in links(pages.get("/clusters").text, "/clusters/") if "Triple" in pages.get(one).text
    ]
    _make_extension(small_class, begun=())
    text = pages.get("/").text
    assert 'class="number part">Double' in text
    assert 'class="number part">Triple' not in text
    assert '<option value="triple">' not in text


def test_core_exercises_that_were_not_attempted_stand_last_among_those_that_fail_alike(
    pages, small_class
) -> None:
    _make_extension(small_class, begun=("ada",), track="core")
    shown = [pages.get(one).text for one in links(pages.get("/clusters").text, "/clusters/")]
    assert ["6 submissions" in one for one in shown] == [False, True]  # the larger one comes last


def test_a_stub_is_folded_on_the_page_of_a_submission(pages, small_class) -> None:
    _make_extension(small_class, begun=("ada",))
    text = pages.get("/submissions/ben").text
    part = text.split('">Triple <span class="tag">extension</span>')[1].split("</section>")[0]
    assert part.index("<p>The exercise is still as it was handed out.</p>") < part.index("1 check not run")
    assert re.search(r"<details><summary [^>]*>1 check not run", part)
    assert "fail like this" not in part


def test_names_between_backticks_are_code_and_stay_escaped(pages, small_class) -> None:
    assert "no attribute <code>nothing</code>." in pages.get("/submissions/fay").text
    hostile = "Off by `<script>alert(6)</script>`."
    _rewrite(small_class, lambda text: text.replace("The values are off by up to 2.3.", hostile))
    for address in ("/submissions/ben", *links(pages.get("/submissions/ben").text, "/submissions/ben/runs/")):
        text = pages.get(address).text
        if not address.endswith(".svg"):
            assert "Off by <code>&lt;script&gt;alert(6)&lt;/script&gt;</code>." in text
            assert "<script>alert" not in text


def _rewrite(small_class: Any, change: Callable[[str], str]) -> None:
    """Puts other reports in the place of those in the gradebook, and what is searched with them."""
    with open_database(BatchFolder(small_class.batch).gradebook) as engine, engine.begin() as connection:
        runs = tables.runs
        for row in connection.execute(select(runs.c.id, runs.c.report)).all():
            changed = change(row.report)
            connection.execute(update(runs).where(runs.c.id == row.id).values(report=changed))


def _make_extension(small_class: Any, begun: tuple[str, ...], track: str = "extension") -> None:
    """Grades the class anew: `triple` is of that track, and only those in `begun` attempted it."""
    folder = BatchFolder(small_class.batch)
    settings = folder.read_settings()
    with open_database(folder.gradebook) as engine:
        book = Gradebook(engine, settings.id)
        for name in ("ada", *ALIKE, "fay", "mal"):
            report = folder.stored(name).report
            later = report.started_at + timedelta(hours=2 - bool(begun))
            double, triple = report.exercises
            stub = _as_stub(triple) if name not in begun else triple
            changed = report.model_copy(
                update={
                    "exercises": (double, stub.model_copy(update={"track": track})),
                    "score": double.score + (stub.score if track == "core" else 0.0),
                    "max_score": double.max_score + (stub.max_score if track == "core" else 0.0),
                    "started_at": later,
                }
            )
            book.record([StoredRun(changed, dump_report(changed, "staff"))])


def _as_stub(exercise: Any) -> Any:
    untouched = {"outcome": "not_attempted", "score": 0.0, "message": None}
    checks = tuple(check.model_copy(update=untouched) for check in exercise.checks)
    return exercise.model_copy(update={"status": "not_attempted", "score": 0.0, "checks": checks})
