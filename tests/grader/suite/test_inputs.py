"""Inputs, weights and dropout: what checks are made of."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from grader.suite import CheckFailed, check_dropped, check_untouched, share_weights
from grader.suite.inputs import Inputs
from grader.suite.reference import in_float64


def test_same_seed_and_name_give_the_same_draws() -> None:
    def draw(seed: int, name: str) -> list[Any]:
        inputs = Inputs(seed, name)
        return [
            inputs.randn(2).tolist(), inputs.uniform(3, low=1, high=2).tolist(), inputs.permutation(9),
            inputs.integer(0, 1000), inputs.lengths(3, keys=7).tolist(),
        ]  # fmt: skip

    assert draw(1, "a") == draw(1, "a")
    assert draw(1, "a") != draw(2, "a")
    assert draw(1, "a") != draw(1, "b")


def test_draws_do_not_touch_the_global_generator() -> None:
    before = torch.get_rng_state()
    Inputs(1, "a").randn(100)
    assert torch.equal(torch.get_rng_state(), before)


def test_float64_draws_fit_float32_exactly() -> None:
    drawn = Inputs(1, "a").randn(50, scale=2, dtype=torch.float64)
    assert torch.equal(drawn.float().double(), drawn)


@pytest.mark.parametrize("shape", [(3,), (3, 4), (1,), (2,), (5, 5)])
@pytest.mark.parametrize("keys", [1, 2, 7])
def test_lengths_differ_and_contain_both_ends(shape: tuple[int, ...], keys: int) -> None:
    for seed in range(20):
        lengths = Inputs(seed, "a").lengths(*shape, keys=keys, dtype=torch.int32)
        assert (lengths.shape, lengths.dtype) == (shape, torch.int32)
        found = lengths.flatten().tolist()
        assert all(1 <= length <= keys for length in found)
        if len(found) > 1:
            assert {1, keys} <= set(found)
        if 3 <= len(found) <= keys:
            assert len(set(found)) == len(found)


class Pair(nn.Module):
    """Two layers whose names and order are the caller's."""

    def __init__(self, **layers: nn.Module) -> None:
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x


def reference_pair() -> Pair:
    return Pair(W_q=nn.Linear(3, 4, bias=False), w_v=nn.Linear(4, 1, bias=False)).double()


def test_weights_are_matched_by_name() -> None:
    ours, theirs = reference_pair(), Pair(w_v=nn.Linear(4, 1), W_q=nn.Linear(3, 4, bias=False))
    assert share_weights(theirs, ours) == {"W_q.weight": "W_q.weight", "w_v.weight": "w_v.weight"}
    assert torch.equal(theirs.W_q.weight.double(), ours.W_q.weight.float().double())  # type: ignore[union-attr, operator]
    assert theirs.w_v.bias.item() == 0  # type: ignore[union-attr, operator]


def test_weights_are_matched_by_shape_where_names_differ() -> None:
    class Odd(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.transposed = nn.Parameter(torch.zeros(3, 4))
            self.flat = nn.Parameter(torch.zeros(4))

    ours, theirs = reference_pair(), Odd()
    assert share_weights(theirs, ours) == {"W_q.weight": "transposed", "w_v.weight": "flat"}
    weights = dict(ours.named_parameters())
    assert torch.equal(theirs.transposed, weights["W_q.weight"].t().float())
    assert torch.equal(theirs.flat, weights["w_v.weight"][0].float())


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        (Pair(), "has no parameter for `W_q.weight` (4, 3), `w_v.weight` (1, 4); its parameters are: none."),
        (Pair(a=nn.Linear(3, 4, bias=False), b=nn.Linear(3, 4, bias=False)), "`W_q.weight` (4, 3)"),
        (Pair(W_q=nn.Linear(5, 4, bias=False), w_v=nn.Linear(4, 1, bias=False)), "`W_q.weight` (4, 3); its"),
    ],
    ids=["none", "two of one shape", "another size"],
)
def test_weights_without_counterpart_fail(theirs: Pair, words: str) -> None:
    with pytest.raises(CheckFailed) as caught:
        share_weights(theirs, reference_pair())
    assert words in caught.value.message
    assert caught.value.hint


def full() -> torch.Tensor:
    return torch.rand(20, 50, generator=torch.Generator().manual_seed(1)) + 0.5


def test_dropout_of_torch_is_recognised_as_right() -> None:
    for seed in range(20):
        torch.manual_seed(seed)
        for rate in (0.2, 0.5, 0.7):
            check_dropped(nn.functional.dropout(full(), rate), full(), rate, name="the weights")


@pytest.mark.parametrize(
    ("dropped", "words"),
    [
        (lambda x: x, "are complete; about 50 % of them should be dropped"),
        (lambda x: nn.functional.dropout(x, 0.5) / 2, "are all times 1;"),
        (lambda x: nn.functional.dropout(x, 0.1), "are all times 1.11;"),
        (lambda x: nn.functional.dropout(nn.functional.dropout(x, 0.5), 0.5), "are all times 4;"),
        (lambda x: nn.functional.dropout(x, 0.5) ** 2, "are changed in other ways;"),
        (lambda x: x * 2 * (torch.arange(50) % 2), "are dropped together along axis 0"),
        (lambda x: 2 * x * (torch.rand(20, 50) < 0.2), "80 % of the weights are dropped"),
        (torch.zeros_like, "the weights"),
    ],
)
def test_other_dropout_is_told_apart(dropped: Any, words: str) -> None:
    torch.manual_seed(0)
    with pytest.raises(CheckFailed) as caught:
        check_dropped(dropped(full()), full(), 0.5, name="the weights")
    assert words in caught.value.message


def test_changed_argument_is_named(student_of: Any) -> None:
    student = student_of("def f(a, b, c=None):\n    b += 1\n    return a", "f")
    a, b = torch.ones(2), torch.zeros(2)
    student.f(a, b)
    check_untouched(student, queries=a)
    with pytest.raises(CheckFailed, match="The call changed its argument `keys`"):
        check_untouched(student, queries=a, keys=b)


def test_reference_computes_in_float64_on_copies() -> None:
    def writes(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        x += torch.arange(1.0, 3.0)
        n += 1
        return x * 0.1

    x, n = torch.ones(2, requires_grad=True), torch.ones(2, dtype=torch.int64)
    out = in_float64(writes)(x, n)
    assert (out.dtype, x.tolist(), n.tolist()) == (torch.float64, [1, 1], [1, 1])
    out.sum().backward()
    assert x.grad is not None
    assert torch.get_default_dtype() == torch.float32


def test_reference_module_holds_weights_that_float32_can_hold() -> None:
    layer = in_float64(nn.Linear)(3, 2)
    assert layer.weight.dtype == torch.float64
    assert torch.equal(layer.weight.float().double(), layer.weight)
    assert layer(torch.ones(1, 3)).dtype == torch.float64
