"""A suite for attacks on a module with parameters that uses another exercise."""

import pytest
import torch

from grader.suite import check_form, require, share_weights

TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-10}


def inputs(tensors):
    return tensors.randn(3, 4, 6), tensors.randn(3, 7, 6), tensors.randn(3, 7, 5), tensors.lengths(3, keys=7)


@pytest.mark.points(13)
def test_values(student, reference, assert_close, tensors):
    """Values, weights and parameters."""
    given = inputs(tensors)
    net, ours = student.AdditiveAttention(6, 6, 8, 0.1), reference.AdditiveAttention(6, 6, 8, 0.1)
    share_weights(net, ours, *given)
    net.eval(), ours.eval()
    assert_close(net(*given), ours(*given), like=given[0])
    assert_close(net.attention_weights, ours.attention_weights, like=given[0])


@pytest.mark.points(5)
def test_gradient_in_double(student, tensors):
    """Gradients in training mode and double precision."""
    q, k, v, lens = inputs(tensors)
    net = student.AdditiveAttention(6, 6, 8, 0.0).double()
    q = q.double().requires_grad_()
    out = check_form(net(q, k.double(), v.double(), lens), (3, 4, 5), torch.float64)
    require(out.requires_grad, "No gradient.", reason="gradient")
    out.sum().backward()
    require(q.grad is not None and bool(torch.isfinite(q.grad).all()), "No gradient.", reason="gradient")


@pytest.mark.points(2)
@pytest.mark.accelerator
def test_device(student, reference, assert_close, tensors):
    """Runs where its inputs are."""
    given = inputs(tensors)
    net, ours = student.AdditiveAttention(6, 6, 8, 0.1).eval(), reference.AdditiveAttention(6, 6, 8, 0.1).eval()
    assert_close(net(*given), ours(*given), like=given[0])
