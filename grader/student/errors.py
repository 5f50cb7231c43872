"""Failures that only our handle can see: a name that is not there, a result that is not what it must be."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from grader.errors import StudentError
from grader.printable import printable


class MissingAttribute(StudentError, AttributeError):
    """The student's object lacks an attribute that the contract names."""


def missing_attribute(owner: str, name: str, names: Sequence[str]) -> MissingAttribute:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"Did you mean to call `{printable(near[0], 80, one_line=True)}` `{name}`?" if near else ""
    return MissingAttribute(
        f"`{owner}` has no attribute `{name}`.", outcome="failed", kind="attribute", hint=hint
    )


def missing_symbol(name: str, path: str, names: Sequence[str]) -> StudentError:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f"The nearest name in the file is `{printable(near[0], 80, one_line=True)}`." if near else ""
    return StudentError(
        f"`{name}` is not defined once `{path}` has run.", outcome="missing", kind="symbol", hint=hint
    )


def not_a_module(name: str, kind: str) -> StudentError:
    return StudentError(
        f"`{name}(...)` is of type `{printable(kind, 80, one_line=True)}`, not an `nn.Module`.",
        outcome="bad_return", kind="bad_return", hint="Derive the class from `torch.nn.Module`.",
    )  # fmt: skip
