"""Process-wide state that student code changes is named, undone, and never reaches the next check."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from grader.student.handle import Student

StudentOf = Callable[..., Student]

# label: (what the code does, what the note calls it)
CHANGES: dict[str, tuple[str, str]] = {
    "default dtype": ("torch.set_default_dtype(torch.float64)", "the default dtype"),
    "default device": ("torch.set_default_device('meta')", "the default device"),
    "grad mode": ("torch.set_grad_enabled(False)", "the grad mode"),
    "threads of torch": ("torch.set_num_threads(3)", "the number of threads"),
    "deterministic algorithms": ("torch.use_deterministic_algorithms(True)", "deterministic algorithms"),
    "anomaly detection": ("torch.autograd.set_detect_anomaly(True)", "anomaly detection"),
    "matmul precision": ("torch.set_float32_matmul_precision('medium')", "TF32"),
    "working folder": ("os.chdir('/usr')", "the working folder"),
    "new variable": ("os.environ['NEW'] = '1'", "the environment"),
    "variable gone": ("os.environ.clear()", "the environment"),
    "warning filter": ("warnings.simplefilter('ignore')", "the warning filters"),
    "recursion limit": ("sys.setrecursionlimit(5000)", "the recursion limit"),
    "torch.softmax": ("torch.softmax = None", "`torch.softmax` (replaced)"),
    "torch.allclose": ("torch.allclose = lambda *a, **k: True", "`torch.allclose` (replaced)"),
    "functional.dropout": (
        "torch.nn.functional.dropout = lambda x, *a, **k: x", "`torch.nn.functional.dropout` (replaced)",
    ),
    "Module.__call__": ("torch.nn.Module.__call__ = print", "__call__` (replaced)"),
    "Tensor.__mul__": ("torch.Tensor.__mul__ = torch.Tensor.__add__", "__mul__` (replaced)"),
    "a thread": (
        "threading.Thread(target=threading.Event().wait, daemon=True).start()",
        "the number of running threads",
    ),
}  # fmt: skip

TEXT = """
import os, sys, threading, warnings
import torch

def look(x=None):
    return [
        str(torch.get_default_dtype()), str(torch.get_default_device()), torch.is_grad_enabled(),
        torch.get_num_threads(), torch.are_deterministic_algorithms_enabled(), torch.is_anomaly_enabled(),
        torch.get_float32_matmul_precision(), os.getcwd(), sorted(os.environ.items()),
        [str(entry) for entry in warnings.filters], sys.getrecursionlimit(), threading.active_count(),
        str(torch.softmax), torch.allclose(*torch.eye(2, device="cpu")),
        torch.nn.functional.dropout(torch.ones(999, device="cpu")).min().item(),
        str(torch.nn.Module.__call__),
        (torch.tensor(2.0, device="cpu") * 3).item(), str(torch.zeros(1).device),
    ]

def change(x=None):
    {change}
    return look()

BEFORE = look()
{at_import}
"""


@pytest.mark.parametrize(("change", "name"), CHANGES.values(), ids=CHANGES.keys())
def test_change_in_a_call_is_noted_and_gone_before_the_next_check(
    student_of: StudentOf, change: str, name: str
) -> None:
    student = student_of(TEXT.format(change=change, at_import=""), "change", "look")
    # Only a call on something that wants a gradient has one to turn off.
    x = torch.ones(1, requires_grad=True)
    before = student.look(x)
    assert student.change(x) != before
    student._session.finish_check()
    assert student.look(x) == before
    (note,) = [note for note in student._session.note_records() if name in note.text]
    assert note.text.endswith("while it runs; this was undone and reached nothing else.")


@pytest.mark.parametrize(("change", "name"), CHANGES.values(), ids=CHANGES.keys())
def test_change_at_import_is_noted_once(student_of: StudentOf, change: str, name: str) -> None:
    student = student_of(TEXT.format(change="pass", at_import=change), "change", "look")
    student.change()
    student._session.finish_check()
    student.change()
    student._session.finish_check()
    (note,) = [note for note in student._session.note_records() if name in note.text]
    assert note.text.endswith("at import; this was undone and reached nothing else.")


def test_change_that_can_be_undone_at_import_is_undone_before_the_first_call(student_of: StudentOf) -> None:
    student = student_of(
        "import torch\ntorch.set_default_dtype(torch.float64)\ndef f(): return torch.ones(1).dtype"
    )
    assert str(student.f()) == "torch.float32"


def test_several_changes_are_all_noted(student_of: StudentOf) -> None:
    change = "torch.set_grad_enabled(False); os.chdir('/usr'); torch.bmm = None"
    student = student_of(TEXT.format(change=change, at_import=""), "change")
    student.change(torch.ones(1, requires_grad=True))
    student._session.finish_check()
    assert len(student._session.note_records()) == 3


def test_code_that_changes_nothing_and_puts_back_what_it_changed_has_no_note(student_of: StudentOf) -> None:
    student = student_of(
        """
        import os, warnings
        import numpy as np
        import torch
        from torch import nn

        torch.manual_seed(3)
        np.random.seed(3)
        optimiser = torch.optim.Adam(nn.Linear(2, 2).parameters())

        def f(x):
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")
                before = torch.get_default_dtype()
                torch.set_default_dtype(torch.float64)
                torch.set_default_dtype(before)
            loss = nn.functional.mse_loss(nn.Linear(2, 2)(x), x)
            loss.backward()
            return torch.einsum("ij,kj->ik", x, x)
        """
    )
    student.f(torch.ones(2, 2, requires_grad=True)).sum().backward()
    student._session.finish_check()
    assert student._session.note_records() == ()
