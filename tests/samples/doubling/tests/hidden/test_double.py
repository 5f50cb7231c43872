import pytest
import torch


@pytest.mark.points(3)
def test_values(student, reference, tensors, assert_close):
    """Every element is doubled."""
    x = tensors.randn(3, 4)
    assert_close(student.double(x.clone()), reference.double(x), like=x)


@pytest.mark.points(1)
def test_zero(student, assert_close):
    """Zero stays zero."""
    x = torch.zeros(2)
    assert_close(student.double(x.clone()), x, like=x)
