"""Visible checks of three scoring functions: examples for pencil and paper, and how they are related."""

import math

import pytest
import torch

from grader.suite import check_form

TOLERANCES = {torch.float32: 1e-5}

QUERIES = torch.tensor([[[1.0, 2.0, 3.0, 4.0], [0.0, -1.0, 0.0, 2.0]]])
KEYS = torch.tensor([[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0], [2.0, 2.0, -2.0, 0.0]]])


@pytest.mark.points(1.5)
@pytest.mark.hint("Add the two projections, then tanh, then the sum weighted with w_v.")
def test_additive_example(student, assert_close):
    """Additive scores: a small example, two queries and two keys of different sizes."""
    queries = torch.tensor([[[1.0, 5.0], [0.5, 5.0]]])
    keys = torch.tensor([[[-1.0], [0.5]]])
    W_q = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    W_k = torch.tensor([[1.0], [0.0], [2.0]])
    w_v = torch.tensor([1.0, 10.0, 100.0])
    scores = student.additive_scores(queries, keys, W_q, W_k, w_v)
    expected = [
        [math.tanh(q + k) + 10 * math.tanh(2 * q) + 100 * math.tanh(2 * k) for k in (-1.0, 0.5)]
        for q in (1.0, 0.5)
    ]
    assert_close(scores, torch.tensor([expected]))


@pytest.mark.points(1)
@pytest.mark.hint("The sum of the products, number by number: 1 * 0 + 2 * 1 + 3 * 0 + 4 * 1 = 6.")
def test_dot_example(student, assert_close):
    """Dot-product scores: a small example, two queries and three keys."""
    expected = torch.tensor([[[1.0, 6.0, 0.0], [0.0, 1.0, -2.0]]])
    assert_close(student.dot_scores(QUERIES, KEYS), expected)


@pytest.mark.points(1.5)
@pytest.mark.hint("d = 4 here, so the dot products are divided by 2.")
def test_scaled_dot_example(student, assert_close):
    """Scaled dot-product scores: a small example, two queries and three keys."""
    expected = torch.tensor([[[0.5, 3.0, 0.0], [0.0, 0.5, -1.0]]])
    assert_close(student.scaled_dot_scores(QUERIES, KEYS), expected)


@pytest.mark.points(1)
@pytest.mark.hint("One score for every query with every key of its sample: (batch, queries, keys).")
def test_shapes(student):
    """Shapes: (batch, queries, keys) for all three."""
    queries, keys = torch.ones(2, 5, 3), torch.ones(2, 4, 3)
    weights = torch.ones(6, 3), torch.ones(6, 3), torch.ones(6)
    for scores, name in (
        (student.additive_scores(queries, keys, *weights), "the result of `additive_scores`"),
        (student.dot_scores(queries, keys), "the result of `dot_scores`"),
        (student.scaled_dot_scores(queries, keys), "the result of `scaled_dot_scores`"),
    ):
        check_form(scores, (2, 5, 4), torch.float32, name=name)
