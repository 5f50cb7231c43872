"""What the pages show and do, without a browser: every action, its undo, its conflict, its refusal."""

from __future__ import annotations

import csv
import html
import io
import re
import zipfile
from typing import Any
from xml.etree import ElementTree

import pytest

from grader.classroom.folder import BatchFolder
from grader.classroom.gradebook import Gradebook, open_database

# Texts of this folder's conftest, which cannot be imported.
ALIKE = ("ben", "cyd", "dan", "eve")


def links(text: str, start: str) -> list[str]:
    return [html.unescape(one) for one in re.findall(rf'href="({start}[^"]*)"', text)]


def listed(pages: Any, query: str = "") -> list[str]:
    """The submissions of the list, in order."""
    found = re.findall(r'name="submission" value="([^"]*)" aria-label', pages.get(f"/?{query}").text)
    return [html.unescape(one) for one in found]


def grades(pages: Any) -> dict[str, dict[str, str]]:
    rows = csv.DictReader(io.StringIO(pages.get("/exports/csv/grades.csv").text))
    return {row["submission"]: row for row in rows}


def cluster(pages: Any) -> str:
    found = [one for one in links(pages.get("/clusters").text, "/clusters/") if "ben" in pages.get(one).text]
    return found[0]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "ada ben cyd dan eve fay mal zoe"),
        ("sort=name&descending=yes", "zoe mal fay eve dan cyd ben ada"),
        ("search=AY", "fay"),
        ("search=%25", ""),
        ("exercise=double", "ben cyd dan eve fay mal zoe"),
        ("outcome=raised", "fay mal"),
        ("misconception=adds_two", "ben cyd dan eve"),
        ("status=needs_regrade", "zoe"),
        ("done=yes", ""),
        ("exercise=&outcome=&check=", "ada ben cyd dan eve fay mal zoe"),
        ("per_page=3&page=2", "dan eve fay"),
    ],
)
def test_the_list_is_searched_filtered_sorted_and_paged(pages, query: str, expected: str) -> None:
    assert listed(pages, query) == expected.split()


def test_an_address_that_makes_no_sense_is_told(pages) -> None:
    for query in ("sort=luck", "outcome=happy", "done=maybe", "page=0"):
        answer = pages.get(f"/?{query}")
        assert answer.status_code == 400
        assert "cannot be done" in answer.text
    for path in ("/submissions/nobody", "/clusters/nothing", "/no/such/page", "/history?before=x"):
        assert pages.get(path).status_code in (400, 404)


def test_next_and_previous_stay_within_what_is_listed(pages) -> None:
    text = pages.get("/submissions/cyd?misconception=adds_two").text
    assert links(text, "/submissions/ben") == ["/submissions/ben?misconception=adds_two"]
    assert links(text, "/submissions/dan") == ["/submissions/dan?misconception=adds_two"]
    assert "2 of 4" in text


def test_one_comment_serves_a_cluster_and_reaches_each_student(pages, small_class) -> None:
    at = cluster(pages)
    assert pages.get(at).text.count('name="submission"') == len(ALIKE)
    answer = pages.act("comment", at, submission=ALIKE, exercise="double", text="Multiply & do not add.")
    assert answer.status_code == 303
    assert "Undo" in pages.get(answer.headers["location"]).text
    for student in ALIKE:
        assert "Multiply &amp; do not add." in pages.get(f"/submissions/{student}").text
    assert "Multiply" not in pages.get("/submissions/ada").text


def test_points_changed_with_a_reason_count_in_the_export_until_they_are_taken_back(pages) -> None:
    before = grades(pages)["ben"]["score"]
    answer = pages.act(
        "override", "/submissions/ben", submission="ben", exercise="double", check="double::test_values",
        points="2,5", why="Right idea.",
    )  # fmt: skip
    assert answer.status_code == 303
    text = pages.get("/submissions/ben").text
    assert "Right idea." in text
    assert "Changed by mei" in text
    assert float(grades(pages)["ben"]["score"]) == float(before) + 2.5
    number = re.search(r"said=(\d+)", answer.headers["location"])[1]  # type: ignore[index]
    assert pages.act("undo", "/submissions/ben", number=number).status_code == 303
    assert grades(pages)["ben"]["score"] == before
    assert pages.get("/history").text.count("Right idea.") >= 1


