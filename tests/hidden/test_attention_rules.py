"""Hidden checks of two more attention rules: those of one rule say nothing about the other."""

import pytest
import torch

from grader.suite import (
    check_form,
    check_untouched,
    fit_shape,
    gradients_of,
    parts_of,
    require,
    share_weights,
)

TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-10}

BATCH, QUERIES, KEYS, VALUE_SIZE = 3, 4, 7, 5
QUERY_SIZE, KEY_SIZE, HIDDEN_SIZE = 6, 9, 8
SIZES = (QUERY_SIZE, KEY_SIZE, HIDDEN_SIZE)
PARTS = ("output", "attn_weights")


def draw(tensors, *, batch=BATCH, queries=QUERIES, keys=KEYS, sizes=SIZES, dtype=torch.float32):
    """Q, K and V."""
    return (
        tensors.randn(batch, queries, sizes[0], scale=1.2, dtype=dtype),
        tensors.randn(batch, keys, sizes[1], scale=1.2, dtype=dtype),
        tensors.randn(batch, keys, VALUE_SIZE, dtype=dtype),
    )


def draw_alike(tensors, *, size=QUERY_SIZE, **more):
    """Q, K and V, with queries and keys of one size."""
    return draw(tensors, sizes=(size, size), **more)


def build(student, reference, tensors, *, sizes=SIZES):
    """The tanh rule: the student's module, the reference's with the same weights, {our name: theirs}."""
    net, ours = student.TanhSumAttn(*sizes), reference.TanhSumAttn(*sizes)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.copy_(tensors.randn(*parameter.shape, scale=0.35))
    return net.eval(), ours.eval(), share_weights(net, ours, *draw(tensors, sizes=sizes))


def check_output(result, expected, inputs, assert_close, *, words=""):
    """The first of two results; the second has a check of its own."""
    assert_close(parts_of(result, *PARTS)[0], expected[0], like=inputs[0], name=f"the output{words}")


@pytest.mark.points(2.5)
@pytest.mark.hint("scores[i, j] = sum over h of tanh(attn([q_i, k_j]))[h]; softmax over j; average of V.")
def test_tanh_output(student, reference, tensors, assert_close):
    """The tanh rule: the output, every query with every key."""
    net, ours, _ = build(student, reference, tensors)
    inputs = draw(tensors)
    check_output(net(*inputs), ours(*inputs), inputs, assert_close)


@pytest.mark.points(2)
@pytest.mark.hint("softmax of Q K^T / sqrt(d) over the keys, then the average of V.")
def test_dot_output(student, reference, tensors, assert_close):
    """The scaled dot rule: the output, for several d."""
    for size in (6, 1, 16):
        inputs = draw_alike(tensors, size=size)
        expected = reference.scaled_dot_attn(*inputs)
        check_output(student.scaled_dot_attn(*inputs), expected, inputs, assert_close, words=f" for d {size}")


@pytest.mark.points(1)
@pytest.mark.hint("The softmax over the keys is the second result: (batch, queries, keys).")
def test_tanh_weights(student, reference, tensors, assert_close):
    """The tanh rule: attn_weights."""
    net, ours, _ = build(student, reference, tensors)
    inputs = draw(tensors)
    weights, expected = parts_of(net(*inputs), *PARTS)[1], ours(*inputs)[1]
    assert_close(weights, expected, like=inputs[0], name="`attn_weights`")


@pytest.mark.points(1)
@pytest.mark.hint("The softmax over the keys is the second result: (batch, queries, keys).")
def test_dot_weights(student, reference, tensors, assert_close):
    """The scaled dot rule: attn_weights."""
    inputs = draw_alike(tensors)
    weights = parts_of(student.scaled_dot_attn(*inputs), *PARTS)[1]
    expected = reference.scaled_dot_attn(*inputs)[1]
    assert_close(weights, expected, like=inputs[0], name="`attn_weights`")


EDGES = ((1, 4, 7), (3, 1, 7), (2, 4, 1), (1, 1, 1), (5, 5, 5))


@pytest.mark.points(1)
@pytest.mark.hint("Take the sizes from the inputs of each call, and keep axes of size 1.")
def test_tanh_sizes(student, reference, tensors, assert_close):
    """The tanh rule: a batch of one, a single query, a single key, a single feature, equal sizes."""
    net, ours, _ = build(student, reference, tensors)
    for batch, queries, keys in EDGES:
        inputs = draw(tensors, batch=batch, queries=queries, keys=keys)
        words = f" for batch {batch}, queries {queries}, keys {keys}"
        check_output(net(*inputs), ours(*inputs), inputs, assert_close, words=words)
    net, ours, _ = build(student, reference, tensors, sizes=(4, 4, 1))
    inputs = draw(tensors, sizes=(4, 4))
    check_output(net(*inputs), ours(*inputs), inputs, assert_close, words=" for hidden_size 1")


@pytest.mark.points(0.5)
@pytest.mark.hint("Take the sizes from the inputs of each call, and keep axes of size 1.")
def test_dot_sizes(student, reference, tensors, assert_close):
    """The scaled dot rule: a batch of one, a single query, a single key, equal sizes."""
    for batch, queries, keys in EDGES:
        inputs = draw_alike(tensors, batch=batch, queries=queries, keys=keys, size=5)
        expected = reference.scaled_dot_attn(*inputs)
        words = f" for batch {batch}, queries {queries}, keys {keys}"
        check_output(student.scaled_dot_attn(*inputs), expected, inputs, assert_close, words=words)


