import pytest, torch
from grader.suite import share_weights
TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-10}
@pytest.mark.points(10)
def test_values(student, reference, assert_close, tensors):
    """Values for every form."""
    q,k,v = tensors.randn(3,4,6), tensors.randn(3,7,9), tensors.randn(3,7,5)
    lens = tensors.lengths(3, keys=7)
    net, ours = student.AdditiveAttention(9,6,8,0.1), reference.AdditiveAttention(9,6,8,0.1)
    share_weights(net, ours, q,k,v,lens)
    net.eval(); ours.eval()
    assert_close(net(q,k,v,lens), ours(q,k,v,lens), like=q)
    assert_close(net.attention_weights, ours.attention_weights, like=q)
@pytest.mark.points(10)
@pytest.mark.accelerator
def test_device(student, reference, assert_close, tensors):
    """Runs where its inputs are."""
    test_values(student, reference, assert_close, tensors)
