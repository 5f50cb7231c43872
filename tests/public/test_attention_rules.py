"""Visible checks of two more attention rules: examples for pencil and paper, and a few properties."""

import math

import pytest
import torch
from torch import nn

from grader.suite import check_form, parts_of, share_weights

TOLERANCES = {torch.float32: 1e-5}


def two_of(result):
    """The two tensors that a rule returns."""
    return parts_of(result, "output", "attn_weights")


def with_simple_weights(student):
    """A module in which two hidden units are tanh(q1 + k1), q1 and k1 being first numbers, and two are 0."""
    layers = nn.ModuleDict({"attn": nn.Linear(2 + 3, 4)})
    with torch.no_grad():
        layers["attn"].weight.zero_()[:2, (0, 2)] = 1.0
        layers["attn"].bias.zero_()
    net = student.TanhSumAttn(2, 3, 4)
    share_weights(net, layers, *example())
    return net.eval()


def example():
    """Every score is twice tanh(q1 + k1): 0 and log 3 for the first query."""
    first, second = math.atanh(math.log(3) / 2), math.atanh(math.log(2) / 2)
    Q = torch.tensor([[[1.0, 7.0], [1.0 - first + second, 7.0]]])
    K = torch.tensor([[[-1.0, 5.0, 5.0], [first - 1.0, 5.0, 5.0]]])
    return Q, K, torch.tensor([[[4.0, 10.0], [8.0, 50.0]]])


@pytest.mark.points(1.5)
@pytest.mark.hint("The scores of the first query are 0 and log 3, so its weights are 1/4 and 3/4.")
def test_tanh_example(student, assert_close):
    """The tanh rule: a small example with two queries and two keys."""
    output, attn_weights = two_of(with_simple_weights(student)(*example()))
    # The scores of the second query are 2 tanh(second - first) and log 2.
    other = 2 * math.tanh(math.atanh(math.log(2) / 2) - math.atanh(math.log(3) / 2))
    share = 2 / (2 + math.exp(other))
    weights = torch.tensor([[[0.25, 0.75], [1 - share, share]]])
    assert_close(attn_weights, weights, name="`attn_weights`")
    pooled = torch.tensor([[[7.0, 40.0], [4 + 4 * share, 10 + 40 * share]]])
    assert_close(output, pooled, name="the output")


@pytest.mark.points(1.5)
@pytest.mark.hint("d = 4, so the dot products are halved: scores 0 and log 3, weights 1/4 and 3/4.")
def test_dot_example(student, assert_close):
    """The scaled dot rule: a small example with two queries and two keys."""
    three, two = 2 * math.log(3), 2 * math.log(2)
    Q = torch.tensor([[[three, 0.0, 0.0, 0.0], [0.0, two, 0.0, 0.0]]])
    K = torch.tensor([[[0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]])
    output, attn_weights = two_of(student.scaled_dot_attn(Q, K, torch.tensor([[[4.0, 0.0], [8.0, 40.0]]])))
    assert_close(attn_weights, torch.tensor([[[0.25, 0.75], [0.5, 0.5]]]), name="`attn_weights`")
    assert_close(output, torch.tensor([[[7.0, 30.0], [6.0, 20.0]]]), name="the output")


@pytest.mark.points(1)
@pytest.mark.hint("Three axes throughout: weights (batch, queries, keys), output (batch, queries, v).")
def test_tanh_shapes(student, assert_close):
    """The tanh rule: shapes, and rows of weights that sum to 1."""
    check_shapes(student.TanhSumAttn(3, 2, 7).eval(), 3, 2, assert_close)


@pytest.mark.points(1)
@pytest.mark.hint("Three axes throughout: weights (batch, queries, keys), output (batch, queries, v).")
def test_dot_shapes(student, assert_close):
    """The scaled dot rule: shapes, and rows of weights that sum to 1."""
    check_shapes(student.scaled_dot_attn, 3, 3, assert_close)


def check_shapes(rule, query_size, key_size, assert_close):
    Q = torch.arange(2.0 * 5 * query_size).reshape(2, 5, query_size) / 20
    K = torch.arange(2.0 * 4 * key_size).reshape(2, 4, key_size) / 20
    output, attn_weights = two_of(rule(Q, K, torch.ones(2, 4, 6)))
    weights = check_form(attn_weights, (2, 5, 4), torch.float32, name="`attn_weights`").detach()
    sums = weights.sum(dim=-1)
    assert_close(sums, torch.ones(2, 5), name="the sum of every row of `attn_weights`")
    assert_close(output, torch.ones(2, 5, 6), name="the average of values that are all 1")
