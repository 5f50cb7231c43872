"""Answers that know nothing, in the shape of right ones. Runs in a worker, beside an exercise's reference.

`make(reference, kind)` gives a function or class with the reference's signature, parameters and shapes; what
it returns, and every tensor that it keeps as an attribute, is null.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

Tensors = Sequence[torch.Tensor]


def zeros(right: torch.Tensor, inputs: Tensors) -> torch.Tensor:
    return torch.zeros_like(right)


def input_unchanged(right: torch.Tensor, inputs: Tensors) -> torch.Tensor:
    """The first input that has the right shape, or else the first input; zeros where there is no input."""
    fitting = [given for given in inputs if given.shape == right.shape]
    return (fitting or inputs or [torch.zeros_like(right)])[0].clone()


def mean_of_values(right: torch.Tensor, inputs: Tensors) -> torch.Tensor:
    """The mean of the last input along an axis, spread over the right shape."""
    for values in reversed(inputs):
        # The first axis is mostly the batch; a mean over it mixes samples and comes last.
        for axis in [*range(1, values.dim()), 0][: values.dim()]:
            for keepdim in (True, False):
                mean = values.mean(axis, keepdim=keepdim)
                if _spreads(mean, right):
                    return mean.expand(right.shape).clone()
    return torch.full_like(right, float(inputs[-1].mean()) if inputs else 0.0)


def uniform_weights(right: torch.Tensor, inputs: Tensors) -> torch.Tensor:
    """Equal shares along the last axis."""
    return torch.full_like(right, 1.0 / right.shape[-1]) if right.dim() else torch.ones_like(right)


KINDS: dict[str, Callable[[torch.Tensor, Tensors], torch.Tensor]] = {
    "zeros": zeros,
    "input_unchanged": input_unchanged,
    "mean_of_values": mean_of_values,
    "uniform_weights": uniform_weights,
}


def make(reference: Any, kind: str) -> Any:
    """The null answer of this kind in the place of `reference`."""
    null = KINDS[kind]

    def answer(right: Any, given: Sequence[Any]) -> Any:
        if isinstance(right, (tuple, list)):
            return type(right)(answer(part, given) for part in right)
        inputs = [x for x in given if isinstance(x, torch.Tensor) and x.is_floating_point()]
        if isinstance(right, float):
            return float(null(torch.tensor(right), inputs).mean())
        return null(right, inputs) if isinstance(right, torch.Tensor) else right

    if isinstance(reference, type) and issubclass(reference, nn.Module):
        return _null_module(reference, answer, uniform_weights if kind != "zeros" else zeros)

    def function(*args: Any, **kwargs: Any) -> Any:
        # What a module is trained to would be an answer: the reference trains a copy.
        own = [copy.deepcopy(x) if isinstance(x, nn.Module) else x for x in args]
        return answer(reference(*own, **kwargs), [*args, *kwargs.values()])

    return function


def _null_module(
    reference: type[nn.Module],
    answer: Callable[[Any, Sequence[Any]], Any],
    blank: Callable[[torch.Tensor, Tensors], torch.Tensor],
) -> type[nn.Module]:
    class Null(reference):  # type: ignore[misc, valid-type]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._blank_attributes()

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            right = super().forward(*args, **kwargs)
            self._blank_attributes()
            return answer(right, [*args, *kwargs.values()])

        def _blank_attributes(self) -> None:
            """Parameters stay as they are: a module with the right layers can still know nothing."""
            for place in (self.__dict__, self._buffers):
                for name, value in place.items():
                    if isinstance(value, torch.Tensor) and value.is_floating_point():
                        place[name] = blank(value.detach(), ())

    return Null


def _spreads(mean: torch.Tensor, right: torch.Tensor) -> bool:
    if mean.dim() > right.dim():
        return False
    sizes = zip(reversed(mean.shape), reversed(right.shape), strict=False)
    return all(own in (1, wanted) for own, wanted in sizes)
