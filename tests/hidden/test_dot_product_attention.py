"""Hidden checks of exercise 3."""

import pytest
import torch

from grader.suite import check_dropped, check_form, check_untouched, fail, gradients_of, require
from grader.suite.properties import check_is_before_dropout, check_is_new

TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-10}

BATCH, QUERIES, KEYS, SIZE, VALUE_SIZE = 3, 4, 7, 6, 5


def draw(tensors, *, batch=BATCH, queries=QUERIES, keys=KEYS, size=SIZE, dtype=torch.float32):
    """Queries, keys and values."""
    return (
        tensors.randn(batch, queries, size, scale=1.5, dtype=dtype),
        tensors.randn(batch, keys, size, scale=1.5, dtype=dtype),
        tensors.randn(batch, keys, VALUE_SIZE, dtype=dtype),
    )


def every_form(tensors, *, batch=BATCH, queries=QUERIES, keys=KEYS):
    """valid_lens in all its forms, as (words, lengths)."""
    yield "without lengths", None
    yield "with one length per sample", tensors.lengths(batch, keys=keys)
    yield "with one length per query", tensors.lengths(batch, queries, keys=keys)


def build(student, reference, *, rate=0.0):
    """The student's module and the reference's, both in evaluation mode."""
    return student.DotProductAttention(rate).eval(), reference.DotProductAttention(rate).eval()


@pytest.mark.points(2)
@pytest.mark.misconception(
    "needs_lengths", r"TypeError: DotProductAttention\.forward\(\) missing 1 required .*argument: '\w*len"
)
@pytest.mark.hint("Score: q · k / sqrt(d), for every query with every key; then softmax over the keys.")
def test_without_lengths(student, reference, tensors, assert_close):
    """Without lengths, given as None or left out: scores, softmax over all keys, weighted sum."""
    net, ours = build(student, reference)
    inputs = draw(tensors)
    result, expected = net(*inputs, None), ours(*inputs, None)
    learns = any(True for _ in net.parameters())
    assert_close(
        result,
        expected,
        like=inputs[0],
        name="the result for lengths None",
        misconception="has_parameters" if learns else "",
    )
    # Last, so that an error of any other kind has already ended the check.
    inputs = draw(tensors)
    assert_close(net(*inputs), ours(*inputs), like=inputs[0], name="the result where lengths are left out")


@pytest.mark.points(2)
@pytest.mark.hint("Hand `valid_lens` on to the masked softmax, whatever its form.")
def test_with_lengths(student, reference, tensors, assert_close):
    """With lengths per sample and per query, as int32 and as int64."""
    net, ours = build(student, reference)
    for dtype in (torch.int64, torch.int32):
        for words, shape in (("sample", (BATCH,)), ("query", (BATCH, QUERIES))):
            inputs = (*draw(tensors), tensors.lengths(*shape, keys=KEYS, dtype=dtype))
            name = f"the result for one length per {words} ({dtype})"
            assert_close(net(*inputs), ours(*inputs), like=inputs[0], name=name)


@pytest.mark.points(1.5)
@pytest.mark.hint("Take d and all other sizes from the inputs of each call, and keep axes of size 1.")
def test_sizes(student, reference, tensors, assert_close):
    """Other sizes through one module: d from 1 to 32, a batch of one, one query, one key, equal sizes."""
    net, ours = build(student, reference)
    wide, equal = (2, 3, 20, 32), (5, 5, 5, 5)
    for batch, queries, keys, size in ((1, 4, 7, 3), (3, 1, 7, 8), (3, 4, 1, 2), (2, 4, 3, 1), wide, equal):
        for words, lens in every_form(tensors, batch=batch, queries=queries, keys=keys):
            inputs = (*draw(tensors, batch=batch, queries=queries, keys=keys, size=size), lens)
            name = f"the result for batch {batch}, queries {queries}, keys {keys}, d {size}, {words}"
            assert_close(net(*inputs), ours(*inputs), like=inputs[0], name=name)


@pytest.mark.points(1.5)
@pytest.mark.hint("No `.float()` and no NumPy on the way: float64 in, float64 out.")
def test_float64(student, reference, tensors, assert_close):
    """float64 inputs give a float64 result with float64 precision."""
    net, ours = build(student, reference)
    for words, lens in every_form(tensors):
        # The root of 16 is exact in every dtype: a float32 tensor that holds it does no harm.
        inputs = (*draw(tensors, size=16, dtype=torch.float64), lens)
        assert_close(net(*inputs), ours(*inputs), like=inputs[0], name=f"the float64 result {words}")


@pytest.mark.points(2.5)
@pytest.mark.hint("Compute with torch operations only, from the inputs to the result.")
def test_gradients(student, reference, tensors, assert_close):
    """Gradients reach queries, keys and values, and are right."""
    net, ours = build(student, reference)
    names = ("queries", "keys", "values")
    for words, lens in every_form(tensors):
        inputs, upstream = draw(tensors), tensors.randn(BATCH, QUERIES, VALUE_SIZE)
        mine = {name: x.clone().requires_grad_() for name, x in zip(names, inputs, strict=True)}
        theirs = {name: x.double().requires_grad_() for name, x in zip(names, inputs, strict=True)}
        result, expected = net(*mine.values(), lens), ours(*theirs.values(), lens)
        assert_close(result, expected, like=inputs[0], name=f"the result {words}")
        wanted = gradients_of(expected, theirs, upstream)
        for name, grad in gradients_of(result, mine, upstream).items():
            assert_close(grad, wanted[name], like=inputs[0], name=f"the gradient of `{name}` {words}")


