"""Hidden checks of exercise 5."""

import pytest
import torch

from grader.suite import check_dropped, check_form, check_untouched, fail, gradients_of, require

# For up to 60 steps. A table in float32 is right in float64 modules too.
TOLERANCES = {torch.float32: 2e-5, torch.float64: 2e-5}
# Two textbook formulas in float32 differ by 6e-5 at position 1000.
LONG_TOLERANCE = 3e-4


def build(student, reference, *arguments):
    """The student's module and the reference's, both in evaluation mode."""
    return student.PositionalEncoding(*arguments).eval(), reference.PositionalEncoding(*arguments).eval()


@pytest.mark.points(3)
@pytest.mark.hint("Columns 2j and 2j + 1 are sin and cos of i / 10000^(2j / num_hiddens), i = 0, 1, 2, ...")
def test_values(student, reference, tensors, assert_close):
    """Embeddings plus pattern, for several widths."""
    for width, batch, steps in ((6, 3, 7), (32, 2, 60), (2, 4, 9)):
        net, ours = build(student, reference, width, 0.0)
        X = tensors.randn(batch, steps, width, scale=2)
        assert_close(net(X), ours(X), like=X, name=f"the result for num_hiddens {width}, steps {steps}")


@pytest.mark.points(2)
@pytest.mark.hint("Positions are the integers 0 ... 999, in a dtype that holds them exactly.")
def test_long_sequence(student, reference, tensors, assert_close):
    """A sequence of 1000 steps, the longest that the default allows."""
    net, ours = build(student, reference, 64, 0.0)
    X = tensors.randn(1, 1000, 64, scale=2)
    assert_close(net(X), ours(X), like=X, tolerance=LONG_TOLERANCE)


@pytest.mark.points(1)
@pytest.mark.hint("max_len only says how many rows the table has; positions do not depend on it.")
def test_other_max_len(student, reference, tensors, assert_close):
    """Another max_len: up to its last row, and with fewer steps."""
    net, ours = build(student, reference, 10, 0.0, 24)
    for steps in (24, 13):
        X = tensors.randn(3, steps, 10, scale=2)
        assert_close(net(X), ours(X), like=X, name=f"the result for max_len 24, steps {steps}")


@pytest.mark.points(1)
@pytest.mark.hint("Cut the table to the steps of each X: axis 1, whatever the batch.")
def test_sizes(student, reference, tensors, assert_close):
    """Several lengths through one module: a batch of one, a single step, more samples than steps."""
    net, ours = build(student, reference, 8, 0.0)
    for batch, steps in ((1, 12), (3, 1), (9, 4), (1, 1), (5, 5), (2, 30)):
        X = tensors.randn(batch, steps, 8, scale=2)
        assert_close(net(X), ours(X), like=X, name=f"the result for batch {batch}, steps {steps}")


@pytest.mark.points(1.5)
@pytest.mark.misconception("table_renamed", "attribute")
@pytest.mark.hint("`self.P`, an attribute or a buffer, of shape (1, max_len, num_hiddens).")
def test_table(student, reference, tensors, assert_close):
    """P is the table, of shape (1, max_len, num_hiddens); max_len is 1000 if left out."""
    for arguments, tolerance in (((6, 0.0, 40), None), ((10, 0.1), LONG_TOLERANCE)):
        net, ours = build(student, reference, *arguments)
        net(tensors.randn(2, 5, arguments[0]))
        table = net.P
        if isinstance(table, torch.Tensor) and table.dim() > 1 and len(arguments) == 2:
            require(
                table.shape[-2] <= 1000,
                f"Without max_len the table has {table.shape[-2]} rows, expected 1000.",
                reason="shape",
                misconception="longer_default",
            )
        if isinstance(table, torch.Tensor) and table.is_floating_point():
            table = table.detach().float()  # what it is kept in is nobody's business
        assert_close(table, ours.P, like=torch.zeros(0), tolerance=tolerance, name="`P`")


@pytest.mark.points(0.5)
@pytest.mark.needs("test_values")
@pytest.mark.hint("A plain tensor or `self.register_buffer('P', P)`; no `nn.Parameter`, no `requires_grad`.")
def test_nothing_is_trainable(student, tensors):
    """The table is fixed: nothing in the module is trainable."""
    net = student.PositionalEncoding(6, 0.1)
    net(tensors.randn(2, 5, 6))
    trainable = [name for name, parameter in net.named_parameters() if parameter.requires_grad]
    require(
        not trainable,
        f"Trainable parameters: {', '.join(f'`{name}`' for name in trainable)}; there should be none.",
        reason="state",
        misconception="table_is_trainable",
    )
    require(
        not getattr(getattr(net, "P", None), "wants_grad", False),
        "`P` has requires_grad set; it is a fixed table.",
        reason="state",
        misconception="table_needs_grad",
    )


@pytest.mark.points(1)
@pytest.mark.hint("No `.float()` and no NumPy on the way: float64 in, float64 out.")
def test_float64(student, reference, tensors, assert_close):
    """float64 embeddings come back as float64, with all their digits."""
    net, ours = build(student, reference, 6, 0.0)
    net.double()
    X = tensors.randn(3, 7, 6, scale=2, dtype=torch.float64)
    X += tensors.randn(3, 7, 6, dtype=torch.float64) * 1e-6
    result = net(X)
    assert_close(result, ours(X), like=X, name="the float64 result")
    added = (result - net(torch.zeros_like(X))).detach()
    assert_close(added, X, tolerance=1e-10, name="X, as it is left in the float64 result")


