"""Hidden checks of the extension exercise `nw_nonparametric`."""

import pytest
import torch

from grader.suite import check_form, check_untouched, gradients_of, parts_of

TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-10}
# Far from every training input the exponents are near -200: there a unit in the last place is 2e-5.
FAR_TOLERANCE = 1e-3

N_TEST, N_TRAIN = 6, 9


def draw(tensors, *, n_test=N_TEST, n_train=N_TRAIN, dtype=torch.float32):
    """Inputs in [0, 5), as in the text but in no order, and targets."""
    return (
        tensors.uniform(n_test, high=5, dtype=dtype),
        tensors.uniform(n_train, high=5, dtype=dtype),
        tensors.randn(n_train, scale=2, dtype=dtype) + 1,
    )


def both(result):
    """The predictions and the weights that gaussian_pooling returns."""
    return parts_of(result, "the predictions", "the weights")


@pytest.mark.points(2.5)
@pytest.mark.hint("One number per test input, n_test of them: the mean of the training targets.")
def test_average_pooling(student, reference, tensors, assert_close):
    """Average pooling, for several numbers of test inputs."""
    for n_train, n_test in ((N_TRAIN, N_TEST), (N_TRAIN, 1), (1, 4), (5, 5)):
        y_train = draw(tensors, n_train=n_train)[2]
        result, expected = (
            student.average_pooling(y_train, n_test),
            reference.average_pooling(y_train, n_test),
        )
        assert_close(
            result, expected, like=y_train, name=f"the result for {n_train} targets, n_test {n_test}"
        )


@pytest.mark.points(3)
@pytest.mark.hint("The weights of test input x: softmax over the training inputs of -(x - x_train)² / 2.")
def test_predictions(student, reference, tensors, assert_close):
    """Gaussian pooling: the predictions."""
    for _ in range(2):
        inputs = draw(tensors)
        y_hat, _ = both(student.gaussian_pooling(*inputs))
        assert_close(y_hat, reference.gaussian_pooling(*inputs)[0], like=inputs[0], name="the predictions")


@pytest.mark.points(2)
@pytest.mark.hint(
    "The second result: a row of weights per test input, each with a column per training input."
)
def test_weights(student, reference, tensors, assert_close):
    """Gaussian pooling: the weights."""
    for _ in range(2):
        inputs = draw(tensors)
        _, weights = both(student.gaussian_pooling(*inputs))
        assert_close(weights, reference.gaussian_pooling(*inputs)[1], like=inputs[0], name="the weights")


@pytest.mark.points(1.5)
@pytest.mark.hint(
    "Take every size from the inputs: there may be more test inputs than training inputs, or one."
)
def test_sizes(student, reference, tensors, assert_close):
    """Gaussian pooling: a single test input, a single training point, as many of both."""
    for n_test, n_train in ((1, 7), (5, 1), (1, 1), (6, 6), (12, 4)):
        inputs = draw(tensors, n_test=n_test, n_train=n_train)
        result, expected = both(student.gaussian_pooling(*inputs)), reference.gaussian_pooling(*inputs)
        for name, part, wanted in zip(("predictions", "weights"), result, expected, strict=True):
            assert_close(
                part, wanted, like=inputs[0], name=f"the {name} for n_test {n_test}, n_train {n_train}"
            )


