"""Hidden checks of attention by concatenation."""

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

QUERIES = 4
QUERY_SIZE, KEY_SIZE, VALUE_SIZE1, VALUE_SIZE2, OUTPUT_SIZE = 6, 9, 7, 5, 3
SIZES = (QUERY_SIZE, KEY_SIZE, VALUE_SIZE1, VALUE_SIZE2, OUTPUT_SIZE)
LAYERS = {
    "attn": (VALUE_SIZE1, QUERY_SIZE + KEY_SIZE),
    "attn_combine": (OUTPUT_SIZE, QUERY_SIZE + VALUE_SIZE2),
}


def draw(tensors, *, queries=QUERIES, sizes=SIZES, dtype=torch.float32):
    """Q, K and V."""
    return (
        tensors.randn(1, queries, sizes[0], scale=1.2, dtype=dtype),
        tensors.randn(1, queries, sizes[1], scale=1.2, dtype=dtype),
        tensors.randn(1, sizes[2], sizes[3], dtype=dtype),
    )


def build(student, reference, tensors, *, sizes=SIZES):
    """The student's module, the reference's with the same weights, and {our name: the student's}.

    Where the student's layers have no bias, ours is 0: a check of its own asks for it.
    """
    net, ours = student.Attn(*sizes), reference.Attn(*sizes)
    inputs = draw(tensors, sizes=sizes)
    if net.is_lazy:
        net(*inputs)
    lacks_bias = not any(name.rpartition(".")[2] == "bias" for name, _ in net.named_parameters())
    with torch.no_grad():
        for name, parameter in ours.named_parameters():
            parameter.copy_(tensors.randn(*parameter.shape, scale=0.35))
            if lacks_bias and name.endswith("bias"):
                parameter.zero_()
    return net.eval(), ours.eval(), share_weights(net, Weights(ours) if lacks_bias else ours, *inputs)


class Weights:
    """What of a module is no bias."""

    def __init__(self, module):
        self.module = module

    def named_parameters(self):
        """As of a module."""
        return [pair for pair in self.module.named_parameters() if not pair[0].endswith("bias")]


def two_of(result):
    """The two tensors that `forward` returns."""
    return parts_of(result, "output", "attn_weights")


@pytest.mark.points(2.5)
@pytest.mark.hint("attn([q, k]) -> softmax -> average of the values -> attn_combine([q, average]).")
def test_output_for_one_query(student, reference, tensors, assert_close):
    """The output for a single query, as in the text."""
    net, ours, _ = build(student, reference, tensors)
    for _ in range(2):
        inputs = draw(tensors, queries=1)
        output, expected = two_of(net(*inputs))[0], ours(*inputs)[0]
        assert_close(output, expected, like=inputs[0], name="the output for one query")


@pytest.mark.points(2.5)
@pytest.mark.hint("Each row on its own: row i of Q with row i of K. Only the batch axis is taken away.")
def test_output_for_more_queries(student, reference, tensors, assert_close):
    """The output for several queries at once, each with its own key."""
    net, ours, _ = build(student, reference, tensors)
    for queries in (4, 7):
        inputs = draw(tensors, queries=queries)
        output, expected = two_of(net(*inputs))[0], ours(*inputs)[0]
        assert_close(output, expected, like=inputs[0], name=f"the output for {queries} queries")


@pytest.mark.points(2)
@pytest.mark.hint("Return the softmax of the scores, shape (queries, value_size1), as the second result.")
def test_weights(student, reference, tensors, assert_close):
    """attn_weights: the softmax over the values, without the batch axis."""
    net, ours, _ = build(student, reference, tensors)
    for queries in (1, 4):
        inputs = draw(tensors, queries=queries)
        weights, expected = two_of(net(*inputs))[1], ours(*inputs)[1]
        name = f"`attn_weights` for {queries} {'query' if queries == 1 else 'queries'}"
        assert_close(weights, expected, like=inputs[0], name=name)


@pytest.mark.points(1)
@pytest.mark.hint("Take every size from the constructor's arguments, in their order.")
def test_sizes(student, reference, tensors, assert_close):
    """Modules of other sizes: all equal, a single value, values of size 1."""
    for sizes in ((4, 4, 4, 4, 4), (5, 3, 1, 4, 2), (3, 2, 6, 1, 5)):
        net, ours, _ = build(student, reference, tensors, sizes=sizes)
        inputs = draw(tensors, queries=sizes[2], sizes=sizes)
        output, expected = two_of(net(*inputs))[0], ours(*inputs)[0]
        assert_close(output, expected, like=inputs[0], name=f"the output for the sizes {sizes}")


@pytest.mark.points(1)
@pytest.mark.hint("No `.float()` and no NumPy on the way: after `.double()` everything is float64.")
def test_float64(student, reference, tensors, assert_close):
    """After .double(), float64 inputs give float64 results with float64 precision."""
    net, ours, _ = build(student, reference, tensors)
    net.double()
    inputs = draw(tensors, dtype=torch.float64)
    named = zip(("output", "`attn_weights`"), two_of(net(*inputs)), ours(*inputs), strict=True)
    for name, part, expected in named:
        assert_close(part, expected, like=inputs[0], name=f"the float64 {name}")


