"""What a test function says about itself: its title, points, hint and needs."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from grader.records import Visibility

SUITE_PREFIX = "test_"


class NamedMistake(NamedTuple):
    """What it means when the check fails for one of `reasons` (any reason if there are none)."""

    name: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class CheckInfo:
    """One check. Its cases (parametrised test items) share it; all of them must pass.

    `judges_by_assert` is the author's word that a bare `assert` in it is about the student's code.
    """

    stem: str
    name: str
    title: str
    visibility: Visibility
    points: float
    hint: str
    needs: tuple[str, ...]
    accelerator: bool
    misconceptions: tuple[NamedMistake, ...] = ()
    judges_by_assert: bool = False

    def as_json(self) -> dict[str, Any]:
        fields = {**vars(self), "needs": list(self.needs)}
        del fields["misconceptions"], fields["judges_by_assert"]
        return fields


def describe_check(item: pytest.Function) -> CheckInfo:
    points = item.get_closest_marker("points")
    hint = item.get_closest_marker("hint")
    needs = [name for marker in item.iter_markers("needs") for name in marker.args]
    return CheckInfo(
        stem=stem_of(item.path),
        name=item.originalname,
        title=title_of(item),
        visibility="public" if item.path.parent.name == "public" else "hidden",
        points=float(points.args[0]) if points else 0.0,
        hint=str(hint.args[0]) if hint else "",
        needs=tuple(needs),
        accelerator=item.get_closest_marker("accelerator") is not None,
        misconceptions=tuple(
            NamedMistake(str(mark.args[0]), mark.args[1:]) for mark in item.iter_markers("misconception")
        ),
        judges_by_assert=item.get_closest_marker("asserts") is not None,
    )


def stem_of(path: Path) -> str:
    return path.stem.removeprefix(SUITE_PREFIX)


def title_of(item: pytest.Function) -> str:
    """The first line of the docstring; without one, the name in words."""
    text = inspect.getdoc(item.function) or ""
    first = text.strip().partition("\n")[0].strip()
    return first or item.originalname.removeprefix(SUITE_PREFIX).replace("_", " ").capitalize()


def case_of(item: pytest.Function) -> str:
    return item.callspec.id if hasattr(item, "callspec") else ""


def device_case_of(item: pytest.Function) -> str:
    """ "device" for the case of an accelerator check that runs off the CPU, else "cpu"."""
    if hasattr(item, "callspec") and item.callspec.params.get("device_case") == "device":
        return "device"
    return "cpu"
