"""`student`: calls to another process that look like ordinary PyTorch, autograd included.

A call becomes an `autograd.Function`: its forward sends the inputs and brings the result, its backward
asks the worker for the vector-Jacobian product of the graph that it kept. Parameters of a student's
module are mirrored here, so optimisers, `gradcheck`, `load_state_dict`, `.double()` work as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import nn

from grader.errors import StudentError
from grader.student import errors
from grader.student.calls import Call, Made, mark_like, raised_text, snapshot, tensors_in
from grader.student.remote import remote_call, remote_call_with_reply
from grader.student.session import Session


class Student:
    """Attribute access gives the student's functions and classes (names with a capital)."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.calls: list[Call] = []
        self.made: list[Made] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        if name[0].isupper():
            return lambda *args, **kwargs: self._construct(name, args, kwargs)
        return lambda *args, **kwargs: self._call(name, args, kwargs)

    @property
    def device(self) -> str:
        """Where this student's code computes, as its tensors say it: "cpu", "pretend:0", "cuda:0" ..."""
        return self._session.device_name or "cpu"

    def arguments_after_call(self) -> tuple[Any, ...]:
        """The positional arguments of the last call as the student's code left them."""
        arguments = ask(self._session, "arguments", {})
        if type(arguments) is not list:
            raise StudentError("The code broke the process.", outcome="bad_return", kind="protocol")
        return tuple(arguments)

    def initial_seed(self) -> int:
        """The seed that the worker's generator was last given (by us, unless the code re-seeds)."""
        with errors.reading_reply():
            return errors.whole_number(ask(self._session, "audit", {})["seed"])

    def _require(self, name: str) -> None:
        self._session.worker()
        if name in self._session.missing:
            raise errors.missing_symbol(name, self._session.material.source.path, self._session.names)

    def _call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._require(name)
        wants_grad = torch.is_grad_enabled() and any(t.requires_grad for t in tensors_in((args, kwargs)))
        record = partial(Call, name, snapshot(args), keywords=snapshot(kwargs))
        try:
            result = remote_call(self._session, "call", {"name": name}, args, kwargs, {}, wants_grad)
        except StudentError as err:
            self.calls.append(record(None, raised=raised_text(err)))
            raise
        self.calls.append(record(snapshot(result)))
        return result

    def _construct(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> StudentModule:
        self._require(name)
        request = {"name": name, "args": list(args), "kwargs": kwargs, "seed": self._session.new_seed()}
        try:
            reply = ask(self._session, "new", request)
        except StudentError as err:
            self.made.append(Made(name, args, kwargs, raised_text(err)))
            raise
        if reply.get("object") is None:
            raise errors.not_a_module(name, str(reply.get("type")))
        made = Made(name, args, kwargs)
        self.made.append(made)
        return StudentModule(self, made, reply)


class StudentModule(nn.Module):
    """A student's module: local parameters, remote forward. Other attributes are fetched on demand."""

    def __init__(self, student: Student, made: Made, reply: Mapping[str, Any]) -> None:
        super().__init__()
        put = object.__setattr__
        put(self, "_student", student)
        put(self, "_made", made)
        put(self, "_last", made)
        with errors.reading_reply():
            put(self, "_object", errors.whole_number(reply["object"]))
        put(self, "_sent", {})
        put(self, "_new_dtypes", [])
        put(self, "is_lazy", False)
        put(self, "_worker", student._session.worker())
        self._take_state(reply.get("state"))

    def _take_state(self, state: Any) -> None:
        """Mirror parameters and buffers that are new, or that the student's code wrote."""
        with errors.reading_reply():
            tensors = dict(state["tensors"])
            errors.require_modest_state(tensors)
            object.__setattr__(self, "is_lazy", state["lazy"] is True)
            for name, entry in tensors.items():
                _mirror(self, name, entry["value"], entry["grad"] is True, entry["buffer"] is True)
            known = _named(self)
            self._sent.update({name: _copy(known[name]) for name in tensors if name in known})

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True) -> StudentModule:
        """`.double()`, `.float()` and the like also reach the module in the worker."""
        dtype = fn(torch.zeros(1)).dtype
        if fn(torch.zeros(1, dtype=torch.float64)).dtype == dtype:  # else only the device was meant
            self._new_dtypes.append(dtype)
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        return self

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        session = self._student._session
        if session.worker() is not self._worker:
            raise StudentError("The process of this module has ended.", outcome="crashed", kind="gone")
        tensors = _named(self)
        state = {name: _copy(tensor) for name, tensor in tensors.items()}
        changed = {n: value for n, value in state.items() if not _is_same(value, self._sent.get(n))}
        request = {
            "object": self._object,
            "training": self.training,
            "state": changed,
            "dtypes": list(self._new_dtypes),
        }
        parameters = {n: t for n, t in tensors.items() if isinstance(t, nn.Parameter)}
        wants_grad = torch.is_grad_enabled() and any(
            t.requires_grad for t in [*tensors_in((args, kwargs)), *parameters.values()]
        )
        wants_grad = wants_grad or (self.is_lazy and torch.is_grad_enabled())
        record = partial(
            Call, self._made.symbol, snapshot(args), constructor=self._made.constructor, state=state,
            training=self.training, keywords=snapshot(kwargs), constructor_keywords=self._made.keywords,
        )  # fmt: skip
        try:
            result, reply = remote_call_with_reply(
                session, "forward", request, args, kwargs, parameters, wants_grad
            )
        except StudentError as err:
            self._remember(record(None, raised=raised_text(err)))
            raise
        self._sent.update(state)
        self._new_dtypes.clear()
        self._take_state(reply.get("state"))
        self._remember(record(snapshot(result)))
        return result

    def _remember(self, call: Call) -> None:
        self._student.calls.append(call)
        object.__setattr__(self, "_last", call)

    def __getattr__(self, name: str) -> Any:
        value = self._attribute(name)
        if isinstance(value, torch.Tensor) and not isinstance(value, nn.Parameter):
            self._last.attributes[name] = snapshot(value)
        return value

    def _attribute(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("_"):
                raise
        reply = ask(self._student._session, "attribute", {"object": self._object, "name": name})
        if reply.get("found") is not True:
            names = self._student._session.own_names(reply.get("names"))
            raise errors.missing_attribute(self._made.symbol, name, names)
        return mark(reply.get("value"), str(reply.get("kind")))

    def may_name(self, name: str) -> bool:
        """May a message say this parameter's name? Not one that the code made up after it saw the inputs."""
        return errors.is_own_name(name, self._student._session.material.source.text)

    def extra_repr(self) -> str:
        return f"{self._made.symbol} in a worker"


def _mirror(root: nn.Module, name: str, value: torch.Tensor, grad: bool, is_buffer: bool) -> None:
    """Put `value` at the dotted `name`, in plain containers; an existing tensor keeps its identity."""
    *path, leaf = name.split(".")
    owner = root
    for part in path:
        # Written into the tables: `add_module` and `register_parameter` would ask the worker for the name.
        owner = owner._modules.setdefault(part, nn.Module()) or owner
    existing = (owner._buffers if is_buffer else owner._parameters).get(leaf)
    if existing is not None and existing.shape == value.shape and existing.dtype == value.dtype:
        with torch.no_grad():
            existing.copy_(value)
    elif is_buffer:
        owner._buffers[leaf] = existing = value.clone()
    else:
        floating = value.is_floating_point() or value.is_complex()
        owner._parameters[leaf] = nn.Parameter(value.clone(), requires_grad=grad and floating)
    if is_buffer and existing is not None:
        # A check may ask a buffer (`P`, `attention_weights`) what it was over there.
        mark_like(existing, value).wants_grad = grad  # type: ignore[attr-defined]


def _named(module: nn.Module) -> dict[str, torch.Tensor]:
    return {**dict(module.named_parameters()), **dict(module.named_buffers())}


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()


def _is_same(value: torch.Tensor, sent: torch.Tensor | None) -> bool:
    """Compares values: a write through `.data` leaves no other trace."""
    return sent is not None and sent.dtype == value.dtype and torch.equal(sent, value)


def ask(session: Session, op: str, body: Mapping[str, Any]) -> Any:
    reply = session.worker().ask(op, body)
    if op in ("new", "attribute", "audit") and type(reply) is not dict:
        raise StudentError("The code broke the process.", outcome="bad_return", kind="protocol")
    return reply


def mark(value: Any, kind: str) -> Any:
    """Remember of a fetched tensor whether it was a parameter over there."""
    if isinstance(value, torch.Tensor):
        value.student_kind = kind  # type: ignore[attr-defined]
    return value
