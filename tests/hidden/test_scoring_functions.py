"""Hidden checks of three scoring functions: those of one say nothing about the others."""

import pytest
import torch

from grader.suite import check_untouched, gradients_of

TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-10}

BATCH, QUERIES, KEYS = 3, 4, 7
QUERY_SIZE, KEY_SIZE, HIDDENS = 6, 9, 8
NAMES = ("queries", "keys", "W_q", "W_k", "w_v")
EDGES = ((1, 4, 7), (3, 1, 7), (2, 4, 1), (1, 1, 1), (5, 5, 5))


def draw(tensors, *, batch=BATCH, queries=QUERIES, keys=KEYS, size=QUERY_SIZE, dtype=torch.float32):
    """Queries and keys of one size."""
    return (
        tensors.randn(batch, queries, size, scale=0.8, dtype=dtype),
        tensors.randn(batch, keys, size, scale=0.8, dtype=dtype),
    )


def draw_additive(
    tensors, *, batch=BATCH, queries=QUERIES, keys=KEYS,
    sizes=(QUERY_SIZE, KEY_SIZE, HIDDENS), dtype=torch.float32,
):  # fmt: skip
    """Queries and keys of different sizes, and the three weights."""
    return (
        tensors.randn(batch, queries, sizes[0], dtype=dtype),
        tensors.randn(batch, keys, sizes[1], dtype=dtype),
        tensors.randn(sizes[2], sizes[0], scale=0.4, dtype=dtype),
        tensors.randn(sizes[2], sizes[1], scale=0.4, dtype=dtype),
        tensors.randn(sizes[2], scale=0.5, dtype=dtype),
    )


def all_three(functions):
    """Each function with what draws its inputs."""
    return (
        ("additive_scores", functions.additive_scores, draw_additive),
        ("dot_scores", functions.dot_scores, draw),
        ("scaled_dot_scores", functions.scaled_dot_scores, draw),
    )


@pytest.mark.points(3)
@pytest.mark.hint("w_v · tanh(W_q q + W_k k): the two projections are added for every pair, then tanh.")
def test_additive(student, reference, tensors, assert_close):
    """Additive scores, for queries and keys of different and of equal sizes."""
    for sizes in ((QUERY_SIZE, KEY_SIZE, HIDDENS), (4, 4, 4), (2, 3, 1)):
        inputs = draw_additive(tensors, sizes=sizes)
        name = f"the result for query_size {sizes[0]}, key_size {sizes[1]}, h {sizes[2]}"
        expected = reference.additive_scores(*inputs)
        assert_close(student.additive_scores(*inputs), expected, like=inputs[0], name=name)


@pytest.mark.points(2)
@pytest.mark.hint("Every query with every key of its own sample: a batched matrix product.")
def test_dot(student, reference, tensors, assert_close):
    """Dot-product scores, for several d."""
    for size in (6, 1, 16):
        inputs = draw(tensors, size=size)
        expected = reference.dot_scores(*inputs)
        assert_close(student.dot_scores(*inputs), expected, like=inputs[0], name=f"the result for d {size}")


@pytest.mark.points(2.5)
@pytest.mark.hint("Divide by the square root of d, the size of one query: `queries.shape[-1]`.")
def test_scaled_dot(student, reference, tensors, assert_close):
    """Scaled dot-product scores, for several d."""
    for size in (6, 1, 16, 3):
        inputs = draw(tensors, size=size)
        expected = reference.scaled_dot_scores(*inputs)
        name = f"the result for d {size}"
        assert_close(student.scaled_dot_scores(*inputs), expected, like=inputs[0], name=name)


@pytest.mark.points(1)
@pytest.mark.hint("Keep axes of size 1: name the axis in `squeeze(-1)`.")
def test_additive_sizes(student, reference, tensors, assert_close):
    """Additive scores: a batch of one, a single query, a single key, equal sizes."""
    check_edges(student.additive_scores, reference.additive_scores, draw_additive, tensors, assert_close)


@pytest.mark.points(1)
@pytest.mark.hint("Keep axes of size 1; take every size from the inputs.")
def test_dot_sizes(student, reference, tensors, assert_close):
    """Both dot-product scores: a batch of one, a single query, a single key, equal sizes."""
    check_edges(student.dot_scores, reference.dot_scores, draw, tensors, assert_close)
    check_edges(student.scaled_dot_scores, reference.scaled_dot_scores, draw, tensors, assert_close)


