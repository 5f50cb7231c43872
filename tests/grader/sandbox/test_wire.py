"""Frames: what travels comes out equal, what must not travel is refused, and no frame does harm."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader.sandbox.box import wire

SHAPES: tuple[tuple[int, ...], ...] = ((), (0,), (5,), (2, 0, 3), (1, 1), (2, 3, 4))


def travel(value: Any) -> Any:
    return decode(wire.encode(value))


def decode(frame: bytes) -> Any:
    header, payload = wire.frame_lengths(frame[: wire.HEAD.size])
    body = frame[wire.HEAD.size :]
    assert len(body) == header + payload
    return wire.decode(body[:header], body[header:])


def a_tensor(dtype: torch.dtype, shape: tuple[int, ...]) -> torch.Tensor:
    if dtype is torch.bool:
        return torch.rand(shape) < 0.5
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, dtype=torch.complex128 if dtype.is_complex else torch.float64).to(dtype)
    return torch.randint(0, 100, shape).to(dtype)


def tensor_node(**changes: Any) -> dict[str, Any]:
    """The header of a float32 tensor of shape (2,)."""
    parts = {"dtype": "float32", "shape": [2], "grad": False, "device": "cpu"}
    return special("tensor", *{**parts, **changes}.values())


def special(*parts: Any) -> dict[str, Any]:
    """What JSON has no word for, as the wire writes it."""
    return {"": [*parts]}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", wire.DTYPES.values(), ids=str)
def test_tensor_of_every_dtype_and_shape_comes_out_equal(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    sent = a_tensor(dtype, shape)
    received = travel(sent)
    assert (received.dtype, received.shape) == (dtype, sent.shape)
    assert torch.equal(received, sent)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.t(),
        lambda x: x[:, 1:],
        lambda x: x[::2],
        lambda x: x[1].expand(3, 6),
        lambda x: x[:, :1].expand(4, 5),
        lambda x: x.conj(),
        lambda x: x.conj().imag,
        lambda x: x.t().conj()[1:],
        lambda x: x.real,
        lambda x: torch.nn.Parameter(x),
        lambda x: x.requires_grad_() * 2,
        lambda x: x.as_subclass(_Liar),
    ],
)
def test_any_view_comes_out_as_plain_values(view: Callable[[torch.Tensor], torch.Tensor]) -> None:
    sent = view(torch.randn(4, 6, dtype=torch.complex64))
    received = travel(sent)
    assert type(received) is torch.Tensor
    assert not received.requires_grad
    assert not received.is_conj()
    with torch._C.DisableTorchFunctionSubclass():
        assert torch.equal(received, sent.detach())


class _Liar(torch.Tensor):
    """Claims to be something else whenever it is asked."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return "not a tensor"


def test_tensor_says_whether_it_had_a_gradient_and_where_it_was() -> None:
    received = travel([torch.ones(2, requires_grad=True), torch.ones(2)])
    assert [tensor.wants_grad for tensor in received] == [True, False]
    assert [tensor.sent_from for tensor in received] == ["cpu", "cpu"]


def test_nested_structure_comes_out_equal() -> None:
    value = {
        "none": None,
        "numbers": [True, 0, -(1 << 63), (1 << 63) - 1, 1.5, float("inf")],
        "texts": ("", "é\n\x00", "a" * 1000),
        "empty": [{}, [], ()],
        "object": wire.Handle(7),
        "dtype": torch.float64,
        "": {"": [(), {"": 1}]},
        "like a part of another kind": [{"": ["tuple", 1]}, {"": ["dict", {}]}, {"": []}],
    }
    assert travel(value) == value
    assert [type(part) for part in travel([(1,), torch.Size([2, 3])])] == [tuple, tuple]


def test_same_value_is_the_same_frame() -> None:
    def value() -> dict[str, Any]:
        return {"b": [1.5, ("é", None)], "a": torch.arange(3), "": wire.Handle(1)}

    assert wire.encode(value()) == wire.encode(value()) == wire.encode(travel(value()))


def test_nan_and_lone_surrogates_travel_as_something_harmless() -> None:
    nan, text, key = travel([float("nan"), "\ud800", {"\udfff": 1}])
    assert nan != nan
    assert (text, key) == ("?", {"?": 1})


