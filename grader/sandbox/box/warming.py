"""What the template does once so that its forks need not: lazy imports, first operations, tidy memory."""

from __future__ import annotations

import gc
import importlib

import torch

from . import pages


def warm_up() -> None:
    """Run once what every worker would otherwise pay for: lazy imports and first operations.

    One thread only: a parallel region here would hang every parallel operation of a forked child.
    """
    torch.set_num_threads(1)
    importlib.import_module("numpy.random")
    importlib.import_module(f"{__package__}.pretend").prepare()
    torch.backends.cpu.get_cpu_capability()
    layer = torch.nn.Linear(8, 8)
    scores = torch.randn(2, 4, 8, requires_grad=True)
    weights = torch.nn.functional.dropout(scores.softmax(-1), 0.5)
    torch.bmm(weights, layer(scores).transpose(1, 2)).sum().backward()
    # An explicit gradient imports sympy, a third of a second in every worker that meets it first.
    torch.autograd.grad([layer(scores)], [scores], [torch.ones(2, 4, 8)])
    torch.manual_seed(0)


def warm_optimisers() -> None:
    """Import what an optimiser imports at its first step, a second of CPU time."""
    layer = torch.nn.Linear(2, 2)
    optimiser = torch.optim.SGD(layer.parameters(), lr=0.1)
    layer(torch.ones(1, 2)).sum().backward()
    optimiser.step()


def settle_memory() -> None:
    """Leave nothing for the forks to tidy up: whatever they write to is copied, a page at a time."""
    gc.collect()
    gc.freeze()
    pages.settle_heap()
