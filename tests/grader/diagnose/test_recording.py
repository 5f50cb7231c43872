"""What the handle on a worker keeps of a check's calls, for the diagnosis."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from grader.errors import StudentError
from grader.student.handle import Student

StudentOf = Callable[..., Student]
NET = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, size, scale=1.0):
        super().__init__()
        if size < 0: raise ValueError("negative")
        self.w = nn.Parameter(torch.ones(size) * scale)
        self.table = torch.arange(size)
    def forward(self, x, *, shift=0.0):
        self.kept = x * self.w + shift
        return self.kept.sum()
def f(x, y=None):
    return x + y
"""


def test_a_call_keeps_its_arguments_its_state_and_what_was_looked_at(student_of: StudentOf) -> None:
    student = student_of(NET, "Net")
    net = student.Net(3, scale=2.0).eval()
    table = net.table
    x = torch.tensor([1.0, 2.0, 3.0])
    net(x, shift=1.0)
    kept = net.kept
    with torch.no_grad():
        net.w.zero_()
    (made,), (call,) = student.made, student.calls
    assert (made.constructor, dict(made.keywords)) == ((3,), {"scale": 2.0})
    assert torch.equal(made.attributes["table"], table)
    assert call.state is not None
    assert torch.equal(call.state["w"], torch.full((3,), 2.0))
    assert torch.equal(call.arguments[0], x)
    assert (dict(call.keywords), call.training) == ({"shift": 1.0}, False)
    assert torch.equal(call.attributes["kept"], kept)


def test_a_call_that_raises_keeps_what_it_raised(student_of: StudentOf) -> None:
    student = student_of(NET, "Net", "f")
    with pytest.raises(StudentError):
        student.f(torch.ones(2))
    with pytest.raises(StudentError):
        student.Net(-1)
    assert "NoneType" in student.calls[0].raised
    assert student.made[0].raised == "ValueError: negative"
