"""What a pretend tensor answers without an operator: its text, its copies, its memory.

PyTorch answers these by looking at memory, which a pretend tensor has not. Each is answered from the raw
CPU tensor as a real accelerator would, or raises `Unsupported`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NoReturn

import torch

from . import pretend_backward
from .pretend_rules import TYPE

DEVICE = f"{TYPE}:0"
CPU = torch.device("cpu")


class Unsupported(Exception):
    """The pretend accelerator cannot do this; a real one might. Says nothing about the student's code."""


class Surface(torch.Tensor):
    """A tensor whose numbers are in `raw`, and that says it is on the pretend device."""

    raw: torch.Tensor

    def __repr__(self, *, tensor_contents: object = None) -> str:  # type: ignore[override]
        text = repr(self.raw)[:-1] + f", device='{DEVICE}'"
        if self.grad_fn is not None:
            text += f", grad_fn=<{type(self.grad_fn).__name__}>"
        elif self.requires_grad:
            text += ", requires_grad=True"
        return ("Parameter containing:\n" if getattr(self, "_is_param", False) else "") + text + ")"

    def __format__(self, format_spec: str) -> str:
        return format(self.item(), format_spec) if self.dim() == 0 else object.__format__(self, format_spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> torch.Tensor:
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol"
            )
        if id(self) in memo:
            known: torch.Tensor = memo[id(self)]
            return known
        twin = type(self)(self.raw.clone(), self.requires_grad)
        memo[id(self)] = twin
        for name, value in self.__dict__.items():
            if name != "raw":
                twin.__dict__[name] = copy.deepcopy(value, memo)
        if self.grad is not None:
            twin.grad = copy.deepcopy(self.grad, memo)
        return twin

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise Unsupported("the pretend accelerator does not pickle or shallowly copy tensors")

    @property
    def data(self) -> torch.Tensor:
        plain: torch.Tensor = torch.Tensor.data.__get__(self)  # type: ignore[attr-defined]
        return plain

    @data.setter
    def data(self, other: torch.Tensor) -> None:
        torch.Tensor.data.__set__(self, other)  # type: ignore[attr-defined]
        if isinstance(other, Surface):
            self.raw = other.raw

    def __len__(self) -> int:
        if (
            self.dim() == 0
        ):  # only PyTorch asks, in `torch.tensor([a, b])`; where code asks, it is wrong on the CPU
            raise Unsupported("the pretend accelerator has no len() of a 0-d tensor")
        return self.size(0)

    def new_tensor(self, data: Any, **kwargs: Any) -> torch.Tensor:  # type: ignore[override]
        return torch.Tensor.new_tensor(self, plain_numbers(data), **kwargs)

    def register_hook(self, hook: Callable[[torch.Tensor], Any]) -> Any:
        return torch.Tensor.register_hook(self, pretend_backward.watch(hook))  # type: ignore[no-untyped-call]

    def tolist(self) -> Any:
        return self.raw.tolist()

    def numpy(self, *, force: bool = False) -> Any:
        if force:
            return self.detach().cpu().resolve_conj().resolve_neg().numpy()
        raise TypeError(
            f"can't convert {DEVICE} device type tensor to numpy. "
            "Use Tensor.cpu() to copy the tensor to host memory first."
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.numpy()

    def data_ptr(self) -> int:
        return self.raw.data_ptr()


def plain_numbers(values: Any) -> Any:
    """Nested lists with numbers in place of tensors of ours; anything else as it is."""
    if type(values) in (list, tuple) and any(isinstance(part, (Surface, list, tuple)) for part in values):
        return [plain_numbers(part) for part in values]
    return values.tolist() if isinstance(values, Surface) and values.dim() == 0 else values


def _refuses(name: str) -> Callable[..., NoReturn]:
    def refuse(self: Surface, *args: Any, **kwargs: Any) -> NoReturn:
        raise Unsupported(f"the pretend accelerator has no Tensor.{name}")

    return refuse


# These read a tensor's memory past all operators, or raise where nothing may (see `pretend_backward`).
for _name in (
    "storage",
    "untyped_storage",
    "_typed_storage",
    "apply_",
    "map_",
    "map2_",
    "new",
    "__dlpack__",
    "share_memory_",
    "pin_memory",
    "is_shared",
    "is_pinned",
    "as_subclass",
    "_make_subclass",
    "register_post_accumulate_grad_hook",
):
    setattr(Surface, _name, _refuses(_name))
