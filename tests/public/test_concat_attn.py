"""Visible checks of attention by concatenation: an example for pencil and paper, and a few properties."""

import math

import pytest
import torch
from torch import nn

from grader.suite import check_form, fail, parts_of, share_weights

TOLERANCES = {torch.float32: 1e-5}

QUERY_SIZE, KEY_SIZE, VALUE_SIZE1, VALUE_SIZE2, OUTPUT_SIZE = 2, 3, 4, 5, 1


def with_simple_weights(student):
    """Two values of size 2; the two scores are the first numbers of query and key. Every bias is 0.

    The first number of the output adds up the first number of the query and the pooled value.
    """
    layers = nn.ModuleDict(
        {"attn": nn.Linear(2 + 3, 2, bias=False), "attn_combine": nn.Linear(2 + 2, 3, bias=False)}
    )
    with torch.no_grad():
        for parameter in layers.parameters():
            parameter.zero_()
        layers["attn"].weight[0, 0] = layers["attn"].weight[1, 2] = 1.0
        layers["attn_combine"].weight[0] = torch.tensor([1.0, 0.0, 1.0, 1.0])
        layers["attn_combine"].weight[1, 2] = 1.0
    net = student.Attn(2, 3, 2, 2, 3)
    share_weights(net, layers, *example())
    return net.eval()


def example():
    """Two rows: scores 0 and log 3, then scores 2 and 2."""
    Q = torch.tensor([[[0.0, 7.0], [2.0, 7.0]]])
    K = torch.tensor([[[math.log(3), 5.0, 5.0], [2.0, 5.0, 5.0]]])
    return Q, K, torch.tensor([[[4.0, 10.0], [8.0, 50.0]]])


def two_of(result):
    """The two tensors that `forward` returns."""
    return parts_of(result, "output", "attn_weights")


@pytest.mark.points(2)
@pytest.mark.hint("On paper: the weights of the first row are 1/4 and 3/4, of the second 1/2 each.")
def test_small_example(student, assert_close):
    """A small example: two rows, two values."""
    output, attn_weights = two_of(with_simple_weights(student)(*example()))
    assert_close(attn_weights, torch.tensor([[0.25, 0.75], [0.5, 0.5]]), name="`attn_weights`")
    # Pooled: (7, 40) and (6, 30).
    assert_close(output, torch.tensor([[[47.0, 7.0, 0.0], [38.0, 6.0, 0.0]]]), name="the output")


@pytest.mark.points(1)
@pytest.mark.hint("output keeps the batch axis, attn_weights does not: (1, queries, ...) and (queries, ...).")
def test_shapes(student):
    """Shapes of output and attn_weights, for three queries and for one."""
    net = student.Attn(QUERY_SIZE, KEY_SIZE, VALUE_SIZE1, VALUE_SIZE2, OUTPUT_SIZE).eval()
    for queries in (3, 1):
        Q, K = torch.ones(1, queries, QUERY_SIZE), torch.ones(1, queries, KEY_SIZE)
        output, attn_weights = two_of(net(Q, K, torch.ones(1, VALUE_SIZE1, VALUE_SIZE2)))
        check_form(output, (1, queries, OUTPUT_SIZE), torch.float32, name="the output")
        check_form(attn_weights, (queries, VALUE_SIZE1), torch.float32, name="`attn_weights`")


@pytest.mark.points(1)
@pytest.mark.hint("The softmax runs along the values: `dim=1` of a tensor of two axes, or `dim=-1`.")
def test_rows_are_weights(student, assert_close):
    """Every row of attn_weights sums to 1, and rows differ where query or key does."""
    net = student.Attn(QUERY_SIZE, KEY_SIZE, VALUE_SIZE1, VALUE_SIZE2, OUTPUT_SIZE).eval()
    Q, K = torch.zeros(1, 3, QUERY_SIZE), torch.zeros(1, 3, KEY_SIZE)
    Q[0, 1] = K[0, 2] = 5.0
    _, attn_weights = two_of(net(Q, K, torch.ones(1, VALUE_SIZE1, VALUE_SIZE2)))
    weights = check_form(attn_weights, (3, VALUE_SIZE1), torch.float32, name="`attn_weights`").detach()
    assert_close(weights.sum(dim=1), torch.ones(3), name="the sum of every row of `attn_weights`")
    for row, words in ((1, "query"), (2, "key")):
        if bool((weights[row] - weights[0]).abs().max() < 1e-4):
            fail(f"Two rows with different {words} have the same weights.", reason="values")


@pytest.mark.points(1)
@pytest.mark.hint("The pooled value and the query, end to end, go through `attn_combine`.")
def test_every_input_counts(student):
    """The output depends on the query, on the key and on every value."""
    net = with_simple_weights(student)
    Q, K, V = example()
    before = check_form(two_of(net(Q, K, V))[0], (1, 2, 3), torch.float32, name="the output").detach()
    for words, change in (("query", Q), ("key", K), ("value", V)):
        changed = change.clone()
        changed[0, 1] += 3.0
        given = [changed if part is change else part for part in (Q, K, V)]
        after = check_form(two_of(net(*given))[0], (1, 2, 3), torch.float32, name="the output").detach()
        if bool((after[0, 1, 0] - before[0, 1, 0]).abs() < 1e-3):
            fail(f"The output stays the same when the {words} changes.", reason="values")
