"""Visible checks of the extension exercise `sequence_mask`: small examples that can be read off."""

import pytest
import torch

TOLERANCES = {torch.float32: 1e-6}


@pytest.mark.points(2)
@pytest.mark.hint(
    "Row i keeps its first valid_len[i] steps; the steps behind become 0 unless told otherwise."
)
def test_example_without_a_value(student, assert_close):
    """Without a value, padding becomes 0."""
    X = torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [-1.0, -2.0, -3.0, -4.0]])
    expected = torch.tensor([[1.0, 2.0, 0.0, 0.0], [5.0, 6.0, 7.0, 8.0], [-1.0, -2.0, -3.0, 0.0]])
    assert_close(student.sequence_mask(X, torch.tensor([2, 4, 3])), expected)


@pytest.mark.points(1.5)
@pytest.mark.hint("What stands behind the valid steps becomes `value`, whatever number that is.")
def test_example_with_a_value(student, assert_close):
    """With a value, padding becomes that value; a row of length 0 is all padding."""
    X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    expected = torch.tensor([[1.0, -5.0, -5.0], [-5.0, -5.0, -5.0]])
    assert_close(student.sequence_mask(X, torch.tensor([1, 0]), value=-5), expected)


@pytest.mark.points(1.5)
@pytest.mark.hint("Lengths count along the second axis; a step is masked with all that it holds behind it.")
def test_example_with_a_third_axis(student, assert_close):
    """With a third axis, whole steps are masked."""
    X = torch.arange(1.0, 13.0).reshape(2, 3, 2)
    expected = torch.tensor([[[1.0, 2.0], [0.5, 0.5], [0.5, 0.5]], [[7.0, 8.0], [9.0, 10.0], [0.5, 0.5]]])
    assert_close(student.sequence_mask(X, torch.tensor([1, 2]), 0.5), expected)
