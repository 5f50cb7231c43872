"""Answers calls inside the confined process. Everything it says is the student's word.

One request, one reply, over one descriptor. State that a check relies on lives on the other side: each
call brings the parameters and a seed, and what the code changed in them is sent back with the result.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Mapping
from typing import Any, NoReturn

import torch
from torch import nn

from . import audit, devices, errors, wire
from .lent import lent_class
from .modules import LoadRequest, load
from .state import Before, bring_state, looks_at, seen, state_of

# Bound now, so that student code which patches `os` changes nothing here.
_read, _write, _exit = os.read, os.write, os._exit

EXIT_CHANNEL_CLOSED = 97
EXIT_BROKEN = 98
MAX_GRAPHS = 64
PART_BYTES = 1 << 16  # room is made before each read: more would be mapped and unmapped again


class Objects:
    """The student's objects and the graphs of recent calls, by number."""

    def __init__(self) -> None:
        self.device = "cpu"
        self.module: types.ModuleType | None = None
        self.made: dict[int, Any] = {}
        self.graphs: dict[int, tuple[list[torch.Tensor], list[torch.Tensor], dict[str, torch.Tensor]]] = {}
        self.arguments: list[Any] = []
        self.count = 0

    def number(self) -> int:
        self.count += 1
        return self.count


