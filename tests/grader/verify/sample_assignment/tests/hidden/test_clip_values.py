"""Hidden checks of exercise 1."""

import pytest
import torch

from grader.suite import check_untouched, gradients_of

TOLERANCES = {torch.float32: 1e-6, torch.float64: 1e-12}


@pytest.mark.points(3)
@pytest.mark.hint("Compare every value with both bounds.")
def test_values(student, reference, tensors, assert_close):
    """Values of any shape, float32 and float64."""
    for dtype in (torch.float32, torch.float64):
        X = tensors.randn(3, 4, 5, scale=2, dtype=dtype)
        result = student.clip_values(X.clone(), -1.0, 1.5)
        assert_close(result, reference.clip_values(X, -1.0, 1.5), like=X)


@pytest.mark.points(2)
@pytest.mark.hint("Make a new tensor.")
def test_input_is_left_alone(student, reference, tensors, assert_close):
    """The input stays as it was."""
    X = tensors.randn(3, 4, scale=2)
    result = student.clip_values(X, -1.0, 1.5)
    check_untouched(student, X=X)
    assert_close(result, reference.clip_values(X, -1.0, 1.5), like=X)


@pytest.mark.points(2)
@pytest.mark.hint("Compute with torch operations only.")
def test_gradient(student, reference, tensors, assert_close):
    """The gradient reaches the input where nothing was clipped."""
    X, upstream = tensors.randn(3, 4, scale=2), tensors.randn(3, 4)
    mine, ours = X.clone().requires_grad_(), X.double().requires_grad_()
    result, expected = student.clip_values(mine, -1.0, 1.5), reference.clip_values(ours, -1.0, 1.5)
    assert_close(
        gradients_of(result, {"X": mine}, upstream)["X"],
        gradients_of(expected, {"X": ours}, upstream)["X"],
        like=X,
        name="the gradient",
    )


@pytest.mark.points(1)
@pytest.mark.accelerator
@pytest.mark.hint("Create tensors with `device=X.device`.")
def test_runs_where_its_inputs_are(student, reference, tensors, assert_close):
    """Runs where its inputs are."""
    X = tensors.randn(3, 4, scale=2)
    assert_close(student.clip_values(X.clone(), -1.0, 1.5), reference.clip_values(X, -1.0, 1.5), like=X)
