"""Inside a check, code in another process looks like ordinary PyTorch."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from grader.errors import StudentError
from grader.student.handle import Student

StudentOf = Callable[..., Student]

NETWORK = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, size_in, size_out, dropout=0.0):
        super().__init__()
        self.first = nn.Linear(size_in, size_out, bias=False)
        self.drop = nn.Dropout(dropout)
        self.scale = nn.Parameter(torch.full((1,), 2.0))
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64))
        self.table = torch.arange(4.0)
        self.name = "net"

    def forward(self, x, *, extra=None):
        self.seen += 1
        self.weights = self.first(x).tanh()
        out = self.drop(self.weights) * self.scale
        return out if extra is None else (out, {"extra": extra + 1})

    @property
    def doubled(self):
        return self.scale * 2

    @property
    def broken(self):
        raise ValueError("no")
"""


@pytest.fixture
def net(student_of: StudentOf) -> Any:
    return student_of(NETWORK, "Net").Net(3, 2)


def local(net: Any, x: torch.Tensor) -> torch.Tensor:
    """What the network computes, on our side."""
    result: torch.Tensor = (x @ net.first.weight.t()).tanh() * net.scale
    return result


def x_of(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=dtype)


def test_function_gets_and_gives_nested_values_and_keywords(student_of: StudentOf) -> None:
    student = student_of("def f(a, *rest, **named):\n    return {'a': a, 'rest': rest, 'named': named}")
    x = torch.arange(3)
    got = student.f([x, {"y": (x, None)}], 1, "é", dtype=torch.float64, size=torch.Size([2]))
    assert got["a"][1]["y"][0].tolist() == [0, 1, 2]
    assert (got["rest"], got["named"]) == ((1, "é"), {"dtype": torch.float64, "size": (2,)})


def test_gradient_flows_through_a_function_to_every_input(student_of: StudentOf) -> None:
    student = student_of("def f(a, b, n):\n    return (a * b).sin(), n, [b.exp()]")
    a, b = x_of(2, 3).requires_grad_(), x_of(3).requires_grad_()
    sine, count, (exp,) = student.f(a, b, torch.tensor(4))
    assert (count.item(), count.requires_grad) == (4, False)
    (sine.sum() * 3 + exp.sum()).backward()
    assert a.grad is not None
    assert b.grad is not None
    assert torch.allclose(a.grad, 3 * (a * b).cos() * b)
    assert torch.allclose(b.grad, (3 * (a * b).cos() * a).sum(0) + b.exp())


def test_named_tuple_arrives_as_a_tuple_with_its_gradients(student_of: StudentOf) -> None:
    student = student_of(
        """
        from typing import NamedTuple
        import torch
        class Both(NamedTuple):
            first: torch.Tensor
            second: torch.Tensor
            def __iter__(self): return iter([5])
        def f(x): return Both(x * 2, torch.max(x, dim=0))
        """
    )
    x = x_of(3).requires_grad_()
    double, (top, index) = student.f(x)
    (double.sum() + 3 * top).backward()
    assert x.grad is not None
    assert x.grad.sum() == 9
    assert int(index) == int(x.argmax())


def test_gradcheck_holds_through_a_function_and_a_module(student_of: StudentOf) -> None:
    student = student_of(NETWORK + "\ndef f(a, b): return a.softmax(-1) * b", "f", "Net")
    a, b = (x_of(2, 3, dtype=torch.float64).requires_grad_() for _ in range(2))
    assert torch.autograd.gradcheck(student.f, (a, b))
    net = student.Net(3, 2).double()
    inputs = (a, *net.parameters())
    assert torch.autograd.gradcheck(lambda x, *_: net(x), inputs)


def test_same_tensor_given_twice_gets_both_gradients(student_of: StudentOf) -> None:
    student = student_of("def f(a, b): return a * b")
    x = x_of(3).requires_grad_()
    student.f(x, x).sum().backward()
    assert torch.allclose(x.grad, 2 * x)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "body", ["return a.detach() * 2", "return a.data + 1", "return torch.tensor(a.tolist())"]
)
def test_result_that_left_the_graph_has_no_gradient(student_of: StudentOf, body: str) -> None:
    student = student_of(f"import torch\ndef f(a):\n    {body}")
    assert not student.f(x_of(3).requires_grad_()).requires_grad


