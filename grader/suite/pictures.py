"""What `tests/public/see/<stem>.py` builds its pictures with, from tensors.

Such a file has one function, `look(student, reference=None)`, that calls the student's code on fixed inputs
of its own and returns pictures. In a handout there is no reference. A picture never scores. Where the
student's numbers equal the reference's as far as one could see, they are taken to be the same: so right
answers have one picture, whatever the last digits of their floats are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from grader.catalog import Assignment
from grader.errors import AssignmentError, StudentError
from grader.pictures import (
    MAX_PICTURES,
    MAX_SIDE,
    Curve,
    Curves,
    HeatmapRow,
    Heatmaps,
    Matrix,
    Picture,
    Role,
    numbers,
)
from grader.printable import printable
from grader.suite.failures import CheckFailed
from grader.suite.reference import load_module

__all__ = [
    "Looked",
    "compared_curves",
    "curve",
    "curves",
    "heatmaps",
    "load_look",
    "look_safely",
    "path_of_look",
    "row",
]

Look = Callable[..., Sequence[Picture]]
# Of the largest expected number: less than this cannot be seen in a picture.
VISIBLE = 1e-3
_LABEL = 120
_EXPECTED, _AS_EXPECTED = ", expected", " (as expected)"


class Looked(NamedTuple):
    """The pictures of one exercise, or in a plain sentence why there are none."""

    pictures: tuple[Picture, ...]
    problem: str = ""


class NotDrawable(CheckFailed):
    """The student's result has no picture; the message is a sentence for them."""


def heatmaps(
    title: str, alt: str, rows: Sequence[HeatmapRow], *, xlabel: str = "Keys", ylabel: str = "Queries"
) -> Heatmaps:
    """Rows of matrices, as the texts' `show_heatmaps`; what there is to see is added as a summary."""
    return Heatmaps(title, alt, tuple(rows), _summary_of(rows), xlabel, ylabel)


def row(
    label: str,
    student: Any,
    expected: torch.Tensor | None = None,
    masked: torch.Tensor | None = None,
    *,
    digits: int = 4,
) -> HeatmapRow:
    """One row: a matrix of the student's (rows, columns), and what it is compared with.

    Raises:
        NotDrawable: what the student's code gave is no matrix of that shape.
    """
    shape = None if expected is None else tuple(expected.shape)
    own = _plain(student, label, 2, shape)
    mask = None if masked is None else tuple("".join(str(int(c)) for c in line) for line in masked.tolist())
    if expected is None:
        return HeatmapRow(_label(label), _rows(own, digits), None, mask)
    wanted = expected.detach().double()
    is_same = _is_same(own, wanted)
    shown = wanted if is_same else own
    return HeatmapRow(
        _label(label), _rows(shown, digits), None if is_same else _rows(wanted, digits), mask, is_same
    )


def curve(label: str, x: Any, y: Any, role: Role = "given", *, group: str = "", digits: int = 3) -> Curve:
    """A curve that does not depend on the student's code: the truth, or points that are given."""
    axis = torch.as_tensor(x, dtype=torch.float64)
    return Curve(_label(label), _text(axis, digits), _text(_plain(y, label, 1, None), digits), role, group)


def compared_curves(
    label: str, x: Any, student: Any, expected: torch.Tensor | None = None, *, group: str = ""
) -> tuple[Curve, ...]:
    """The student's curve and, where it differs from it, the expected one.

    Raises:
        NotDrawable: what the student's code gave is no curve of that length.
    """
    axis = torch.as_tensor(x, dtype=torch.float64)
    own = _plain(student, label, 1, tuple(axis.shape))
    if expected is None:
        return (curve(label, axis, own, "student", group=group),)
    wanted = expected.detach().double()
    if _is_same(own, wanted):
        return (curve(f"{label}{_AS_EXPECTED}", axis, wanted, "student", group=group),)
    beside = curve(f"{label}{_EXPECTED}", axis, wanted, "expected", group=group)
    return (curve(label, axis, own, "student", group=group), beside)


def curves(
    title: str, alt: str, parts: Sequence[Curve], *, xlabel: str, ylabel: str, counts: bool = False
) -> Curves:
    """Curves in one pair of axes; whether the student's are the expected ones is added as a summary."""
    return Curves(title, alt, tuple(parts), _summary_of_curves(parts), xlabel, ylabel, counts)


def path_of_look(assignment: Assignment, stem: str) -> Path:
    """The file that draws an exercise's pictures, if it has any; it decides no score."""
    return assignment.root / "tests" / "public" / "see" / f"{stem}.py"


def load_look(path: Path) -> Look:
    """The function `look` of one `see/<stem>.py`.

    Raises:
        AssignmentError: the file does not import, or has no such function.
    """
    look = getattr(load_module(f"see_{path.stem}", path), "look", None)
    if not callable(look):
        raise AssignmentError(f"`{path}` defines no `look(student, reference=None)`.")
    found: Look = look
    return found


