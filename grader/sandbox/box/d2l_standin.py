"""What `from d2l import torch as d2l` finds: the book's tools, and none of the exercises' answers.

A name of the book that the submission itself defines, as an answer to another exercise, is found here too.

Source: Dive into Deep Learning (Zhang et al.), package `d2l`; only what its attention chapter uses.
"""

from __future__ import annotations

import sys
import time
import types
from collections.abc import Callable
from typing import Any

import numpy
import torch
from torch import nn

from .placeholders import Silent

# Names that published notebooks use bare, because the book defines them in an earlier section.
BARE_NAMES = ("sequence_mask",)


def sequence_mask(X: torch.Tensor, valid_len: torch.Tensor, value: float = 0) -> torch.Tensor:
    """Writes `value` into X (rows, steps, ...) beyond each row's valid length, in place, as in the book."""
    maxlen = X.size(1)
    mask = torch.arange(maxlen, dtype=torch.float32, device=X.device)[None, :] < valid_len[:, None]
    X[~mask] = value
    return X


class Timer:
    """Records running times in seconds."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.start()

    def start(self) -> None:
        self._began = time.perf_counter()

    def stop(self) -> float:
        self.times.append(time.perf_counter() - self._began)
        return self.times[-1]

    def sum(self) -> float:
        return sum(self.times)

    def avg(self) -> float:
        return sum(self.times) / len(self.times)


class Accumulator:
    """Sums over `n` variables."""

    def __init__(self, n: int) -> None:
        self.data = [0.0] * n

    def add(self, *args: float) -> None:
        self.data = [a + float(b) for a, b in zip(self.data, args, strict=True)]

    def reset(self) -> None:
        self.data = [0.0] * len(self.data)

    def __getitem__(self, index: int) -> float:
        return self.data[index]


class Animator(Silent):
    """Draws nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        return None


class HyperParameters:
    """The book's base class that keeps constructor arguments as attributes."""

    def save_hyperparameters(self, ignore: tuple[str, ...] = ()) -> None:
        frame = sys._getframe(1)
        for name, value in frame.f_locals.items():
            if name not in {*ignore, "self", "__class__"} and not name.startswith("_"):
                setattr(self, name, value)


class Module(nn.Module, HyperParameters):
    """The book's base class for networks; only `nn.Module` and `save_hyperparameters` of it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()


def try_gpu(i: int = 0) -> torch.device:
    """The CPU: where no device is visible, the book's function says so too."""
    return torch.device("cpu")


def _silent(*args: Any, **kwargs: Any) -> None:
    return None


def _tools() -> dict[str, Any]:
    tools: dict[str, Any] = {
        "torch": torch, "nn": nn, "F": nn.functional, "np": numpy, "plt": Silent(), "display": Silent(),
        "Timer": Timer, "Accumulator": Accumulator, "Animator": Animator,
        "HyperParameters": HyperParameters, "Module": Module, "try_gpu": try_gpu,
        "try_all_gpus": lambda: [try_gpu()],
        "reshape": lambda x, *args, **kwargs: x.reshape(*args, **kwargs),
        "numpy": lambda x, *args, **kwargs: x.detach().numpy(*args, **kwargs),
        "size": lambda x, *args, **kwargs: x.numel(*args, **kwargs),
        "transpose": lambda x, *args, **kwargs: x.t(*args, **kwargs),
        "to": lambda x, *args, **kwargs: x.to(*args, **kwargs),
        "reduce_sum": lambda x, *args, **kwargs: x.sum(*args, **kwargs),
        "reduce_mean": lambda x, *args, **kwargs: x.mean(*args, **kwargs),
        "argmax": lambda x, *args, **kwargs: x.argmax(*args, **kwargs),
        "astype": lambda x, *args, **kwargs: x.type(*args, **kwargs),
        "expand_dims": lambda x, *args, **kwargs: x.unsqueeze(*args, **kwargs),
        "repeat": lambda x, *args, **kwargs: x.repeat(*args, **kwargs),
        "batch_matmul": torch.bmm, "swapaxes": torch.swapaxes,
    }  # fmt: skip
    for name in (
        "ones", "ones_like", "zeros", "zeros_like", "tensor", "arange", "meshgrid", "sin", "sinh", "cos",
        "cosh", "tanh", "linspace", "exp", "log", "normal", "rand", "randn", "matmul", "int32", "int64",
        "float32", "concat", "stack", "abs", "eye", "sigmoid",
    ):  # fmt: skip
        tools[name] = getattr(torch, name)
    for name in ("use_svg_display", "set_figsize", "set_axes", "plot", "show_heatmaps", "show_images",
                 "show_trace_2d", "show_list_len_pair_hist", "add_to_class"):  # fmt: skip
        tools[name] = _silent
    tools["add_to_class"] = _add_to_class
    return tools


def _add_to_class(owner: type) -> Any:
    """The book's decorator that registers a function as a method of an existing class."""

    def register(function: Any) -> None:
        setattr(owner, function.__name__, function)

    return register


class _StandIn(types.ModuleType):
    def __init__(self, name: str, answers: frozenset[str], find_own: Callable[[str], Any]) -> None:
        super().__init__(name)
        self._answers, self._find_own = answers, find_own

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._answers:
            raise AttributeError(f"`d2l.{name}` is what this exercise asks for: write it yourself")
        own = self._find_own(name)
        if own is not None:
            return own
        raise AttributeError(f"`d2l.{name}` is not available where your code is graded")


def install(answers: frozenset[str], find_own: Callable[[str], Any]) -> None:
    """Put `d2l` and `d2l.torch` into `sys.modules`; `answers` are names that students must write.

    `find_own` gives what the submission has under a name that is missing here, or None.
    """
    package = types.ModuleType("d2l")
    package.__path__ = []
    standin = _StandIn("d2l.torch", answers, find_own)
    for name in answers & {*BARE_NAMES}:
        globals().pop(name, None)  # this process answers one exercise; its answer is nowhere in it
    book = {name: globals()[name] for name in BARE_NAMES if name in globals()}
    for name, tool in {**_tools(), **book}.items():
        if name not in answers:
            setattr(standin, name, tool)
    package.torch = standin  # type: ignore[attr-defined]
    sys.modules["d2l"], sys.modules["d2l.torch"] = package, standin