@pytest.mark.parametrize(
    ("what", "fields", "said"),
    [
        ("override", {"exercise": "double", "points": "many", "why": "So."}, "is no number of points"),
        ("override", {"exercise": "double", "points": "-1", "why": "So."}, ""),
        ("override", {"exercise": "double", "points": "nan", "why": "So."}, ""),
        ("override", {"exercise": "double", "points": "1", "why": ""}, ""),
        ("override", {"exercise": "quadruple", "points": "1", "why": "So."}, ""),
        ("comment", {"text": ""}, ""),
        ("comment", {"text": "Hm.", "path": "double.py", "line": "x"}, "`line`"),
        ("undo", {"number": "999999"}, ""),
        ("mark", {"submission": [], "how": "done"}, "No submission is chosen"),
        ("mark", {"submission": "nobody", "how": "done"}, ""),
        ("mark", {"seen": "soon"}, "`seen`"),
    ],
)
def test_what_makes_no_sense_changes_nothing_and_can_be_corrected(
    pages, what: str, fields: dict, said: str
) -> None:
    before = pages.hidden("/submissions/ada")["seen"]
    answer = pages.act(what, "/submissions/ada", **{"submission": "ada", **fields})
    assert answer.status_code in (400, 404)
    assert said in answer.text
    assert pages.hidden("/submissions/ada")["seen"] == before
    for typed in (fields.get("why"), fields.get("text")):
        assert not typed or typed in answer.text


def test_a_comment_on_a_line_stands_under_that_line_and_can_be_changed_and_withdrawn(pages) -> None:
    at = "/submissions/ben?path=double.py&line=3"
    assert "Comment on line 3" in pages.get(at).text
    fields = {"submission": "ben", "path": "double.py", "line": "3"}
    pages.act("comment", at, text="Here.", **fields)
    text = pages.get("/submissions/ben").text
    line = re.search(r'<li id="f\d+-3".*?</li>', text, re.S)[0]  # type: ignore[index]
    assert "Here." in line
    thread = re.search(r'name="thread" value="([^"]*)"', line)[1]  # type: ignore[index]
    pages.act("revise", "/submissions/ben", submission="ben", thread=thread, text="There.")
    assert "There." in pages.get("/submissions/ben").text
    pages.act("revise", "/submissions/ben", submission="ben", thread=thread, text="", how="withdraw")
    assert 'name="thread"' not in pages.get("/submissions/ben").text


def test_who_was_slower_sees_both_and_loses_nothing(pages) -> None:
    old = pages.hidden("/submissions/ben")
    target = {"submission": "ben", "exercise": "double"}
    pages.act("override", "/submissions/ben", points="3", why="Mostly right.", **target)
    fields = {**old, **target, "points": "1", "why": "Hardly right.", "back": "/submissions/ben"}
    answer = pages.post("/act/override", fields)
    assert answer.status_code == 409
    assert "Mostly right." in answer.text
    assert "Hardly right." in answer.text
    assert grades(pages)["ben"]["double"] in ("3", "3.0")
    fresh = re.search(r'name="seen" value="(\d+)"', answer.text)[1]  # type: ignore[index]
    assert pages.post("/act/override", {**fields, "seen": fresh}).status_code == 303
    assert grades(pages)["ben"]["double"] in ("1", "1.0")


def test_different_things_at_once_are_no_conflict(pages) -> None:
    old = pages.hidden("/submissions/ben")
    pages.act("mark", "/submissions/ada", submission="ada", how="done")
    answer = pages.post(
        "/act/comment", {**old, "submission": "ben", "text": "Late.", "back": "/submissions/ben"}
    )
    assert answer.status_code == 303


