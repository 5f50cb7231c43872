"""The pretend accelerator: honest code gets the CPU's values on it, device mistakes are named.

PyTorch takes a device once per process. So a fresh process imports torch, as the template does, and each
test runs its lines in a child forked from it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import grader.sandbox

TEMPLATE = """
import json, os, sys, threading, time
sys.path.insert(0, sys.argv[1])
import torch
BUILTIN_TENSOR = torch.tensor
from torch import nn
import torch.nn.functional as F
from box import pretend
torch.set_num_threads(1)

def on_both(function, *tensors, **options):
    '''Largest difference between CPU and pretend device, of results and gradients; devices are checked.'''
    found = []
    for move, where in ((lambda t: t, "cpu"), (pretend.to_device, pretend.DEVICE)):
        leaves = [t.detach().clone().requires_grad_(t.is_floating_point()) for t in tensors]
        leaves = [move(t) for t in leaves]
        torch.manual_seed(7)
        out = function(*leaves, **options)
        assert str(out.device) == where, out.device
        grads = ()
        if out.requires_grad:
            wanted = [t for t in leaves if t.requires_grad]
            grads = torch.autograd.grad((out * out).sum(), wanted, allow_unused=True)
        grads = [g for g in grads if g is not None]
        assert all(str(g.device) == where for g in grads)
        found.append([pretend.to_cpu(t.detach()) for t in (out, *grads)])
    ours, theirs = found
    assert [(t.dtype, t.shape) for t in ours] == [(t.dtype, t.shape) for t in theirs]
    return max(float((a.double() - b.double()).abs().max()) for a, b in zip(ours, theirs))

def raised(function):
    try:
        function()
    except BaseException as err:
        return {"type": type(err).__name__, "message": str(err), "mixture": pretend.is_device_mixture(err),
                "unsupported": pretend.is_unsupported(err)}
    return None

for line in sys.stdin:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        names = dict(globals())
        try:
            exec(json.loads(line), names)
            answer = {"result": names["result"]}
        except BaseException as err:
            answer = {"error": f"{type(err).__name__}: {err}"}
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    answer = os.read(reader, 1 << 16)
    os.close(reader)
    _, status = os.waitpid(child, 0)
    print(json.dumps({"status": status, **json.loads(answer or b"{}")}), flush=True)
