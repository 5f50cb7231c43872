"""Visible checks of exercise 3: an example for pencil and paper, and a few properties."""

import math

import pytest
import torch

from grader.suite import check_form, require

TOLERANCES = {torch.float32: 1e-5}


def example():
    """d = 4, so scores are halved: 0 and log 3 for the first query, twice log 2 for the second."""
    three, two = 2 * math.log(3), 2 * math.log(2)
    queries = torch.tensor([[[three, 0.0, 0.0, 0.0], [0.0, two, 0.0, 0.0]]])
    keys = torch.tensor([[[0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [9.0, 9.0, 9.0, 9.0]]])
    values = torch.tensor([[[4.0, 0.0], [8.0, 40.0], [90.0, 90.0]]])
    return queries, keys, values, torch.tensor([2])


@pytest.mark.points(2)
@pytest.mark.hint(
    "Work it out on paper: the scores of the first query are 0 and log 3, its weights 1/4 and 3/4."
)
def test_small_example(student, assert_close):
    """A small example: two queries, two keys and one that is padding."""
    net = student.DotProductAttention(0.0).eval()
    assert_close(net(*example()), torch.tensor([[[7.0, 30.0], [6.0, 20.0]]]))
    weights = torch.tensor([[[0.25, 0.75, 0.0], [0.5, 0.5, 0.0]]])
    if hasattr(net, "attention_weights"):  # a check of its own asks for them
        assert_close(net.attention_weights, weights, name="`attention_weights`")


@pytest.mark.points(1)
@pytest.mark.hint("One row of weights per query: (batch, queries, keys); weights times values is the result.")
def test_shapes(student, assert_close):
    """Shapes of the result and of attention_weights; valid_lens may be left out."""
    net = student.DotProductAttention(0.0).eval()
    result = net(torch.ones(2, 5, 3), torch.ones(2, 4, 3), torch.ones(2, 4, 6))
    assert_close(result, torch.ones(2, 5, 6), name="the average of values that are all 1")
    if hasattr(net, "attention_weights"):
        weights = check_form(net.attention_weights, (2, 5, 4), torch.float32, name="`attention_weights`")
        name = "the sum of every row of `attention_weights`"
        assert_close(weights.sum(dim=-1), torch.ones(2, 5), name=name)


@pytest.mark.points(1)
@pytest.mark.hint("Hand `valid_lens` on to the masked softmax.")
def test_padding_does_not_matter(student, assert_close):
    """Padded values make no difference, valid ones do."""
    net = student.DotProductAttention(0.0).eval()
    queries, keys, values, valid_lens = example()
    other_padding, other_value = values.clone(), values.clone()
    other_padding[0, 2] = -500.0
    other_value[0, 1] += 4.0
    before = check_form(net(queries, keys, values, valid_lens), (1, 2, 2), torch.float32).detach()
    after = net(queries, keys, other_padding, valid_lens)
    assert_close(after, before, name="the result after a change of the padding")
    gain = torch.tensor([[[3.0, 3.0], [2.0, 2.0]]])
    after = net(queries, keys, other_value, valid_lens)
    assert_close(after, before + gain, name="the result after a change of a valid value")


@pytest.mark.points(1)
@pytest.mark.hint("`nn.Dropout` looks at `self.training`; so must `F.dropout(..., training=self.training)`.")
def test_dropout_in_training_only(student, assert_close):
    """Dropout makes results differ from call to call in training mode, never in evaluation mode."""
    net = student.DotProductAttention(0.5)
    queries, keys = torch.ones(4, 8, 3), torch.ones(4, 16, 3)
    values = torch.arange(4.0 * 16 * 5).reshape(4, 16, 5) / 100
    net.eval()
    first, second = (net(queries, keys, values) for _ in range(2))
    check_form(first, (4, 8, 5), torch.float32)
    assert_close(second, first.detach(), name="the second result in evaluation mode")
    net.train()
    first, second = (net(queries, keys, values) for _ in range(2))
    check_form(first, (4, 8, 5), torch.float32)
    check_form(second, (4, 8, 5), torch.float32)
    require(not torch.equal(first, second), "Two results in training mode with dropout 0.5 are the same.")
