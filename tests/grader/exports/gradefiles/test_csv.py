from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.records import Identity
from grader.exports.classgrades import ExportError


def test_a_new_table_for_people(make: Any, make_class: Any, handed: Any) -> None:
    folder = make_class(
        handed("ada", Identity(name="=cmd()", sis_id="001"), 17.5), handed("bob", Identity(login="bob"), None)
    )
    export = make("csv", folder)
    rows = list(csv.DictReader(io.StringIO(export.files[0].content.decode())))
    assert (rows[0]["sis_id"], rows[0]["score"], rows[0]["name"]) == ("001", "17.5", "'=cmd()")
    assert (rows[1]["score"], rows[1]["alpha"], rows[1]["remark"]) == ("", "", "needs a regrade")


def test_exercises_stand_in_the_order_of_the_assignment(make: Any, make_class: Any, handed: Any) -> None:
    folder = make_class(handed("ada", Identity(), 2.5), with_gradebook=False)
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    alpha = summary["submissions"][0]["exercises"]["alpha"]
    summary["submissions"][0]["exercises"]["omega"] = alpha
    summary["exercises"].insert(0, {**summary["exercises"][0], "stem": "omega"})
    (folder / "summary.json").write_text(json.dumps(summary), "utf-8")
    header = make("csv", folder).files[0].content.decode().splitlines()[0].split(",")
    assert header[header.index("max_score") + 1 :] == ["omega", "alpha", "remark"]


def test_any_table_with_ids_is_filled(
    make: Any, make_class: Any, handed: Any, tmp_path: Path, changed_cells: Any
) -> None:
    into = tmp_path / "mine.csv"
    into.write_bytes(b'Matrikelnummer;Punkte;Notiz\r\n"007";;x\r\n008;"1,5";y\r\n')
    folder = make_class(handed("a", Identity(sis_id="007"), 2.5), handed("b", Identity(sis_id="008"), 3.5))
    export = make("csv", folder, into=into, column="punkte")
    cells = changed_cells(into.read_bytes(), export.files[0].content, delimiter=";")
    assert cells == {(1, "Punkte"): "2,5", (2, "Punkte"): "3,5"}
    assert export.files[0].content == b'Matrikelnummer;Punkte;Notiz\r\n"007";2,5;x\r\n008;"3,5";y\r\n'


def test_a_table_of_names_only_needs_by_name(make: Any, make_class: Any, handed: Any, tmp_path: Path) -> None:
    into = tmp_path / "mine.csv"
    into.write_text("Name,Points\nLovelace Ada,\n")
    folder = make_class(handed("a", Identity(name="Ada Lovelace"), 2.5))
    with pytest.raises(ExportError, match="no column of ids"):
        make("csv", folder, into=into)
    assert make("csv", folder, into=into, by_name=True).changes[0].after == "2.5"