"""

Run = Callable[[str], Any]


@pytest.fixture(scope="module")
def fork() -> Iterator[Run]:
    """Run lines in a child of a process that has imported torch; gives back what they call `result`."""
    sandbox = str(Path(grader.sandbox.__file__).parent)
    command = [sys.executable, "-I", "-c", TEMPLATE, sandbox]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def run(lines: str) -> Any:
            print(json.dumps(textwrap.dedent(lines)), file=process.stdin, flush=True)
            answer = json.loads(process.stdout.readline())
            assert answer["status"] == 0, "the child crashed"
            assert "error" not in answer, answer["error"]
            return answer["result"]

        yield run
        process.stdin.close()


@pytest.fixture(scope="module")
def pretend(fork: Run) -> Run:
    """`fork` with the pretend device set up."""
    reason = fork(
        "result = None\ntry: pretend.set_up()\nexcept pretend.NotAvailable as err: result = str(err)"
    )
    if reason is not None:
        assert "cannot register a device from Python" in reason, reason
        pytest.skip(reason)
    return lambda lines: fork(
        "pretend.prepare()\npretend.set_up()\nD = pretend.DEVICE\n" + textwrap.dedent(lines)
    )


@pytest.mark.parametrize("ahead", ["", "pretend.prepare()"])
def test_no_device_before_it_is_set_up(fork: Run, ahead: str) -> None:
    assert fork(
        f"""
        {ahead}
        result = [torch._C._get_privateuse1_backend_name(), hasattr(torch, "pretend"),
                  type(torch.tensor).__name__, threading.active_count()]
        """
    ) == ["privateuseone", False, "builtin_function_or_method", 1]


def test_set_up_twice_is_fine_and_starts_no_thread(pretend: Run) -> None:
    assert pretend(
        """
        before = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
        pretend.set_up()
        x = torch.ones(3, device=D, requires_grad=True)
        (x * 2).sum().backward()
        after = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
        result = [str(x.grad.device), after - before]
        """
    ) == ["pretend:0", 0]


def test_without_the_hook_it_is_not_available(fork: Run) -> None:
    assert "cannot register a device from Python" in fork(
        """
        from torch.utils import backend_registration
        vars(backend_registration).pop("_setup_privateuseone_for_python_backend", None)
        try: pretend.set_up()
        except pretend.NotAvailable as err: result = str(err)
        """
    )


def test_another_custom_device_makes_it_not_available(fork: Run) -> None:
    assert "`other`" in fork(
        """
        torch.utils.rename_privateuse1_backend("other")
        try: pretend.set_up()
        except pretend.NotAvailable as err: result = str(err)
        """
    )


def test_set_up_and_calls_are_cheap(fork: Run) -> None:
    """Measured in CPU time of the child: other processes on the machine do not count."""
    set_up_ms, calls_ms = fork(
        """
        def call():
            X = pretend.to_device(torch.randn(3, 4, 7, requires_grad=True))
            lens = pretend.to_device(torch.tensor([2, 5, 7]))[:, None, None]
            out = X.masked_fill(torch.arange(7, device=X.device) >= lens, -1e6).softmax(-1)
            torch.autograd.grad((out ** 2).sum(), X)
            return pretend.to_cpu(out)
        start = time.process_time()
        try: pretend.set_up()
        except pretend.NotAvailable: result = [0, 0]
        else:
            ready = time.process_time()
            for _ in range(30): call()
            result = [(ready - start) * 1e3, (time.process_time() - ready) * 1e3]
        """
    )
    assert set_up_ms < 40, "6 ms when this was written"
    assert calls_ms < 80, "12 ms when this was written"


FACTORIES = (
    "torch.arange(5, device=X.device)",
    "torch.arange(1, 5, 2, device=X.device)",
    "torch.zeros(2, 3, device=X.device)",
    "torch.ones((2, 3), device=X.device, dtype=torch.float64)",
    "torch.full((2, 3), 4.5, device=X.device)",
    "torch.full((), 4.5, device=X.device)",
    "torch.eye(3, device=X.device)",
    "torch.linspace(0, 1, 5, device=X.device)",
    "torch.logspace(0, 1, 5, device=X.device)",
    "torch.rand(2, 3, device=X.device)",
    "torch.randn(2, 3, device=X.device)",
    "torch.randint(0, 9, (4,), device=X.device)",
    "torch.randperm(6, device=X.device)",
    "torch.tril_indices(3, 3, device=X.device)",
    "torch.scalar_tensor(3.0, device=X.device)",
    "torch.tensor([[1, 2], [3, 4]], device=X.device)",
    "torch.tensor(2.5, device=X.device, requires_grad=True)",
    "torch.tensor(X)",
    "torch.as_tensor([1.0, 2.0], device=X.device)",
    "torch.as_tensor([1, 2], dtype=torch.int32, device=X.device)",
    "torch.asarray([1, 2], device=X.device)",
    "torch.from_numpy(numpy.arange(3.0)).to(X.device)",
    "torch.tensor(numpy.arange(3.0), device=X.device)",
    "torch.tensor([X[0, 0], X[0, 1]], device=X.device)",
    "torch.tensor([[len(X), X[0, 0]], [1, 2]], device=X.device)",
    "torch.zeros(1).new_tensor([1, 2], device=X.device)",
    "X.new_tensor([X[0, 0], 2])",
    "BUILTIN_TENSOR([1.0, 2.0], device=X.device)",
    "torch.zeros_like(X)",
    "torch.rand_like(X)",
    "torch.full_like(X, 2)",
    "X.new_zeros(2, 3)",
    "X.new_ones((2, 3))",
    "X.new_full((2,), 7.0)",
    "X.new_tensor([1.0, 2.0])",
    "X.new_empty(2, 3).fill_(1)",
    "torch.zeros(2, 3).to(X)",
    "torch.zeros(2, 3).to(X.device, torch.float64)",
    "torch.zeros(2, 3).type_as(X)",
    "torch.ones(1000, 6).to(X.device)[None]",
)


@pytest.mark.parametrize("code", FACTORIES)
def test_factories_make_the_same_tensor_there(pretend: Run, code: str) -> None:
    assert (
        pretend(
            f"""
            import numpy, warnings
            warnings.simplefilter("ignore")  # torch.tensor(X) warns, there as here
            result = on_both(lambda X: {code}, torch.randn(2, 3))
            """
        )
        == 0
    )


OPERATIONS = (
    "torch.bmm(X, Y.transpose(1, 2))",
    "torch.baddbmm(X @ Y.mT, X, Y.mT, beta=0.5)",
    "X.matmul(Y.transpose(-2, -1)) / math.sqrt(X.shape[-1])",
    "torch.einsum('bqd,bkd->bqk', X, Y)",
    "(X[:, :, None] + Y[:, None]).tanh().sum(-1)",
    "F.softmax(X, -1)",
    "torch.logsumexp(X, -1)",
    "X.masked_fill(torch.arange(6, device=X.device) >= n[:, None, None], -1e6).softmax(-1)",
    "torch.where(torch.arange(6, device=X.device) < n[:, None, None], X, torch.tensor(-1e6))",
    "X.masked_fill(X > 0, float('-inf')).exp()",
    "X.masked_fill(X > 0, torch.finfo(X.dtype).min).exp()",
    "F.scaled_dot_product_attention(X, Y, Y)",
    "F.scaled_dot_product_attention(X, Y, Y, attn_mask=torch.arange(7, device=X.device) < n[:, None, None])",
    "F.scaled_dot_product_attention(X, Y, Y, attn_mask=X @ Y.mT, dropout_p=0.3)",
    "F.scaled_dot_product_attention(X, X, X, is_causal=True)",
    "F.dropout(X, 0.4)",
    "nn.Dropout(0.4)(X)",
    "torch.repeat_interleave(n, 4)",
    "torch.repeat_interleave(n, n)",
    "n.repeat_interleave(X.shape[1]).reshape(3, 4)",
    "X.repeat(1, 2, 1)",
    "torch.tile(X, (1, 2, 1))",
    "X[:, None].expand(-1, 5, -1, -1).reshape(-1, 6)",
    "torch.stack([X, X * 2]).sum(0)",
    "torch.cat([X, Y], 1)",
    "torch.stack([row.softmax(-1) for row in X])",
    "torch.stack([X[i, :int(k)].sum() for i, k in enumerate(n)])",
    "torch.stack([X[i].mean() for i in range(int(n[0]))])",
    "torch.cat([X[0, 0, :3], X.new_zeros(4)])",
    "F.one_hot(n, 8).cumsum(-1).bool()",
    "X.tril() + X.triu(1)",
    "X.cumsum(-1)",
    "X.sort(-1, descending=True).values",
    "X.topk(3).values + X.argmax(-1, keepdim=True)",
    "X.unbind(1)[2] + X.split(2, 1)[1][:, 0]",
    "torch.stack(X.chunk(2, -1), -1)",
    "X[X > 0]",
    "X[:, [2, 0]]",
    "X[torch.tensor([0, 2], device=X.device)]",
    "X[torch.tensor([0, 2])]",
    "X[..., 0::2] - X[..., 1::2]",
    "X.gather(-1, X.argsort(-1))",
    "torch.polar(X.abs(), Y[:, :4]).real",
    "torch.polar(X.abs(), Y[:, :4]).conj().imag",
    "torch.exp(1j * X).imag",
    "torch.view_as_real(torch.exp(1j * X).conj().resolve_conj())",
    "torch.linalg.pinv(torch.complex(X, X + 1)).imag",
    "torch.fft.hfft(X)",
    "torch.cdist(X, Y)",
    "F.linear(X, Y[0]) + F.layer_norm(X, (6,)) .sum()",
    "X.double() * 2",
    "X.type(torch.bool)",
    "X * torch.tensor(3.0) + 1 + True",
    "torch.masked.softmax(X, -1, mask=X > X.mean(-1, keepdim=True)).nan_to_num()",
    "X if X.is_cuda or X.device.type == 'cuda' else X + 1",
    "torch.nan_to_num(X / 0)",
    "torch.linalg.norm(X, dim=-1)",
    "torch.func.vmap(lambda row: row.softmax(-1))(X)",
    "torch.utils.checkpoint.checkpoint(lambda t: t.exp(), X, use_reentrant=False)",
    "(X * 2).unsqueeze_(0).squeeze_(0).transpose_(0, 1)",
    "torch.add(X.detach(), 1, out=torch.empty(0, device=X.device))",
    "X[0, 0, 0] * len(X) * X.ndim * float(X[0, 0, 1]) * X.size(1) * bool(X[0, 0, 0] == X[0, 0, 0])",
)


@pytest.mark.parametrize("code", OPERATIONS)
def test_operations_give_the_values_and_gradients_of_the_cpu(pretend: Run, code: str) -> None:
    difference = pretend(
        f"""
        import math, torch.masked, torch.utils.checkpoint
        torch.manual_seed(1)
        X, Y, n = torch.randn(3, 4, 6), torch.randn(3, 7, 6), torch.tensor([2, 5, 6])
        result = on_both(lambda X, Y, n: {code}, X, Y, n)
        result = None if result != result else result
        """
    )
    assert difference == 0


WRITES = (
    "B = X * 1; B[1, :2] = 5",
    "B = X * 1; B[B > 0] = 0",
    "B = X * 1; B[torch.arange(2, device=X.device), 1] = -1",
    "B = X * 1; B[:, [0, 2]] = 3",
    "B = X * 1; B[1].mul_(3)",
    "B = X * 1; B.view(-1)[2:5].zero_()",
    "B = X * 1; B.transpose(0, 1)[0].add_(1)",
    "B = X * 1; B.masked_fill_(B < 0, -1e6)",
    "B = X * 1; B.index_put_((torch.tensor([0, 1], device=X.device),), X[1])",
    "B = X * 1; B[0] = torch.zeros(3)",  # a slice is a copy, and copies cross devices
    "B = torch.zeros(2, 3, device=X.device); B[:, 0::2] = X[:, 0::2]; B[:, 1::2] = torch.sin(X[:, 1::2])",
    "B = torch.zeros(2, 3, device=X.device); torch.exp(X.detach(), out=B)",
    "B = X.clone(); V = B[1]; B.mul_(2); B = B + V",
    "B = X.detach().clone(); B.data = B.data * 2; B = B.view(3, 2)",
    "B = X.detach().clone().T; B.data[0] = 4",
    "B = X * 1; B += 1; B *= X; B[0] -= 2",
    "B = torch.empty(0, device=X.device).resize_(2, 3).copy_(X.detach())",
)


@pytest.mark.parametrize("code", WRITES)
def test_writes_reach_the_base_and_its_views(pretend: Run, code: str) -> None:
    assert (
        pretend(
            f"""
            def write(X):
                {code}
                return B
            result = on_both(write, torch.randn(2, 3))
            """
        )
        == 0
    )


def test_python_values_come_out(pretend: Run) -> None:
    assert pretend(
        """
        x = pretend.to_device(torch.tensor([[1.5, 2.0]], requires_grad=True))
        n = pretend.to_device(torch.tensor([2, 3], dtype=torch.int32))
        result = [x.tolist(), x[0, 0].item(), [int(k) for k in n], list(range(int(n[1]))), bool(n[0] == 2),
                  f"{x[0, 1]:.2f}", repr(x), repr(nn.Parameter(x)), 2 in n, len(n), x.get_device(),
                  [x.is_cuda, x.is_cpu, x.device.type], isinstance(x, torch.Tensor), x.data_ptr() != 0]
        """
    ) == [
        [[1.5, 2.0]],
        1.5,
        [2, 3],
        [0, 1, 2],
        True,
        "2.00",
        "tensor([[1.5000, 2.0000]], device='pretend:0', requires_grad=True)",
        "Parameter containing:\ntensor([[1.5000, 2.0000]], device='pretend:0', requires_grad=True)",
        True,
        2,
        0,
        [False, False, "pretend"],
        True,
        True,
    ]


def test_modules_move_train_and_copy(pretend: Run) -> None:
    """Parameters stay parameters, optimisers step, state dicts and deep copies work, and values agree."""
    difference, names, devices, copies = pretend(
        """
        import copy
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = nn.Linear(6, 4, bias=False), nn.Linear(4, 1)
                self.w = nn.Parameter(torch.ones(1))
                self.register_buffer("P", torch.arange(6.0))
            def forward(self, X):
                return self.last(torch.tanh(self.first(X + self.P))) * self.w
        torch.manual_seed(0)
        here = Net()
        there = copy.deepcopy(here).to(D)
        X = torch.randn(5, 6)
        for net, x in ((here, X), (there, pretend.to_device(X))):
            for optimiser in (torch.optim.SGD, torch.optim.Adam):
                step = optimiser(net.parameters(), 0.01)
                for _ in range(3):
                    step.zero_grad()
                    (net(x) ** 2).sum().backward()
                    step.step()
        difference = max(float((a - pretend.to_cpu(b)).abs().max())
                         for a, b in zip(here.state_dict().values(), there.state_dict().values()))
        twin = copy.deepcopy(there)
        twin.load_state_dict(here.state_dict())
        twin.double()
        twin.w.data = torch.full((1,), 2.0, device=D, dtype=torch.float64)
        called = torch.func.functional_call(there, {"w": torch.zeros(1, device=D)}, (pretend.to_device(X),))
        result = [difference, [n for n, p in there.named_parameters()],
                  sorted({str(t.device) for t in there.state_dict().values()}),
                  [str(twin.w.dtype), float(twin.w), isinstance(twin.w, nn.Parameter),
                   float(called.detach().sum()), type(there.cpu().w).__name__, str(there.w.device)]]
        """
    )
    assert difference < 1e-6
    assert names == ["w", "first.weight", "last.weight", "last.bias"]
    assert devices == ["pretend:0"]
    assert copies == ["torch.float64", 2.0, True, 0.0, "Parameter", "cpu"]


@pytest.mark.parametrize("made", ["nn.LazyLinear(4).to(D)", "nn.LazyLinear(4, device=D)"])
def test_lazy_layers_get_their_parameters_there(pretend: Run, made: str) -> None:
    assert pretend(
        f"""
        import copy
        layer = copy.deepcopy({made})
        declared = str(layer.weight.device)
        layer(torch.randn(2, 3, device=D)).sum().backward()
        result = [declared, list(layer.weight.shape), str(layer.weight.device), str(layer.weight.grad.device),
                  [n for n, _ in layer.named_parameters()], type(layer).__name__]
        """
    ) == ["pretend:0", [4, 3], "pretend:0", "pretend:0", ["weight", "bias"], "Linear"]


def test_default_device_and_seed_work_as_usual(pretend: Run) -> None:
    assert pretend(
        """
        with torch.device(D):
            made = (torch.tensor([1]), torch.zeros(1), nn.Linear(1, 1).weight)
        inside = [str(t.device) for t in made]
        torch.set_default_device(D)
        default = [str(torch.tensor([1]).device), str(torch.get_default_device())]
        torch.set_default_device(None)
        torch.manual_seed(3); a = torch.rand(2)
        torch.manual_seed(3); b = torch.rand(2, device=D)
        result = [*inside, *default, str(torch.tensor([1]).device), torch.equal(a, b.cpu())]
        """
    ) == ["pretend:0", "pretend:0", "pretend:0", "pretend:0", "pretend:0", "cpu", True]


MIXTURES = (
    "X + torch.ones(3)",
    "torch.ones(2, 3) * X",
    "X.masked_fill(torch.arange(3) > 1, 0)",
    "torch.where(torch.arange(3) > 1, X, 0.0)",
    "torch.bmm(X[None], torch.ones(1, 3, 2))",
    "nn.Linear(3, 2)(X)",
    "torch.cat([X, torch.ones(1, 3)])",
    "torch.stack([X[0, 0], torch.tensor(1.0)])",
    "torch.ones(2, 3)[X > 0]",
    "torch.ones(2, 3).index_put_((torch.tensor([0]), torch.tensor([1])), X[0, :1])",
    "torch.ones(2, 3).add_(X)",
    "torch.zeros(()).add_(X[0, 0])",
    "X.index_put_((torch.tensor([0], device=D),), torch.ones(3))",
    "F.embedding(torch.tensor([0]), X)",
    "F.scaled_dot_product_attention(X, X, torch.ones(2, 3))",
    "torch.rand(3, device=D, generator=torch.Generator())",
    "torch.equal(X, torch.ones(2, 3))",
)


@pytest.mark.parametrize("code", MIXTURES)
def test_mixtures_with_the_cpu_are_refused_and_recognised(pretend: Run, code: str) -> None:
    found = pretend(f"X = torch.randn(2, 3, device=D)\nresult = raised(lambda: {code})")
    assert found is not None, "no error"
    assert found["mixture"], found
    assert not found["unsupported"]
    assert "pretend" in found["mixture"]
    assert "cpu" in found["mixture"]


def test_a_mixture_is_worded_as_pytorch_words_it(pretend: Run) -> None:
    found = pretend("result = raised(lambda: torch.ones(2, device=D) + torch.ones(2))")
    assert found["message"] == (
        "Expected all tensors to be on the same device, but found at least two devices, pretend:0 and cpu! "
        "(when checking argument for argument other in aten::add)"
    )


@pytest.mark.parametrize("code", ["x.numpy()", "numpy.asarray(x)", "numpy.array(x)"])
def test_numpy_is_refused_as_on_a_real_accelerator(pretend: Run, code: str) -> None:
    found = pretend(f"import numpy\nx = torch.ones(2, device=D)\nresult = raised(lambda: {code})")
    assert found["type"] == "TypeError"
    assert found["message"] == (
        "can't convert pretend:0 device type tensor to numpy. "
        "Use Tensor.cpu() to copy the tensor to host memory first."
    )
    assert found["mixture"]
    assert not found["unsupported"]


UNSUPPORTED = (
    "x.to_sparse()",
    "x.untyped_storage()",
    "x.pin_memory()",
    "x.apply_(lambda v: v)",
    "x.map_(x, lambda a, b: a)",
    "x.new(2)",
    "x.share_memory_()",
    "x.__dlpack__()",
    "torch.utils.dlpack.from_dlpack(x)",
    "pickle.dumps(x)",
    "torch.save(x, io.BytesIO())",
    "copy.copy(x)",
    "x.set_(torch.ones(2, device=D))",
    "torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)",
    "torch.Generator(device=D)",
    "setattr(x, 'data', torch.ones(2))",
    "setattr(torch.ones(2), 'data', x)",
    "torch.nested.nested_tensor([x, x])",
    "type(x)([1.0])",
    "BUILTIN_TENSOR([x[0], x[1]])",
    "x.register_post_accumulate_grad_hook(print)",
    "torch.accelerator.synchronize()",
)


@pytest.mark.parametrize("code", UNSUPPORTED)
def test_gaps_are_recognised(fork: Run, pretend: Run, code: str) -> None:
    found = fork(
        f"""
        import copy, io, pickle, warnings
        warnings.simplefilter("ignore")
        pretend.set_up()
        D = pretend.DEVICE
        x = torch.ones(2, device=D, requires_grad=False)
        result = raised(lambda: {code})
        """
    )
    assert found is not None, "it works: move it to the operations above"
    assert found["unsupported"], found
    assert not found["mixture"]


def test_a_gap_is_recognised_behind_the_student_s_own_error(pretend: Run) -> None:
    found = pretend(
        """
        def clumsy():
            try:
                torch.ones(2, device=D).to_sparse()
            except Exception:
                raise ValueError("please give me a better tensor")
        result = raised(clumsy)
        """
    )
    assert found["type"] == "ValueError"
    assert found["unsupported"]


def test_the_student_s_own_errors_are_neither(pretend: Run) -> None:
    found = pretend("result = raised(lambda: torch.ones(2, 3, device=D) @ torch.ones(2, 3, device=D))")
    assert found["type"] == "RuntimeError"
    assert not found["unsupported"]
    assert not found["mixture"]


def test_a_hostile_exception_runs_no_code_when_it_is_judged(fork: Run) -> None:
    assert fork(
        """
        class Hostile(Exception):
            def __str__(self): raise SystemExit
            @property
            def args(self): raise SystemExit
            @property
            def __cause__(self): raise SystemExit
        result = [pretend.is_unsupported(Hostile("x")), pretend.is_device_mixture(Hostile("x"))]
        """
    ) == [False, None]


@pytest.mark.parametrize(
    "body",
    [
        "x.register_hook(lambda g: 1 / 0); y = x * 2",
        "y = x * 2; y.register_hook(lambda g: g.view(17))",
        "y = x * 2; y.register_hook(lambda g: g + torch.ones(3))",
        "y = Doubled.apply(x)",
        "y = x * 2; z = y.exp(); z.mul_(2); y = z",
    ],
)
def test_errors_in_a_backward_pass_end_no_process(pretend: Run, body: str) -> None:
    """They do where a device registered from Python meets a Python error in PyTorch's engine."""
    ours, theirs, after = pretend(
        f"""
        class Doubled(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): return x * 2
            @staticmethod
            def backward(ctx, g): raise KeyError("no")
        def attempt(device):
            x = torch.ones(3, device=device, requires_grad=True)
            {body}
            y.sum().backward()
        ours, theirs = raised(lambda: attempt(D)), raised(lambda: attempt("cpu"))
        x = torch.ones(3, device=D, requires_grad=True)
        (x * x).sum().backward()
        result = [ours, theirs, x.grad.tolist()]
        """
    )
    assert ours is not None
    assert after == [2.0, 2.0, 2.0]
    if theirs is None:
        assert ours["mixture"]
    else:
        assert (ours["type"], ours["message"][:40]) == (theirs["type"], theirs["message"][:40])


