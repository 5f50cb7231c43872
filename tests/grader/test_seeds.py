"""The code of the course's texts, as they print it, gets full points."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ROOT / "tests" / "seeds"
GRADE = str(Path(sys.executable).with_name("grade"))


def grade(path: Path) -> dict[str, Any]:
    argv = [GRADE, "submit", str(path), "-o", "-", "-q", "--assignment", str(ROOT)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("form", ["scripts", "bare", "notebook"])
def test_code_of_the_texts_gets_full_points(form: str) -> None:
    report = grade(SEEDS / form)
    lost = [
        (check["id"], check["outcome"], check["message"])
        for exercise in report["exercises"]
        for check in exercise["checks"]
        if check["outcome"] != "passed" and (exercise["track"] == "core" or exercise.get("source"))
    ]
    assert lost == []
    assert (report["status"], report["score"]) == ("graded", 100.0)


def test_runs_with_one_seed_agree_but_for_times() -> None:
    def without_times(value: Any) -> Any:
        if isinstance(value, dict):
            timed = ("duration_s", "started_at")
            return {key: without_times(part) for key, part in value.items() if key not in timed}
        return [without_times(part) for part in value] if isinstance(value, list) else value

    path = ROOT / "tests" / "seeds" / "scripts"
    runs = [without_times(run) for run in (grade_with_seed(path) for _ in range(3))]
    assert runs[0] == runs[1] == runs[2]


def grade_with_seed(path: Path) -> dict[str, Any]:
    argv = [GRADE, "submit", str(path), "-o", "-", "-q", "--assignment", str(ROOT), "--seed", "5"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd="/")
    report: dict[str, Any] = json.loads(done.stdout)
    return report
