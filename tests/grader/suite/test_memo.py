"""What the references computed is shared between judges, and never changes what a check sees."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from grader.suite import memo as memo_module
from grader.suite.memo import Memo
from grader.suite.reference import in_float64


class Weighted(nn.Module):
    """Counts its calls, keeps its weights as the attention classes do."""

    calls = 0

    def __init__(self, size: int) -> None:
        super().__init__()
        self.layer = nn.Linear(size, 1, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        type(self).calls += 1
        self.attention_weights = self.layer(x).softmax(0)
        return self.attention_weights * x


def build(memo: Memo, seed: int = 0) -> nn.Module:
    torch.manual_seed(seed)
    module: nn.Module = in_float64(Weighted, memo)(3)
    return module.eval()


def travelled(memo: Memo) -> Memo:
    """The memo of a later judge, which got it through the host."""
    later = Memo()
    later.learn(memo.pack())
    return later


def test_later_judge_computes_nothing_that_is_known() -> None:
    first, x = Memo(), torch.ones(2, 3)
    module = build(first)
    result, weights = module(x), module.attention_weights
    Weighted.calls = 0
    again = build(travelled(first))
    assert torch.equal(again(x), result)
    assert torch.equal(again.attention_weights, weights)
    assert Weighted.calls == 0


def test_other_inputs_weights_mode_or_symbol_are_computed_anew() -> None:
    memo, x = Memo(), torch.ones(2, 3)
    build(memo)(x)
    later = travelled(memo)
    Weighted.calls = 0
    build(later)(x + 1)
    build(later, seed=1)(x)
    build(later).train()(x)
    in_float64(lambda value: value + 1, later)(x)
    assert Weighted.calls == 3


def test_arguments_that_read_alike_side_by_side_are_not_mistaken_for_each_other() -> None:
    function = in_float64(lambda *numbers, **named: [sum(numbers), dict(named)], Memo())
    assert function(1, 23)[0] == 24
    assert function(12, 3)[0] == 15
    assert function(1, 2, 3)[0] == 6
    assert function(a=1, b=2)[1] == {"a": 1, "b": 2}
    assert function(a="1b2")[1] == {"a": "1b2"}


def test_module_that_a_function_trains_is_the_callers_own_each_time() -> None:
    def halve(module: nn.Linear, x: torch.Tensor) -> torch.Tensor:
        result = module(x).detach()
        module.weight.data /= 2
        return result

    function, x = in_float64(halve, Memo()), torch.ones(1, 1)
    module = nn.Linear(1, 1, bias=False).double()
    nn.init.constant_(module.weight, 8.0)
    assert [float(function(module, x)) for _ in range(3)] == [8.0, 4.0, 2.0]
    assert float(module.weight.detach()) == 1.0


def test_what_needs_a_gradient_gets_a_graph() -> None:
    memo, x = Memo(), torch.ones(2, 3)
    module = build(memo)
    module(x)
    leaf = x.clone().requires_grad_()
    module(leaf).sum().backward()
    assert leaf.grad is not None
    assert module.layer.weight.grad is not None


def test_check_that_writes_into_a_result_changes_nothing_for_others() -> None:
    memo, x = Memo(), torch.ones(2, 3)
    module = build(memo)
    kept = module(x).clone()
    module(x).zero_()
    module.attention_weights.zero_()
    assert torch.equal(module(x), kept)
    assert module.attention_weights.sum() > 0


def test_result_that_cannot_travel_is_left_out() -> None:
    memo = Memo()
    assert in_float64(lambda value: object(), memo)(1) is not None
    assert memo.pack() == []


def test_memory_of_a_run_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo_module, "MAX_KNOWN_BYTES", 100)
    later, double = Memo(), lambda x: 2 * x
    for number in range(20):
        judge = Memo()
        in_float64(double, judge)(torch.full((4,), float(number)))
        later.learn(judge.pack())
    assert 3 <= len(later.known) <= 5
