"""Builds a class from a list of names, as a folder or as a zip file, and an assignment to load it for."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from grader.catalog import Assignment, read_assignment

STEMS = ("masked_softmax", "positional_encoding")
Files = Mapping[str, str | bytes | None]  # a path that ends in `/` is an empty folder


def build_folder(root: Path, files: Files) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        place = root / name
        if name.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content or b"")
    return root


def build_zip(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content or b"")
    return path


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., Path]:
    """`build("folder" or "zip", files, root="class")` -> where it lies."""

    def build_class(kind: str, files: Files, root: str = "class") -> Path:
        if kind == "folder":
            return build_folder(tmp_path / root, files)
        return build_zip(tmp_path / f"{root}.zip", files)

    return build_class


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    """Two exercises, each a function of its stem's name."""
    exercises = build_folder(
        tmp_path / "assignment" / "exercises",
        {f"{stem}.py": f"def {stem}(x):\n    raise NotImplementedError\n" for stem in STEMS},
    )
    tables = "".join(
        f"[[exercises]]\nstem = {json.dumps(stem)}\ntitle = 'T'\npoints = 5\nsymbols = [{json.dumps(stem)}]\n"
        for stem in STEMS
    )
    (exercises / "assignment.toml").write_text(f"id = 'small'\ntitle = 'Small'\n{tables}")
    return read_assignment(exercises.parent)