@pytest.mark.points(1.5)
@pytest.mark.hint("Compute with torch operations only, from X to the result.")
def test_gradient(student, reference, tensors, assert_close):
    """The gradient reaches X and is right."""
    net, ours = build(student, reference, 6, 0.0)
    X, upstream = tensors.randn(3, 7, 6, scale=2), tensors.randn(3, 7, 6)
    mine, theirs = X.clone().requires_grad_(), X.double().requires_grad_()
    result, expected = net(mine), ours(theirs)
    assert_close(result, expected, like=X)
    wanted = gradients_of(expected, {"X": theirs}, upstream)["X"]
    assert_close(gradients_of(result, {"X": mine}, upstream)["X"], wanted, like=X, name="the gradient of `X`")


@pytest.mark.points(1)
@pytest.mark.hint("`return self.dropout(X + ...)`: once, and around the sum.")
def test_dropout_on_the_sum(student, reference, tensors, assert_close):
    """In training mode entries of the sum are dropped, at the given rate, anew in every call."""
    rate, shape = 0.3, (3, 20, 24)
    net, ours = build(student, reference, shape[2], rate)
    # Far from -1 ... 1, so that neither X nor the sum has an entry near 0.
    X = tensors.uniform(*shape, low=2, high=5)
    full = check_form(net(X), shape, torch.float32, name="the result in evaluation mode").detach()
    if bool((full == 0).any()):  # it cannot be; else a wrong table loses no points here
        full = ours(X)
    net.train()
    first, second = (check_form(net(X), shape, torch.float32).detach() for _ in range(2))
    check_not_in_part(first, X, full - X, rate)
    check_dropped(first, full, rate, name="entries")
    require(
        not torch.equal(first == 0, second == 0),
        "Two calls in training mode drop the same entries.",
        hint="Dropout draws anew in every call.",
        misconception="dropout_mask_kept",
    )


def check_not_in_part(result, X, table, rate):
    """Neither X alone nor the table alone went through dropout."""
    for words, whole, part, name in (
        ("X alone, before the table is added", table, X, "dropout_before_adding"),
        ("the table alone", X, table, "dropout_on_table_only"),
    ):
        rest = result.double() - whole.double()
        is_gone = rest.abs() <= 1e-5
        is_kept = (rest - part.double() / (1 - rate)).abs() <= 1e-4
        if bool((is_gone | is_kept).all()) and bool(is_gone.any()) and bool(is_kept.any()):
            fail(f"In training mode dropout acts on {words}.", misconception=name)


@pytest.mark.points(0.5)
@pytest.mark.hint("`nn.Dropout` looks at `self.training`; so must `F.dropout(..., training=self.training)`.")
def test_no_dropout_otherwise(student, reference, tensors, assert_close):
    """No dropout in evaluation mode, and none in training mode at rate 0."""
    X = tensors.randn(3, 7, 6, scale=2)
    for rate, training, words in ((0.5, False, "in evaluation mode"), (0.0, True, "at dropout 0")):
        net, ours = build(student, reference, 6, rate)
        net.train(training)
        first, second = net(X), net(X)
        check_form(first, (3, 7, 6), torch.float32, name=f"the result {words}")
        check_form(second, (3, 7, 6), torch.float32, name=f"the second result {words}")
        require(
            training or torch.equal(first, second),
            f"Two calls with the same X differ {words}.",
            misconception="dropout_also_in_eval",
        )
        assert_close(first, ours(X), like=X, name=f"the result {words}")


@pytest.mark.points(1)
@pytest.mark.hint("Write `X = X + ...`, not `X += ...`, and never call `torch.manual_seed` in forward.")
def test_leaves_the_world_alone(student, reference, tensors, assert_close):
    """A call leaves X as it was and does not seed the random generator."""
    net, ours = build(student, reference, 6, 0.0)
    seeds = []
    for training in (True, False):
        X = tensors.randn(3, 7, 6, scale=2)
        result = net.train(training)(X)
        check_untouched(student, X=X)
        seeds.append(student.initial_seed())
        if not training:
            assert_close(result, ours(X), like=X)
    require(
        len({*seeds}) == len(seeds),
        "Every call gives the random generator the same seed.",
        reason="state",
        misconception="seeds_in_forward",
    )


@pytest.mark.points(1)
@pytest.mark.accelerator
@pytest.mark.hint("Keep `P` where X is: a buffer, or `self.P[...].to(X.device)`.")
def test_runs_where_its_inputs_are(student, reference, tensors, assert_close):
    """Runs where its inputs are, also on a GPU."""
    net, ours = build(student, reference, 8, 0.0)
    for steps in (5, 12):
        X = tensors.randn(3, steps, 8, scale=2)
        assert_close(net.eval()(X), ours(X), like=X)
        result, shape = net.train()(X), tuple(X.shape)
        check_form(result, shape, torch.float32, device=student.device, name="the result in training mode")