def _nested(depth: int) -> list[Any]:
    return [] if depth == 0 else [_nested(depth - 1)]


class _Thing:
    def __reduce__(self) -> Any:
        raise AssertionError("something was pickled")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (_Thing(), "a value of type `_Thing`"),
        ({1, 2}, "a value of type `set`"),
        (b"bytes", "a value of type `bytes`"),
        (1 << 63, "a value of type `int`"),
        (1j, "a value of type `complex`"),
        ({1: 2}, "a value of type `dict`"),
        (len, "a value of type `builtin_function_or_method`"),
        (torch.nn.Linear(1, 1), "a value of type `Linear`"),
        ("a" * (wire.MAX_STRING + 1), "a value of type `str`"),
        (_nested(wire.MAX_DEPTH + 1), "too many or too deeply nested"),
        ([0] * wire.MAX_NODES, "too many or too deeply nested"),
        (torch.eye(2).to_sparse(), "a torch.sparse_coo tensor, not a dense one"),
        (torch.ones(2, device="meta"), "a tensor on device meta"),
        (torch.ones([1] * (wire.MAX_DIMS + 1)), "a tensor with 13 dimensions"),
        (torch.ones(2, dtype=torch.uint16), "a tensor of dtype torch.uint16"),
        # Four gigabytes if it were copied before it is measured.
        (torch.ones(1).expand(1 << 30), "takes 4,294,967,296 bytes"),
        ([torch.zeros(wire.MAX_PAYLOAD_BYTES // 8)] * 3, "takes 33,554,432 bytes"),
    ],
)  # fmt: skip
def test_what_cannot_travel_is_refused_with_its_name(value: Any, words: str) -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.encode(value)
    assert words in str(caught.value)


def test_type_that_lies_about_its_name_is_refused_by_its_own() -> None:
    class Meta(type):
        __name__ = property(lambda cls: 1 / 0)  # type: ignore[assignment]

    class Odd(metaclass=Meta):
        pass

    with pytest.raises(wire.WireError, match="a value of type `Odd`"):
        wire.encode(Odd())


HEADERS: dict[str, Any] = {
    "not JSON": b"\x00\xff",
    "not UTF-8": b'"\xff"',
    "UTF-16": '"text"'.encode("utf-16"),
    "a pickle": pickle.dumps([1]),
    "empty": b"",
    "a space before": b" 1",
    "two values": b"1 1",
    "a number too long for an int": b"1" * 5000,
    "a number of 65 bits": 1 << 64,
    "a number of 65 bits in a list": [1 << 64],
    "a number of 65 bits in a dict": {"a": -(1 << 64)},
    "no kind": special(),
    "a kind that is no list": {"": "tuple"},
    "a kind beside other keys": {"": ["tuple"], "a": 1},
    "an unknown kind": special("pickle", "x"),
    "a kind that cannot be hashed": special(["tuple"], "x"),
    "a part of another kind without its value": special("object"),
    "a dict that is none": special("dict", []),
    "a dict with two values": special("dict", {}, {}),
    "a truth value for a number": special("object", True),
    "a handle too large": special("object", 1 << 70),
    "an unknown dtype": special("dtype", "object"),
    "a dtype that cannot be hashed": special("dtype", []),
    "too deep": b"[" * 30 + b"]" * 30,
    "too deep in tuples": b'{"":["tuple",' * 30 + b"1" + b"]}" * 30,
    "too deep in dicts": b'{"a":' * 30 + b"1" + b"}" * 30,
    "far too deep": b"[" * 100_000,
    "too many parts": [0] * wire.MAX_NODES,
    "too many parts in lists": [[0] * 2000] * 10,
    "too many parts of a dict": {str(number): None for number in range(wire.MAX_NODES)},
    "tensor: a part is missing": special("tensor", "float32", [2], False),
    "tensor: a part too many": special("tensor", "float32", [2], False, "cpu", 0),
    "tensor: unknown dtype": tensor_node(dtype="float8"),
    "tensor: dtype missing": tensor_node(dtype=None),
    "tensor: dtype that cannot be hashed": tensor_node(dtype={}),
    "tensor: shape missing": tensor_node(shape=None),
    "tensor: too many axes": tensor_node(shape=[1] * 13),
    "tensor: negative size": tensor_node(shape=[-2]),
    "tensor: truth value for a size": tensor_node(shape=[True, 2]),
    "tensor: fraction for a size": tensor_node(shape=[2.0]),
    "tensor: enormous size": tensor_node(shape=[1 << 62]),
    "tensor: sizes whose product overflows": tensor_node(shape=[1 << 39, 1 << 39, 1 << 39]),
    "tensor: one more entry than there are bytes": tensor_node(shape=[3]),
    "tensor: one entry fewer than there are bytes": tensor_node(shape=[1]),
    "tensor: nothing, very large": tensor_node(shape=[0, 1 << 39, 1 << 39], dtype="float64"),
    "two tensors that share their bytes": [tensor_node(), tensor_node()],
    "bytes that belong to no tensor": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", HEADERS)
def test_header_that_no_encoder_writes_is_refused(name: str) -> None:
    header = HEADERS[name]
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    # Without a tensor no bytes belong to it: the frame must be refused for its header.
    payload = bytes(8) if "tensor" in name else b""
    with pytest.raises(wire.WireError):
        wire.decode(raw, payload)


@pytest.mark.parametrize("device", ["cuda", "x" * 50, "cpu\n", 5, None, "CPU; score=100"])
def test_device_of_a_tensor_is_a_short_name_or_unknown(device: object) -> None:
    received = wire.decode(json.dumps(tensor_node(device=device)).encode(), bytes(8))
    assert received.sent_from == (device if device == "cuda" else "?")


@pytest.mark.parametrize("grad", [1, "yes", None, [True]])
def test_only_true_means_a_gradient(grad: object) -> None:
    assert not wire.decode(json.dumps(tensor_node(grad=grad)).encode(), bytes(8)).wants_grad


def test_any_byte_of_a_boolean_becomes_one_or_zero() -> None:
    node = tensor_node(dtype="bool", shape=[3])
    received = wire.decode(json.dumps(node).encode(), bytes([0, 1, 255]))
    assert received.view(torch.uint8).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\n\n",
        wire.HEAD.pack(b"AG0\n", 1, 1),
        wire.HEAD.pack(wire.MAGIC, wire.MAX_HEADER_BYTES + 1, 0),
        wire.HEAD.pack(wire.MAGIC, 1, wire.MAX_PAYLOAD_BYTES + 1),
        wire.HEAD.pack(wire.MAGIC, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF),
    ],
)
def test_head_is_checked_before_anything_is_read(head: bytes) -> None:
    with pytest.raises(wire.WireError, match="not a frame"):
        wire.frame_lengths(head)


