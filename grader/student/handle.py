"""`student`: calls to another process that look like ordinary PyTorch, autograd included.

A call becomes an `autograd.Function`: its forward sends the inputs and brings the result, its backward
asks the worker for the vector-Jacobian product of the graph that it kept.

Modules are in `grader.student.module`. `student.lend(Class)` makes them of a class that the suite defines.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from grader.errors import StudentError
from grader.student import errors
from grader.student.calls import Call, Made, modules_in, raised_text, replace_modules, snapshot, tensors_in
from grader.student.module import Given, StudentModule, ask
from grader.student.remote import remote_call_with_reply
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

    def lend(self, cls: type[nn.Module]) -> Callable[..., StudentModule]:
        """Makes modules of the suite's class `cls` where the student's code can be given them.

        The text of the class travels: of its own file it may use `torch`, `nn` and `math`, and since the
        student's code can read it, it must hold no answer.
        """
        return lambda *args, **kwargs: self._construct(cls.__name__, args, kwargs, lent=cls)

    def _require(self, name: str) -> None:
        self._session.require_loaded()
        if name in self._session.missing:
            raise errors.missing_symbol(name, self._session.material.source.path, self._session.names)

    def _call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._require(name)
        given = Given(modules_in((args, kwargs)))
        leaves = [*tensors_in((args, kwargs)), *given.parameters.values()]
        wants_grad = torch.is_grad_enabled() and any(t.requires_grad for t in leaves)
        kept = snapshot(replace_modules((args, kwargs), StudentModule.twin))
        record = partial(Call, name, kept[0], keywords=kept[1])
        request = {"name": name, "modules": given.requests}
        sent_args, sent_kwargs = replace_modules((args, kwargs), StudentModule.handle)
        try:
            result, reply = remote_call_with_reply(
                self._session, "call", request, sent_args, sent_kwargs, given.parameters, wants_grad
            )
        except StudentError as err:
            given.forget()
            self.calls.append(record(None, raised=raised_text(err)))
            raise
        given.take(reply.get("modules"))
        self.calls.append(record(snapshot(result)))
        return result

    def _construct(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], lent: type[nn.Module] | None = None
    ) -> StudentModule:
        if lent is None:
            self._require(name)
        text = None if lent is None else _text_of(lent)  # type: ignore[arg-type]  # a class can be hashed
        seed = self._session.new_seed()
        request = {"name": name, "args": list(args), "kwargs": kwargs, "seed": seed, "lent": text}
        try:
            reply = ask(self._session, "new", request)
        except StudentError as err:
            self.made.append(Made(name, args, kwargs, raised_text(err)))
            raise
        if reply.get("object") is None:
            raise errors.not_a_module(name, str(reply.get("type")))
        made = Made(name, args, kwargs)
        self.made.append(made)
        return StudentModule(self._session, self.calls, made, reply, lent)


@functools.cache
def _text_of(cls: type[nn.Module]) -> str:
    """The source of a class."""
    return textwrap.dedent(inspect.getsource(cls))