class Worker:
    def __init__(self) -> None:
        self.objects = Objects()
        self.audit = audit.Audit()
        self.installed = len(sys.modules)

    def answer(self, request: Mapping[str, Any]) -> Any:
        operation = getattr(self, f"op_{request['op']}")
        return operation(request)

    def op_load(self, request: Mapping[str, Any]) -> Any:
        wanted = LoadRequest(
            sources=request["sources"],
            main=request["main"],
            aliases=request["aliases"],
            piecewise=frozenset(request["piecewise"]),
            symbols=tuple(request["symbols"]),
            offers=request["offers"],
            overrides=request["overrides"],
            answers=frozenset(request["answers"]),
        )
        audit.seed_everything(request["seed"], self.objects.device)
        self.objects.module = load(wanted, self.installed)
        names = vars(self.objects.module)
        return {
            "missing": [symbol for symbol in wanted.symbols if symbol not in names],
            "names": sorted(name for name in names if type(name) is str and not name.startswith("_"))[:200],
            "changed": self._changes(),
        }

    def op_device(self, request: Mapping[str, Any]) -> Any:
        name = devices.accelerator_name() if request["name"] == "auto" else request["name"]
        if name is None:
            return {"name": None, "reason": "torch sees no accelerator"}
        try:
            devices.set_up(name)
        except devices.NotAvailable as err:
            return {"name": None, "reason": str(err)}
        self.objects.device = name
        self.audit = audit.Audit()  # what the device itself changed is not the student's doing
        return {"name": str(devices.torch_device(name)), "reason": ""}

    def op_call(self, request: Mapping[str, Any]) -> Any:
        function = getattr(self.objects.module, request["name"])
        given = [self._make_ready(part) for part in request["modules"]]
        before = [Before(module) for module in given]
        parameters = {
            f"{number}.{name}": parameter
            for number, known in enumerate(before)
            for name, parameter in known.parameters.items()
        }
        reply = self._run(function, parameters, request)
        reply["modules"] = [
            state_of(module, since=known) for module, known in zip(given, before, strict=True)
        ]
        return reply

    def op_new(self, request: Mapping[str, Any]) -> Any:
        audit.seed_everything(request["seed"], self.objects.device)
        name, lent = request["name"], request["lent"]
        maker = getattr(self.objects.module, name) if lent is None else lent_class(name, lent)
        made = maker(*request["args"], **request["kwargs"])
        if not isinstance(made, nn.Module):
            return {"object": None, "type": wire._type_name(type(made))}
        made = devices.move_module(made, self.objects.device)
        number = self.objects.number()
        self.objects.made[number] = made
        return {"object": number, "state": state_of(made)}

    def op_forward(self, request: Mapping[str, Any]) -> Any:
        module = self._make_ready(request)
        before = Before(module)
        reply = self._run(module, before.parameters, request)
        reply["state"] = state_of(module, since=before)
        reply["looks"] = looks_at(module, request["looks"])
        return reply

    def _make_ready(self, request: Mapping[str, Any]) -> nn.Module:
        """The module that a request names, in the state and mode that come with it."""
        module: nn.Module = self.objects.made[request["object"]]
        for dtype in request["dtypes"]:
            module.to(dtype)
        bring_state(module, request["state"], self.objects.device)
        module.train(request["training"])
        return module

    def op_backward(self, request: Mapping[str, Any]) -> Any:
        inputs, outputs, parameters = self.objects.graphs[request["graph"]]
        grads = request["grads"]
        used = [
            (out, devices.to_device(grad, self.objects.device))
            for out, grad in zip(outputs, grads, strict=True)
            if grad is not None and out.requires_grad
        ]
        leaves = [t for t in inputs if t.requires_grad]
        leaves += [p for p in parameters.values() if p.requires_grad]
        if not used or not leaves:
            return {"inputs": [None] * len(inputs), "parameters": {}}
        found = torch.autograd.grad(
            [out for out, _ in used], leaves, [grad for _, grad in used], allow_unused=True, retain_graph=True
        )
        devices.synchronise(self.objects.device)
        by_leaf = {id(leaf): grad for leaf, grad in zip(leaves, found, strict=True)}
        return {
            "inputs": [by_leaf.get(id(t)) for t in inputs],
            "parameters": {n: by_leaf.get(id(p)) for n, p in parameters.items()},
        }

    def op_attribute(self, request: Mapping[str, Any]) -> Any:
        owner = self.objects.made[request["object"]]
        if not hasattr(owner, request["name"]):
            names = [
                n
                for n in [*vars(owner), *owner._parameters, *owner._buffers, *owner._modules]
                if type(n) is str
            ]
            return {"found": False, "names": sorted(n for n in names if not n.startswith("_"))[:100]}
        return seen(getattr(owner, request["name"]))

    def op_arguments(self, request: Mapping[str, Any]) -> Any:
        # A module does not travel; what became of it came back with the call.
        return [None if isinstance(part, nn.Module) else part for part in self.objects.arguments]

    def op_finish(self, request: Mapping[str, Any]) -> Any:
        """The end of a check: what it changed, and an empty table for the next one."""
        self.op_release(request)
        return self.op_audit(request)

    def op_release(self, request: Mapping[str, Any]) -> Any:
        self.objects.made.clear()
        self.objects.graphs.clear()
        self.objects.arguments = []
        # The same check asks the same, byte for byte, whatever ran here before it.
        self.objects.count = 0
        return None

    def op_audit(self, request: Mapping[str, Any]) -> Any:
        return {"changed": self._changes(), "seed": torch.initial_seed()}

    def _changes(self) -> list[list[Any]]:
        return [[change.name, change.undone] for change in self.audit.changes()]

    def _run(
        self, function: Any, parameters: dict[str, torch.Tensor], request: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Call student code on tensors of our own making, and keep what a backward pass needs."""
        leaves: list[torch.Tensor] = []
        args = self._prepare(request["args"], leaves)
        kwargs = self._prepare(request["kwargs"], leaves)
        self.objects.arguments = list(args)
        audit.seed_everything(request["seed"], self.objects.device)
        with torch.set_grad_enabled(request["grad"]):
            value = function(*args, **kwargs)
            self.audit.look_inside(request["grad"])
        devices.synchronise(self.objects.device)
        graph = None
        if request["grad"]:
            graph = self.objects.number()
            self.objects.graphs[graph] = (leaves, _tensors_in(value), parameters)
            for old in list(self.objects.graphs)[:-MAX_GRAPHS]:
                del self.objects.graphs[old]
        return {"value": value, "graph": graph}

    def _prepare(self, value: Any, leaves: list[torch.Tensor]) -> Any:
        """Arguments as the student sees them; never a leaf, so that writing into them is allowed."""
        if isinstance(value, torch.Tensor):
            tensor = devices.to_device(value, self.objects.device)
            if not getattr(value, "wants_grad", False):
                leaves.append(tensor)
                return tensor
            leaf = tensor.detach().requires_grad_()
            leaves.append(leaf)
            return leaf.clone()
        if isinstance(value, wire.Handle):
            return self.objects.made[value.id]
        if isinstance(value, (list, tuple)):
            return type(value)(self._prepare(part, leaves) for part in value)
        if isinstance(value, dict):
            return {key: self._prepare(part, leaves) for key, part in value.items()}
        return value


def _tensors_in(value: Any) -> list[torch.Tensor]:
    """All tensors of a result, in the order in which `wire` packs them."""
    if isinstance(value, torch.Tensor):
        return [value]
    if type(value) is list:
        return [tensor for part in value for tensor in _tensors_in(part)]
    if issubclass(type(value), tuple):
        return [tensor for part in tuple.__iter__(value) for tensor in _tensors_in(part)]
    if type(value) is dict:
        return [tensor for part in value.values() for tensor in _tensors_in(part)]
    return []


def serve(fd: int, hello: Mapping[str, Any]) -> NoReturn:
    """Answer requests on `fd` until it is closed."""
    worker = Worker()
    _send(fd, wire.encode(dict(hello)))
    while True:
        request = wire.decode(*wire.parts_of(_receive(fd)))
        _send(fd, _reply(worker, request))


def _reply(worker: Worker, request: Mapping[str, Any]) -> bytes:
    number = request["id"]
    try:
        return wire.encode({"id": number, "ok": worker.answer(request)}, to_cpu=devices.to_cpu)
    except wire.WireError as err:
        return wire.encode({"id": number, "error": {"bad_return": str(err)[:500]}})
    except BaseException as err:  # noqa: BLE001  # the process edge: whatever student code raises is an answer
        return wire.encode({"id": number, "error": errors.describe(err)})


def _receive(fd: int) -> bytes:
    """One frame; the next one is sent only when this one is answered, so that there is never more to read."""
    received, needed = bytearray(), wire.HEAD.size
    while len(received) < needed:
        part = _read(fd, PART_BYTES)
        if not part:
            _exit(0)
        received += part
        if needed == wire.HEAD.size and len(received) >= needed:
            needed += sum(wire.frame_lengths(bytes(received[: wire.HEAD.size])))
    return bytes(received)


def _send(fd: int, frame: bytes) -> None:
    view = memoryview(frame)
    try:
        while view:
            view = view[_write(fd, view) :]
    except OSError:
        _exit(EXIT_CHANNEL_CLOSED)
