"""Frames that carry values between two processes which do not trust each other.

A frame is a fixed head (magic, two lengths), a JSON header with the structure, and the raw bytes of all
tensors. What JSON has a word for is written as it is; what it has none for is an object with the one key
"", which holds a list of its kind and its parts:

    {"": ["tensor", dtype, shape, had a gradient, device]}, {"": ["tuple", part, part]}, {"": ["object", 7]},
    {"": ["dtype", "float64"]}, {"": ["dict", {"": 1}]} for a dict that has that key itself

The bytes of the tensors follow each other in the order of the header. Nothing in a frame is code: no
pickle, no `torch.load`, no `eval`. Lengths, dtypes, shapes and nesting are checked before anything is
built, and the head is checked before anything is read.
"""

from __future__ import annotations

import ctypes
import json
import math
import re
import struct
from collections.abc import Callable, Collection
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

# Values that JSON writes as they are, whatever they are; an int and a text have a limit.
_ATOMS = frozenset({type(None), bool, float})
_TEXTS, _WHOLE = frozenset({str}), frozenset({int})
_LOWEST, _TOO_HIGH = -(1 << 63), 1 << 63
_SPECIAL = ""

# Bound now, so that student code which patches these modules changes nothing here.
_write_json = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
_read_json = json.JSONDecoder().raw_decode
_string_at, _from_buffer, _Tensor = ctypes.string_at, torch.frombuffer, torch.Tensor
_ignoring_subclasses, _strided = torch._C.DisableTorchFunctionSubclass, torch.strided


class WireError(Exception):
    """A value that cannot travel, or a frame that is not one."""


@dataclass(frozen=True)
class Handle:
    """Names an object that lives in the worker."""

    id: int


@dataclass(slots=True)
class _Packing:
    to_cpu: Callable[[torch.Tensor], torch.Tensor] | None
    buffers: list[bytes] = field(default_factory=list)
    nodes: int = 1
    payload_bytes: int = 0


def travels_lightly(value: torch.Tensor) -> bool:
    """A tensor that a frame takes, and a small one."""
    with _ignoring_subclasses():
        is_dense = value.layout is torch.strided and not value.is_quantized and not value.is_nested
        is_here, is_small = value.device.type != "meta", value.numel() <= MAX_LIGHT_NUMBERS
        return is_dense and is_here and is_small and value.dtype in _NAMES and value.dim() <= MAX_DIMS


def _pack_tensor(value: torch.Tensor, packing: _Packing) -> dict[str, Any]:
    with _ignoring_subclasses():
        wants_grad = bool(value.requires_grad)
        if value.layout is not _strided or value.is_quantized or value.is_nested:
            kind = "nested" if value.is_nested else "quantized" if value.is_quantized else str(value.layout)
            raise WireError(f"a {kind} tensor, not a dense one")
        # The tensor itself, whatever a subclass claims to be; parameters and buffers too.
        plain = _Tensor.detach(value)
        name = _NAMES.get(plain.dtype)
        if name is None:
            raise WireError(f"a tensor of dtype {plain.dtype}")
        shape = list(plain.shape)
        if len(shape) > MAX_DIMS:
            raise WireError(f"a tensor with {len(shape)} dimensions")
        size = plain.numel() * plain.element_size()
        if packing.payload_bytes + size > MAX_PAYLOAD_BYTES:  # before an expanded view is copied
            raise WireError(f"a tensor of shape {tuple(shape)} that takes {size:,} bytes")
        device = "cpu"
        if not plain.is_cpu:
            device = str(value.device)
            if packing.to_cpu is None or plain.device.type == "meta":
                raise WireError(f"a tensor on device {device}")
            plain = packing.to_cpu(plain)
        if plain.is_conj() or plain.is_neg() or not plain.is_contiguous():
            plain = plain.resolve_conj().resolve_neg().contiguous()
        if size:
            packing.buffers.append(_string_at(plain.data_ptr(), size))
    packing.payload_bytes += size
    return {_SPECIAL: ["tensor", name, shape, wants_grad, device]}


def _pack(value: Any, packing: _Packing, depth: int) -> Any:
    """`value` in the words of JSON; who calls it has counted it."""
    kind = type(value)
    if kind in _ATOMS or (kind is int and _LOWEST <= value < _TOO_HIGH):
        return value
    if kind is str and len(value) <= MAX_STRING:
        return value
    if isinstance(value, _Tensor):
        return _pack_tensor(value, packing)
    if kind is dict and _TEXTS.issuperset(map(type, value)):
        packed = dict(zip(value, _pack_parts(value.values(), packing, depth), strict=True))
        return {_SPECIAL: ["dict", packed]} if _SPECIAL in packed else packed
    if kind is list:
        return _pack_parts(value, packing, depth)
    if issubclass(kind, tuple):  # a named tuple arrives as a plain one
        return {_SPECIAL: ["tuple", *_pack_parts([*tuple.__iter__(value)], packing, depth)]}
    if kind is Handle:
        return {_SPECIAL: ["object", value.id]}
    if kind is torch.dtype:
        return {_SPECIAL: ["dtype", str(value).removeprefix("torch.")]}
    raise WireError(f"a value of type `{_type_name(kind)}`")