def test_mutated_frames_give_a_value_or_a_wire_error() -> None:
    rng = random.Random(20)
    frame = wire.encode(
        {
            "id": 3,
            "ok": {"value": [torch.randn(2, 3), (torch.arange(4), torch.tensor([True]))], "graph": None},
            "error": {"frames": [["a", 1, "f"]], "message": "x"},
        }
    )
    header_length, _ = wire.frame_lengths(frame[: wire.HEAD.size])
    start = wire.HEAD.size
    header, payload = frame[start : start + header_length], frame[start + header_length :]
    refused = 0
    for _ in range(2000):
        try:
            wire.decode(_mutated(rng, header), _mutated(rng, payload) if rng.random() < 0.2 else payload)
        except wire.WireError:
            refused += 1
    assert 1000 < refused < 2000


def _mutated(rng: random.Random, original: bytes) -> bytes:
    changed = bytearray(original)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(changed))
        match rng.randrange(4):
            case 0:
                changed[at] = rng.randrange(256)
            case 1:
                del changed[at : at + rng.randrange(1, 8)]
            case 2:
                changed[at:at] = bytes(rng.choices(b'0123456789{}[]",:-eE.\\u', k=rng.randrange(1, 6)))
            case _:
                other = rng.randrange(len(changed))
                changed[at : at + 6] = changed[other : other + 6]
        if not changed:
            return b""
    return bytes(changed)
