"""Visible checks of exercise 1: small examples whose weights can be worked out in one's head."""

import pytest
import torch

from grader.suite import check_form, require

TOLERANCES = {torch.float32: 1e-5}


@pytest.mark.points(1)
@pytest.mark.hint("Without lengths this is the plain softmax over the last axis.")
def test_example_without_lengths(student, assert_close):
    """Without lengths every key gets its share."""
    X = torch.tensor([[[1.0, 3.0], [4.0, 1.0], [1.0, 1.0]]]).log()
    expected = torch.tensor([[[0.25, 0.75], [0.8, 0.2], [0.5, 0.5]]])
    assert_close(student.masked_softmax(X, None), expected, name="the weights")


@pytest.mark.points(2)
@pytest.mark.hint("All queries of sample i may see the first valid_lens[i] keys and no other.")
def test_example_with_a_length_per_sample(student, assert_close):
    """One length per sample: it holds for all queries of the sample."""
    X = torch.tensor([[[1.0, 3.0, 9.0], [2.0, 2.0, 6.0]], [[1.0, 1.0, 2.0], [4.0, 1.0, 5.0]]]).log()
    expected = torch.tensor([[[0.25, 0.75, 0.0], [0.5, 0.5, 0.0]], [[0.25, 0.25, 0.5], [0.4, 0.1, 0.5]]])
    assert_close(student.masked_softmax(X, torch.tensor([2, 3])), expected, name="the weights")


@pytest.mark.points(1)
@pytest.mark.hint("valid_lens[i, j] belongs to query j of sample i.")
def test_example_with_a_length_per_query(student, assert_close):
    """One length per query: every row of the scores has its own."""
    X = torch.tensor([[[1.0, 3.0, 9.0], [2.0, 2.0, 6.0]], [[1.0, 1.0, 2.0], [4.0, 1.0, 5.0]]]).log()
    lens = torch.tensor([[2, 1], [3, 2]])
    expected = torch.tensor([[[0.25, 0.75, 0.0], [1.0, 0.0, 0.0]], [[0.25, 0.25, 0.5], [0.8, 0.2, 0.0]]])
    assert_close(student.masked_softmax(X, lens), expected, name="the weights")


@pytest.mark.points(1)
@pytest.mark.hint("Mask the scores before the softmax, so that the rest still sums to 1.")
def test_rows_are_shares(student, assert_close):
    """Every row sums to 1 and is 0 behind its length."""
    X = torch.tensor([[[0.5, -2.0, 3.0, 1.0]], [[4.0, 0.0, -1.0, 2.5]]])
    lens = torch.tensor([3, 1])
    weights = check_form(
        student.masked_softmax(X.clone(), lens), (2, 1, 4), torch.float32, name="the result", device="cpu"
    )
    assert_close(weights.sum(dim=-1), torch.ones(2, 1), name="the sum of every row")
    behind = torch.arange(4) >= lens[:, None, None]
    require(
        bool((weights[behind] == 0).all()) and bool((weights >= 0).all()),
        "Some weights are negative, or are not 0 behind the valid length.",
        hint="A score far below all others gets the weight 0: fill in -1e6 or -inf before the softmax.",
    )