@pytest.mark.points(2.5)
@pytest.mark.hint("Compute with torch operations only, and leave every parameter trainable.")
def test_gradients(student, reference, tensors, assert_close):
    """Gradients of the output reach Q, K, V and both layers, and are right."""
    net, ours, matched = build(student, reference, tensors)
    for queries in (4, 1):
        inputs = draw(tensors, queries=queries)
        upstream = tensors.randn(1, queries, OUTPUT_SIZE, scale=0.5)
        mine = {name: x.clone().requires_grad_() for name, x in zip("QKV", inputs, strict=True)}
        theirs = {name: x.double().requires_grad_() for name, x in zip("QKV", inputs, strict=True)}
        output, expected = two_of(net(*mine.values()))[0], ours(*theirs.values())[0]
        assert_close(output, expected, like=inputs[0], name="the output")
        parameters = dict(net.named_parameters())
        mine |= {name: parameters[own] for name, own in matched.items()}
        known = {name: part for name, part in ours.named_parameters() if name in matched}
        wanted = gradients_of(expected, theirs | known, upstream)
        for name, grad in gradients_of(output, mine, upstream).items():
            aligned = fit_shape(wanted[name], grad.shape)
            assert_close(grad, aligned, like=inputs[0], name=f"the gradient of `{name}`")


@pytest.mark.points(1.5)
@pytest.mark.hint("Two `nn.Linear`, made in `__init__`: `attn` and `attn_combine`, with their bias.")
def test_layers(student, tensors):
    """Two layers with bias, named attn and attn_combine, that do not start at zero."""
    net = student.Attn(*SIZES)
    net(*draw(tensors))
    parameters = dict(net.named_parameters())
    listed = ", ".join(f"`{name}` {tuple(p.shape)}" for name, p in parameters.items()) or "none"
    require(
        any(name.rpartition(".")[2] == "bias" for name in parameters) or len(parameters) != len(LAYERS),
        f"The layers have a bias; the parameters are: {listed}.",
        reason="state",
        misconception="layers_without_bias",
    )
    for layer, shape in LAYERS.items():
        check_layer(layer, shape, parameters, listed)
    require(
        any(bool((p != 0).any()) for p in parameters.values()),
        "All weights start at 0.",
        reason="state",
        hint="Keep the default initialisation.",
        misconception="starts_at_zero",
    )


def check_layer(layer, shape, parameters, listed):
    """A trainable weight and a trainable bias of the right shapes in the layer of this name."""
    of_layer = [p for name, p in parameters.items() if name.partition(".")[0] == layer]
    is_renamed = not of_layer and len(parameters) == 2 * len(LAYERS)
    require(
        len(of_layer) == 2,
        f"Expected a weight and a bias in a layer named `{layer}`; the parameters are: {listed}.",
        reason="state",
        misconception="layers_renamed" if is_renamed else "",
    )
    require(
        sorted(tuple(p.shape) for p in of_layer) == sorted([shape, shape[:1]]),
        f"`{layer}` has the wrong shape; the parameters are: {listed}.",
        reason="state",
        misconception="layer_of_wrong_size",
    )
    frozen = not all(p.requires_grad for p in of_layer)
    require(not frozen, f"`{layer}` is not trainable.", reason="state", misconception="frozen_layer")


@pytest.mark.points(1)
@pytest.mark.hint("forward neither writes into its inputs nor calls `torch.manual_seed`.")
def test_leaves_the_world_alone(student, reference, tensors, assert_close):
    """A call leaves its inputs as they were and does not seed the random generator."""
    net, ours, _ = build(student, reference, tensors)
    seeds = []
    for queries in (4, 1):
        Q, K, V = draw(tensors, queries=queries)
        result = two_of(net(Q, K, V))
        check_untouched(student, Q=Q, K=K, V=V)
        seeds.append(student.initial_seed())
        assert_close(result[0], ours(Q, K, V)[0], like=Q, name="the output")
    require(
        len({*seeds}) == len(seeds),
        "Every call gives the random generator the same seed.",
        reason="state",
        misconception="seeds_in_forward",
    )


@pytest.mark.points(1)
@pytest.mark.accelerator
@pytest.mark.hint("Create tensors with `device=Q.device`; move nothing to the CPU.")
def test_runs_where_its_inputs_are(student, reference, tensors, assert_close):
    """Runs where its inputs are, also on a GPU."""
    net, ours, _ = build(student, reference, tensors)
    inputs = draw(tensors)
    result, expected = two_of(net(*inputs)), ours(*inputs)
    assert_close(result[0], expected[0], like=inputs[0], name="the output")
    weights_shape = tuple(expected[1].shape)
    # That the weights have two axes is asked elsewhere.
    if isinstance(result[1], torch.Tensor) and tuple(result[1].shape) == weights_shape:
        check_form(result[1], weights_shape, torch.float32, device=student.device, name="`attn_weights`")
