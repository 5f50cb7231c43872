"""Which mistake is named, from what checks saw; nothing in here runs a student's code."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader.student.calls import Call, Made
from grader.suite.checks import NamedMistake

# Fixtures of conftest.py: `bench(stem, ...)` makes an assignment; `.ended(...)` tells of a check.
Bench = Any
MakeBench = Callable[..., Bench]

REFERENCE = """
def f(x, scale=None):
    return 2 * x + 1 if scale is None else (2 * x + 1) * scale
"""
MISCONCEPTIONS = '''
class Right:
    """The right function, in steps."""
    def __new__(cls, x, scale=None): return object.__new__(cls).compute(x, scale)
    def compute(self, x, scale): return self.scaled(self.shifted(self.doubled(x)), scale)
    def doubled(self, x): return 2 * x
    def shifted(self, x): return x + 1
    def scaled(self, x, scale): return x if scale is None else self.times(x, scale)
    def times(self, x, scale): return x * scale

class NotDoubled(Right):
    """You forget to double."""
    def doubled(self, x): return x

class NotShifted(Right):
    """You forget to shift."""
    def shifted(self, x): return x

class ScaleIgnored(Right):
    """You ignore the scale."""
    def times(self, x, scale): return x

class NoneNotHandled(Right):
    """You forget None."""
    def scaled(self, x, scale):
        if scale is None: raise AttributeError("'NoneType' object has no attribute 'dim'")
        return self.times(x, scale)

def gradient_stops():
    """The graph is cut."""

def dropout_on_output():
    """You drop the output."""

def wrong_device():
    """You stay on the CPU."""
'''
X = torch.linspace(-3, 5, 24).reshape(4, 6)


def called(result: Any, *arguments: Any, symbol: str = "f", **more: Any) -> Call:
    return Call(symbol, arguments, result, **more)


@pytest.fixture
def sample(bench: MakeBench) -> Bench:
    return bench("doubling", reference=REFERENCE, misconceptions=MISCONCEPTIONS)


def test_a_mistake_that_gives_the_same_numbers_is_named(sample: Bench) -> None:
    sample.ended("values", called(2 * X, X))
    finding = sample.conclude()["values"]
    assert (finding.misconception, finding.hint) == ("not_shifted", "You forget to shift.")


def test_mistake_in_training_a_module_is_named_and_trains_a_copy(bench: MakeBench) -> None:
    words = '''
class Right:
    """Descends."""
    def __new__(cls, net, steps): return [object.__new__(cls).step(net) for _ in range(steps)]
    def step(self, net):
        loss = self.loss(net)
        (gradient,) = torch.autograd.grad(loss, [net.weight])
        net.weight.data -= self.rate() * gradient
        return loss.item()
    def loss(self, net): return (net.weight ** 2).sum()
    def rate(self): return 0.1

class HalfLoss(Right):
    """You halve."""
    def loss(self, net): return super().loss(net) / 2

class Uphill(Right):
    """You climb."""
    def rate(self): return -0.1
'''
    reference = f"import torch\n{words}\nf = Right"
    sample = bench("descending", reference=reference, misconceptions=f"import torch\n{words}")
    net = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.constant_(net.weight, 2.0)
    sample.ended("values", called([4.0, 5.76, 8.2944], net, 3))
    sample.ended("two steps", called([4.0, 5.76], net, 2))
    assert sample.names() == {"values": "uphill", "two steps": "uphill"}
    assert net.weight.item() == 2.0


def test_numbers_in_a_tuple_count_and_their_holes_too(bench: MakeBench) -> None:
    words = '''
def thirds(x):
    """You divide by three."""
    return x / 3, [x / 3]
'''
    sample = bench("dividing", reference="def f(x): return x / 2, [x / 2]", misconceptions=words)
    hole = torch.full_like(X, torch.nan)
    sample.ended("values", called((X / 3, [X / 3]), X))
    sample.ended("holes", called((hole, [hole]), hole))
    assert sample.names() == {"values": "thirds", "holes": ""}


def test_two_mistakes_at_once_are_named_where_no_single_one_fits(sample: Bench) -> None:
    sample.ended("values", called(X, X))
    assert sample.names() == {"values": "not_doubled and not_shifted"}


def test_every_check_gets_the_mistake_that_it_shows(sample: Bench) -> None:
    sample.ended("plain", called(2 * X, X))
    sample.ended("scaled", called(2 * X, X, 3.0))
    assert sample.names() == {"plain": "not_shifted", "scaled": "not_shifted and scale_ignored"}


def test_a_call_that_is_right_speaks_against_a_mistake(sample: Bench) -> None:
    sample.ended("both", called(2 * X, X), called(2 * X + 1, X))
    assert sample.names() == {"both": ""}


def test_numbers_that_no_mistake_gives_have_no_name(sample: Bench) -> None:
    sample.ended("values", called(X.exp(), X))
    assert sample.names() == {"values": ""}


def test_few_equal_numbers_are_a_coincidence_if_others_disagree(sample: Bench) -> None:
    sample.ended("tiny", called(torch.tensor([2.0]), torch.tensor([1.0])))
    sample.ended("large", called(X.exp(), X))
    assert sample.names() == {"tiny": "", "large": ""}


def test_what_other_checks_saw_decides_between_mistakes_that_fit(bench: MakeBench) -> None:
    words = '''
        def always_zero(x, scale=None):
            """Zero."""
            return 0 * x
        def zero_without_scale(x, scale=None):
            """Zero without a scale."""
            return 0 * x if scale is None else (2 * x + 1) * scale
    '''
    sample = bench("choosing", reference=REFERENCE, misconceptions=words)
    sample.ended("plain", called(0 * X, X))
    sample.ended("scaled", called((2 * X + 1) * 3, X, 3.0), outcome="passed", reason="")
    assert sample.names() == {"plain": "zero_without_scale"}


def test_an_error_of_the_same_kind_is_recognised(sample: Bench) -> None:
    raised = "TypeError: unsupported operand type(s) for *: 'Tensor' and 'NoneType'"
    for name in ("one", "two"):
        sample.ended(name, called(None, X, raised=raised), outcome="raised", reason="raised")
    assert sample.names() == {"one": "none_not_handled", "two": "none_not_handled"}


def test_sizes_that_do_not_fit_are_one_error_in_any_words(bench: MakeBench) -> None:
    words = '''
        def not_transposed(x, y):
            """You forget to transpose."""
            return x * y.expand_as(x)
    '''
    sample = bench("fitting", reference="def f(x, y):\n    return x * y.T\n", misconceptions=words)
    said = "The size of tensor a (6) must match the size of tensor b (4) at non-singleton dimension 1"
    for name in ("one", "two"):
        sample.ended(
            name, called(None, X, X.T, raised=f"RuntimeError: {said}"), outcome="raised", reason="raised"
        )
    assert sample.names() == {"one": "not_transposed", "two": "not_transposed"}


def test_a_check_names_what_it_saw(sample: Bench) -> None:
    sample.ended("gradient", called(2 * X + 1, X), reason="gradient", misconception="gradient_stops")
    finding = sample.conclude()["gradient"]
    assert (finding.misconception, finding.hint) == ("gradient_stops", "The graph is cut.")


def test_a_name_without_words_is_not_told(sample: Bench) -> None:
    sample.ended("gradient", called(2 * X + 1, X), reason="gradient", misconception="never_written_down")
    assert sample.names() == {"gradient": ""}


@pytest.mark.parametrize(("reason", "name"), [("attribute", "dropout_on_output"), ("shape", "")])
def test_a_marker_names_failures_for_its_reasons(sample: Bench, reason: str, name: str) -> None:
    marks = (NamedMistake("dropout_on_output", ("attribute",)),)
    sample.ended("marked", called(2 * X + 1, X), reason=reason, marks=marks)
    assert sample.names() == {"marked": name}


@pytest.mark.parametrize(
    ("raised", "name"),
    [
        ("TypeError: f() missing 1 required positional argument: 'y'", "needs_y"),
        ("TypeError: g() missing 1 required positional argument: 'y'", ""),
        ("NameError: name 'math' is not defined", ""),
    ],
)
def test_a_marker_with_a_pattern_names_only_what_the_exception_says(
    bench: MakeBench, raised: str, name: str
) -> None:
    words = 'def needs_y():\n    """It cannot be left out."""\n'
    sample = bench("patterns", reference=REFERENCE, misconceptions=words)
    marks = (NamedMistake("needs_y", (r"TypeError: f\(\) missing",)),)
    sample.ended("left_out", called(None, X, raised=raised), outcome="raised", reason="raised", marks=marks)
    assert sample.names() == {"left_out": name}


@pytest.mark.parametrize(
    ("raised", "name"),
    [
        ("AttributeError: cannot assign module before Module.__init__() call", "no_super_init"),
        ("AttributeError: cannot assign parameters before Module.__init__() call", "no_super_init"),
        ("AttributeError: 'Net' object has no attribute '_modules'", "no_super_init"),
        ("AttributeError: 'Net' object has no attribute 'layers'", ""),
        ("ValueError: called before Module.__init__() call", ""),
    ],
)
def test_a_module_without_its_constructor_is_recognised(bench: MakeBench, raised: str, name: str) -> None:
    words = 'def no_super_init():\n    """Call it."""\n'
    sample = bench("constructing", reference=REFERENCE, misconceptions=words)
    sample.ended("values", called(None, X, raised=raised), outcome="raised", reason="raised")
    assert sample.names() == {"values": name}


def test_wrong_numbers_explain_more_than_what_a_check_suspects(sample: Bench) -> None:
    sample.ended("values", called(2 * X, X))
    sample.ended("dropout", called(2 * X + 1, X), reason="property", misconception="dropout_on_output")
    assert sample.names() == {"values": "not_shifted", "dropout": ""}


def test_failing_on_another_device_alone_is_the_wrong_device(sample: Bench) -> None:
    raised = "RuntimeError: Expected all tensors to be on the same device"
    call = called(None, X, raised=raised)
    sample.ended("device", called(2 * X + 1, X), outcome="passed", reason="")
    sample.ended("device", call, outcome="raised", reason="raised", device="pretend:0")
    assert sample.names() == {"device": "wrong_device"}


def test_failing_on_the_cpu_too_is_not_blamed_on_the_device(sample: Bench) -> None:
    sample.ended("device", called(X.exp(), X))
    sample.ended("device", called(X.exp(), X), device="pretend:0")
    assert set(sample.names().values()) == {""}


def test_modules_are_compared_with_the_students_weights_and_attributes(bench: MakeBench) -> None:
    right = """
        import torch
        from torch import nn
        class Net(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.w = nn.Parameter(torch.ones(size))
            def forward(self, x):
                self.kept = x * self.w
                return self.kept.sum()
    """
    wrong = '''
        import torch
        from torch import nn
        class StoresInput(nn.Module):
            """You keep the input."""
            def __init__(self, size):
                super().__init__()
                self.w = nn.Parameter(torch.ones(size))
            def forward(self, x):
                self.kept = x
                return (x * self.w).sum()
    '''
    sample = bench("netting", reference=right, misconceptions=wrong, symbols='"Net"')
    x, w = torch.randn(20), torch.randn(20)
    call = called(
        (x * w).sum(), x, symbol="Net", constructor=(20,), state={"weight": w}, attributes={"kept": x}
    )
    sample.ended("stored", call)
    assert sample.names() == {"stored": "stores_input"}


def test_what_a_module_holds_before_any_call_counts(bench: MakeBench) -> None:
    text = """
        import torch
        from torch import nn
        class Table(nn.Module):
            {!r}
            def __init__(self, n):
                super().__init__()
                self.P = torch.arange({}.0, n + {})
    """
    sample = bench(
        "tabling",
        reference=text.format("Right.", 0, 0),
        misconceptions=text.format("From one.", 1, 1),
        symbols='"Table"',
    )
    sample.ended("table", made=[Made("Table", (20,), {}, attributes={"P": torch.arange(1.0, 21.0)})])
    assert sample.names() == {"table": "table"}


def test_a_broken_misconception_is_noted_for_staff_and_left_out(bench: MakeBench) -> None:
    words = (
        MISCONCEPTIONS + '\ndef broken(x, scale=None):\n    """Broken."""\n    return x.no_such_method()\n'
    )
    sample = bench("breaking", reference=REFERENCE, misconceptions=words)
    sample.ended("values", called(2 * X, X))
    finding = sample.conclude()["values"]
    assert finding.misconception == "not_shifted"
    assert "`broken` raised AttributeError" in finding.staff_note


def test_whatever_goes_wrong_is_noted_and_raises_nothing(
    sample: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise OSError("full")

    monkeypatch.setattr("grader.diagnose.diagnoser.Investigation.explain", fail)
    sample.ended("values", called(2 * X, X))
    assert sample.conclude()["values"].staff_note == "the diagnosis failed: OSError: full"


def test_the_budget_ends_the_search(bench: MakeBench) -> None:
    sample = bench("ending", reference=REFERENCE, misconceptions=MISCONCEPTIONS, budget_s=0.0)
    sample.ended("values", called(2 * X, X))
    assert sample.names() == {"values": ""}


def test_nothing_is_computed_when_all_is_right(sample: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.diagnose.diagnoser.Investigation", None)
    sample.ended("values", called(2 * X + 1, X), outcome="passed", reason="")
    assert sample.conclude() == {}


def test_the_global_generator_and_default_dtype_stay_as_they_were(sample: Bench) -> None:
    before = torch.random.get_rng_state()
    sample.ended("values", called(X.exp(), X))
    sample.conclude()
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.get_default_dtype() == torch.float32


def test_a_search_stays_within_its_budget(sample: Bench) -> None:
    for number in range(40):
        sample.ended(f"check{number}", *[called((X + number).exp(), X) for _ in range(10)])
    began = time.process_time()
    sample.conclude()
    assert time.process_time() - began < 2 * sample.diagnoser.budget_s
