"""Visible checks of exercise 2: an example for pencil and paper, and a few properties."""

import math

import pytest
import torch
from torch import nn

from grader.suite import check_form, require, share_weights

TOLERANCES = {torch.float32: 1e-5}

KEY_SIZE, QUERY_SIZE, NUM_HIDDENS = 2, 3, 4


def with_simple_weights(student):
    """A module with the score log(3) · tanh(q1 + k1) / tanh(1); only the first hidden unit takes part."""
    layers = nn.ModuleDict(
        {
            "W_k": nn.Linear(KEY_SIZE, NUM_HIDDENS, bias=False),
            "W_q": nn.Linear(QUERY_SIZE, NUM_HIDDENS, bias=False),
            "w_v": nn.Linear(NUM_HIDDENS, 1, bias=False),
        }
    )
    with torch.no_grad():
        for weight in layers.parameters():
            weight.zero_()[0, 0] = 1.0
        layers["w_v"].weight[0, 0] = math.log(3) / math.tanh(1)
    net = student.AdditiveAttention(KEY_SIZE, QUERY_SIZE, NUM_HIDDENS, 0.0)
    share_weights(net, layers, *example())
    return net.eval()


def example():
    """Queries 1 and 0.5 meet the keys -1, 0 and a padded one (only the first numbers count)."""
    queries = torch.tensor([[[1.0, 5.0, 5.0], [0.5, 5.0, 5.0]]])
    keys = torch.tensor([[[-1.0, 7.0], [0.0, 7.0], [9.0, 7.0]]])
    values = torch.tensor([[[4.0, 0.0], [8.0, 40.0], [90.0, 90.0]]])
    return queries, keys, values, torch.tensor([2])


@pytest.mark.points(2)
@pytest.mark.hint(
    "The score of query q and key k is log(3) · tanh(q1 + k1) / tanh(1) here: work it out on paper."
)
def test_small_example(student, assert_close):
    """A small example: two queries, two keys and one that is padding."""
    net = with_simple_weights(student)
    result = net(*example())
    # Query 1: scores 0 and log(3), weights 1/4 and 3/4. Query 0.5: scores -0.66661 and 0.66661.
    assert_close(result, torch.tensor([[[7.0, 30.0], [7.165493, 31.654933]]]))
    weights = torch.tensor([[[0.25, 0.75, 0.0], [0.208627, 0.791373, 0.0]]])
    if hasattr(net, "attention_weights"):  # a check of its own asks for them
        assert_close(net.attention_weights, weights, name="`attention_weights`")


@pytest.mark.points(1)
@pytest.mark.hint("One row of weights per query: (batch, queries, keys); weights times values is the result.")
def test_shapes(student, assert_close):
    """Shapes of the result and of attention_weights; every row of weights sums to 1."""
    net = student.AdditiveAttention(KEY_SIZE, QUERY_SIZE, NUM_HIDDENS, 0.0).eval()
    queries, keys, values = torch.ones(2, 5, QUERY_SIZE), torch.ones(2, 4, KEY_SIZE), torch.ones(2, 4, 6)
    result = net(queries, keys, values, torch.tensor([1, 3]))
    assert_close(result, torch.ones(2, 5, 6), name="the average of values that are all 1")
    if hasattr(net, "attention_weights"):
        weights = check_form(net.attention_weights, (2, 5, 4), torch.float32, name="`attention_weights`")
        name = "the sum of every row of `attention_weights`"
        assert_close(weights.sum(dim=-1), torch.ones(2, 5), name=name)


@pytest.mark.points(1)
@pytest.mark.hint("Hand `valid_lens` on to the masked softmax.")
def test_padding_does_not_matter(student, assert_close):
    """Padded values make no difference, valid ones do."""
    net = with_simple_weights(student)
    queries, keys, values, valid_lens = example()
    other_padding, other_value = values.clone(), values.clone()
    other_padding[0, 2] = -500.0
    other_value[0, 1] += 4.0
    before = check_form(net(queries, keys, values, valid_lens), (1, 2, 2), torch.float32)
    after = net(queries, keys, other_padding, valid_lens)
    assert_close(after, before.detach(), name="the result after a change of the padding")
    after = net(queries, keys, other_value, valid_lens)
    gain = torch.tensor([[[3.0, 3.0], [3.165493, 3.165493]]])
    assert_close(after, before.detach() + gain, name="the result after a change of a valid value")


@pytest.mark.points(1)
@pytest.mark.hint("`nn.Dropout` looks at `self.training`; so must `F.dropout(..., training=self.training)`.")
def test_dropout_in_training_only(student, assert_close):
    """Dropout makes results differ from call to call in training mode, never in evaluation mode."""
    net = student.AdditiveAttention(KEY_SIZE, QUERY_SIZE, NUM_HIDDENS, 0.5)
    queries, keys = torch.ones(4, 8, QUERY_SIZE), torch.ones(4, 16, KEY_SIZE)
    values = torch.arange(4.0 * 16 * 5).reshape(4, 16, 5) / 100
    net.eval()
    first, second = (net(queries, keys, values, None) for _ in range(2))
    check_form(first, (4, 8, 5), torch.float32)
    assert_close(second, first.detach(), name="the second result in evaluation mode")
    net.train()
    first, second = (net(queries, keys, values, None) for _ in range(2))
    check_form(first, (4, 8, 5), torch.float32)
    check_form(second, (4, 8, 5), torch.float32)
    require(not torch.equal(first, second), "Two results in training mode with dropout 0.5 are the same.")
