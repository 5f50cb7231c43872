"""Hidden checks of multi-head attention."""

import pytest
import torch
from torch import nn

from grader.suite import (
    check_dropped,
    check_form,
    check_untouched,
    fail,
    fit_shape,
    gradients_of,
    require,
    share_weights,
)

TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-10}

BATCH, QUERIES, KEYS = 3, 4, 7
KEY_SIZE, QUERY_SIZE, VALUE_SIZE = 9, 6, 5
HIDDENS, HEADS = 12, 3  # a head has the size 4
LAYERS = ("W_q", "W_k", "W_v", "W_o")
INPUTS = {"W_q": QUERY_SIZE, "W_k": KEY_SIZE, "W_v": VALUE_SIZE, "W_o": HIDDENS}


def draw(tensors, *, batch=BATCH, queries=QUERIES, keys=KEYS, dtype=torch.float32):
    """Queries, keys and values."""
    return (
        tensors.randn(batch, queries, QUERY_SIZE, scale=1.2, dtype=dtype),
        tensors.randn(batch, keys, KEY_SIZE, scale=1.2, dtype=dtype),
        tensors.randn(batch, keys, VALUE_SIZE, dtype=dtype),
    )


def every_form(tensors, *, batch=BATCH, queries=QUERIES, keys=KEYS):
    """valid_lens in all its forms, as (words, lengths)."""
    yield "without lengths", None
    yield "with one length per sample", tensors.lengths(batch, keys=keys)
    yield "with one length per query", tensors.lengths(batch, queries, keys=keys)


def build(student, reference, tensors, *, heads=HEADS, hiddens=HIDDENS, rate=0.0, bias=False):
    """The student's module, the reference's with the same weights, and {our name: the student's}."""
    sizes = (KEY_SIZE, QUERY_SIZE, VALUE_SIZE, hiddens, heads, rate)
    given = (True,) if bias else ()
    net, ours = student.MultiHeadAttention(*sizes, *given), reference.MultiHeadAttention(*sizes, *given)
    with torch.no_grad():
        for name, weight in ours.named_parameters():
            weight.copy_(tensors.randn(*weight.shape, scale=scale_of(name)))
    lacks_bias = bias and not any(name.endswith("bias") for name, _ in net.named_parameters())
    names = share_weights(net, ours, *draw(tensors), None, misconception="bias_ignored" if lacks_bias else "")
    return net.eval(), ours.eval(), names


def scale_of(name):
    """Scores differ by 2 or so, and results by less than 1."""
    return 0.4 if name.startswith(("W_q", "W_k")) else 0.25


@pytest.mark.points(2)
@pytest.mark.misconception("arguments_missing", r"TypeError: MultiHeadAttention\.__init__\(\)")
@pytest.mark.hint("Project, split the features into heads, attend in each, put the heads end to end.")
def test_without_lengths(student, reference, tensors, assert_close):
    """Without lengths: every head attends to all keys with its own features."""
    net, ours, _ = build(student, reference, tensors)
    inputs = draw(tensors)
    assert_close(net(*inputs, None), ours(*inputs, None), like=inputs[0])


@pytest.mark.points(2)
@pytest.mark.hint("Each sample's lengths hold in all of its heads: think of `repeat_interleave`.")
def test_with_lengths(student, reference, tensors, assert_close):
    """With lengths per sample and per query, as int32 and as int64."""
    net, ours, _ = build(student, reference, tensors)
    for dtype in (torch.int64, torch.int32):
        for words, shape in (("sample", (BATCH,)), ("query", (BATCH, QUERIES))):
            inputs = (*draw(tensors), tensors.lengths(*shape, keys=KEYS, dtype=dtype))
            name = f"the result for one length per {words} ({dtype})"
            assert_close(net(*inputs), ours(*inputs), like=inputs[0], name=name)


