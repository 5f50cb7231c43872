"""Visible checks of multi-head attention: an example for pencil and paper, and a few properties."""

import math

import pytest
import torch
from torch import nn

from grader.suite import check_form, require, share_weights

TOLERANCES = {torch.float32: 1e-5}

SIZES = {"W_q": (5, 4), "W_k": (3, 4), "W_v": (2, 4), "W_o": (4, 4)}


def build(student, weights, inputs, *, rate=0.0):
    """A module with two heads of size 2 that has these weights, in evaluation mode."""
    layers = nn.ModuleDict({name: nn.Linear(*sizes, bias=False) for name, sizes in SIZES.items()})
    with torch.no_grad():
        for name, weight in weights.items():
            layers[name].weight.copy_(torch.tensor(weight))
    net = student.MultiHeadAttention(3, 5, 2, 4, 2, rate)
    share_weights(net, layers, *inputs)
    return net.eval()


def simple_weights():
    """Head 0 compares the first numbers of query and key, head 1 the second ones.

    Each head brings the whole value along, and W_o adds the second head's entries to the first head's.
    """
    return {
        "W_q": [[1.0, 0, 0, 0, 0], [0.0] * 5, [0, 1.0, 0, 0, 0], [0.0] * 5],
        "W_k": [[1.0, 0, 0], [0, 0, 0], [0, 1.0, 0], [0, 0, 0]],
        "W_v": [[1.0, 0], [0, 1.0], [1.0, 0], [0, 1.0]],
        "W_o": [[1.0, 0, 1.0, 0], [0, 1.0, 0, 1.0], [1.0, 0, 0, 0], [0, 1.0, 0, 0]],
    }


def example():
    """One query meets two keys and a padded one; a head has the size 2, so scores are divided by sqrt(2)."""
    log_three = math.log(3) * math.sqrt(2)
    queries = torch.tensor([[[log_three, 1.0, 5.0, 5.0, 5.0]]])
    keys = torch.tensor([[[0.0, 7.0, 5.0], [1.0, 7.0, 5.0], [9.0, 9.0, 9.0]]])
    values = torch.tensor([[[4.0, 0.0], [8.0, 40.0], [90.0, 90.0]]])
    return queries, keys, values, torch.tensor([2])


@pytest.mark.points(2)
@pytest.mark.hint("Head 0: scores 0 and log 3, weights 1/4 and 3/4. Head 1: equal scores.")
def test_small_example(student, assert_close):
    """A small example: two heads, one query, two keys and one that is padding."""
    net = build(student, simple_weights(), example())
    # Head 0 gives (7, 30), head 1 gives (6, 20).
    assert_close(net(*example()), torch.tensor([[[13.0, 50.0, 7.0, 30.0]]]))


@pytest.mark.points(1)
@pytest.mark.hint("The result has one row of num_hiddens numbers for every query.")
def test_shapes(student, assert_close):
    """Shape of the result; self-attention works; equal values give the same result for every query."""
    net = student.MultiHeadAttention(6, 6, 6, 6, 3, 0.0).eval()
    X = torch.arange(2.0 * 5 * 6).reshape(2, 5, 6) / 60
    check_form(net(X, X, X, None), (2, 5, 6), torch.float32, name="the result of self-attention")
    result = check_form(net(X, X, torch.ones(2, 5, 6), torch.tensor([1, 3])), (2, 5, 6), torch.float32)
    first = result[:1, :1].detach().expand(2, 5, 6)
    assert_close(result, first.clone(), name="the result for values that are all the same")
    require(bool(result.detach().abs().max() > 0), "The result is all 0.")


@pytest.mark.points(1)
@pytest.mark.hint("The lengths hold in every head: with heads in the batch axis repeat each one per head.")
def test_padding_does_not_matter(student, assert_close):
    """Padded values make no difference in any head, valid ones do."""
    net = build(student, simple_weights(), example())
    queries, keys, values, valid_lens = (torch.cat([x, x]) for x in example())
    valid_lens[1] = 1
    before = check_form(net(queries, keys, values, valid_lens), (2, 1, 4), torch.float32).detach()
    other_padding, other_value = values.clone(), values.clone()
    other_padding[0, 2], other_padding[1, 1:] = -500.0, -500.0
    after = net(queries, keys, other_padding, valid_lens)
    assert_close(after, before, name="the result after a change of the padding")
    other_value[:, 0] += 4.0
    gain = torch.tensor([[[3.0, 3.0, 1.0, 1.0]], [[8.0, 8.0, 4.0, 4.0]]])
    after = net(queries, keys, other_value, valid_lens)
    assert_close(after, before + gain, name="the result after a change of a valid value")


@pytest.mark.points(1)
@pytest.mark.hint("`nn.Dropout` looks at `self.training`; so must `F.dropout(..., training=self.training)`.")
def test_dropout_in_training_only(student, assert_close):
    """Dropout makes results differ from call to call in training mode, never in evaluation mode."""
    net = student.MultiHeadAttention(3, 5, 2, 4, 2, 0.5)
    inputs = (torch.ones(4, 8, 5), torch.ones(4, 16, 3), torch.arange(4.0 * 16 * 2).reshape(4, 16, 2) / 50)
    net.eval()
    first, second = (net(*inputs, None) for _ in range(2))
    check_form(first, (4, 8, 4), torch.float32)
    assert_close(second, first.detach(), name="the second result in evaluation mode")
    net.train()
    first, second = (net(*inputs, None) for _ in range(2))
    check_form(first, (4, 8, 4), torch.float32)
    check_form(second, (4, 8, 4), torch.float32)
    require(not torch.equal(first, second), "Two results in training mode with dropout 0.5 are the same.")
