"""Visible checks of the extension exercise `relative_position`: quarter turns, and one real encoding."""

import math

import pytest
import torch

from grader.suite import check_form

TOLERANCES = {torch.float32: 1e-4}


def encoding(position, num_hiddens):
    """The pairs (sin, cos) of one position, shape (num_hiddens / 2, 2)."""
    turns = [position / 10000 ** (column / num_hiddens) for column in range(0, num_hiddens, 2)]
    return torch.tensor([[math.sin(turn), math.cos(turn)] for turn in turns])


@pytest.mark.points(1)
@pytest.mark.hint("One matrix of two rows and two columns for every pair of columns of the encoding.")
def test_shape_and_identity(student, assert_close):
    """One 2 × 2 matrix per pair; an offset of 0 changes nothing."""
    result = check_form(student.relative_projection(3, 6), (3, 2, 2), torch.float32, device="cpu")
    assert_close(result[:, 0, 0].clone(), result[:, 1, 1].clone(), name="the diagonals")
    assert_close(student.relative_projection(0, 6), torch.eye(2).repeat(3, 1, 1), name="the result for 0")


@pytest.mark.points(2)
@pytest.mark.hint("The first pair turns by 1 per position. Write sin(i + 1) and cos(i + 1) out on paper.")
def test_example_of_one_pair(student, assert_close):
    """One pair, one step: what turns (sin i, cos i) into (sin(i + 1), cos(i + 1))."""
    # sin(i + 1) = 0.5403 sin i + 0.8415 cos i, and cos(i + 1) = 0.5403 cos i - 0.8415 sin i.
    expected = torch.tensor([[[0.5403, 0.8415], [-0.8415, 0.5403]]])
    assert_close(student.relative_projection(1, 2), expected, tolerance=1e-3)


@pytest.mark.points(2)
@pytest.mark.hint("Matrix j times the pair j of position 5 has to be the pair j of position 5 + delta.")
def test_example_of_an_encoding(student, assert_close):
    """Position 5 becomes position 8, and position 3 with a negative offset."""
    for delta in (3, -2):
        matrices = check_form(student.relative_projection(delta, 8), (4, 2, 2), torch.float32, device="cpu")
        moved = torch.einsum("jab,jb->ja", matrices.clone(), encoding(5, 8))
        name = f"position 5, moved by {delta}"
        assert_close(moved, encoding(5 + delta, 8), name=name)