def look_safely(look: Look, student: Any, reference: Any = None) -> Looked:
    """The pictures; whatever goes wrong on the way is one sentence, and none of the code's own words.

    Those might be made of anything that the code has seen.
    """
    try:
        with torch.enable_grad():
            pictures = tuple(look(student, reference))[:MAX_PICTURES]
        if all(isinstance(picture, (Heatmaps, Curves)) for picture in pictures):
            return Looked(pictures)
        return Looked((), "No picture: it could not be made.")
    except NotDrawable as err:
        return Looked((), f"No picture: {err}")
    except CheckFailed:
        return Looked((), "No picture: the result is not what the exercise asks for.")
    except (StudentError, NotImplementedError) as err:
        outcome = err.outcome if isinstance(err, StudentError) else "not_attempted"
        return Looked((), f"No picture: {_ENDINGS.get(outcome, _OTHER_ENDING)}")
    except (Exception, SystemExit):  # noqa: BLE001  # whatever a result does costs the picture only
        return Looked((), f"No picture: {_OTHER_ENDING}")


_OTHER_ENDING = "the code does not get as far as a result on the example."
_ENDINGS = {
    "raised": "the code raises an error on the example.",
    "timed_out": "the code does not finish on the example.",
    "crashed": "the code ends its process.",
    "out_of_memory": "the code needs too much memory.",
    "not_attempted": "there is nothing to look at yet.",
}


def _plain(value: Any, label: str, axes: int, shape: tuple[int, ...] | None) -> torch.Tensor:
    """`value` in float64 on the CPU, detached."""
    if not isinstance(value, torch.Tensor):
        raise NotDrawable(f"{label} is not a tensor.")
    plain = value.detach().cpu()
    if plain.is_complex():
        raise NotDrawable(f"{label} is complex.")
    if plain.dim() != axes or (shape is not None and tuple(plain.shape) != shape):
        wanted = shape if shape is not None else f"{axes} axes"
        raise NotDrawable(f"{label} has the shape {tuple(plain.shape)[:8]}, expected {wanted}.")
    if plain.numel() == 0 or max(plain.shape) > MAX_SIDE:
        raise NotDrawable(f"{label} has the shape {tuple(plain.shape)}, which cannot be drawn.")
    return plain.double()


def _is_same(own: torch.Tensor, wanted: torch.Tensor) -> bool:
    scale = max(float(wanted.abs().max()), 1e-12)
    return bool(((own - wanted).abs() <= VISIBLE * scale).all())


def _rows(matrix: torch.Tensor, digits: int) -> Matrix:
    return tuple(_text(line, digits) for line in matrix)


def _text(values: torch.Tensor, digits: int) -> str:
    return " ".join(_number(value, digits) for value in values.tolist())


def _number(value: float, digits: int) -> str:
    """As short as `digits` decimals allow; very large numbers as powers of ten."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) >= 1e6:
        return f"{value:.3e}"
    return f"{round(value, digits) + 0.0:.{digits}f}".rstrip("0").rstrip(".")


def _label(text: str) -> str:
    return printable(text, _LABEL, one_line=True)


def _summary_of(rows: Sequence[HeatmapRow]) -> str:
    worst, where = 0.0, ""
    for part in rows:
        if odd := _odd_numbers(part.student):
            return f"{odd} of the numbers in “{part.label}” are not finite."
        for y, x, gap in _gaps(part):
            if gap > worst:
                worst, where = gap, f"row {y}, column {x}"
                where += f" of “{part.label}”" if len(rows) > 1 else ""
    if all(part.compared is None for part in rows):
        return ""
    if worst == 0.0:
        return "No difference that could be seen."
    return f"The largest difference is {worst:.3g} ({where})."


def _gaps(part: HeatmapRow) -> list[tuple[int, int, float]]:
    if part.expected is None:
        return []
    pairs = zip(part.student, part.expected, strict=True)
    return [
        (y, x, abs(ours - theirs))
        for y, (own, wanted) in enumerate(pairs)
        for x, (ours, theirs) in enumerate(zip(numbers(own), numbers(wanted), strict=True))
    ]


def _odd_numbers(matrix: Matrix) -> int:
    return sum(not math.isfinite(number) for line in matrix for number in numbers(line))


def _summary_of_curves(parts: Sequence[Curve]) -> str:
    own = [part for part in parts if part.role == "student"]
    expected = [part for part in parts if part.role == "expected"]
    if odd := sum(_odd_numbers((part.y,)) for part in own):
        return f"{odd} of the numbers are not finite and are left out of the picture."
    if not expected:
        is_compared = any(part.label.endswith(_AS_EXPECTED) for part in own)
        return "No difference from what is expected that could be seen." if is_compared else ""
    by_label = {part.label: part for part in own}
    gaps = [
        abs(ours - theirs)
        for part in expected
        for ours, theirs in zip(
            numbers(by_label[part.label.removesuffix(_EXPECTED)].y), numbers(part.y), strict=True
        )
    ]
    return f"The largest distance from what is expected is {max(gaps):.3g}."
