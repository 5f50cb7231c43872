"""What a real accelerator refuses: operations on tensors of two devices, in PyTorch's own words.

Written after what CUDA does: tensors without dimensions may stay on the CPU in arithmetic, comparisons,
`where` and filling; a tensor on the accelerator may be indexed by CPU tensors, but not the other way
round; everything else must be on one device.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

TYPE = "pretend"

# Operators that take no CPU number either: they join or look up, they do not broadcast.
_ALL_ON_ONE_DEVICE = frozenset(
    f"aten::{name}"
    for name in (
        "cat",
        "stack",
        "hstack",
        "vstack",
        "dot",
        "mv",
        "gather",
        "take",
        "index_select",
        "embedding",
    )
)
_INDEXING = frozenset(f"aten::{name}" for name in ("index", "index_put", "index_put_", "_index_put_impl_"))

# How PyTorch words it, on any accelerator; each message names the devices or the place.
_MIXTURES = re.compile(
    r"expected all tensors to be on the same device"
    r"|found (?:at least )?two devices"
    r"|indices should be either on .* or on the same device"
    r"|is not on the expected device"
    r"|expected device \S+ but got"
    r"|expected \w+ tensor .* but got .*(?:device|backend)"
    r"|must be on the same device|should be on the same device|not at the same device|not on the same device"
    r"|tensors on different devices|to be on \w+, but it's on"
    r"|expected a '\w+' device type for generator"
    r"|can't convert \S+ device type tensor to numpy"
    r"|to have the same device type|placeholder storage has not been allocated on"
    r"|located on a different device|assigned grad has data .*device"
    r"|input type \(\S+\) and (?:weight|bias) type \(\S+\) should be the same",
    re.IGNORECASE,
)


class DeviceMixture(RuntimeError):
    """Tensors of two devices meet in one operation."""


def device_mixture_in(message: str) -> str | None:
    """The first line of an error's message if it says that devices were mixed, else None."""
    return message.strip().splitlines()[0] if _MIXTURES.search(message) else None


def refuse_mixture(func: torch._ops.OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Check a call in which tensors of the accelerator and of the CPU meet.

    Raises:
        DeviceMixture: names both devices, the argument and the operator.
    """
    name = func._schema.name
    if name in _INDEXING:
        _check_indexing(args)
        return
    met: set[str] = set()
    for argument, tensor in _tensors_by_argument(func, args, kwargs):
        written = argument.alias_info is not None and argument.alias_info.is_write
        is_number = tensor.dim() == 0 and not written and name not in _ALL_ON_ONE_DEVICE
        if is_number and tensor.device.type != TYPE:
            continue
        met.add(str(tensor.device))
        if len(met) > 1:
            first, second = sorted(met, reverse=True)
            raise DeviceMixture(_two_devices(first, second, argument.name, name))


def _two_devices(one: str, other: str, argument: str, name: str) -> str:
    return (
        f"Expected all tensors to be on the same device, but found at least two devices, {one} and {other}! "
        f"(when checking argument for argument {argument} in {name})"
    )


def refuse_generator(generator: object) -> None:
    """A generator belongs to one device, and there is none for this one."""
    if isinstance(generator, torch.Generator):
        found = generator.device.type
        raise DeviceMixture(f"Expected a '{TYPE}' device type for generator but found '{found}'")


def _check_indexing(args: Sequence[Any]) -> None:
    """`self[indices]`, or with `values` as third argument `self[indices] = values`."""
    owner, indices = args[0], args[1]
    if owner.device.type != TYPE and any(i is not None and i.device.type == TYPE for i in indices):
        raise DeviceMixture(
            "indices should be either on cpu or on the same device as the indexed tensor "
            f"({owner.device}), but found one on {TYPE}:0"
        )
    values = args[2] if len(args) > 2 else None
    if isinstance(values, torch.Tensor) and values.dim() and values.device.type != owner.device.type:
        met = (str(owner.device), str(values.device))
        raise DeviceMixture(_two_devices(*met, "values", "aten::index_put_"))


def _tensors_by_argument(
    func: torch._ops.OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Iterator[tuple[Any, torch.Tensor]]:
    arguments = func._schema.arguments
    by_name = {argument.name: argument for argument in arguments}
    given = [*zip(arguments, args, strict=False), *((by_name[key], value) for key, value in kwargs.items())]
    for argument, value in given:
        parts = value if isinstance(value, (list, tuple)) else (value,)
        for part in parts:
            if isinstance(part, torch.Tensor):
                yield argument, part
