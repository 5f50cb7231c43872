"""A module in a worker as an `nn.Module` of ours: local parameters, remote forward.

Its parameters are mirrored here, so optimisers, `gradcheck`, `load_state_dict`, `.double()` work as
everywhere. It can also be an argument of a call (`student.train(net, ...)`): its parameters, buffers and mode
go along, and what the code changed in them comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from grader.errors import HarnessError, StudentError
from grader.sandbox.box.wire import Handle
from grader.student import errors
from grader.student.calls import Call, Made, mark_like, raised_text, snapshot, tensors_in
from grader.student.remote import remote_call_with_reply
from grader.student.session import Session


class StudentModule(nn.Module):
    """A student's module: local parameters, remote forward. Other attributes are fetched on demand."""

    def __init__(
        self,
        session: Session,
        calls: list[Call],
        made: Made,
        reply: Mapping[str, Any],
        lent: type[nn.Module] | None = None,
    ) -> None:
        super().__init__()
        put = object.__setattr__
        put(self, "_session", session)
        put(self, "_calls", calls)
        put(self, "_lent", lent)
        put(self, "_made", made)
        put(self, "_last", made)
        with errors.reading_reply():
            put(self, "_object", errors.whole_number(reply["object"]))
        put(self, "_sent", {})
        put(self, "_new_dtypes", [])
        put(self, "_looks", (0, {}))
        put(self, "is_lazy", False)
        put(self, "_epoch", session.epoch)
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

    def _request(self, state: Mapping[str, torch.Tensor]) -> dict[str, Any]:
        """What a call needs to find this module over there in this `state`."""
        self._session.require_loaded()
        epoch = self._session.epoch
        if epoch[0] != self._epoch[0]:
            raise HarnessError("A check uses a module that another check has made.")
        if epoch != self._epoch:
            raise StudentError("The process of this module has ended.", outcome="crashed", kind="gone")
        changed = {n: value for n, value in state.items() if not _is_same(value, self._sent.get(n))}
        return {
            "object": self._object,
            "training": self.training,
            "state": changed,
            "dtypes": list(self._new_dtypes),
        }

    def _take_reply(self, sent: Mapping[str, torch.Tensor], state: Any) -> None:
        """A call was made in the state `sent`; `state` is what it changed."""
        self._sent.update(sent)
        self._new_dtypes.clear()
        self._take_state(state)

    def handle(self) -> Handle:
        """What stands for this module in the arguments of a call."""
        return Handle(self._object)

    def twin(self) -> nn.Module | None:
        """A module of our own that computes as this one; None if its class or its state is the student's."""
        if self._lent is None:
            return None
        own: nn.Module = self._lent(*self._made.constructor, **self._made.keywords)
        mirrored = _named(self)
        for name, tensor in _named(own).items():
            known = mirrored.get(name)
            if known is None or (known.shape, known.dtype.is_floating_point) != (
                tensor.shape, tensor.dtype.is_floating_point
            ):  # fmt: skip
                return None
            tensor.data = _copy(known)
        return own.train(self.training)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        tensors = _named(self)
        state = {name: _copy(tensor) for name, tensor in tensors.items()}
        request = self._request(state) | {"looks": self._session.looks_of(self._made.symbol)}
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
                self._session, "forward", request, args, kwargs, parameters, wants_grad
            )
        except StudentError as err:
            self._remember(record(None, raised=raised_text(err)))
            raise
        self._take_reply(state, reply.get("state"))
        self._keep_looks(reply.get("looks"))
        self._remember(record(snapshot(result)))
        return result

    def _keep_looks(self, looks: Any) -> None:
        """Attributes that came with the result; they hold until the worker is asked for anything else."""
        object.__setattr__(self, "_looks", (self._asked, looks if type(looks) is dict else {}))

    @property
    def _asked(self) -> int:
        """How much the check has asked so far."""
        asked: int = self._session.talk.asked
        return asked

    def _remember(self, call: Call) -> None:
        self._calls.append(call)
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
        reply = self._look(name)
        if reply.get("found") is not True:
            names = self._session.own_names(reply.get("names"))
            raise errors.missing_attribute(self._made.symbol, name, names)
        return mark(reply.get("value"), str(reply.get("kind")))

    def _look(self, name: str) -> Any:
        asked, looks = self._looks
        if name in looks and type(looks[name]) is dict and asked == self._asked:
            return looks[name]
        reply = ask(self._session, "attribute", {"object": self._object, "name": name})
        self._session.note_look(self._made.symbol, name)
        return reply

    def may_name(self, name: str) -> bool:
        """May a message say this parameter's name? Not one that the code made up after it saw the inputs."""
        return errors.is_own_name(name, self._session.material.source.text)

    def extra_repr(self) -> str:
        return f"{self._made.symbol} in a worker"


def _other_parameters() -> StudentError:
    return StudentError(
        "The call gave the module that it was passed further parameters or buffers.",
        outcome="bad_return",
        kind="bad_return",
        hint="Change the values of its parameters; what else you keep goes into variables of your own.",
    )


class Given:
    """Modules that are arguments of one call: their state goes along and comes back."""

    def __init__(self, modules: Sequence[nn.Module]) -> None:
        self._modules: list[StudentModule] = []
        for module in modules:
            if not isinstance(module, StudentModule):
                raise TypeError(f"a module of our own: use `student.lend({type(module).__name__})(...)`")
            self._modules.append(module)
        self._states = [{n: _copy(t) for n, t in _named(module).items()} for module in self._modules]
        self.parameters = {
            f"{number}.{name}": parameter
            for number, module in enumerate(self._modules)
            for name, parameter in module.named_parameters()
        }

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [module._request(state) for module, state in zip(self._modules, self._states, strict=True)]

    def take(self, states: Any) -> None:
        with errors.reading_reply():
            for module, sent, state in zip(self._modules, self._states, states, strict=True):
                if module._lent is not None and state["tensors"].keys() - sent.keys():
                    raise _other_parameters()
                module._take_reply(sent, state)

    def forget(self) -> None:
        """The call failed on its way: all that is known is our own state."""
        for module in self._modules:
            module._sent.clear()


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
    reply = session.talk.ask(op, body)
    if op in ("new", "attribute", "audit") and type(reply) is not dict:
        raise StudentError("The code broke the process.", outcome="bad_return", kind="protocol")
    return reply


def mark(value: Any, kind: str) -> Any:
    """Remember of a fetched tensor whether it was a parameter over there."""
    if isinstance(value, torch.Tensor):
        value.student_kind = kind  # type: ignore[attr-defined]
    return value