def test_a_selection_is_what_is_ticked_or_all_that_is_listed(pages) -> None:
    at = "/?misconception=adds_two&per_page=2"
    query = {"scope": "all", "query": "misconception=adds_two&per_page=2", "how": "done", "text": ""}
    assert pages.act("selection", at, **query).status_code == 303
    assert listed(pages, "done=yes") == list(ALIKE)
    pages.act("selection", "/", scope="ticked", submission=["ben", "cyd"], how="open")
    assert listed(pages, "done=yes") == ["dan", "eve"]


def test_a_comment_that_was_typed_is_not_dropped_by_another_button(pages) -> None:
    answer = pages.act("selection", "/", scope="ticked", submission="ben", how="done", text="Typed for long.")
    assert answer.status_code == 400
    assert "Typed for long." in answer.text
    assert listed(pages, "done=yes") == []


def test_code_is_shown_as_it_is_and_does_nothing(pages, small_class) -> None:
    text = pages.get("/submissions/mal").text
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "\u202e" not in text
    assert "\\u202e desrever" in text
    assert "\\x1b[31m" in text
    assert "{{ 7 * 7 }}" in text
    raw = [one for one in text if ord(one) < 32 and one not in "\n\t\r"]
    assert raw == []


def test_code_that_is_gone_or_changed_since_is_told(pages, small_class) -> None:
    (small_class.students / "fay" / "double.py").write_text("def double(x):\n    return x + x\n")
    assert "changed since it was graded" in pages.get("/submissions/fay").text
    for path in (small_class.students / "cyd").iterdir():
        path.unlink()
    answer = pages.get("/submissions/cyd")
    assert answer.status_code == 200
    assert "Every element is doubled." in answer.text


def test_files_come_as_attachments_with_harmless_names(pages) -> None:
    for path in ("/exports/csv/grades.csv", "/submissions/ada/files"):
        headers = pages.get(path).headers
        assert headers["content-disposition"].startswith("attachment; filename=")
        assert headers["content-type"] == "application/octet-stream"
    assert pages.get("/exports/csv/other.csv").status_code == 404
    assert pages.get("/exports/nonsense/grades.csv").status_code == 404
    assert pages.get("/exports/canvas/gradebook.csv").status_code in (400, 404)


def test_what_was_handed_in_can_be_downloaded_whole(pages, graded) -> None:
    with zipfile.ZipFile(io.BytesIO(pages.get("/submissions/mal/files").content)) as archive:
        names = {name.rsplit("/", 1)[-1] for name in archive.namelist()}
        assert {"double.py", "triple.py"} <= names


def test_an_earlier_run_can_be_looked_at_only_with_its_own_submission(pages) -> None:
    run = links(pages.get("/submissions/ada").text, "/submissions/ada/runs/")[-1]
    assert "This run counts." in pages.get(run).text
    assert pages.get(run.replace("/ada/", "/ben/")).status_code == 404


def test_pictures_are_files_of_their_own_that_can_do_nothing(pages) -> None:
    source = re.search(r'<img src="([^"]*\.svg)" alt="A line."', pages.get("/submissions/ada").text)[1]
    answer = pages.get(source)
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert ElementTree.fromstring(answer.text).tag == "{http://www.w3.org/2000/svg}svg"
    assert "<script" not in answer.text
    assert pages.get(source.replace("/0.svg", "/1.svg")).status_code == 404


def test_a_batch_without_results_says_what_to_do(open_pages, small_class) -> None:
    other = BatchFolder(small_class.batch.parent / "empty")
    other.path.mkdir()
    settings = BatchFolder(small_class.batch).read_settings().model_copy(update={"id": "0" * 32})
    other.write_settings(settings)
    with open_database(other.gradebook) as engine:
        Gradebook(engine, settings.id).enter_class(settings, "Nobody yet", ())
    pages = open_pages(other.path)
    assert "grade batch" in pages.get("/").text
    for path in ("/clusters", "/history", "/exports"):
        assert pages.get(path).status_code in (200, 400)
