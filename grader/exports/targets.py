"""Finds targets by name: each is a module of `results/` or `gradefiles/`, with `-` in its name as `_`.

Names come from the folders, so that a command's help imports no target. A module that does not import stops
the command that asks for it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from grader.errors import GraderError

if TYPE_CHECKING:
    from grader.exports.gradefile import GradeFile
    from grader.exports.request import Rendered, Request
    from grader.records import Audience

Kind = Literal["results", "gradefiles"]


class NotGradableError(GraderError):
    """The target has no document that says "not graded": writing none is its way, and never a zero."""


class SettingError(GraderError):
    """A setting is missing, unknown or not usable; nothing was written."""


@dataclass(frozen=True)
class Setting:
    """What a target needs to know beside the report: `--with name=value`, else an environment variable."""

    name: str
    meaning: str
    variable: str = ""
    default: str | None = None


class HasSettings(Protocol):
    """A target that can be asked what it needs to know."""

    @property
    def settings(self) -> tuple[Setting, ...]: ...


@dataclass(frozen=True)
class ResultFormat:
    """How one target takes a result. A module of `results/` defines it as `FORMAT`.

    `file` is where the document goes unless the user says otherwise (`-`: standard output). `audience` is
    who reads it unless the user says otherwise. With `is_log` the target reads all that is printed, so
    nothing but the document may be. With `ends_well` it drops documents of commands that fail, so that one
    which says "not graded" ends with exit code 0 too.
    """

    title: str
    render: Callable[[Request], Rendered]
    file: str = "results.json"
    audience: Audience = "student"
    settings: tuple[Setting, ...] = field(default=())
    is_log: bool = False
    ends_well: bool = False


def target_names(kind: Kind) -> list[str]:
    """The names of all targets of a kind, sorted; imports none of them."""
    folder = str(Path(__file__).parent / kind)
    modules = (module.name for module in pkgutil.iter_modules([folder]))
    return sorted(name.replace("_", "-") for name in modules if not name.startswith("_"))


def load_format(name: str) -> ResultFormat:
    """The result format of that name, which must be one of `target_names("results")`."""
    module = importlib.import_module(f"grader.exports.results.{name.replace('-', '_')}")
    found: ResultFormat = module.FORMAT
    return found


def load_gradefile(name: str) -> GradeFile:
    """The grade file of that name, which must be one of `target_names("gradefiles")`."""
    module = importlib.import_module(f"grader.exports.gradefiles.{name.replace('-', '_')}")
    found: GradeFile = module.GRADEFILE
    return found