def test_no_graph_is_kept_where_none_is_wanted(student_of: StudentOf) -> None:
    student = student_of("import torch\ndef f(a): return a * 2, torch.is_grad_enabled()")
    x = x_of(3).requires_grad_()
    with torch.no_grad():
        doubled, enabled = student.f(x)
    assert (doubled.requires_grad, enabled) == (False, False)


def test_second_derivative_is_refused_instead_of_wrong(student_of: StudentOf) -> None:
    student = student_of("def f(a): return a ** 3")
    x = x_of(3).requires_grad_()
    (first,) = torch.autograd.grad((student.f(x) * x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


def test_backward_pass_twice_and_in_any_order(student_of: StudentOf) -> None:
    student = student_of("def f(a): return a * a")
    x = x_of(3).requires_grad_()
    one, two = student.f(x).sum(), student.f(2 * x).sum()
    two.backward(retain_graph=True)
    one.backward()
    two.backward()
    assert torch.allclose(x.grad, 2 * x + 2 * 8 * x)  # type: ignore[arg-type]


def test_arguments_may_be_written_and_are_shown_as_they_were_left(student_of: StudentOf) -> None:
    student = student_of("def f(a, b):\n    a[0] = 9.0\n    b += 1\n    return a.sum()")
    a, b = x_of(3).requires_grad_(), torch.zeros(2)
    student.f(a, b).backward()
    assert (a.grad.tolist(), b.tolist()) == ([0, 1, 1], [0, 0])  # type: ignore[union-attr]
    left = student.arguments_after_call()
    assert (left[0][0].item(), left[1].tolist()) == (9.0, [1, 1])


def test_every_call_starts_from_a_seed_of_ours(student_of: StudentOf) -> None:
    text = """
        import random, numpy, torch
        at_import = [torch.rand(()).item(), random.random(), float(numpy.random.rand())]

        def f():
            return [torch.rand(()).item(), random.random(), float(numpy.random.rand())]

        def g():
            return at_import
        """
    first, second = student_of(text), student_of(text)
    assert first.f() == second.f()
    assert first.g() == second.g()
    assert first.f() != first.f()


def test_reseeding_is_seen(student_of: StudentOf) -> None:
    student = student_of("import torch\ndef f(seed):\n    if seed: torch.manual_seed(seed)")
    student.f(None)
    assert student.initial_seed() != 99
    student.f(99)
    assert student.initial_seed() == 99


def test_module_has_parameters_buffers_and_state(net: Any) -> None:
    assert isinstance(net, nn.Module)
    assert [(n, tuple(p.shape)) for n, p in net.named_parameters()] == [
        ("scale", (1,)),
        ("first.weight", (2, 3)),
    ]
    assert sorted(net.state_dict()) == ["first.weight", "scale", "seen"]
    assert repr(net).startswith("StudentModule(\n  Net in a worker")


def test_module_computes_with_the_parameters_of_our_side(net: Any) -> None:
    x = x_of(5, 3)
    assert torch.allclose(net(x), local(net, x))
    with torch.no_grad():
        net.scale.fill_(3)
        net.first.weight.copy_(x_of(2, 3))
    assert torch.allclose(net(x), local(net, x))
    net.load_state_dict({"first.weight": torch.ones(2, 3), "scale": torch.ones(1), "seen": torch.tensor(0)})
    assert torch.allclose(net(x), local(net, x))
    net.scale.data = torch.full((1,), 5.0)
    assert torch.allclose(net(x), local(net, x))
    net.scale.data.add_(1)
    assert torch.allclose(net(x), local(net, x))


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.Adam])
def test_optimiser_trains_it_like_any_module(net: Any, make: Any) -> None:
    x, wanted = x_of(8, 3), torch.full((8, 2), 0.5)
    twin = [net.first.weight.detach().clone().requires_grad_(), net.scale.detach().clone().requires_grad_()]
    ours, theirs = make(twin, lr=0.1), make([net.first.weight, net.scale], lr=0.1)
    for _ in range(3):
        for optimiser in (ours, theirs):
            optimiser.zero_grad()
        (((x @ twin[0].t()).tanh() * twin[1] - wanted) ** 2).sum().backward()
        ((net(x) - wanted) ** 2).sum().backward()
        for optimiser in (ours, theirs):
            optimiser.step()
    assert torch.allclose(net.first.weight, twin[0], atol=1e-6)
    assert torch.allclose(net.scale, twin[1], atol=1e-6)


