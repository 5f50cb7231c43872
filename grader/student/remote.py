"""One call into the worker, joined to our autograd graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.autograd.function import once_differentiable

from grader.errors import StudentError
from grader.student import errors
from grader.student.calls import mark_like, rebuild, tensors_in
from grader.student.session import Session


def remote_call_with_reply(
    session: Session,
    op: str,
    request: Mapping[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    parameters: Mapping[str, nn.Parameter],
    wants_grad: bool,
) -> tuple[Any, dict[str, Any]]:
    """Run student code over there and join its result to our autograd graph."""
    body = {**request, "args": list(args), "kwargs": kwargs, "seed": session.new_seed(), "grad": wants_grad}
    reply = session.talk.ask(op, body)
    if type(reply) is not dict or "value" not in reply:
        raise StudentError("The code broke the process.", outcome="bad_return", kind="protocol")
    value = reply["value"]
    outputs = tensors_in(value)
    if not wants_grad or not any(_is_joined(out) for out in outputs):
        return value, reply
    inputs = tensors_in((args, kwargs))
    with errors.reading_reply():
        graph = errors.whole_number(reply["graph"])
    remote = _Remote(session, graph, outputs, len(inputs), tuple(parameters))
    joined = RemoteCall.apply(remote, *inputs, *parameters.values())  # type: ignore[no-untyped-call]
    return rebuild(value, [mark_like(t, out) for t, out in zip(joined, outputs, strict=True)]), reply


def _is_joined(out: torch.Tensor) -> bool:
    """The student's output is part of a graph over there."""
    return bool(out.wants_grad) and (out.is_floating_point() or out.is_complex())  # type: ignore[attr-defined]


@dataclass(frozen=True)
class _Remote:
    """What the backward pass of one call needs to know."""

    session: Session
    graph: int
    outputs: list[torch.Tensor]
    input_count: int
    parameter_names: tuple[str, ...]


class RemoteCall(torch.autograd.Function):
    """Joins a call that already happened to the local graph."""

    @staticmethod
    def forward(ctx: Any, remote: _Remote, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.remote = remote
        ctx.shapes = [(tensor.shape, tensor.dtype) for tensor in tensors]
        outputs = tuple(out.clone() for out in remote.outputs)
        pairs = zip(outputs, remote.outputs, strict=True)
        ctx.mark_non_differentiable(*[copy for copy, out in pairs if not _is_joined(out)])
        ctx.set_materialize_grads(False)
        return outputs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        remote: _Remote = ctx.remote
        sent = [None if grad is None else grad.contiguous() for grad in grads]
        reply = remote.session.talk.ask(
            "backward", {"graph": remote.graph, "grads": sent}, "the backward pass"
        )
        found = _gradients(reply, remote)
        for grad, (shape, dtype) in zip(found, ctx.shapes, strict=True):
            if grad is not None and (grad.shape != shape or grad.dtype != dtype):
                raise StudentError(
                    "The gradient has an impossible shape.", outcome="bad_return", kind="protocol"
                )
        return (None, *found)


def _gradients(reply: Any, remote: _Remote) -> list[torch.Tensor | None]:
    found: list[torch.Tensor | None] = []
    with errors.reading_reply():
        found = [*reply["inputs"], *(reply["parameters"].get(name) for name in remote.parameter_names)]
        if len(reply["inputs"]) != remote.input_count or any(
            grad is not None and not isinstance(grad, torch.Tensor) for grad in found
        ):
            raise TypeError("not a list of gradients")
    return found
