"""pytest's way into a handout: installed as an entry point, and inert until a public suite is collected.

`pytest` in a handout, or an editor's test explorer, then runs the public checks with the folder's
`exercises/` as the submission. Anywhere else this costs one look at the name of each collected file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

_ASSIGNMENT = Path("exercises") / "assignment.toml"  # `grader.catalog` is not imported for a look


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> None:
    """Take notice of `tests/public/test_<stem>.py` of an assignment; pytest itself collects the file."""
    if file_path.parent.name != "public" or file_path.parent.parent.name != "tests":
        return
    root = file_path.parent.parent.parent
    if file_path.name.startswith("test_") and (root / _ASSIGNMENT).is_file():
        from grader.practice.suites import take_suite

        take_suite(parent.config, root, file_path)