@pytest.mark.points(1.5)
@pytest.mark.hint("Take sizes from the inputs of each call, and keep axes of size 1.")
def test_sizes(student, reference, tensors, assert_close):
    """Other sizes through one module: a batch of one, a single query, a single key, equal sizes."""
    net, ours, _ = build(student, reference, tensors)
    for batch, queries, keys in ((1, 4, 7), (3, 1, 7), (2, 4, 1), (1, 1, 1), (5, 5, 5)):
        for words, lens in every_form(tensors, batch=batch, queries=queries, keys=keys):
            inputs = (*draw(tensors, batch=batch, queries=queries, keys=keys), lens)
            name = f"the result for batch {batch}, queries {queries}, keys {keys}, {words}"
            assert_close(net(*inputs), ours(*inputs), like=inputs[0], name=name)


@pytest.mark.points(1.5)
@pytest.mark.hint("The size of a head is num_hiddens / num_heads; the scores are divided by its square root.")
def test_numbers_of_heads(student, reference, tensors, assert_close):
    """One head, two, and as many as there are features."""
    for heads, hiddens in ((1, 7), (2, 8), (10, 10)):
        net, ours, _ = build(student, reference, tensors, heads=heads, hiddens=hiddens)
        inputs = (*draw(tensors), tensors.lengths(BATCH, QUERIES, keys=KEYS))
        name = f"the result for {heads} heads and {hiddens} hidden units"
        assert_close(net(*inputs), ours(*inputs), like=inputs[0], name=name)


@pytest.mark.points(1)
@pytest.mark.hint("Queries, keys and values are the same tensor, each with its own projection.")
def test_self_attention(student, reference, tensors, assert_close):
    """Self-attention, as in the fourth text: one sequence is queries, keys and values."""
    _, _, names = build(student, reference, tensors)
    sizes = (8, 8, 8, HIDDENS, HEADS, 0.0)
    net, ours = student.MultiHeadAttention(*sizes).eval(), reference.MultiHeadAttention(*sizes).eval()
    X, lens = tensors.randn(BATCH, QUERIES, 8), tensors.lengths(BATCH, keys=QUERIES)
    if net.is_lazy:
        net(X, X, X, None)
    # Three weights have one shape: only the names that were found with other sizes tell them apart.
    own = dict(net.named_parameters())
    with torch.no_grad():
        for parameter in own.values():
            parameter.zero_()  # a bias that we do not have
        for name, weight in ours.named_parameters():
            weight.copy_(tensors.randn(*weight.shape, scale=scale_of(name)))
            own[names[name]].copy_(fit_shape(weight, own[names[name]].shape))
    for words, given in (("without lengths", None), ("with one length per sample", lens)):
        name = f"the result of self-attention {words}"
        assert_close(net(X, X, X, given), ours(X, X, X, given), like=X, name=name)


@pytest.mark.points(0.5)
@pytest.mark.hint("Hand `bias` on to all four layers; by default there is none.")
def test_bias(student, reference, tensors, assert_close):
    """With bias=True the four layers have a bias, and it counts."""
    net, ours, _ = build(student, reference, tensors, bias=True)
    inputs = (*draw(tensors), tensors.lengths(BATCH, keys=KEYS))
    assert_close(net(*inputs), ours(*inputs), like=inputs[0], name="the result with bias")


@pytest.mark.points(1)
@pytest.mark.hint("No `.float()` and no NumPy on the way: after `.double()` everything is float64.")
def test_float64(student, reference, tensors, assert_close):
    """After .double(), float64 inputs give a float64 result with float64 precision."""
    net, ours, _ = build(student, reference, tensors)
    net.double()
    for words, lens in every_form(tensors):
        inputs = (*draw(tensors, dtype=torch.float64), lens)
        assert_close(net(*inputs), ours(*inputs), like=inputs[0], name=f"the float64 result {words}")