def test_hooks_change_gradients(pretend: Run) -> None:
    assert pretend(
        """
        x = torch.ones(3, device=D, requires_grad=True)
        seen = []
        x.register_hook(lambda g: g * 5)
        x.register_hook(lambda g: seen.append(str(g.device)))
        (x * 2).sum().backward()
        result = [x.grad.tolist(), seen]
        """
    ) == [[10.0, 10.0, 10.0], ["pretend:0"]]


def test_moving_keeps_leaves_and_breaks_aliasing(pretend: Run) -> None:
    assert pretend(
        """
        x = torch.ones(3, requires_grad=True)
        there = pretend.to_device(x)
        there.data[0] = 9
        back = pretend.to_cpu(there)
        there.data[1] = 9
        result = [pretend.is_ours(there), pretend.is_ours(back), there.is_leaf, there.requires_grad,
                  x.tolist(), back.tolist(), type(back).__name__, str(back.device), back.requires_grad,
                  pretend.to_cpu(x) is x, pretend.to_device(there) is there]
        """
    ) == [True, False, True, True, [1, 1, 1], [9, 1, 1], "Tensor", "cpu", False, True, True]


def test_wrong_device_of_a_result_can_be_seen(pretend: Run) -> None:
    assert pretend(
        """
        x = torch.ones(3, device=D)
        made = (x.cpu(), x.to("cpu"), torch.zeros_like(x, device="cpu"), x.new_zeros(2),
                x.new_zeros(2, device="cpu"), torch.tensor(x.tolist()), torch.tensor([x[0], x[1]]),
                x.to("meta"))
        result = [str(t.device) for t in made]
        """
    ) == ["cpu", "cpu", "cpu", "pretend:0", "cpu", "cpu", "cpu", "meta"]


def test_real_accelerators_wording_is_recognised_too(fork: Run) -> None:
    messages = (
        "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
        "Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors "
        "on cuda:0 (when checking argument in method wrapper_CUDA_addmm)",
        "indices should be either on cpu or on the same device as the indexed tensor (cpu)",
        "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor.",
        "Expected a 'cuda' device type for generator but found 'cpu'",
        "Tensor on device cpu is not on the expected device meta!",
        "Placeholder storage has not been allocated on MPS device!",
    )
    found = fork(f"result = [pretend.is_device_mixture(RuntimeError(m)) for m in {messages!r}]")
    assert found == list(messages)