def test_mode_and_dropout(student_of: StudentOf) -> None:
    net = student_of(NETWORK, "Net").Net(3, 2, 0.5)
    x = torch.ones(200, 3)
    assert 50 < int((net(x) == 0).sum()) < 350
    assert int((net.eval()(x) == 0).sum()) == 0
    assert int((net.train()(x) == 0).sum()) > 50


def test_double_reaches_the_other_side_and_moving_to_the_cpu_undoes_nothing(net: Any) -> None:
    x = x_of(4, 3, dtype=torch.float64)
    for same in (net.double(), net.cpu(), net.to("cpu"), net.requires_grad_(True)):
        out = same(x)
        assert out.dtype == torch.float64
        assert torch.allclose(out, local(net, x), atol=1e-12)
    assert net.doubled.dtype == torch.float64
    assert net.float()(x.float()).dtype == torch.float32


def test_frozen_parameter_gets_no_gradient(net: Any) -> None:
    net.first.weight.requires_grad_(False)
    net(x_of(4, 3)).sum().backward()
    assert net.first.weight.grad is None
    assert net.scale.grad is not None


def test_attributes_are_fetched_on_demand(net: Any) -> None:
    x = x_of(4, 3).requires_grad_()
    net(x)
    assert torch.allclose(net.weights, (x @ net.first.weight.t()).tanh())
    assert net.weights.wants_grad
    assert (net.table.tolist(), net.name, net.doubled.tolist()) == ([0, 1, 2, 3], "net", [4])
    assert not net.table.wants_grad


def test_missing_attribute_tells_the_nearest_name(net: Any) -> None:
    assert not hasattr(net, "attention")
    with pytest.raises(StudentError) as caught:
        _ = net.weighs
    err = caught.value
    assert (err.outcome, err.message) == ("failed", "`Net` has no attribute `weighs`.")
    assert hasattr(net, "weights") is False  # not before the first call
    net(x_of(2, 3))
    with pytest.raises(StudentError) as caught:
        _ = net.weighs
    assert caught.value.hint == "Did you mean to call `weights` `weighs`?"


@pytest.mark.parametrize(("name", "outcome"), [("broken", "raised"), ("drop", "bad_return")])
def test_attribute_that_cannot_be_fetched(net: Any, name: str, outcome: str) -> None:
    with pytest.raises(StudentError) as caught:
        getattr(net, name)
    assert caught.value.outcome == outcome


def test_keywords_and_nested_result_of_a_module(net: Any) -> None:
    x = x_of(2, 3)
    out, more = net(x, extra=torch.tensor([1.0]))
    assert torch.allclose(out, local(net, x))
    assert out.requires_grad
    assert more["extra"].tolist() == [2]


STATEFUL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(2))
        for name in ("copied", "added", "replaced", "data", "late"):
            self.register_buffer(name, torch.zeros(2))

    def forward(self, x):
        self.copied.copy_(x)
        self.added += 1
        self.replaced = x.clone()
        self.data.data.add_(3)
        self.late.data = torch.cat([x, x])
        self.w.data[0] = 7.0
        self.register_buffer("new", x * 2)
        return x + self.w
"""


def test_what_a_call_writes_into_its_module_comes_back(student_of: StudentOf) -> None:
    net = student_of(STATEFUL, "Net").Net()
    weight = net.w
    net(torch.tensor([1.0, 2.0]))
    net(torch.tensor([4.0, 5.0]))
    assert net.w is weight
    found = {name: tensor.tolist() for name, tensor in net.state_dict().items()}
    assert found == {
        "w": [7, 0], "copied": [4, 5], "added": [2, 2], "replaced": [4, 5], "data": [6, 6],
        "late": [4, 5, 4, 5], "new": [8, 10],
    }  # fmt: skip


LAZY = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LazyLinear(2, bias=False)

    def forward(self, x):
        return self.layer(x)
"""


