"""Hidden checks of exercise 4."""

import pytest
import torch

from grader.suite import check_form, check_untouched, fail, fit_shape, gradients_of, require, share_weights

TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-10}
# Far from every key the exponents are near -200, where float32 has a unit in the last place of 2e-5.
FAR_TOLERANCE = 1e-3
LEARNING_RATE = 0.02

QUERIES, KEYS = 6, 9


def draw(tensors, *, queries=QUERIES, keys=KEYS, dtype=torch.float32):
    """Queries and keys in [0, 5), as in the book, and values."""
    return (
        tensors.uniform(queries, high=5, dtype=dtype),
        tensors.uniform(queries, keys, high=5, dtype=dtype),
        tensors.randn(queries, keys, scale=2, dtype=dtype),
    )


def build(student, reference, tensors, width):
    """The student's module, the reference's with the same w, and the student's parameter."""
    net, ours = student.NWKernelRegression(), reference.NWKernelRegression()
    with torch.no_grad():
        ours.w.copy_(torch.tensor([width]))
    names = share_weights(net, ours, *draw(tensors))
    return net, ours, dict(net.named_parameters())[names["w"]]


@pytest.mark.points(3)
@pytest.mark.hint("The weights of query i: softmax over its keys of -((q - k) · w)² / 2.")
def test_values(student, reference, tensors, assert_close):
    """Predictions for several widths, small and large, positive and negative."""
    for width in (1.7, 0.4, -0.8, 3.0):
        net, ours, _ = build(student, reference, tensors, width)
        inputs = draw(tensors)
        assert_close(net(*inputs), ours(*inputs), like=inputs[0])


@pytest.mark.points(1.5)
@pytest.mark.hint("Take every size from the inputs; a single query still gives shape (1,).")
def test_sizes(student, reference, tensors, assert_close):
    """Other sizes through one module: a single query, a single key, as many keys as queries."""
    net, ours, _ = build(student, reference, tensors, 1.7)
    for queries, keys in ((1, 7), (5, 1), (1, 1), (6, 6), (6, 5), (3, 30)):
        inputs = draw(tensors, queries=queries, keys=keys)
        name = f"the result for queries {queries}, keys {keys}"
        assert_close(net(*inputs), ours(*inputs), like=inputs[0], name=name)


