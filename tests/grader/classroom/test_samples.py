"""Every sample class in tests/samples/lms/ is found as its file says, from a folder and from a zip file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import Found, discover, find_layouts, load_roster

SAMPLES = Path(__file__).parents[2] / "samples" / "lms"
STEMS = ("masked_softmax", "positional_encoding")
ALL = sorted(SAMPLES.glob("*/*.json"))


def test_every_layout_has_a_sample() -> None:
    assert {path.parent.name for path in ALL} == set(find_layouts())


@pytest.mark.parametrize("kind", ["folder", "zip"])
@pytest.mark.parametrize("path", ALL, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.parametrize("is_named", [False, True], ids=["recognised", "named"])
def test_sample_is_found_as_its_file_says(
    path: Path, kind: str, is_named: bool, tmp_path: Path, build: Callable[..., Path]
) -> None:
    sample = json.loads(path.read_text(encoding="utf-8"))
    roster = None
    if "roster" in sample:
        (tmp_path / "roster.csv").write_text(sample["roster"], encoding="utf-8", newline="")
        roster = load_roster(tmp_path / "roster.csv")
    place = build(kind, sample["files"], sample["root"])
    layout = sample["layout"] if is_named else None
    discovery = discover([place], layout=layout, roster=roster, stems=STEMS)
    assert discovery.layout == sample["layout"]
    found = {one.id: one for one in discovery.found}
    assert len(found) == len(discovery.found)
    assert {name: _plain(one, sample["submissions"].get(name, {})) for name, one in found.items()} == sample[
        "submissions"
    ]
    assert {one.path: one.reason for one in discovery.skipped} == sample["skipped"]
    assert discovery.counts.is_balanced
    if roster is not None:
        assert [one.name for one in discovery.without_submission] == sample["without_submission"]
        assert list(discovery.not_on_roster) == sample["not_on_roster"]


def _plain(found: Found, expected: dict[str, Any]) -> dict[str, Any]:
    """The found submission in the sample's words; of the student only what the sample names."""
    student = {key: getattr(found.student, key) for key in expected.get("student", {})}
    plain: dict[str, Any] = {
        "student": student,
        "files": {placed.path: placed.entry.path for placed in found.files},
    }
    older = [[placed.entry.path for placed in one.files] for one in found.older]
    optional = {
        "late": (found.late, False),
        "attempt": (found.attempt, 1),
        "older": (older, []),
        "group": ([one.name for one in found.group], []),
        "assignment": (found.assignment, ""),
        "empty": (found.is_empty, False),
    }
    return plain | {key: value for key, (value, usual) in optional.items() if value != usual}