def test_lazy_module_gets_its_parameters_with_the_first_call(student_of: StudentOf) -> None:
    net = student_of(LAZY, "Net").Net()
    assert (net.is_lazy, list(net.parameters())) == (True, [])
    x = x_of(4, 3)
    net(x)
    assert not net.is_lazy
    net(x).sum().backward()
    assert torch.allclose(net.layer.weight.grad, x.sum(0).expand(2, 3))


def test_several_modules_and_tied_weights(student_of: StudentOf) -> None:
    student = student_of(
        """
        from torch import nn

        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.a = nn.Linear(2, 2, bias=False)
                self.b = nn.Linear(2, 2, bias=False)
                self.b.weight = self.a.weight
                self.many = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])

            def forward(self, x):
                return self.b(self.a(x)) + 0 * self.many[0](x)
        """,
        "Tied",
    )
    one, two = student.Tied(), student.Tied()
    assert [name for name, _ in one.named_parameters()] == ["a.weight", "many.0.weight", "many.0.bias"]
    x = torch.eye(2)
    assert torch.allclose(one(x), (one.a.weight @ one.a.weight).t())
    assert torch.allclose(two(x), (two.a.weight @ two.a.weight).t())


@pytest.mark.parametrize(
    ("text", "symbol", "outcome"),
    [
        ("class Net:\n    def __call__(self, x): return x", "Net", "bad_return"),
        ("def Net(): return 5", "Net", "bad_return"),
        ("Net = 5", "Net", "raised"),
        ("class Net:\n    def __init__(self): raise ValueError", "Net", "raised"),
        ("x = 1", "Net", "missing"),
        ("f = 5", "f", "raised"),
    ],
)
def test_symbol_of_another_kind(student_of: StudentOf, text: str, symbol: str, outcome: str) -> None:
    student = student_of(text, symbol)
    with pytest.raises(StudentError) as caught:
        getattr(student, symbol)()
    assert caught.value.outcome == outcome


@pytest.mark.parametrize(
    "text",
    [
        "def Net(n): return torch.nn.Linear(n, n)",
        "Net = lambda n: torch.nn.Sequential(torch.nn.Linear(n, n))",
        "import functools; Net = functools.partial(torch.nn.Linear, 2)",
    ],
)
def test_factory_of_modules_is_as_good_as_a_class(student_of: StudentOf, text: str) -> None:
    net = student_of(f"import torch\n{text}", "Net").Net(2)
    assert net(torch.ones(3, 2)).shape == (3, 2)


def test_calls_are_remembered_as_they_were_made(student_of: StudentOf) -> None:
    student = student_of(
        NETWORK + "\ndef f(a):\n    a += 1\n    return a\ndef g(): raise ValueError('x')", "f"
    )
    x = torch.zeros(2)
    student.f(x)
    x += 5
    with pytest.raises(StudentError):
        student.g()
    net = student.Net(3, 2)
    net.eval()(torch.ones(1, 3))
    _ = net.table
    f, g, forward = student.calls
    assert (f.symbol, f.arguments[0].tolist(), f.result.tolist(), f.raised) == ("f", [0, 0], [1, 1], "")
    assert (g.symbol, g.raised) == ("g", "ValueError: x")
    assert (forward.constructor, forward.training, sorted(forward.attributes)) == ((3, 2), False, ["table"])


def test_module_of_a_process_that_ended_says_so(student_of: StudentOf) -> None:
    student = student_of(NETWORK + "\ndef f():\n    import os; os._exit(0)", "f", "Net")
    net = student.Net(3, 2)
    with pytest.raises(StudentError):
        student.f()
    with pytest.raises(StudentError) as caught:
        net(x_of(1, 3))
    assert (caught.value.outcome, caught.value.kind) == ("crashed", "gone")