@pytest.mark.points(1)
@pytest.mark.hint("No `.float()` and no NumPy on the way: float64 in, float64 out.")
def test_float64(student, reference, tensors, assert_close):
    """Both rules: float64 inputs give float64 outputs with float64 precision."""
    net, ours, _ = build(student, reference, tensors)
    net.double()
    inputs = draw(tensors, dtype=torch.float64)
    check_output(net(*inputs), ours(*inputs), inputs, assert_close, words=" of the tanh rule in float64")
    # The root of 16 is exact in every dtype: a float32 tensor that holds it does no harm.
    inputs = draw_alike(tensors, size=16, dtype=torch.float64)
    result, expected = student.scaled_dot_attn(*inputs), reference.scaled_dot_attn(*inputs)
    check_output(result, expected, inputs, assert_close, words=" of the scaled dot rule in float64")


@pytest.mark.points(1.5)
@pytest.mark.hint("Compute with torch operations only, and leave every parameter trainable.")
def test_tanh_gradients(student, reference, tensors, assert_close):
    """The tanh rule: gradients of the output reach Q, K, V and the layer, and are right."""
    net, ours, matched = build(student, reference, tensors)
    inputs = draw(tensors)
    mine, theirs = leaves_of(inputs)
    result, expected = net(*mine.values()), ours(*theirs.values())
    check_output(result, expected, inputs, assert_close)
    parameters = dict(net.named_parameters())
    mine |= {name: parameters[own] for name, own in matched.items()}
    theirs |= dict(ours.named_parameters())
    check_gradients(result, expected, mine, theirs, tensors, assert_close)


@pytest.mark.points(1)
@pytest.mark.hint("Compute with torch operations only, from the inputs to the output.")
def test_dot_gradients(student, reference, tensors, assert_close):
    """The scaled dot rule: gradients of the output reach Q, K and V, and are right."""
    inputs = draw_alike(tensors)
    mine, theirs = leaves_of(inputs)
    result = student.scaled_dot_attn(*mine.values())
    expected = reference.scaled_dot_attn(*theirs.values())
    check_output(result, expected, inputs, assert_close)
    check_gradients(result, expected, mine, theirs, tensors, assert_close)


def leaves_of(inputs):
    """The inputs as leaves for the student, and in float64 for the reference."""
    mine = {name: x.clone().requires_grad_() for name, x in zip("QKV", inputs, strict=True)}
    return mine, {name: x.double().requires_grad_() for name, x in zip("QKV", inputs, strict=True)}


def check_gradients(result, expected, mine, theirs, tensors, assert_close):
    """All gradients of the two outputs, by name."""
    upstream = tensors.randn(*expected[0].shape, scale=0.5)
    wanted = gradients_of(expected[0], theirs, upstream)
    for name, grad in gradients_of(result[0], mine, upstream).items():
        aligned = fit_shape(wanted[name], grad.shape)
        assert_close(grad, aligned, like=mine["Q"], name=f"the gradient of `{name}`")


@pytest.mark.points(1)
@pytest.mark.hint("One `nn.Linear(query_size + key_size, hidden_size)`, made in `__init__`: `attn`.")
def test_tanh_layer(student, tensors):
    """The tanh rule has one layer with bias, named attn, that does not start at zero."""
    net = student.TanhSumAttn(*SIZES)
    net(*draw(tensors))
    parameters = dict(net.named_parameters())
    listed = ", ".join(f"`{name}` {tuple(p.shape)}" for name, p in parameters.items()) or "none"
    of_layer = [p for name, p in parameters.items() if name.partition(".")[0] == "attn"]
    require(
        len(of_layer) == 2,
        f"Expected a weight and a bias in a layer named `attn`; the parameters are: {listed}.",
        reason="state",
        misconception="layer_renamed" if not of_layer and len(parameters) == 2 else "",
    )
    require(len(parameters) == 2, f"There are more parameters than those two: {listed}.", reason="state")
    is_trainable = all(p.requires_grad for p in of_layer)
    require(is_trainable, "`attn` is not trainable.", reason="state", misconception="frozen_layer")
    require(
        any(bool((p != 0).any()) for p in of_layer),
        "The layer starts at 0.",
        reason="state",
        hint="Keep the default initialisation.",
        misconception="starts_at_zero",
    )


@pytest.mark.points(1)
@pytest.mark.hint("Neither rule writes into its inputs or calls `torch.manual_seed`.")
def test_leaves_the_world_alone(student, reference, tensors, assert_close):
    """Both rules leave their inputs as they were and do not seed the random generator."""
    net, ours, _ = build(student, reference, tensors)
    seeds = []
    for mine, theirs, draw_for in (
        (net, ours, draw),
        (student.scaled_dot_attn, reference.scaled_dot_attn, draw_alike),
    ):
        for _ in range(2):
            Q, K, V = draw_for(tensors)
            result = mine(Q, K, V)
            check_untouched(student, Q=Q, K=K, V=V)
            seeds.append(student.initial_seed())
            check_output(result, theirs(Q, K, V), (Q, K, V), assert_close)
    require(
        len({*seeds}) == len(seeds),
        "Every call gives the random generator the same seed.",
        reason="state",
        misconception="seeds_the_generator",
    )


@pytest.mark.points(1.5)
@pytest.mark.accelerator
@pytest.mark.hint("Create tensors with `device=Q.device`; move nothing to the CPU.")
def test_runs_where_its_inputs_are(student, reference, tensors, assert_close):
    """Both rules run where their inputs are, also on a GPU."""
    net, ours, _ = build(student, reference, tensors)
    for mine, theirs, draw_for in (
        (net, ours, draw),
        (student.scaled_dot_attn, reference.scaled_dot_attn, draw_alike),
    ):
        inputs = draw_for(tensors)
        result, expected = mine(*inputs), theirs(*inputs)
        check_output(result, expected, inputs, assert_close)
        form = (tuple(expected[1].shape), torch.float32)
        check_form(result[1], *form, device=student.device, name="`attn_weights`")
