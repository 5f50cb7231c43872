"""Nothing in `grader/` knows what exercises are about: no stem and no symbol is in it, in code or in words.

That it grades another topic as well is shown in `verify/test_other_topic.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

from torch import nn

from grader.catalog import read_assignment

ROOT = Path(__file__).parents[2]
# The stand-in for the book's library has a function of the book that is an exercise, too.
LIBRARY = ROOT / "grader" / "sandbox" / "box" / "d2l_standin.py"


def test_no_exercise_is_named_in_the_grader() -> None:
    exercises = read_assignment(ROOT).exercises
    names = {name for spec in exercises for name in (spec.stem, *spec.symbols)}
    # A word such as `train` is torch's own before it is an exercise's.
    names -= set(dir(nn.Module))
    assert len(names) >= len(exercises)
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
    files = [path for path in sorted((ROOT / "grader").rglob("*")) if path.suffix not in ("", ".pyc")]
    assert len(files) > 100
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[1]}"
        for path in files
        if path != LIBRARY
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if (match := pattern.search(line))
    ]
    assert found == []