# What code that reaches into its own process may make it answer, whatever was asked.
EVIL: dict[str, str] = {
    "nothing": "None",
    "a number": "5",
    "a text": "'graded: 100'",
    "a list": "[1, [2]]",
    "a tensor": "torch.ones(3)",
    "an empty dict": "{}",
    "all wrong types": "dict.fromkeys(KEYS, 5)",
    "all nothing": "dict.fromkeys(KEYS)",
    "all lists": "dict.fromkeys(KEYS, [[], {}])",
    "all tensors": "dict.fromkeys(KEYS, torch.ones(2, requires_grad=True))",
    "modules too many": "{**OK, 'modules': [OK['state']] * 3}",
    "an impossible module": "{**OK, 'modules': [{'lazy': 1, 'tensors': {'0.w': {'value': x, 'grad': 1}}}]}",
    "an impossible state": "{**OK, 'state': {'lazy': False, 'tensors': {'': {'value': x, 'grad': 1}}}}",
    "a state without end": "{**OK, 'state': {'lazy': False, 'tensors': {'a.' * 9000: "
    "{'value': torch.ones(2), 'grad': True, 'buffer': False}}}}",
    "a gradient too many": "{**OK, 'inputs': [torch.ones(3)] * 5}",
    "a gradient of another shape": "{**OK, 'inputs': [torch.ones(7)]}",
    "an object too large": "{**OK, 'object': 1 << 62, 'graph': 1 << 62}",
}  # fmt: skip

REACHING = """
import sys, torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return x * self.w

def f(x):
    return x * 2

KEYS = ("value", "graph", "object", "state", "found", "names", "kind", "changed", "seed", "inputs",
        "parameters", "missing", "tensors", "lazy", "type", "modules")

def corrupt(x):
    box = next(m for n, m in sys.modules.items() if n.endswith("box.worker"))
    OK = {"value": x, "graph": 1, "object": 1, "state": {"tensors": {}, "lazy": False}, "found": True,
          "inputs": [torch.ones(3)], "parameters": {}, "changed": [], "seed": 1, "modules": []}
    box.Worker.answer = lambda self, request: EVIL
    return x
"""


def _use_everything(student: Any, net: Any, joined: torch.Tensor, x: torch.Tensor) -> list[Callable[[], Any]]:
    return [
        lambda: student.f(x).sum().backward(),
        lambda: student.f(net),
        lambda: net(x).sum().backward(),
        lambda: joined.sum().backward(),
        lambda: student.Net()(x).sum().backward(),
        lambda: net.anything,
        lambda: student.arguments_after_call(),
        lambda: student.initial_seed(),
    ]


_COMPLAINTS = (AttributeError, RuntimeError)


@pytest.mark.parametrize("evil", EVIL.values(), ids=EVIL.keys())
def test_no_answer_of_a_corrupt_process_is_more_than_a_failure_of_the_code(
    student_of: StudentOf, evil: str
) -> None:
    student = student_of(REACHING.replace("EVIL", evil), "f", "Net", "corrupt")
    x = x_of(3).requires_grad_()
    net, joined = student.Net(), student.f(x)
    student.corrupt(x.detach())
    for use in _use_everything(student, net, joined, x):
        # The suite's own complaint about a result that is no tensor with a graph is the same as ever.
        with contextlib.suppress(StudentError, *_COMPLAINTS):
            use()
    student._session.finish_check()
    student._session.retire()


