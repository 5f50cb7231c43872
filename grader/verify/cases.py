"""Labelled cases: right and wrong solutions whose first comment line says what must become of them.

    # WHEAT | differs: a Python loop over the batch
    # CHAFF | misconception: no_scale | TA: what a TA would say. | detectable by: outputs, gradients

The label may follow a byte order mark, a `#!` line and a coding cookie; it is read in the file's encoding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grader.errors import GraderError
from grader.load.text import decode_source

_LABEL = re.compile(r"#.*?\b(WHEAT|CHAFF)\b.*")
# A "|" starts a new field only in front of a name and a colon, so a text may hold one.
_NEXT_FIELD = re.compile(r"\s*\|\s*(?=[A-Za-z][\w ]*:)")
NULL_PREFIX = "null_"


@dataclass(frozen=True)
class Case:
    """One labelled file; `stem` is the exercise that it answers, `label` the whole line."""

    path: Path
    stem: str
    label: str
    is_wheat: bool

    @property
    def is_null(self) -> bool:
        """A chaff named `null_...` answers nothing, so it may not earn much either."""
        return not self.is_wheat and self.path.name.startswith(NULL_PREFIX)

    @cached_property
    def fields(self) -> dict[str, str]:
        """What the label says, by field: `differs`, `misconception`, `TA`, `detectable by`."""
        parts = [part.partition(":") for part in _NEXT_FIELD.split(self.label)[1:]]
        return {name.strip(): text.strip() for name, _, text in parts}

    @property
    def detectable_by(self) -> tuple[str, ...]:
        return tuple(word.strip() for word in self.fields.get("detectable by", "").split(",") if word.strip())


def find_cases(folder: Path, stems: Sequence[str]) -> list[Case]:
    """All labelled files below `folder` whose own folder is named like one of `stems`, sorted by path."""
    return [case for case in map(read_case, case_files(folder, stems)) if case is not None]


def case_files(folder: Path, stems: Sequence[str]) -> Iterator[Path]:
    yield from (path for path in sorted(folder.rglob("*.py")) if path.parent.name in stems)


def read_case(path: Path) -> Case | None:
    """The case in this file, or None if it has no label."""
    for line in _opening_comments(_read_text(path)):
        found = _LABEL.match(line)
        if found is not None:
            return Case(path, path.parent.name, line, found.group(1) == "WHEAT")
    return None


def _read_text(path: Path) -> str:
    content = path.read_bytes()
    try:
        return decode_source(content, path.name)
    except GraderError:
        # A case may be unreadable on purpose; its label is plain text all the same.
        return content.decode("utf-8", "replace").removeprefix("\ufeff")


def _opening_comments(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped.startswith("#"):
            yield stripped
        elif stripped:
            return
