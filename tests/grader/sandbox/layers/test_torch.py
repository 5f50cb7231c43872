"""Torch in a confined worker: the same results, ordinary code."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from grader.sandbox.isolation import LaunchPlan

Confine = Callable[..., Any]  # see `confined` in conftest.py


@pytest.mark.usefixtures("needs_linux")
def test_torch_computes_in_a_confined_worker(confined: Confine, plan: LaunchPlan) -> None:
    before = """
    import torch
    torch.set_num_threads(1)
    torch.ones(2) @ torch.ones(2)
    """
    code = """
    import torch
    x = torch.randn(64, 64, requires_grad=True)
    (x @ x).softmax(-1).sum().backward()
    torch.set_num_threads(2)
    y = torch.randn(600, 600) @ torch.randn(600, 600)
    import torch.nn.functional, statistics, dataclasses
    answer = (torch.backends.cpu.get_cpu_capability(), y.shape[0], x.grad.isfinite().all().item())
    """
    capability = "import torch; print(torch.backends.cpu.get_cpu_capability())"
    ours = subprocess.run([sys.executable, "-c", capability], capture_output=True, text=True, check=True)
    seen = confined(plan, code, before, memory_bytes=1 << 30)
    assert seen.answer == [ours.stdout.strip(), 600, True]


@pytest.mark.usefixtures("needs_linux")
def test_ordinary_student_code_runs_as_everywhere(confined: Confine, plan: LaunchPlan) -> None:
    before = """
    import torch
    torch.set_num_threads(1)
    """
    code = """
    import concurrent.futures, contextlib, datetime, decimal, inspect, io, logging, math, platform, random
    import timeit, uuid
    import numpy as np
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        print("hidden")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        squares = list(pool.map(lambda x: x * x, range(4)))
    batches = len(list(DataLoader(TensorDataset(torch.randn(8, 2)), batch_size=4, shuffle=True)))
    network = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    optimizer = torch.optim.Adam(network.parameters())
    network(torch.randn(3, 2)).sum().backward()
    optimizer.step()
    buffer = io.BytesIO()
    torch.save(network.state_dict(), buffer)
    logging.getLogger().warning("")
    inspect.getsource(torch.nn.Linear)
    np.linalg.svd(np.random.default_rng().normal(size=(200, 200)))
    datetime.datetime.now().astimezone(), uuid.uuid4(), platform.machine(), timeit.timeit("1", number=1)
    answer = (squares, batches, os.cpu_count() >= 1, torch.cuda.is_available())
    """
    seen = confined(plan, code, before, memory_bytes=1 << 30)
    assert seen.answer == [[0, 1, 4, 9], 2, True, False]
