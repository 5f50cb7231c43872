"""Frames that carry values between two processes which do not trust each other.

A frame is a fixed head (magic, two lengths), a JSON header with the structure, and the raw bytes of all
tensors. Nothing in a frame is code: no pickle, no `torch.load`, no `eval`. Lengths, dtypes, shapes,
offsets and nesting are checked before anything is built, and the head is checked before anything is read.
"""

from __future__ import annotations

import ctypes
import json
import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

HEAD = struct.Struct("!4sIQ")
MAGIC = b"AG1\n"
MAX_HEADER_BYTES = 4 << 20
MAX_PAYLOAD_BYTES = 64 << 20
MAX_NODES = 20_000
MAX_DEPTH = 24
MAX_DIMS = 12
MAX_LIGHT_NUMBERS = 4096
MAX_STRING = 1 << 20
# What a tensor may say of its device; anything longer would be a way to say something else.
_DEVICE = re.compile(r"[a-z]{2,12}(:\d{1,2})?")

DTYPES: dict[str, torch.dtype] = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
        torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool,
    )
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in DTYPES.items()}

# Bound now, so that student code which patches these modules changes nothing here.
_dumps, _loads, _string_at = json.dumps, json.loads, ctypes.string_at
_Tensor = torch.Tensor


class WireError(Exception):
    """A value that cannot travel, or a frame that is not one."""


@dataclass(frozen=True)
class Handle:
    """Names an object that lives in the worker."""

    id: int


@dataclass
class _Packing:
    to_cpu: Callable[[torch.Tensor], torch.Tensor] | None
    buffers: list[bytes] = field(default_factory=list)
    nodes: int = 0
    payload_bytes: int = 0


def _as_plain_tensor(value: torch.Tensor) -> torch.Tensor:
    """The tensor itself, whatever a subclass claims to be; parameters and buffers too."""
    with torch._C.DisableTorchFunctionSubclass():
        return _Tensor.detach(value)


def travels_lightly(value: torch.Tensor) -> bool:
    """A tensor that a frame takes, and a small one."""
    with torch._C.DisableTorchFunctionSubclass():
        is_dense = value.layout is torch.strided and not value.is_quantized and not value.is_nested
        is_here, is_small = value.device.type != "meta", value.numel() <= MAX_LIGHT_NUMBERS
        return is_dense and is_here and is_small and value.dtype in _NAMES and value.dim() <= MAX_DIMS


def _pack_tensor(value: torch.Tensor, packing: _Packing) -> dict[str, Any]:
    with torch._C.DisableTorchFunctionSubclass():
        wants_grad, device = bool(value.requires_grad), str(value.device)
        if value.layout is not torch.strided or value.is_quantized or value.is_nested:
            kind = "nested" if value.is_nested else "quantized" if value.is_quantized else str(value.layout)
            raise WireError(f"a {kind} tensor, not a dense one")
        plain = _as_plain_tensor(value)
        if plain.dtype not in _NAMES:
            raise WireError(f"a tensor of dtype {plain.dtype}")
        if plain.dim() > MAX_DIMS:
            raise WireError(f"a tensor with {plain.dim()} dimensions")
        size = plain.numel() * plain.element_size()
        if packing.payload_bytes + size > MAX_PAYLOAD_BYTES:  # before an expanded view is copied
            raise WireError(f"a tensor of shape {tuple(plain.shape)} that takes {size:,} bytes")
        if plain.device.type != "cpu":
            if packing.to_cpu is None or plain.device.type == "meta":
                raise WireError(f"a tensor on device {device}")
            plain = packing.to_cpu(plain)
        plain = plain.resolve_conj().resolve_neg().contiguous()
        packing.buffers.append(_string_at(plain.data_ptr(), size) if size else b"")
    offset, packing.payload_bytes = packing.payload_bytes, packing.payload_bytes + size
    return {
        "t": "tensor",
        "dtype": _NAMES[plain.dtype],
        "shape": list(plain.shape),
        "offset": offset,
        "grad": wants_grad,
        "device": device,
    }


def _pack(value: Any, packing: _Packing, depth: int) -> Any:
    packing.nodes += 1
    if packing.nodes > MAX_NODES or depth > MAX_DEPTH:
        raise WireError("a value with too many or too deeply nested parts")
    kind = type(value)
    if value is None or kind is bool or kind is float or (kind is int and -(1 << 63) <= value < 1 << 63):
        return value
    if kind is str and len(value) <= MAX_STRING:
        return {"t": "str", "v": value}
    if isinstance(value, _Tensor):
        return _pack_tensor(value, packing)
    if kind is list:
        return {"t": "list", "v": [_pack(part, packing, depth + 1) for part in value]}
    if issubclass(kind, tuple):  # a named tuple arrives as a plain one
        parts = tuple.__iter__(value)
        return {"t": "tuple", "v": [_pack(part, packing, depth + 1) for part in parts]}
    if kind is dict and all(type(key) is str for key in value):
        return {"t": "dict", "v": {key: _pack(part, packing, depth + 1) for key, part in value.items()}}
    if kind is Handle:
        return {"t": "object", "v": value.id}
    if kind is torch.dtype:
        return {"t": "dtype", "v": str(value).removeprefix("torch.")}
    raise WireError(f"a value of type `{_type_name(kind)}`")