@pytest.mark.points(1)
@pytest.mark.hint("`exp(...) / sum` becomes 0 / 0 there; `torch.softmax` does not.")
def test_far_queries(student, reference, tensors, assert_close):
    """A query far from every key gets a number, not NaN."""
    net, ours, _ = build(student, reference, tensors, 1.0)
    # The keys lie so close together that all of them still count.
    _, _, values = draw(tensors)
    keys = tensors.uniform(QUERIES, KEYS, low=2, high=2.2)
    queries = tensors.uniform(QUERIES, low=20, high=24) * torch.tensor([1.0, -0.8]).repeat(QUERIES // 2)
    expected = ours(queries, keys, values)
    assert_close(net(queries, keys, values), expected, like=queries, tolerance=FAR_TOLERANCE)


@pytest.mark.points(1.5)
@pytest.mark.hint("No `.float()` and no NumPy on the way: after `.double()` everything is float64.")
def test_float64(student, reference, tensors, assert_close):
    """After .double(), float64 inputs give a float64 result with float64 precision."""
    net, ours, _ = build(student, reference, tensors, 1.7)
    net.double()
    inputs = draw(tensors, dtype=torch.float64)
    assert_close(net(*inputs), ours(*inputs), like=inputs[0], name="the float64 result")


@pytest.mark.points(2.5)
@pytest.mark.hint("Compute with torch operations only, and use `self.w` itself.")
def test_gradients(student, reference, tensors, assert_close):
    """Gradients reach queries, keys, values and w, and are right."""
    names = ("queries", "keys", "values")
    for width in (0.6, 1.7):
        net, ours, own = build(student, reference, tensors, width)
        inputs, upstream = draw(tensors), tensors.randn(QUERIES, scale=0.5)
        mine = {name: x.clone().requires_grad_() for name, x in zip(names, inputs, strict=True)}
        theirs = {name: x.double().requires_grad_() for name, x in zip(names, inputs, strict=True)}
        result, expected = net(*mine.values()), ours(*theirs.values())
        assert_close(result, expected, like=inputs[0])
        wanted = gradients_of(expected, theirs | {"w": ours.w}, upstream)
        for name, grad in gradients_of(result, mine | {"w": own}, upstream).items():
            aligned = fit_shape(wanted[name], grad.shape)
            assert_close(grad, aligned, like=inputs[0], name=f"the gradient of `{name}`")


@pytest.mark.points(2)
@pytest.mark.hint("Every step uses the gradient of w: is anything left from the step before, or cut off?")
def test_training(student, reference, tensors, assert_close):
    """Five steps of SGD, every training point predicted from all others: losses and w."""
    points = 12
    x = tensors.uniform(points, high=5).sort().values
    y = 2 * torch.sin(x) + x**0.8 + tensors.randn(points, scale=0.5)
    others = ~torch.eye(points, dtype=torch.bool)
    keys = x.repeat(points, 1)[others].reshape(points, -1)
    values = y.repeat(points, 1)[others].reshape(points, -1)
    net, ours, own = build(student, reference, tensors, 1.2)
    for step in range(1, 6):
        result, expected = net(x, keys, values), ours(x, keys, values)
        loss = check_form(result, (points,), torch.float32, name=f"the prediction of step {step}")
        for parameter, predicted in ((own, loss), (ours.w, expected)):
            slope = 2 * (predicted.detach() - y.to(predicted.dtype))
            grad = gradients_of(predicted, {"w": parameter}, slope)["w"]
            with torch.no_grad():  # SGD by hand: torch's optimisers import for a second at their first step
                parameter -= LEARNING_RATE * grad
        assert_close(
            ((result - y) ** 2).sum().detach(),
            ((expected - y.double()) ** 2).sum().detach(),
            like=x,
            name=f"the loss of step {step}",
        )
        wanted = fit_shape(ours.w, own.shape)
        name = f"`w` after step {step}"
        assert_close(own.detach(), wanted, like=x, name=name)


@pytest.mark.points(1.5)
@pytest.mark.misconception("weights_not_stored", "attribute")
@pytest.mark.hint("Assign the weights to `self.attention_weights` in every call, in the shape of the keys.")
def test_attention_weights(student, reference, tensors, assert_close):
    """attention_weights holds the weights of the last call, also for a single query."""
    net, ours, _ = build(student, reference, tensors, 1.7)
    earlier = None
    for training, queries, keys in ((False, 6, 9), (False, 4, 7), (True, 5, 3), (False, 1, 8), (True, 3, 1)):
        net.train(training)
        inputs = draw(tensors, queries=queries, keys=keys)
        net(*inputs)
        ours(*inputs)
        stored = net.attention_weights
        if isinstance(stored, torch.Tensor) and earlier is not None and torch.equal(stored, earlier):
            fail(
                "`attention_weights` still holds the weights of the call before.",
                reason="state",
                misconception="weights_only_in_eval" if training else "weights_kept_from_first_call",
            )
        name = f"`attention_weights` for queries {queries}, keys {keys}"
        assert_close(stored, ours.attention_weights, like=inputs[0], name=name)
        earlier = stored


@pytest.mark.points(0.5)
@pytest.mark.hint("`self.w = nn.Parameter(torch.rand(1))` in `__init__`, and nothing else.")
def test_parameter(student):
    """The only parameter is w, of shape (1,); it is trainable and does not start at 0."""
    net = student.NWKernelRegression()
    parameters = dict(net.named_parameters())
    found = ", ".join(f"`{name}` {tuple(p.shape)}" for name, p in parameters.items()) or "none"
    expected = f"Expected one parameter, `w` of shape (1,); found: {found}."
    require(bool(parameters), expected, reason="state", misconception="parameter_not_registered")
    renamed = "parameter_renamed" if len(parameters) == 1 else ""
    require("w" in parameters, expected, reason="state", misconception=renamed)
    require(len(parameters) == 1, expected, reason="state", misconception="second_parameter")
    w = parameters["w"]
    shaped = "parameter_without_axis" if w.dim() == 0 else "width_per_key" if w.numel() > 1 else ""
    require(tuple(w.shape) == (1,), expected, reason="state", misconception=shaped)
    require(w.requires_grad, "`w` is not trainable.", reason="state", misconception="frozen_parameter")
    require(
        bool((w != 0).all()),
        "`w` starts at 0, where its gradient is 0 too: it would never move.",
        reason="state",
        misconception="starts_at_zero",
    )


@pytest.mark.points(0.5)
@pytest.mark.hint("The next epoch uses the same queries, keys and values: do not write into them.")
def test_leaves_its_inputs_alone(student, reference, tensors, assert_close):
    """A call leaves queries, keys and values as they were."""
    net, ours, _ = build(student, reference, tensors, 1.7)
    queries, keys, values = draw(tensors)
    expected = ours(queries, keys, values)
    for training in (True, False):
        net.train(training)
        result = net(queries, keys, values)
        check_untouched(student, queries=queries, keys=keys, values=values)
        assert_close(result, expected, like=queries)


@pytest.mark.points(1)
@pytest.mark.accelerator
@pytest.mark.hint("Create tensors with `device=queries.device`; move nothing to the CPU.")
def test_runs_where_its_inputs_are(student, reference, tensors, assert_close):
    """Runs where its inputs are, also on a GPU."""
    net, ours, _ = build(student, reference, tensors, 1.7)
    for queries, keys in ((QUERIES, KEYS), (1, 4)):
        inputs = draw(tensors, queries=queries, keys=keys)
        assert_close(net(*inputs), ours(*inputs), like=inputs[0])
        if hasattr(net, "attention_weights"):  # a check of its own asks for them
            name = "`attention_weights`"
            assert_close(net.attention_weights, ours.attention_weights, like=inputs[0], name=name)