@pytest.mark.points(1.5)
@pytest.mark.misconception("weights_not_stored", "attribute")
@pytest.mark.hint("Assign the result of the masked softmax to `self.attention_weights` in every call.")
def test_attention_weights(student, reference, tensors, assert_close):
    """attention_weights holds the weights of the last call, before dropout, in both modes."""
    net, ours = build(student, reference, rate=0.5)
    earlier = None
    for training, queries, keys in ((False, 4, 7), (False, 5, 6), (True, 3, 8), (False, 1, 9), (True, 1, 4)):
        net.train(training)
        inputs = (*draw(tensors, queries=queries, keys=keys), tensors.lengths(BATCH, keys=keys))
        net(*inputs)
        ours(*inputs)
        mode = "training" if training else "evaluation"
        stored = check_is_new(net.attention_weights, earlier, training, name="attention_weights")
        check_is_before_dropout(stored, ours.attention_weights, training, name="attention_weights")
        name = f"`attention_weights` in {mode} mode with queries {queries}, keys {keys}"
        assert_close(stored, ours.attention_weights, like=inputs[0], name=name)
        earlier = stored


@pytest.mark.points(1)
@pytest.mark.hint("Dropout belongs on the weights, between the softmax and the product with the values.")
def test_dropout_on_the_weights(student, reference, tensors, assert_close):
    """In training mode weights are dropped before they meet the values, at the given rate."""
    rate, keys = 0.3, 16
    net, ours = build(student, reference, rate=rate)
    queries, key_vectors, _ = draw(tensors, queries=16, keys=keys)
    queries = queries / 5  # close to each other, so that no weight vanishes
    # Every value is a unit vector, twice over, so the result shows the weights themselves, twice.
    values = torch.eye(keys).repeat(1, 2).expand(BATCH, keys, 2 * keys).clone()
    inputs = (queries, key_vectors, values, None)
    expected = ours(*inputs)
    name = "the result in evaluation mode"
    full = check_form(net(*inputs), tuple(expected.shape), torch.float32, name=name)
    if bool((full == 0).any()):  # not what a softmax gives; else wrong scores lose no points here
        full = expected
    net.train()
    # Every key is valid: the same weights.
    with_lengths = (*inputs[:3], torch.full((BATCH,), keys))
    shape = tuple(full.shape)
    first, second = (check_form(net(*x), shape, torch.float32).detach() for x in (inputs, with_lengths))
    check_one_mask(first, keys)
    check_dropped(first[..., :keys], full[..., :keys], rate, name="weights")
    require(
        not torch.equal(first == 0, second == 0),
        "Two calls in training mode drop the same weights.",
        hint="Dropout draws anew in every call.",
        misconception="dropout_mask_kept",
    )
    require(
        bool((second == 0).any()),
        "In training mode no weight is dropped where lengths are given.",
        hint="The same dropout for every form of `valid_lens`.",
        misconception="dropout_only_without_lengths",
    )


def check_one_mask(result, keys):
    """A weight that is dropped is missing in all entries of the value that it meets."""
    if bool((result[..., :keys] - result[..., keys:]).abs().max() <= 1e-5):
        return
    is_zero = result == 0
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
        net, ours = build(student, reference, rate=rate)
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


@pytest.mark.points(0.5)
@pytest.mark.needs("test_without_lengths")
@pytest.mark.hint("The projections with weights belong to multi-head attention.")
def test_has_no_parameters(student, tensors):
    """There is nothing to learn: the module has no parameters."""
    net = student.DotProductAttention(0.1)
    net(*draw(tensors))
    found = ", ".join(f"`{name}` {tuple(p.shape)}" for name, p in net.named_parameters())
    require(
        not found, f"The module has the parameters {found}.", reason="state", misconception="has_parameters"
    )


@pytest.mark.points(1)
@pytest.mark.hint("forward neither writes into its inputs nor calls `torch.manual_seed`.")
def test_leaves_the_world_alone(student, reference, tensors, assert_close):
    """A call leaves its inputs as they were and does not seed the random generator."""
    net, ours = build(student, reference)
    seeds = []
    for words, lens in every_form(tensors):
        queries, keys, values = draw(tensors)
        for training in (False,) if lens is None else (True, False):
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
    net, ours = build(student, reference)
    for words, lens in every_form(tensors):
        inputs = (*draw(tensors), lens)
        expected = ours(*inputs)
        assert_close(net.eval()(*inputs), expected, like=inputs[0], name=f"the result {words}")
        if hasattr(net, "attention_weights"):  # a check of its own asks for them
            name = f"`attention_weights` {words}"
            assert_close(net.attention_weights, ours.attention_weights, like=inputs[0], name=name)
        if lens is None:
            continue
        result, shape = net.train()(*inputs), tuple(expected.shape)
        check_form(result, shape, torch.float32, device=student.device, name="the result in training mode")