@pytest.mark.points(1)
@pytest.mark.hint("`exp(...) / sum` becomes 0 / 0 there; `torch.softmax` does not.")
def test_far_inputs(student, reference, tensors, assert_close):
    """Gaussian pooling: a test input far from every training input gets a number, not NaN."""
    # The training inputs lie so close together that all of them still count.
    x_train = tensors.uniform(N_TRAIN, low=2, high=2.2)
    x_test = tensors.uniform(N_TEST, low=20, high=24) * torch.tensor([1.0, -0.8]).repeat(N_TEST // 2)
    inputs = x_test, x_train, draw(tensors)[2]
    y_hat, _ = both(student.gaussian_pooling(*inputs))
    assert_close(y_hat, reference.gaussian_pooling(*inputs)[0], like=x_test, tolerance=FAR_TOLERANCE)


@pytest.mark.points(1)
@pytest.mark.hint("No `.float()` and no NumPy on the way: float64 in, float64 out.")
def test_float64(student, reference, tensors, assert_close):
    """float64 inputs give float64 results with float64 precision."""
    inputs = draw(tensors, dtype=torch.float64)
    result, expected = both(student.gaussian_pooling(*inputs)), reference.gaussian_pooling(*inputs)
    for name, part, wanted in zip(("predictions", "weights"), result, expected, strict=True):
        assert_close(part, wanted, like=inputs[0], name=f"the float64 {name}")
    result, expected = student.average_pooling(inputs[2], 4), reference.average_pooling(inputs[2], 4)
    assert_close(result, expected, like=inputs[2], name="the float64 average")


@pytest.mark.points(2)
@pytest.mark.hint("Compute with torch operations only, from the inputs to the results.")
def test_gradients(student, reference, tensors, assert_close):
    """Gradients reach all inputs of both functions, and are right."""
    inputs, upstream = draw(tensors), tensors.randn(N_TEST, scale=0.5)
    names = ("x_test", "x_train", "y_train")
    mine = {name: x.clone().requires_grad_() for name, x in zip(names, inputs, strict=True)}
    ours = {name: x.double().requires_grad_() for name, x in zip(names, inputs, strict=True)}
    result, expected = (
        both(student.gaussian_pooling(*mine.values()))[0],
        reference.gaussian_pooling(*ours.values())[0],
    )
    assert_close(result, expected, like=inputs[0], name="the predictions")
    wanted = gradients_of(expected, ours, upstream)
    for name, grad in gradients_of(result, mine, upstream).items():
        assert_close(grad, wanted[name], like=inputs[0], name=f"the gradient of `{name}`")
    result = student.average_pooling(mine["y_train"], N_TEST)
    wanted = gradients_of(
        reference.average_pooling(ours["y_train"], N_TEST), {"y_train": ours["y_train"]}, upstream
    )
    check_form(result, (N_TEST,), torch.float32, name="the average")
    found = gradients_of(result, {"y_train": mine["y_train"]}, upstream)
    assert_close(found["y_train"], wanted["y_train"], like=inputs[0], name="the gradient of the average")


@pytest.mark.points(0.5)
@pytest.mark.hint("The caller uses the data again: do not write into it.")
def test_leaves_its_inputs_alone(student, reference, tensors, assert_close):
    """A call leaves x_test, x_train and y_train as they were."""
    x_test, x_train, y_train = draw(tensors)
    y_hat, _ = both(student.gaussian_pooling(x_test, x_train, y_train))
    check_untouched(student, x_test=x_test, x_train=x_train, y_train=y_train)
    assert_close(y_hat, reference.gaussian_pooling(x_test, x_train, y_train)[0], like=x_test)
    average = student.average_pooling(y_train, N_TEST)
    check_untouched(student, y_train=y_train)
    assert_close(average, reference.average_pooling(y_train, N_TEST), like=y_train)


@pytest.mark.points(1.5)
@pytest.mark.accelerator
@pytest.mark.hint("Create tensors with `device=y_train.device`; move nothing to the CPU.")
def test_runs_where_its_inputs_are(student, reference, tensors, assert_close):
    """Runs where its inputs are, also on a GPU."""
    inputs = draw(tensors)
    result, expected = both(student.gaussian_pooling(*inputs)), reference.gaussian_pooling(*inputs)
    for name, part, wanted in zip(("predictions", "weights"), result, expected, strict=True):
        assert_close(part, wanted, like=inputs[0], name=f"the {name}")
    result, expected = student.average_pooling(inputs[2], 4), reference.average_pooling(inputs[2], 4)
    assert_close(result, expected, like=inputs[2], name="the average")
