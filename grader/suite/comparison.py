"""Compares what came back with what was expected, and names the first thing that breaks.

Order: type, shape, dtype, device, finite, values. Tolerances belong to the suite (`TOLERANCES` by dtype).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from grader.printable import printable
from grader.suite.failures import CheckFailed

MAX_SHOWN_ENTRIES = 64
# What a wrong type means, where the exercise knows the mistake by this name.
WRONG_TYPES = {"NoneType": "returns_nothing", "tuple": "returns_tuple", "list": "returns_tuple"}


@dataclass(frozen=True)
class Margin:
    """The largest difference that a comparison saw, in units of its tolerance."""

    name: str
    dtype: str
    error: float
    tolerance: float


@dataclass
class Comparison:
    """`assert_close` of one check: knows its suite's tolerances and its device, and keeps the margins."""

    tolerances: Mapping[torch.dtype, float]
    device: str = "cpu"
    margins: list[Margin] = field(default_factory=list)

    def __call__(
        self,
        actual: Any,
        expected: torch.Tensor,
        *,
        name: str = "the result",
        like: torch.Tensor | None = None,
        tolerance: float | None = None,
        device: str | None = None,
        hint: str = "",
        misconception: str = "",
    ) -> None:
        """Fail unless `actual` is `expected` within the tolerance of the dtype.

        The expected dtype is that of `like`, by default of `expected`. The tolerance is absolute, and
        relative for expected values beyond 1 in size. `device` is where the tensor has to be, by default
        where the check runs. `misconception` names the mistake that a difference here would mean.

        Raises:
            CheckFailed: naming the first difference.
        """
        dtype = expected.dtype if like is None else like.dtype
        allowed = self.tolerances[dtype] if tolerance is None else tolerance
        try:
            where = self.device if device is None else device
            check_form(actual, tuple(expected.shape), dtype, name=name, device=where, hint=hint)
            self._compare_values(actual.detach(), expected.detach(), allowed, name, hint)
        except CheckFailed as err:
            err.misconception = misconception or err.misconception
            raise

    def _compare_values(
        self, actual: torch.Tensor, expected: torch.Tensor, allowed: float, name: str, hint: str
    ) -> None:
        difference = (actual.double() - expected.double()).abs()
        scaled = difference / expected.double().abs().clamp(min=1.0)
        error = float(scaled.max()) if scaled.numel() else 0.0
        self.margins.append(Margin(name, str(actual.dtype).removeprefix("torch."), error, allowed))
        if error <= allowed:
            return
        wrong = int((scaled > allowed).sum())
        raise CheckFailed(
            f"The values of {name} are off by up to {float(difference.max()):.3g} "
            f"({wrong} of {scaled.numel()} entries differ; allowed is {allowed:.0e}).",
            reason="values",
            hint=hint,
            detail=f"came back: {show(actual)}\nexpected:  {show(expected)}",
        )


def check_form(
    actual: Any,
    shape: tuple[int, ...],
    dtype: torch.dtype,
    *,
    name: str = "the result",
    device: str = "cpu",
    hint: str = "",
) -> torch.Tensor:
    """The tensor `actual`, if it is one, of this shape and dtype, on this device, and finite.

    Raises:
        CheckFailed: naming the first difference.
    """
    if not isinstance(actual, torch.Tensor):
        raise CheckFailed(
            f"{_start(name)}: type `{type(actual).__name__}`, expected a tensor.",
            reason="type",
            hint=hint or ("Did a `return` get lost?" if actual is None else ""),
            misconception=WRONG_TYPES.get(type(actual).__name__, ""),
        )
    if tuple(actual.shape) != shape:
        raise CheckFailed(
            f"{_start(name)}: shape {tuple(actual.shape)}, expected {shape}.", reason="shape", hint=hint
        )
    if actual.dtype != dtype:
        raise CheckFailed(
            f"{_start(name)}: dtype {actual.dtype}, expected {dtype}.",
            reason="dtype",
            hint=hint or "Keep the dtype of the inputs.",
            misconception="dtype_changed",
        )
    found = getattr(actual, "sent_from", str(actual.device))
    if found != device:
        raise CheckFailed(
            f"{_start(name)}: on device {found}, expected {device}, where the inputs are.",
            reason="device",
            hint=hint or "Create tensors with `device=X.device`.",
            misconception="wrong_device",
        )
    _check_finite(actual, name, hint)
    return actual


def _check_finite(actual: torch.Tensor, name: str, hint: str) -> None:
    if not (actual.is_floating_point() or actual.is_complex()):
        return
    bad = ~torch.isfinite(actual.detach())
    if bool(bad.any()):
        kind = "NaN" if bool(torch.isnan(actual.detach()).any()) else "infinite"
        raise CheckFailed(
            f"{_start(name)}: {int(bad.sum())} of {actual.numel()} entries {kind}.",
            reason="finite",
            hint=hint,
        )


def _start(name: str) -> str:
    return name[:1].upper() + name[1:]


def show(value: Any) -> str:
    """A small value as text, for public checks and staff."""
    if isinstance(value, torch.Tensor):
        # An empty one too: its shape says more, and may be as long as the code likes.
        if not 0 < value.numel() <= MAX_SHOWN_ENTRIES:
            return f"a tensor of shape {tuple(value.shape)}"
        plain = value.detach().double() if value.is_floating_point() else value.detach()
        return str([round(float(plain), 4)] if plain.dim() == 0 else _rounded(plain.tolist()))
    return printable(repr(value), 300)


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return round(value, 4) if isinstance(value, float) else value


def gradients_of(
    out: Any,
    sources: Mapping[str, torch.Tensor],
    seed_grad: torch.Tensor,
    *,
    misconception: str = "gradient_stops",
) -> dict[str, torch.Tensor]:
    """Gradients of sum(out * seed_grad) with respect to the named `sources`.

    Raises:
        CheckFailed: where the gradient stops before it reaches one of them.
    """
    named = ", ".join(f"`{name}`" for name in sources)
    if not isinstance(out, torch.Tensor) or not out.requires_grad:
        raise CheckFailed(
            f"The gradient stops before it reaches {named}: the result is not part of a graph.",
            reason="gradient",
            hint="Look for `.detach()`, `.data`, `.item()`, `torch.no_grad()`, NumPy or `torch.tensor(...)`.",
            misconception=misconception,
        )
    leaves = [source for source in sources.values() if source.requires_grad]
    # Every source may be frozen while the result depends on something else that is not.
    found = torch.autograd.grad(out, leaves, seed_grad.to(out.dtype), allow_unused=True) if leaves else ()
    by_leaf = {id(leaf): grad for leaf, grad in zip(leaves, found, strict=True)}
    gradients: dict[str, torch.Tensor] = {}
    for name, source in sources.items():
        grad = by_leaf.get(id(source))
        if grad is None:
            raise CheckFailed(
                f"The gradient stops before it reaches `{name}`.",
                reason="gradient",
                hint="Look for `.detach()`, `.data`, `.item()`, `no_grad()` or `requires_grad_(False)`.",
                misconception=misconception,
            )
        gradients[name] = grad
    return gradients