@pytest.mark.points(1.5)
@pytest.mark.hint("Compute with torch operations only, and leave every parameter trainable.")
def test_gradients(student, reference, tensors, assert_close):
    """Gradients reach queries, keys, values and all four layers, and are right."""
    net, ours, matched = build(student, reference, tensors)
    names = ("queries", "keys", "values")
    for words, lens in every_form(tensors):
        inputs, upstream = draw(tensors), tensors.randn(BATCH, QUERIES, HIDDENS, scale=0.2)
        mine = {name: x.clone().requires_grad_() for name, x in zip(names, inputs, strict=True)}
        theirs = {name: x.double().requires_grad_() for name, x in zip(names, inputs, strict=True)}
        result, expected = net(*mine.values(), lens), ours(*theirs.values(), lens)
        assert_close(result, expected, like=inputs[0], name=f"the result {words}")
        parameters = dict(net.named_parameters())
        mine |= {name: parameters[own] for name, own in matched.items()}
        wanted = gradients_of(expected, theirs | dict(ours.named_parameters()), upstream)
        for name, grad in gradients_of(result, mine, upstream).items():
            aligned = fit_shape(wanted[name], grad.shape)
            assert_close(grad, aligned, like=inputs[0], name=f"the gradient of `{name}` {words}")


@pytest.mark.points(1)
@pytest.mark.hint("Four `nn.Linear(..., bias=bias)`, made in `__init__`: W_q, W_k, W_v and W_o.")
def test_layers(student, tensors):
    """Four layers, named W_q, W_k, W_v and W_o, without bias by default, that do not start at zero."""
    net = student.MultiHeadAttention(KEY_SIZE, QUERY_SIZE, VALUE_SIZE, HIDDENS, HEADS, 0.1)
    net(*draw(tensors), None)
    parameters = dict(net.named_parameters())
    listed = ", ".join(f"`{name}` {tuple(p.shape)}" for name, p in parameters.items()) or "none"
    biases = [name for name in parameters if name.rpartition(".")[2] == "bias"]
    require(
        not biases,
        f"Without `bias` the layers have none; found {', '.join(f'`{name}`' for name in biases)}.",
        reason="state",
        misconception="layers_with_bias",
    )
    for layer in LAYERS:
        check_layer(layer, parameters, listed)
    require(
        len(parameters) == len(LAYERS), f"There are more parameters than the four: {listed}.", reason="state"
    )
    require(
        any(bool((p != 0).any()) for p in parameters.values()),
        "All weights start at 0.",
        reason="state",
        hint="Keep the default initialisation.",
        misconception="starts_at_zero",
    )


def check_layer(layer, parameters, listed):
    """One trainable weight of the right shape in the layer of this name."""
    of_layer = [p for name, p in parameters.items() if name.partition(".")[0] == layer]
    require(
        len(of_layer) == 1,
        f"Expected one weight in a layer named `{layer}`; the parameters are: {listed}.",
        reason="state",
        misconception="layers_renamed" if len(parameters) == len(LAYERS) else "",
    )
    wanted = (HIDDENS, INPUTS[layer])
    require(
        tuple(of_layer[0].shape) in (wanted, wanted[::-1]),
        f"The weight of `{layer}` has the wrong shape; the parameters are: {listed}.",
        reason="state",
        misconception="layer_of_wrong_size",
    )
    require(of_layer[0].requires_grad, f"`{layer}` is not trainable.", misconception="frozen_layer")


@pytest.mark.points(0.5)
@pytest.mark.hint("Dropout belongs on the weights of every head, between the softmax and the values.")
def test_dropout_on_the_weights(student, reference, tensors):
    """In training mode weights are dropped in every head on its own, at the given rate."""
    rate, heads, keys = 0.3, 2, 16
    hiddens = 2 * keys * heads
    sizes = (KEY_SIZE, QUERY_SIZE, keys, hiddens, heads, rate)
    net, ours = student.MultiHeadAttention(*sizes), reference.MultiHeadAttention(*sizes)
    with torch.no_grad():
        ours.W_q.weight.copy_(tensors.randn(hiddens, QUERY_SIZE, scale=0.1))
        ours.W_k.weight.copy_(tensors.randn(hiddens, KEY_SIZE, scale=0.1))
        # Every value is a unit vector, and every head shows it twice: the result holds the weights, twice.
        ours.W_v.weight.copy_(torch.eye(keys).repeat(2 * heads, 1))
        nn.init.eye_(ours.W_o.weight)
    queries, key_vectors, _ = draw(tensors, queries=12, keys=keys)
    inputs = (queries, key_vectors, torch.eye(keys).expand(BATCH, keys, keys).clone(), None)
    share_weights(net, ours, *inputs)
    expected = ours.eval()(*inputs)
    full = check_form(net.eval()(*inputs), tuple(expected.shape), torch.float32)
    if bool((full == 0).any()):  # not what a softmax gives; else wrong scores lose no points here
        full = expected
    net.train()
    first, second = (check_form(net(*inputs), tuple(full.shape), torch.float32).detach() for _ in range(2))
    # Axes: batch, queries, heads, the two copies, keys.
    seen = first.unflatten(-1, (heads, 2, keys))
    check_one_mask(seen)
    check_dropped(seen[:, :, :, 0], full.unflatten(-1, (heads, 2, keys))[:, :, :, 0], rate, name="weights")
    require(
        not torch.equal(first == 0, second == 0),
        "Two calls in training mode drop the same weights.",
        hint="Dropout draws anew in every call.",
        misconception="dropout_mask_kept",
    )


