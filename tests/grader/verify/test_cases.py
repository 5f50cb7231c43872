from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grader.verify.cases import find_cases, read_case

LABEL = (
    "# CHAFF | misconception: no_scale | TA: 除以根号; a | b is no field. | detectable by: outputs, gradients"
)


@pytest.mark.parametrize(
    "content",
    [
        LABEL.encode(),
        b"\xef\xbb\xbf" + LABEL.encode() + b"\r\nimport torch\r\n",
        b"# -*- coding: gbk -*-\n" + LABEL.encode("gbk") + b"\nx = 1\n",
        b"#!/usr/bin/env python\n\n# coding: gb18030\n".replace(b"\n\n", b"\n") + LABEL.encode("gb18030"),
        b"\n# A remark.\n" + LABEL.encode(),
    ],
    ids=["plain", "mark and CRLF", "cookie first", "after a hash-bang", "after a remark"],
)
def test_label_is_read_wherever_it_stands(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "scale" / "no_scale.py"
    path.parent.mkdir()
    path.write_bytes(content)
    case = read_case(path)
    assert case is not None
    assert (case.stem, case.is_wheat, case.label) == ("scale", False, LABEL)
    assert case.fields["TA"] == "除以根号; a | b is no field."
    assert case.detectable_by == ("outputs", "gradients")


def test_label_below_the_first_statement_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "late.py"
    path.write_text(f"import torch\n{LABEL}\n", "utf-8")
    assert read_case(path) is None


def test_broken_file_keeps_its_label(tmp_path: Path) -> None:
    path = tmp_path / "nul.py"
    path.write_bytes(b"# CHAFF | misconception: saved as something else\nx = '\0'\n")
    case = read_case(path)
    assert case is not None
    assert not case.is_wheat


def test_only_folders_of_the_exercises_are_searched(tmp_path: Path) -> None:
    for folder in ("one", "other"):
        (tmp_path / "chaffs" / folder).mkdir(parents=True)
        (tmp_path / "chaffs" / folder / "null_answer.py").write_text(LABEL, "utf-8")
        (tmp_path / "chaffs" / folder / "unlabelled.py").write_text("x = 1\n", "utf-8")
    (case,) = find_cases(tmp_path, ["one"])
    assert case.path == tmp_path / "chaffs" / "one" / "null_answer.py"
    assert case.is_null


def test_listing_diagnoses_says_how_a_folder_is_laid_out(tmp_path: Path) -> None:
    script = Path(__file__).resolve().parents[2] / "list_diagnoses.py"
    ended = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "holds no labelled file: lay it out like tests/chaffs" in ended.stderr
