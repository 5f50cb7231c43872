"""Visible checks of exercise 1."""

import pytest
import torch

TOLERANCES = {torch.float32: 1e-6}


@pytest.mark.points(2)
@pytest.mark.hint("Compare every value with both bounds.")
def test_example(student, assert_close):
    """Values outside the bounds move to the bound."""
    X = torch.tensor([-5.0, 0.5, 7.0])
    assert_close(student.clip_values(X.clone(), -1.0, 2.0), torch.tensor([-1.0, 0.5, 2.0]), name="the result")