def check_one_mask(seen):
    """A weight that is dropped is missing in all entries of the value that it meets."""
    if bool((seen[:, :, :, 0] - seen[:, :, :, 1]).abs().max() <= 1e-5):
        return
    is_zero = seen == 0
    on_values = bool((is_zero == is_zero[:, :1]).all())
    fail(
        "In training mode the entries of one result are dropped separately; a dropped weight should be "
        "missing in all of them.",
        misconception="dropout_on_values" if on_values else "dropout_on_output",
    )


@pytest.mark.points(0.5)
@pytest.mark.hint("`nn.Dropout` looks at `self.training`; so must `F.dropout(..., training=self.training)`.")
def test_no_dropout_otherwise(student, reference, tensors, assert_close):
    """No dropout in evaluation mode, and none in training mode at rate 0."""
    inputs = (*draw(tensors), tensors.lengths(BATCH, keys=KEYS))
    for rate, training, words in ((0.5, False, "in evaluation mode"), (0.0, True, "at dropout 0")):
        net, ours, _ = build(student, reference, tensors, rate=rate)
        net.train(training)
        first, second = net(*inputs), net(*inputs)
        expected = ours(*inputs)
        check_form(first, tuple(expected.shape), torch.float32, name=f"the result {words}")
        check_form(second, tuple(expected.shape), torch.float32, name=f"the second result {words}")
        require(
            training or torch.equal(first, second),
            f"Two calls with the same inputs differ {words}.",
            misconception="dropout_also_in_eval",
        )
        assert_close(first, expected, like=inputs[0], name=f"the result {words}")


@pytest.mark.points(1)
@pytest.mark.hint("forward neither writes into its inputs nor calls `torch.manual_seed`.")
def test_leaves_the_world_alone(student, reference, tensors, assert_close):
    """A call leaves its inputs as they were and does not seed the random generator."""
    net, ours, _ = build(student, reference, tensors)
    seeds = []
    for words, lens in every_form(tensors):
        queries, keys, values = draw(tensors)
        for training in (True, False):
            net.train(training)
            result = net(queries, keys, values, lens)
            check_untouched(student, queries=queries, keys=keys, values=values, valid_lens=lens)
            seeds.append(student.initial_seed())
        assert_close(result, ours(queries, keys, values, lens), like=queries, name=f"the result {words}")
    require(
        len({*seeds}) == len(seeds),
        "Every call gives the random generator the same seed.",
        reason="state",
        misconception="seeds_in_forward",
    )


@pytest.mark.points(1)
@pytest.mark.accelerator
@pytest.mark.hint("Create tensors with `device=queries.device`; move nothing to the CPU.")
def test_runs_where_its_inputs_are(student, reference, tensors, assert_close):
    """Runs where its inputs are, also on a GPU."""
    net, ours, _ = build(student, reference, tensors)
    for words, lens in every_form(tensors):
        inputs = (*draw(tensors), lens)
        expected = ours(*inputs)
        assert_close(net.eval()(*inputs), expected, like=inputs[0], name=f"the result {words}")
        result, shape = net.train()(*inputs), tuple(expected.shape)
        check_form(result, shape, torch.float32, device=student.device, name="the result in training mode")
