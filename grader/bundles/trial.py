"""Runs a bundle's own scripts in a scratch folder, as its platform does in a container.

`GRADE_ROOT` tells the scripts below which folder everything lies, and `GRADE_PYTHON` takes the place of the
interpreter that the image or the set-up would install.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from grader.bundles.tree import BundleError, BundleFile

TRIAL_TIMEOUT_S = 600  # the longest that Gradescope and PrairieLearn wait unless they are told otherwise
# What a platform does not have. A `make` around us would make the bundle's own `make` talk about folders.
_OURS_ALONE = frozenset({"GRADE_ASSIGNMENT", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES"})


class Ended(NamedTuple):
    """A script's end: what it printed on each stream, decoded, and its exit code."""

    stdout: str
    stderr: str
    exit_code: int

    @property
    def output(self) -> str:
        return self.stderr + self.stdout


def moved(files: list[BundleFile], places: Mapping[str, str]) -> list[BundleFile]:
    """The files below one of the prefixes in `places`, under its new prefix; no others."""
    return [
        file._replace(path=new + file.path.removeprefix(old))
        for file in files
        for old, new in places.items()
        if file.path.startswith(old)
    ]


def hand_in(submission: Path, folder: Path) -> None:
    """Put the submission where the platform would."""
    if submission.is_dir():
        shutil.copytree(submission, folder)
    else:
        folder.mkdir(parents=True)
        shutil.copy(submission, folder / submission.name)


def run(
    command: Sequence[str], folder: Path, root: Path, variables: Mapping[str, str] | None = None
) -> Ended:
    """Run a script of the bundle in `folder`, with everything below `root`.

    Raises:
        BundleError: it takes longer than `TRIAL_TIMEOUT_S`.
    """
    root.chmod(0o711)  # the student's user must get through to the grader's own files
    kept = {name: value for name, value in os.environ.items() if name not in _OURS_ALONE}
    ours = {"GRADE_ROOT": str(root), "GRADE_PYTHON": sys.executable, **(variables or {})}
    try:
        ended = subprocess.run(
            command,
            cwd=folder,
            env={**kept, **ours},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="backslashreplace",
            timeout=TRIAL_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as err:
        raise BundleError(f"The trial took longer than {TRIAL_TIMEOUT_S} s.") from err
    except OSError as err:
        raise BundleError(f"`{command[0]}` does not start: {err.strerror}.") from err
    return Ended(ended.stdout, ended.stderr, ended.returncode)


def read_document(path: Path) -> str | None:
    """The document that a script wrote; None if it wrote none."""
    return path.read_text("utf-8") if path.is_file() else None
