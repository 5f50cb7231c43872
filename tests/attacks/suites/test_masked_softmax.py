"""A suite for attacks: few checks, and every kind of question that a check can ask a worker."""

import pytest
import torch

from grader.suite import gradients_of, require

TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-10}


@pytest.mark.points(8)
def test_values(student, reference, assert_close, tensors):
    """Values for every form of the lengths."""
    X = tensors.randn(3, 4, 7, scale=2)
    for lens in (None, tensors.lengths(3, keys=7), tensors.lengths(3, 4, keys=7)):
        assert_close(student.masked_softmax(X.clone(), lens), reference.masked_softmax(X, lens), like=X)


@pytest.mark.points(6)
def test_gradient(student, reference, assert_close, tensors):
    """Gradients reach the scores."""
    X, G = tensors.randn(3, 4, 7, scale=2), tensors.randn(3, 4, 7)
    ours, theirs = X.double().requires_grad_(), X.clone().requires_grad_()
    lens = tensors.lengths(3, keys=7)
    found = gradients_of(student.masked_softmax(theirs, lens), {"X": theirs}, G)
    expected = gradients_of(reference.masked_softmax(ours, lens), {"X": ours}, G)
    assert_close(found["X"], expected["X"], like=X)


@pytest.mark.points(3)
def test_leaves_lengths_alone(student, tensors):
    """The lengths are left as they were, and rows are weights of the valid keys."""
    X, lens = tensors.randn(2, 3, 5), tensors.lengths(2, keys=5)
    weights = student.masked_softmax(X.clone(), lens.clone())
    require(isinstance(weights, torch.Tensor) and weights.shape == X.shape, "The shape differs.")
    require(bool((weights.sum(-1) - 1).abs().max() < 1e-4), "Rows do not sum to one.")
    # Equal shares, which a thread may have written just then, are no weights.
    beyond = torch.arange(5) >= lens[:, None, None]
    require(bool((weights * beyond).abs().max() < 1e-4), "Keys that are not valid have weights.")
    after = student.arguments_after_call()
    require(len(after) == 2 and torch.equal(after[1], lens), "The lengths were changed.")


@pytest.mark.points(3)
@pytest.mark.accelerator
def test_device(student, reference, assert_close, tensors):
    """Runs where its inputs are."""
    X, lens = tensors.randn(3, 4, 7), tensors.lengths(3, keys=7)
    assert_close(student.masked_softmax(X.clone(), lens), reference.masked_softmax(X, lens), like=X)
