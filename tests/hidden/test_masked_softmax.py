"""Hidden checks of exercise 1."""

import pytest
import torch

from grader.suite import check_untouched, gradients_of

# Honest float32 code is off by 4e-7 at most, the mildest mistake (a fill of -10) by 1e-3.
TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-10}
# Scores near 1000 have a unit in the last place of 6e-5, which a hand-written logsumexp passes on.
EXTREME_TOLERANCE = 3e-4

BATCH, QUERIES, KEYS = 3, 4, 7


def every_form(tensors, *, batch=BATCH, queries=QUERIES, keys=KEYS):
    """valid_lens in all its forms, as (words, lengths)."""
    yield "without lengths", None
    yield "with one length per sample", tensors.lengths(batch, keys=keys)
    yield "with one length per query", tensors.lengths(batch, queries, keys=keys)


@pytest.mark.points(1.5)
@pytest.mark.hint("Without lengths this is the plain softmax over the last axis.")
def test_without_lengths(student, reference, tensors, assert_close):
    """Without lengths: a plain softmax over the keys."""
    X = tensors.randn(BATCH, QUERIES, KEYS, scale=2)
    assert_close(student.masked_softmax(X.clone(), None), reference.masked_softmax(X, None), like=X)


@pytest.mark.points(2.5)
@pytest.mark.hint("All queries of sample i may see the first valid_lens[i] keys and no other.")
def test_one_length_per_sample(student, reference, tensors, assert_close):
    """One length per sample, as int32 and as int64."""
    for dtype in (torch.int64, torch.int32):
        X = tensors.randn(BATCH, QUERIES, KEYS, scale=2)
        lens = tensors.lengths(BATCH, keys=KEYS, dtype=dtype)
        result, expected = student.masked_softmax(X.clone(), lens), reference.masked_softmax(X, lens)
        assert_close(result, expected, like=X, name=f"the result for {dtype} lengths")


@pytest.mark.points(2.5)
@pytest.mark.hint("valid_lens[i, j] belongs to query j of sample i.")
def test_one_length_per_query(student, reference, tensors, assert_close):
    """One length per query, as int32 and as int64."""
    for dtype in (torch.int64, torch.int32):
        X = tensors.randn(BATCH, QUERIES, KEYS, scale=2)
        lens = tensors.lengths(BATCH, QUERIES, keys=KEYS, dtype=dtype)
        result, expected = student.masked_softmax(X.clone(), lens), reference.masked_softmax(X, lens)
        assert_close(result, expected, like=X, name=f"the result for {dtype} lengths")


@pytest.mark.points(1)
@pytest.mark.hint("Keep all three axes, also those of size 1; take every size from the shape of X.")
def test_sizes(student, reference, tensors, assert_close):
    """Other sizes: a batch of one, a single query, a single key, equal sizes."""
    for batch, queries, keys in ((1, 4, 7), (3, 1, 7), (3, 4, 1), (1, 1, 2), (5, 5, 5), (2, 3, 40)):
        for words, lens in every_form(tensors, batch=batch, queries=queries, keys=keys):
            X = tensors.randn(batch, queries, keys, scale=2)
            assert_close(
                student.masked_softmax(X.clone(), lens),
                reference.masked_softmax(X, lens),
                like=X,
                name=f"the result for batch {batch}, queries {queries}, keys {keys}, {words}",
            )


@pytest.mark.points(1.5)
@pytest.mark.hint("No `.float()`, no NumPy: what comes in as float64 is computed and returned as float64.")
def test_float64(student, reference, tensors, assert_close):
    """float64 scores give float64 weights with float64 precision."""
    for words, lens in every_form(tensors):
        X = tensors.randn(BATCH, QUERIES, KEYS, scale=2, dtype=torch.float64)
        result = student.masked_softmax(X.clone(), lens)
        assert_close(result, reference.masked_softmax(X, lens), like=X, name=f"the float64 result {words}")


@pytest.mark.points(1.5)
@pytest.mark.hint("A masked score must lie below every valid one, and the softmax must not overflow.")
def test_extreme_scores(student, reference, tensors, assert_close):
    """Scores anywhere in ±1000, padded ones within 50 of the valid ones."""
    spread = ("spread over tens", -930, 12)
    ends = ("at -1000", -998, 1), ("near -1000", -950, 5), ("near 1000", 950, 5)
    for words, shift, scale in (*ends, spread, ("small", 0, 0.05)):
        for _, lens in every_form(tensors):
            X = tensors.randn(BATCH, QUERIES, KEYS).clamp(-2, 2) * scale + shift
            assert_close(
                student.masked_softmax(X.clone(), lens),
                reference.masked_softmax(X, lens),
                like=X,
                tolerance=EXTREME_TOLERANCE,
                name=f"the result for scores {words}",
            )


@pytest.mark.points(2)
@pytest.mark.hint("Compute with torch operations only, from X to the result.")
def test_gradient(student, reference, tensors, assert_close):
    """The gradient reaches the scores and is right."""
    for words, lens in every_form(tensors):
        X, upstream = tensors.randn(BATCH, QUERIES, KEYS, scale=2), tensors.randn(BATCH, QUERIES, KEYS)
        mine, ours = X.clone().requires_grad_(), X.double().requires_grad_()
        result, expected = student.masked_softmax(mine, lens), reference.masked_softmax(ours, lens)
        assert_close(result, expected, like=X, name=f"the result {words}")
        assert_close(
            gradients_of(result, {"X": mine}, upstream)["X"],
            gradients_of(expected, {"X": ours}, upstream)["X"],
            like=X,
            name=f"the gradient of `X` {words}",
        )


@pytest.mark.points(1)
@pytest.mark.hint("The caller uses valid_lens again: never write into it.")
def test_lengths_are_left_alone(student, reference, tensors, assert_close):
    """Calling again gives the same: valid_lens stays as it was."""
    X = tensors.randn(BATCH, QUERIES, KEYS, scale=2)
    for _, lens in every_form(tensors):
        expected = reference.masked_softmax(X, lens)
        for words in ("the first", "the second"):
            result = student.masked_softmax(X.clone(), lens)
            assert_close(result, expected, like=X, name=f"{words} result")
            if lens is not None:
                check_untouched(student, X=None, valid_lens=lens)


@pytest.mark.points(1.5)
@pytest.mark.accelerator
@pytest.mark.hint("Create tensors with `device=X.device`; move nothing to the CPU.")
def test_runs_where_its_inputs_are(student, reference, tensors, assert_close):
    """Runs where its inputs are, also on a GPU."""
    for words, lens in every_form(tensors):
        X = tensors.randn(BATCH, QUERIES, KEYS, scale=2)
        result = student.masked_softmax(X.clone(), lens)
        assert_close(result, reference.masked_softmax(X, lens), like=X, name=f"the result {words}")