def _type_name(kind: type) -> str:
    """The name of a student's type; a metaclass may lie about `__name__` or refuse."""
    name = type.__dict__["__name__"].__get__(kind)
    return name[:80] if isinstance(name, str) else "?"


def encode(value: Any, to_cpu: Callable[[torch.Tensor], torch.Tensor] | None = None) -> bytes:
    """One frame with `value` in it.

    `to_cpu` brings tensors of other devices home; without it they are refused.

    Raises:
        WireError: `value` holds something that cannot travel; the message completes "returned ...".
    """
    packing = _Packing(to_cpu)
    header = _dumps(_pack(value, packing, 0)).encode("utf-8", "replace")
    if len(header) > MAX_HEADER_BYTES:
        raise WireError("a value that is too large")
    return HEAD.pack(MAGIC, len(header), packing.payload_bytes) + header + b"".join(packing.buffers)


def frame_lengths(head: bytes) -> tuple[int, int]:
    """Header and payload length of the frame that `head` starts.

    Raises:
        WireError: this is not the head of a frame, or it announces too much.
    """
    magic, header, payload = HEAD.unpack(head)
    if magic != MAGIC or header > MAX_HEADER_BYTES or payload > MAX_PAYLOAD_BYTES:
        raise WireError("not a frame")
    return header, payload


@dataclass
class _Unpacking:
    payload: bytes
    nodes: int = 0
    used_bytes: int = 0


def decode(header: bytes, payload: bytes) -> Any:
    """The value in a frame.

    Raises:
        WireError: for anything that is not exactly what `encode` writes.
    """
    unpacking = _Unpacking(payload)
    try:
        value = _unpack(_loads(header), unpacking, 0)
    except WireError:
        raise
    except (ValueError, RecursionError, TypeError, KeyError, RuntimeError, MemoryError, OverflowError) as err:
        raise WireError(f"a frame that cannot be read ({type(err).__name__})") from err
    if unpacking.used_bytes != len(payload):
        raise WireError("a frame with bytes that belong to no tensor")
    return value


def _unpack(node: Any, unpacking: _Unpacking, depth: int) -> Any:
    unpacking.nodes += 1
    if unpacking.nodes > MAX_NODES or depth > MAX_DEPTH:
        raise WireError("a frame with too many or too deeply nested parts")
    if node is None or type(node) in (bool, float) or _is_whole(node):
        return node
    if type(node) is not dict:
        raise WireError("a frame with a part of no kind")
    kind, value = node.get("t"), node.get("v")
    if kind == "tensor":
        return _unpack_tensor(node, unpacking)
    if kind == "str" and type(value) is str:
        return _clean(value)
    if kind in ("list", "tuple") and type(value) is list:
        parts = [_unpack(part, unpacking, depth + 1) for part in value]
        return parts if kind == "list" else tuple(parts)
    if kind == "dict" and type(value) is dict:
        return {_clean(key): _unpack(part, unpacking, depth + 1) for key, part in value.items()}
    if kind == "object" and type(value) is int and _is_whole(value):
        return Handle(value)
    if kind == "dtype" and value in DTYPES:
        return DTYPES[value]
    raise WireError("a frame with a part of unknown kind")


def _is_whole(value: Any) -> bool:
    """An int that `encode` would write: what comes in can also go out again."""
    return type(value) is int and -(1 << 63) <= value < 1 << 63


def _clean(text: str) -> str:
    """No lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _unpack_tensor(node: dict[str, Any], unpacking: _Unpacking) -> torch.Tensor:
    dtype, shape, offset = DTYPES.get(node.get("dtype", "")), node.get("shape"), node.get("offset")
    if dtype is None or type(shape) is not list or len(shape) > MAX_DIMS:
        raise WireError("a frame with a tensor of unknown dtype or shape")
    if any(type(size) is not int or not 0 <= size < 1 << 40 for size in shape):
        raise WireError("a frame with a tensor of impossible shape")
    size = math.prod(shape) * dtype.itemsize
    # One after the other: tensors that shared their bytes would make a small frame fill the memory.
    if type(offset) is not int or offset != unpacking.used_bytes:
        raise WireError("a frame with a tensor in the wrong place")
    if offset + size > len(unpacking.payload):
        raise WireError("a frame with a tensor that lies outside of it")
    unpacking.used_bytes += size
    tensor = _build(bytearray(unpacking.payload[offset : offset + size]), dtype, shape)
    tensor.wants_grad = node.get("grad") is True  # type: ignore[attr-defined]
    device = node.get("device")
    is_name = type(device) is str and _DEVICE.fullmatch(device) is not None
    tensor.sent_from = device if is_name else "?"  # type: ignore[attr-defined]
    return tensor


def _build(raw: bytearray, dtype: torch.dtype, shape: list[int]) -> torch.Tensor:
    if not raw:
        return torch.empty(shape, dtype=dtype, device="cpu")
    if dtype is torch.bool:  # any byte may come; only 0 and 1 are booleans
        return torch.frombuffer(raw, dtype=torch.uint8).ne(0).reshape(shape)
    return torch.frombuffer(raw, dtype=dtype).reshape(shape)
