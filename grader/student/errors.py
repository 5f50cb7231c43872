"""Failures that only our handle can see: a name that is not there, a result that is not what it must be."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grader.errors import StudentError
from grader.printable import printable

# They are copied for every call of a check.
MAX_TENSORS, MAX_NUMBERS = 2000, 2_000_000
_TORCH_NAMES = frozenset(
    {"weight", "bias", "in_proj_weight", "in_proj_bias", "out_proj", "bias_k", "bias_v", "running_mean"}
    | {"running_var", "num_batches_tracked", "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"}
)
MAX_NAME, MAX_PATH = 200, 20  # characters, and modules within modules
_STARTS_PROGRAMS = re.compile(r"\b(subprocess|Popen|check_call|check_output|posix_spawn|fork|exec[lv])")
# What reading a well-formed value of another shape than agreed may raise.
_MISFITS = (
    KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError, OverflowError, MemoryError,
)  # fmt: skip


@contextlib.contextmanager
def reading_reply() -> Iterator[None]:
    """While a worker's reply is taken apart: whatever does not fit is the code's doing, never ours.

    Raises:
        StudentError: the reply has not the agreed shape.
    """
    try:
        yield
    except _MISFITS as err:
        raise StudentError("The code broke the process.", outcome="bad_return", kind="protocol") from err


class MissingAttribute(StudentError, AttributeError):
    """The student's object lacks an attribute that the contract names."""


def whole_number(value: Any) -> int:
    """`value`, which must be a plain int. Raises TypeError."""
    if type(value) is not int:
        raise TypeError(f"not a whole number: {type(value).__name__}")
    return value


def require_modest_state(tensors: Mapping[str, Any]) -> None:
    """Parameters and buffers travel with every call, as float64 at times: they must fit a frame.

    Raises:
        StudentError: there are too many or too large ones, or names that no module gives.
    """
    numbers = sum(entry["value"].numel() for entry in tensors.values())
    if len(tensors) > MAX_TENSORS or numbers > MAX_NUMBERS:
        raise StudentError(
            f"The module holds {len(tensors)} tensors with {numbers} numbers; at most {MAX_TENSORS} and "
            f"{MAX_NUMBERS} are graded.",
            outcome="bad_return", kind="bad_return",
        )  # fmt: skip
    if any(len(name) > MAX_NAME or name.count(".") > MAX_PATH for name in tensors):
        raise StudentError(
            "The module has a parameter with an impossible name.", outcome="bad_return", kind="bad_return"
        )


def is_own_name(name: str, text: str) -> bool:
    """Is every part of a dotted name a number, a word of the submission's text, or one that torch gives?"""
    return all(
        part.isdigit() or part in _TORCH_NAMES or (part != "" and part in text) for part in name.split(".")
    )


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
        discreet=f"`{name}(...)` is not an `nn.Module`.",
    )  # fmt: skip


def needs_programs(err: StudentError) -> bool:
    """The import failed where the code starts a program: that line is the student's to take out.

    Plots, training and downloads that fail are left out silently; they are no part of an answer.
    """
    failed = err.exception_type in ("PermissionError", "CalledProcessError")
    return failed and bool(err.frames) and _STARTS_PROGRAMS.search(err.frames[-1][1]) is not None


def at_import(err: StudentError) -> StudentError:
    """`err`, said of the import: no call was made yet, so it may say all that the code said."""
    if err.outcome == "raised" and err.kind == "raised":
        message = f"The file could not be imported: {err.message}"
    else:
        message = f"While the file was imported: {err.message}"
    return StudentError(
        message,
        outcome=err.outcome,
        kind="import",
        frames=err.frames,
        hint=err.hint,
        exception_type=err.exception_type,
    )
