"""The image: its entry point run in a scratch folder, and what `grade.sh` asks of Docker."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grader.__main__ import main
from grader.bundles.tree import load_bundle, unpack
from grader.catalog import Assignment

as_root = pytest.mark.skipif(os.getuid() != 0, reason="the container starts as root")


@as_root
@pytest.mark.parametrize(("factor", "score"), [("2", 2), ("3", 0)])
def test_right_and_wrong_code_get_their_points(factor: str, score: int, attempt: Any) -> None:
    document = json.loads(attempt("docker", f"def double(x):\n    return x * {factor}\n").document)
    assert (document["status"], document["score"]) == ("graded", score)


@as_root
def test_hostile_code_reads_no_source_and_writes_nothing(attempt: Any, hostile: Any, root: Path) -> None:
    trial = attempt("docker", hostile(root / "opt" / "x", root / "x"))
    assert json.loads(trial.document)["score"] == 0
    assert not (root / "opt" / "x").exists()
    assert not (root / "x").exists()


@pytest.mark.parametrize("is_folder", [True, False])
def test_script_starts_a_container_without_network_rights_or_places_to_write(
    is_folder: bool, course: Assignment, tmp_path: Path
) -> None:
    unpack(load_bundle("docker").files(course), tmp_path / "image")
    engine = tmp_path / "engine"
    engine.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    engine.chmod(0o755)
    submission = tmp_path / "hw 3"
    submission.mkdir()
    handed = submission if is_folder else submission / "a.py"
    (submission / "a.py").write_text("")
    ended = subprocess.run(
        [str(tmp_path / "image" / "grade.sh"), str(handed), "--format", "junit"],
        env={**os.environ, "GRADE_ENGINE": str(engine)},
        capture_output=True,
        text=True,
        check=True,
    )
    said = ended.stdout.split("\n")
    target = "/submission" if is_folder else "/submission/a.py"
    assert said[said.index("--mount") + 1] == f"type=bind,source={handed},target={target},readonly"
    assert said[said.index("--network") + 1] == "none"
    assert said[said.index("--cap-drop") + 1] == "ALL"
    assert said[said.index("--security-opt") + 1] == "no-new-privileges"
    assert {"--read-only", "--tmpfs", "--pids-limit", "--memory"} <= set(said)
    assert said[-4:] == ["attention-grader", "--format", "junit", ""]


def test_image_closes_the_course_and_pins_what_it_installs(course: Assignment) -> None:
    files = {file.path: file for file in load_bundle("docker").files(course)}
    text = files["Dockerfile"].content.decode()
    assert text.startswith("FROM python:")
    assert "chmod 700 /opt/course" in text
    assert "course/solutions/double.py" in files
    assert files["entrypoint.sh"].is_executable
    assert "torch==" in files["requirements.txt"].content.decode()


def test_a_setting_that_is_none_is_refused(course: Assignment, capsys: Any) -> None:
    assert main(["bundle", "docker", "--with", "image=x", "--assignment", str(course.root)]) == 2
    assert (
        "This target takes no settings, so there is nothing to say with `image`." in capsys.readouterr().err
    )
    assert main(["bundle", "autolab", "--with", "imag=x", "--assignment", str(course.root)]) == 2
    assert "problem, maximum, image" in capsys.readouterr().err
