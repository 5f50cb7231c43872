"""Visible checks of the extension exercise `nw_nonparametric`: examples for pencil and paper."""

import math

import pytest
import torch

from grader.suite import check_form, parts_of

TOLERANCES = {torch.float32: 1e-5}
# The exponents 0 and -log(3) belong to these two distances from a test input.
STEP = math.sqrt(2 * math.log(3))


@pytest.mark.points(1.5)
@pytest.mark.hint("One number per test input, all the same: the mean of the training targets.")
def test_example_of_average_pooling(student, assert_close):
    """Average pooling: the mean of the targets, once per test input."""
    y_train = torch.tensor([1.0, 2.0, 6.0, 7.0])
    assert_close(student.average_pooling(y_train, 3), torch.tensor([4.0, 4.0, 4.0]))


@pytest.mark.points(2)
@pytest.mark.hint("Work it out on paper: the exponents -(x - x_train)² / 2 are 0 and -log 3.")
def test_example_of_gaussian_pooling(student, assert_close):
    """Gaussian pooling: two training points, the one three times as heavy as the other."""
    x_train, y_train = torch.tensor([1.0, 1.0 + STEP]), torch.tensor([4.0, 8.0])
    result = student.gaussian_pooling(torch.tensor([1.0, 1.0 + STEP, 1.0 + STEP / 2]), x_train, y_train)
    y_hat, weights = parts_of(result, "the predictions", "the weights")
    assert_close(y_hat, torch.tensor([5.0, 7.0, 6.0]), name="the predictions")
    expected = torch.tensor([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])
    assert_close(weights, expected, name="the weights")


@pytest.mark.points(1.5)
@pytest.mark.hint("Weights have a row per test input and a column per training input.")
def test_shapes_of_gaussian_pooling(student, assert_close):
    """Gaussian pooling: shapes; every row of weights sums to 1."""
    x_test, x_train = torch.tensor([0.5, 2.0, 4.5]), torch.tensor([0.0, 1.0, 2.5, 4.0, 4.9])
    result = student.gaussian_pooling(x_test, x_train, torch.full((5,), 2.0))
    y_hat, weights = parts_of(result, "the predictions", "the weights")
    assert_close(y_hat, torch.full((3,), 2.0), name="the average of targets that are all 2")
    check_form(weights, (3, 5), torch.float32, name="the matrix of weights")
    assert_close(weights.sum(dim=1), torch.ones(3), name="the sum of every row of weights")