class Line(nn.Module):
    """Lent by the tests below."""

    def __init__(self, slope: float, size: int = 1) -> None:
        super().__init__()
        self.slope = nn.Parameter(torch.full((size,), slope))
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64))
        self.middle = nn.Linear(1, 1, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen += 1
        return x * self.slope


TRAINS = """
import torch

def fit(net, x, *, steps=2, lr=0.25):
    losses = []
    for _ in range(steps):
        loss = (net(x) ** 2).sum()
        net.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                if p.grad is not None:
                    p -= lr * p.grad
        losses.append(loss.item())
    return losses

def mode(nets): return [net.training for net in nets.values()]
def slope(net, x): return x * net.slope + 1, net.slope.dtype
def fails(net):
    net.slope.data += 5
    raise ValueError("no")
def adds(net): net.extra = torch.nn.Parameter(torch.zeros(3))
def keeps(net): net.register_buffer("kept", torch.zeros(3))
def breaks(net): net.slope = torch.nn.Parameter(torch.tensor([2, 3]), requires_grad=False)
"""


@pytest.fixture
def trainer(student_of: StudentOf) -> Any:
    return student_of(TRAINS, "fit", "mode", "slope", "fails", "breaks", "adds", "keeps")


def test_state_of_a_lent_module_goes_along_and_comes_back(trainer: Any) -> None:
    net = trainer.lend(Line)(3.0)
    with torch.no_grad():
        net.slope.fill_(2.0)
    parameter, before = net.slope, net.middle.weight.clone()
    assert trainer.fit(net, torch.tensor([1.0])) == [4.0, 1.0]
    assert net.slope is parameter
    assert (parameter.tolist(), int(net.seen)) == ([0.5], 2)
    assert torch.equal(net.middle.weight, before)
    assert trainer.fit(net, torch.tensor([1.0]), steps=1) == [0.25]


def test_module_in_an_argument_brings_its_mode_dtype_and_graph(trainer: Any) -> None:
    one, other = trainer.lend(Line)(3.0).eval(), trainer.lend(Line)(1.0, size=2)
    assert trainer.mode({"one": one, "other": other}) == [False, True]
    x = torch.ones(1, dtype=torch.float64)
    result, dtype = trainer.slope(one.double(), x)
    assert (result.tolist(), dtype) == ([4.0], torch.float64)
    result.sum().backward()
    assert one.slope.grad.tolist() == [1.0]
    with torch.no_grad():
        assert not trainer.slope(other, torch.ones(2))[0].requires_grad


def test_module_of_the_students_own_can_be_an_argument_too(student_of: StudentOf) -> None:
    student = student_of(NETWORK + TRAINS, "Net", "fit")
    net = student.Net(1, 1)
    student.fit(net, torch.ones(1, 1), steps=3)
    assert int(net.seen) == 3
    assert student.calls[-1].arguments[0] is None


def test_call_remembers_a_lent_module_as_it_was(trainer: Any) -> None:
    trainer.fit(trainer.lend(Line)(2.0), torch.tensor([1.0]))
    kept = trainer.calls[-1].arguments[0]
    assert (type(kept), kept.slope.tolist()) == (Line, [2.0])


def test_after_a_failed_call_a_lent_module_is_what_it_was(trainer: Any) -> None:
    net = trainer.lend(Line)(2.0)
    with pytest.raises(StudentError, match="no"):
        trainer.fails(net)
    assert trainer.slope(net, torch.ones(1))[0].tolist() == [3.0]


def test_module_that_the_code_breaks_stays_an_answer_of_the_code(trainer: Any) -> None:
    net = trainer.lend(Line)(2.0)
    trainer.breaks(net)
    assert net.slope.tolist() == [2, 3]
    assert trainer.slope(net, torch.ones(2))[0].tolist() == [3.0, 4.0]
    assert trainer.calls[-1].arguments[0] is None


@pytest.mark.parametrize("name", ["adds", "keeps"])
def test_lent_module_has_no_other_tensors_than_the_suite_gave_it(trainer: Any, name: str) -> None:
    net = trainer.lend(Line)(2.0)
    before = dict(net.named_parameters())
    with pytest.raises(StudentError, match="further parameters or buffers") as caught:
        getattr(trainer, name)(net)
    assert caught.value.outcome == "bad_return"
    assert dict(net.named_parameters()).keys() == before.keys()


def test_arguments_after_a_call_leave_the_module_out(trainer: Any) -> None:
    trainer.slope(trainer.lend(Line)(2.0), torch.ones(1))
    net, x = trainer.arguments_after_call()
    assert (net, x.tolist()) == (None, [1.0])


def test_module_that_lives_here_has_to_be_lent(trainer: Any) -> None:
    with pytest.raises(TypeError, match=r"student\.lend\(Line\)"):
        trainer.fit(Line(1.0), torch.ones(1))
