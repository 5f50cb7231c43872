"""Gives a student's module the reference's weights: modules are compared under equal weights, never seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from grader.suite.failures import CheckFailed

MAX_NAMED = 12  # parameters in one message


def share_weights(
    student: nn.Module, reference: nn.Module, *inputs: Any, misconception: str = ""
) -> dict[str, str]:
    """Copy the reference's parameters into the student's module; return {reference name: student name}.

    Matched by name, else by a shape that occurs once (also transposed, or without axes of size 1), so that
    values are judged even where names differ. Biases that the reference does not have become 0. A lazy
    module is called once with `inputs` first.

    Raises:
        CheckFailed: a parameter of the reference has no counterpart.
    """
    if getattr(student, "is_lazy", False):
        with torch.no_grad():
            student(*inputs)
    theirs, ours = dict(student.named_parameters()), dict(reference.named_parameters())
    matched = match_parameters(theirs, ours)
    lacking = [name for name in ours if name not in matched]
    if lacking:
        raise CheckFailed(
            _explain(lacking, ours, theirs, getattr(student, "may_name", lambda name: True)),
            reason="state",
            hint=_hint(theirs),
            misconception=misconception or _name_lack(lacking, ours, theirs),
        )
    with torch.no_grad():
        for name, own in matched.items():
            theirs[own].copy_(fit_shape(ours[name], theirs[own].shape))
        for own, parameter in theirs.items():
            if own not in matched.values() and own.rpartition(".")[2] == "bias":
                parameter.zero_()
    return matched


def misfits(theirs: Mapping[str, torch.Tensor], ours: Mapping[str, torch.Tensor]) -> list[str]:
    """Names that both have, for shapes that do not fit each other."""
    return [name for name in ours if name in theirs and not _fits(ours[name], theirs[name])]


def match_parameters(theirs: Mapping[str, torch.Tensor], ours: Mapping[str, torch.Tensor]) -> dict[str, str]:
    """{reference name: student name} for all parameters that have one counterpart."""
    matched = {name: name for name in ours if name in theirs and _fits(ours[name], theirs[name])}
    for fits in (_same_shape, _fits):
        for name in ours:
            if name in matched:
                continue
            free = [own for own in theirs if own not in matched.values() and fits(ours[name], theirs[own])]
            if len(free) == 1:
                matched[name] = free[0]
    return matched


def _same_shape(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    return ours.shape == theirs.shape


def _fits(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    return (
        ours.shape == theirs.shape
        or (ours.dim() == 2 and ours.shape[::-1] == theirs.shape)
        or _long_axes(ours) == _long_axes(theirs)
    )


def _long_axes(tensor: torch.Tensor) -> list[int]:
    return [size for size in tensor.shape if size != 1]


def fit_shape(value: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    """`value`, which belongs to the reference, in the shape in which the student's module stores it."""
    if value.shape == shape:
        return value
    return value.t() if value.dim() == 2 and value.shape[::-1] == shape else value.reshape(shape)


def _name_lack(
    lacking: Sequence[str], ours: Mapping[str, torch.Tensor], theirs: Mapping[str, torch.Tensor]
) -> str:
    if set(lacking) & set(misfits(theirs, ours)):
        return "layer_of_wrong_size"
    return "layers_not_registered" if len(theirs) < len(ours) else ""


def _explain(
    lacking: Iterable[str],
    ours: dict[str, nn.Parameter],
    theirs: dict[str, nn.Parameter],
    may_name: Callable[[str], bool],
) -> str:
    wanted = ", ".join(f"`{name}` {tuple(ours[name].shape)}" for name in lacking)
    shown = [f"`{name}` {tuple(p.shape)}" for name, p in theirs.items() if may_name(name)][:MAX_NAMED]
    found = ", ".join(shown) + (f" and {len(theirs) - len(shown)} more" if len(theirs) > len(shown) else "")
    return f"The module has no parameter for {wanted}; its parameters are: {found or 'none'}."


def _hint(theirs: dict[str, nn.Parameter]) -> str:
    if theirs:
        return "Check the sizes and the order of the constructor's arguments."
    return "Create the layers in `__init__` and assign them to `self`, so that they are registered."
