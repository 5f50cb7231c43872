"""Hidden checks of the extension exercise `relative_position`."""

import pytest
import torch

from grader.suite import check_form, fail

# For offsets up to 60: float32 angles near 60 have a unit in the last place of 4e-6.
TOLERANCES = {torch.float32: 5e-5, torch.float64: 5e-5}
# Offsets up to 1000: a unit in the last place of 6e-5.
LARGE_TOLERANCE = 5e-4

WIDTHS = (6, 32, 2)
LIKE = torch.zeros(0)


def matrices(student, delta, num_hiddens):
    """What comes back. Whether it is float32 is asked by one check only."""
    result = student.relative_projection(delta, num_hiddens)
    if isinstance(result, torch.Tensor) and result.is_floating_point():
        where = getattr(result, "sent_from", "cpu")
        result = result.detach().float()
        result.sent_from = where
    return result


def offsets(tensors, count, low, high):
    """Whole numbers low <= delta < high, drawn anew, all different."""
    return [low + i for i in tensors.permutation(high - low)[:count]]


@pytest.mark.points(3.5)
@pytest.mark.hint("Pair j turns by delta / 10000^(2j / num_hiddens). Which sine has the minus?")
def test_forward(student, reference, tensors, assert_close):
    """Positive offsets, for several widths."""
    for width in WIDTHS:
        for delta in offsets(tensors, 3, 2, 60):
            expected = reference.relative_projection(delta, width)
            result = matrices(student, delta, width)
            assert_close(result, expected, like=LIKE, name=f"the result for num_hiddens {width}")


@pytest.mark.points(3)
@pytest.mark.hint("With a negative offset the sines change their sign: no `abs`, no range check.")
def test_backward(student, reference, tensors, assert_close):
    """Negative offsets lead back."""
    for width in WIDTHS:
        for delta in offsets(tensors, 3, -60, -1):
            expected = reference.relative_projection(delta, width)
            result = matrices(student, delta, width)
            assert_close(result, expected, like=LIKE, name=f"the result for num_hiddens {width}")


@pytest.mark.points(3)
@pytest.mark.hint(
    "Multiply matrix j with the pair (sin, cos) of a position: it has to be the pair delta later."
)
def test_moves_an_encoding(student, tensors, assert_close):
    """The matrices move the encoding of any position by the offset."""
    width = 10
    turns = 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    for delta in (*offsets(tensors, 2, 1, 40), *offsets(tensors, 2, -40, 0)):
        result = check_form(matrices(student, delta, width), (width // 2, 2, 2), torch.float32)
        positions = torch.arange(40, 60, dtype=torch.float64)[:, None]
        pairs = torch.stack((torch.sin(positions * turns), torch.cos(positions * turns)), dim=-1)
        moved = torch.einsum("jab,ijb->ija", result.double(), pairs)
        later = (positions + delta) * turns
        expected = torch.stack((torch.sin(later), torch.cos(later)), dim=-1)
        assert_close(moved, expected, name="the encoding that the matrices give")


@pytest.mark.points(1.5)
@pytest.mark.hint("The offset times the frequency, in float32 and not below; no table of fixed length.")
def test_large_offsets(student, reference, tensors, assert_close):
    """Offsets up to 1000, in both directions."""
    for delta in (*offsets(tensors, 2, 900, 1001), *offsets(tensors, 1, -1000, -900)):
        result, expected = matrices(student, delta, 64), reference.relative_projection(delta, 64)
        assert_close(result, expected, like=LIKE, tolerance=LARGE_TOLERANCE)


@pytest.mark.points(1)
@pytest.mark.hint("At offset 0 nothing turns: cos 0 is 1 and sin 0 is 0.")
def test_small_offsets(student, reference, assert_close):
    """Offsets of 0, 1 and -1."""
    for delta in (0, 1, -1):
        result, expected = matrices(student, delta, 4), reference.relative_projection(delta, 4)
        assert_close(result, expected, like=LIKE, name=f"the result for delta {delta}")


@pytest.mark.points(1.5)
@pytest.mark.hint(
    "(num_hiddens / 2, 2, 2) and float32, torch's own dtype: `dtype=torch.float32` in `arange`."
)
def test_form(student, reference, tensors, assert_close):
    """Shape and dtype: one 2 × 2 matrix of float32 per pair of columns."""
    for width in (4, 14):
        (delta,) = offsets(tensors, 1, 2, 30)
        result = student.relative_projection(delta, width)
        if isinstance(result, torch.Tensor) and result.dim() == 3 and len(result) == width:
            fail(
                f"The result has {width} matrices for num_hiddens {width}; expected {width // 2}.",
                reason="shape",
                misconception="matrix_per_column",
            )
        check_form(result, (width // 2, 2, 2), torch.float32)
        assert_close(result, reference.relative_projection(delta, width), like=LIKE)


@pytest.mark.points(1.5)
@pytest.mark.accelerator
@pytest.mark.hint(
    "Nothing that comes in lies on a GPU, so nothing that goes out does: no `.cuda()`, no `.to(...)`."
)
def test_runs_beside_an_accelerator(student, reference, tensors, assert_close):
    """The result is on the CPU, also where there is a GPU."""
    for delta in (*offsets(tensors, 1, 2, 30), *offsets(tensors, 1, -30, -1)):
        result, expected = matrices(student, delta, 6), reference.relative_projection(delta, 6)
        assert_close(result, expected, like=LIKE, device="cpu")