def _pack_parts(parts: Collection[Any], packing: _Packing, depth: int) -> list[Any]:
    packing.nodes += len(parts)
    if packing.nodes > MAX_NODES or (parts and depth >= MAX_DEPTH):
        raise WireError("a value with too many or too deeply nested parts")
    return [part if type(part) in _ATOMS else _pack(part, packing, depth + 1) for part in parts]


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
    header = _write_json(_pack(value, packing, 0)).encode()
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


def parts_of(frame: bytes) -> tuple[bytes, bytes]:
    """Header and payload of a whole frame, for `decode`. Raises WireError as `frame_lengths` does."""
    end = HEAD.size + frame_lengths(frame[: HEAD.size])[0]
    return frame[HEAD.size : end], frame[end:]


@dataclass(slots=True)
class _Unpacking:
    payload: bytes
    has_escapes: bool
    nodes: int = 1
    used_bytes: int = 0


def decode(header: bytes, payload: bytes) -> Any:
    """The value in a frame.

    Raises:
        WireError: for anything that is not exactly what `encode` writes.
    """
    # UTF-8 has no lone surrogates, so without escapes no text has one.
    unpacking = _Unpacking(payload, b"\\u" in header)
    try:
        text = header.decode()
        read, end = _read_json(text)
        if end != len(text):
            raise WireError("a frame with more than one value")
        value = _unpack(read, unpacking, 0)
    except WireError:
        raise
    except (ValueError, RecursionError, TypeError, KeyError, RuntimeError, MemoryError, OverflowError) as err:
        raise WireError(f"a frame that cannot be read ({type(err).__name__})") from err
    if unpacking.used_bytes != len(payload):
        raise WireError("a frame with bytes that belong to no tensor")
    return value


def _unpack(node: Any, unpacking: _Unpacking, depth: int) -> Any:
    """The value of what JSON has read; who calls it has counted it."""
    kind = type(node)
    if kind is str:
        return _clean(node) if unpacking.has_escapes else node
    if kind is list:
        return _unpack_parts(node, unpacking, depth)
    if kind is dict:
        return (
            _unpack_special(node, unpacking, depth)
            if _SPECIAL in node
            else _unpack_dict(node, unpacking, depth)
        )
    if kind is int and not _LOWEST <= node < _TOO_HIGH:  # what comes in can also go out again
        raise WireError("a frame with a number that is too large")
    return node


def _unpack_parts(parts: Collection[Any], unpacking: _Unpacking, depth: int) -> list[Any]:
    unpacking.nodes += len(parts)
    if unpacking.nodes > MAX_NODES or (parts and depth >= MAX_DEPTH):
        raise WireError("a frame with too many or too deeply nested parts")
    return [part if type(part) in _ATOMS else _unpack(part, unpacking, depth + 1) for part in parts]


def _unpack_dict(node: dict[str, Any], unpacking: _Unpacking, depth: int) -> dict[str, Any]:
    names = map(_clean, node) if unpacking.has_escapes else node
    return dict(zip(names, _unpack_parts(node.values(), unpacking, depth), strict=True))


def _unpack_special(node: dict[str, Any], unpacking: _Unpacking, depth: int) -> Any:
    """What JSON has no word for."""
    described = node[_SPECIAL]
    if len(node) != 1 or type(described) is not list or not described:
        raise WireError("a frame with a part of no kind")
    kind, *parts = described
    if kind == "tensor" and len(parts) == 4:
        return _unpack_tensor(unpacking, *parts)
    if kind == "tuple":
        return tuple(_unpack_parts(parts, unpacking, depth))
    if len(parts) == 1:
        (value,) = parts
        if kind == "dict" and type(value) is dict:
            return _unpack_dict(value, unpacking, depth)
        if kind == "object" and type(value) is int and _LOWEST <= value < _TOO_HIGH:
            return Handle(value)
        if kind == "dtype" and value in DTYPES:
            return DTYPES[value]
    raise WireError("a frame with a part of unknown kind")


def _clean(text: str) -> str:
    """No lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _unpack_tensor(unpacking: _Unpacking, name: Any, shape: Any, grad: Any, device: Any) -> torch.Tensor:
    dtype = DTYPES.get(name)
    if dtype is None or type(shape) is not list or len(shape) > MAX_DIMS:
        raise WireError("a frame with a tensor of unknown dtype or shape")
    if not _WHOLE.issuperset(map(type, shape)) or (shape and not 0 <= min(shape) <= max(shape) < 1 << 40):
        raise WireError("a frame with a tensor of impossible shape")
    # One after the other: tensors that shared their bytes would make a small frame fill the memory.
    start = unpacking.used_bytes
    end = start + math.prod(shape) * dtype.itemsize
    if end > len(unpacking.payload):
        raise WireError("a frame with a tensor that lies outside of it")
    unpacking.used_bytes = end
    tensor = _build(bytearray(unpacking.payload[start:end]), dtype, shape)
    tensor.wants_grad = grad is True  # type: ignore[attr-defined]
    is_name = device == "cpu" or (type(device) is str and _DEVICE.fullmatch(device) is not None)
    tensor.sent_from = device if is_name else "?"  # type: ignore[attr-defined]
    return tensor


def _build(raw: bytearray, dtype: torch.dtype, shape: list[int]) -> torch.Tensor:
    if not raw:
        return torch.empty(shape, dtype=dtype, device="cpu")
    if dtype is torch.bool:  # any byte may come; only 0 and 1 are booleans
        return _from_buffer(raw, dtype=torch.uint8).ne(0).view(shape)
    return _from_buffer(raw, dtype=dtype).view(shape)
