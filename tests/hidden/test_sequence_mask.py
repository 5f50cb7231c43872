"""Hidden checks of the extension exercise `sequence_mask`."""

import pytest
import torch

from grader.suite import check_untouched, gradients_of

# Nothing is computed but X * 1 + value * 0 at most, so right code is exact.
TOLERANCES = {torch.float32: 1e-6, torch.float64: 1e-12}

ROWS, STEPS = 5, 7
VALUES = (-1e6, 3.5)


def draw(tensors, *shape, dtype=torch.float32):
    """X of this shape, with no entry near any value that padding may get."""
    return tensors.uniform(*shape, low=0.5, high=2.5, dtype=dtype) * (tensors.randn(*shape).sign()).to(dtype)


def lengths(tensors, rows, steps, dtype=torch.int64):
    """Lengths 0 ... steps - 1, as different as they can be; 0 and steps - 1 occur if there are two rows."""
    return tensors.lengths(rows, keys=steps, dtype=dtype) - 1


@pytest.mark.points(3)
@pytest.mark.hint("Row i keeps its first valid_len[i] steps; what is behind becomes `value`.")
def test_values(student, reference, tensors, assert_close):
    """Padding becomes the value, for int32 and int64 lengths."""
    for value, dtype in zip(VALUES, (torch.int64, torch.int32), strict=True):
        X, lens = draw(tensors, ROWS, STEPS), tensors.lengths(ROWS, keys=STEPS, dtype=dtype)
        result, expected = (
            student.sequence_mask(X.clone(), lens, value),
            reference.sequence_mask(X, lens, value),
        )
        assert_close(result, expected, like=X, name=f"the result for {dtype} lengths")


@pytest.mark.points(2)
@pytest.mark.hint("`value` is optional: 0 where the caller gives none; callers may also name it.")
@pytest.mark.misconception("value_required", r"TypeError: .*missing 1 required positional argument: 'value'")
def test_default_value(student, reference, tensors, assert_close):
    """Without a value, padding becomes 0; the value can be given by name."""
    X, lens = draw(tensors, ROWS, STEPS), tensors.lengths(ROWS, keys=STEPS)
    result = student.sequence_mask(X.clone(), lens)
    assert_close(result, reference.sequence_mask(X, lens), like=X, name="the result without a value")
    result = student.sequence_mask(X.clone(), lens, value=-2)
    assert_close(result, reference.sequence_mask(X, lens, -2), like=X, name="the result for a named value")


@pytest.mark.points(3)
@pytest.mark.hint("The mask needs an axis of size 1 for each axis of X behind the steps.")
def test_further_axes(student, reference, tensors, assert_close):
    """Three and four axes: whole steps become the value."""
    for shape in ((ROWS, STEPS, 3), (STEPS, 4, 2, 3), (4, 4, 4)):
        X, lens = draw(tensors, *shape), tensors.lengths(shape[0], keys=shape[1])
        for value in VALUES:
            result = student.sequence_mask(X.clone(), lens, value)
            expected = reference.sequence_mask(X, lens, value)
            assert_close(result, expected, like=X, name=f"the result for {len(shape)} axes")


@pytest.mark.points(1.5)
@pytest.mark.hint("Take every size from X, and keep axes of size 1.")
def test_sizes(student, reference, tensors, assert_close):
    """Other sizes: a single row, a single step, as many rows as steps."""
    for rows, steps in ((1, 7), (6, 1), (5, 5), (2, 40)):
        X = draw(tensors, rows, steps)
        lens = lengths(tensors, rows, steps)
        result, expected = student.sequence_mask(X.clone(), lens, 9), reference.sequence_mask(X, lens, 9)
        assert_close(result, expected, like=X, name=f"the result for {rows} rows and {steps} steps")


@pytest.mark.points(1)
@pytest.mark.hint("A row of length 0 is padding from its first step on; one of full length has none.")
def test_shortest_and_longest(student, reference, tensors, assert_close):
    """Rows of length 0 and of full length, side by side and alone."""
    for lens in ([0, STEPS, 3], [0, 0, 0], [STEPS, STEPS, 1]):
        X, given = draw(tensors, 3, STEPS), torch.tensor(lens)
        result, expected = student.sequence_mask(X.clone(), given, 9), reference.sequence_mask(X, given, 9)
        assert_close(result, expected, like=X)


@pytest.mark.points(1)
@pytest.mark.hint("No `.float()`, no NumPy: what comes in as float64 is returned as float64.")
def test_float64(student, reference, tensors, assert_close):
    """float64 rows come back as float64, with all their digits."""
    X, lens = draw(tensors, ROWS, STEPS, dtype=torch.float64), tensors.lengths(ROWS, keys=STEPS)
    X = X + tensors.randn(ROWS, STEPS, dtype=torch.float64) * 1e-7 / 3
    result = student.sequence_mask(X.clone(), lens, 4)
    assert_close(result, reference.sequence_mask(X, lens, 4), like=X, name="the float64 result")


@pytest.mark.points(1.5)
@pytest.mark.hint("Compute with torch operations only, from X to the result.")
def test_gradient(student, reference, tensors, assert_close):
    """The gradient reaches what is valid, and only that."""
    for shape in ((ROWS, STEPS), (ROWS, STEPS, 3)):
        X, lens, upstream = draw(tensors, *shape), tensors.lengths(ROWS, keys=STEPS), draw(tensors, *shape)
        mine, ours = X.clone().requires_grad_(), X.double().requires_grad_()
        result, expected = student.sequence_mask(mine, lens, 4), reference.sequence_mask(ours, lens, 4)
        assert_close(result, expected, like=X)
        wanted = gradients_of(expected, {"X": ours}, upstream)["X"]
        found = gradients_of(result, {"X": mine}, upstream)["X"]
        assert_close(found, wanted, like=X, name="the gradient of `X`")


@pytest.mark.points(0.5)
@pytest.mark.hint("The caller uses valid_len again: never write into it.")
def test_lengths_are_left_alone(student, reference, tensors, assert_close):
    """A call leaves valid_len as it was."""
    X, lens = draw(tensors, ROWS, STEPS), tensors.lengths(ROWS, keys=STEPS).sort().values
    for value in VALUES:
        result = student.sequence_mask(X.clone(), lens, value)
        assert_close(result, reference.sequence_mask(X, lens, value), like=X)
        check_untouched(student, X=None, valid_len=lens)


@pytest.mark.points(1.5)
@pytest.mark.accelerator
@pytest.mark.hint("Create tensors with `device=X.device`; move nothing to the CPU.")
def test_runs_where_its_inputs_are(student, reference, tensors, assert_close):
    """Runs where its inputs are, also on a GPU."""
    for shape in ((ROWS, STEPS), (ROWS, STEPS, 3)):
        X, lens = draw(tensors, *shape), tensors.lengths(ROWS, keys=STEPS)
        result = student.sequence_mask(X.clone(), lens, 4)
        assert_close(result, reference.sequence_mask(X, lens, 4), like=X)
