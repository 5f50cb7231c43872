"""Visible checks of exercise 4: an example for pencil and paper, and a few properties."""

import math

import pytest
import torch
from torch import nn

from grader.suite import check_form, gradients_of, require, share_weights

TOLERANCES = {torch.float32: 1e-5}


def with_width(student, width):
    """A module with w = `width`."""
    wanted = nn.ParameterDict({"w": nn.Parameter(torch.tensor([float(width)]))})
    net = student.NWKernelRegression()
    share_weights(net, wanted, *example())
    return net


def example():
    """With w = 2 the exponents of the first query are 0 and -log(3), those of the second are equal."""
    step = math.sqrt(2 * math.log(3)) / 2
    queries = torch.tensor([1.0, 3.0])
    keys = torch.tensor([[1.0, 1.0 + step], [2.5, 3.5]])
    values = torch.tensor([[4.0, 8.0], [10.0, 30.0]])
    return queries, keys, values


@pytest.mark.points(2)
@pytest.mark.hint(
    "Work it out on paper: the exponents -((q - k) · w)² / 2 of the first query are 0 and -log 3."
)
def test_small_example(student, assert_close):
    """A small example with w = 2: two queries, each with two keys of its own."""
    net = with_width(student, 2)
    assert_close(net(*example()), torch.tensor([5.0, 20.0]))
    weights = torch.tensor([[0.75, 0.25], [0.5, 0.5]])
    if hasattr(net, "attention_weights"):  # a check of its own asks for them
        assert_close(net.attention_weights, weights, name="`attention_weights`")


@pytest.mark.points(1)
@pytest.mark.hint("One number per query: (queries,), not (queries, 1); weights have the shape of the keys.")
def test_shapes(student, assert_close):
    """Shapes of the result and of attention_weights; every row of weights sums to 1."""
    net = student.NWKernelRegression()
    queries = torch.tensor([0.5, 2.0, 4.5])
    keys = torch.tensor([0.0, 1.0, 2.5, 4.0, 4.9]).repeat(3, 1)
    result = net(queries, keys, torch.ones(3, 5))
    assert_close(result, torch.ones(3), name="the average of values that are all 1")
    if hasattr(net, "attention_weights"):
        weights = check_form(net.attention_weights, (3, 5), torch.float32, name="`attention_weights`")
        name = "the sum of every row of `attention_weights`"
        assert_close(weights.sum(dim=1), torch.ones(3), name=name)


@pytest.mark.points(1)
@pytest.mark.hint("`self.w = nn.Parameter(torch.rand(1))` in `__init__`, and nothing else.")
def test_one_parameter(student):
    """The module has one parameter, w, of shape (1,)."""
    parameters = dict(student.NWKernelRegression().named_parameters())
    found = ", ".join(f"`{name}` {tuple(p.shape)}" for name, p in parameters.items()) or "none"
    require(
        [(name, tuple(p.shape)) for name, p in parameters.items()] == [("w", (1,))],
        f"Expected one parameter, `w` of shape (1,); found: {found}.",
        reason="state",
    )


@pytest.mark.points(1)
@pytest.mark.hint("Use `self.w` itself, not `self.w.item()` or `self.w.data`.")
def test_can_be_trained(student, assert_close):
    """The gradient reaches w, so that SGD can train it."""
    net = with_width(student, 2)
    queries, keys, values = example()
    result = net(queries, keys, values)
    assert_close(result, torch.tensor([5.0, 20.0]))
    parameters = list(net.parameters())
    gradient = gradients_of(result, {"w": parameters[0]}, torch.tensor([1.0, 0.0]))["w"]
    # d/dw of 4 · a + 8 · (1 - a) with a = sigmoid(w² step² / 2): -4 · a · (1 - a) · w · step².
    expected = torch.full_like(gradient, -0.75 * math.log(3))
    assert_close(gradient, expected, name="the gradient of the first prediction with respect to `w`")