def check_edges(mine, theirs, draw_for, tensors, assert_close):
    """Values at sizes at which axes are easily lost or mistaken for each other."""
    for batch, queries, keys in EDGES:
        inputs = draw_for(tensors, batch=batch, queries=queries, keys=keys)
        name = f"the result for batch {batch}, queries {queries}, keys {keys}"
        assert_close(mine(*inputs), theirs(*inputs), like=inputs[0], name=name)


@pytest.mark.points(1)
@pytest.mark.hint("No `.float()` and no NumPy on the way: float64 in, float64 out.")
def test_float64(student, reference, tensors, assert_close):
    """All three: float64 inputs give float64 scores with float64 precision."""
    for (name, mine, draw_for), (_, theirs, _) in zip(all_three(student), all_three(reference), strict=True):
        # The root of 16 is exact in every dtype: a float32 tensor that holds it does no harm.
        more = {} if draw_for is draw_additive else {"size": 16}
        inputs = draw_for(tensors, dtype=torch.float64, **more)
        assert_close(mine(*inputs), theirs(*inputs), like=inputs[0], name=f"the result of `{name}`")


@pytest.mark.points(1.5)
@pytest.mark.hint("Compute with torch operations only: no `.detach()`, `.data`, `.item()` or NumPy.")
def test_additive_gradients(student, reference, tensors, assert_close):
    """Additive scores: gradients reach queries, keys and the three weights, and are right."""
    inputs = draw_additive(tensors)
    check_gradients(student.additive_scores, reference.additive_scores, inputs, tensors, assert_close)


@pytest.mark.points(1)
@pytest.mark.hint("Compute with torch operations only: no `.detach()`, `.data`, `.item()` or NumPy.")
def test_dot_gradients(student, reference, tensors, assert_close):
    """Both dot-product scores: gradients reach queries and keys, and are right."""
    check_gradients(student.dot_scores, reference.dot_scores, draw(tensors), tensors, assert_close)
    inputs = draw(tensors)
    check_gradients(student.scaled_dot_scores, reference.scaled_dot_scores, inputs, tensors, assert_close)


def check_gradients(mine, theirs, inputs, tensors, assert_close):
    """All gradients of the scores, by name."""
    names = NAMES[: len(inputs)]
    own = {name: x.clone().requires_grad_() for name, x in zip(names, inputs, strict=True)}
    other = {name: x.double().requires_grad_() for name, x in zip(names, inputs, strict=True)}
    result, expected = mine(*own.values()), theirs(*other.values())
    assert_close(result, expected, like=inputs[0])
    upstream = tensors.randn(*expected.shape, scale=0.3)
    wanted = gradients_of(expected, other, upstream)
    for name, grad in gradients_of(result, own, upstream).items():
        assert_close(grad, wanted[name], like=inputs[0], name=f"the gradient of `{name}`")


@pytest.mark.points(1)
@pytest.mark.hint("Compute new tensors; nothing with a trailing underscore, no `+=`.")
def test_leaves_its_inputs_alone(student, reference, tensors, assert_close):
    """All three leave their inputs as they were."""
    for (name, mine, draw_for), (_, theirs, _) in zip(all_three(student), all_three(reference), strict=True):
        inputs = draw_for(tensors)
        result = mine(*inputs)
        check_untouched(student, **dict(zip(NAMES, inputs, strict=False)))
        assert_close(result, theirs(*inputs), like=inputs[0], name=f"the result of `{name}`")


@pytest.mark.points(1)
@pytest.mark.accelerator
@pytest.mark.hint("Create tensors with `device=queries.device`; move nothing to the CPU.")
def test_runs_where_its_inputs_are(student, reference, tensors, assert_close):
    """All three run where their inputs are, also on a GPU."""
    for (name, mine, draw_for), (_, theirs, _) in zip(all_three(student), all_three(reference), strict=True):
        inputs = draw_for(tensors)
        assert_close(mine(*inputs), theirs(*inputs), like=inputs[0], name=f"the result of `{name}`")
