"""What a suite says about a result: the first thing that breaks, and never an input or an expected value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader.suite import CheckFailed, check_form, fail, gradients_of, require, show
from grader.suite.comparison import Comparison

TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-9}


def compare(actual: Any, expected: torch.Tensor, **options: Any) -> CheckFailed | None:
    try:
        Comparison(TOLERANCES)(actual, expected, **options)
    except CheckFailed as err:
        return err
    return None


def expected() -> torch.Tensor:
    return torch.tensor([[0.25, 0.75], [0.5, 4.0]])


@pytest.mark.parametrize(
    ("actual", "reason", "message"),
    [
        (None, "type", "The result: type `NoneType`, expected a tensor."),
        ((1, 2), "type", "The result: type `tuple`, expected a tensor."),
        (torch.ones(3, dtype=torch.int64), "shape", "The result: shape (3,), expected (2, 2)."),
        (
            torch.full((2, 2), torch.nan, dtype=torch.float64),
            "dtype", "The result: dtype torch.float64, expected torch.float32.",
        ),
        (torch.full((2, 2), torch.nan), "finite", "The result: 4 of 4 entries NaN."),
        (torch.tensor([[1.0, torch.inf], [0, 0]]), "finite", "The result: 1 of 4 entries infinite."),
        (
            torch.tensor([[0.25, 0.75], [0.5, 3.0]]), "values",
            "The values of the result are off by up to 1 (1 of 4 entries differ; allowed is 1e-05).",
        ),
    ],
)  # fmt: skip
def test_first_break_wins_and_is_told(actual: Any, reason: str, message: str) -> None:
    err = compare(actual, expected())
    assert err is not None
    assert (err.reason, err.message) == (reason, message)


def test_device_comes_before_values() -> None:
    actual = torch.zeros(2, 2)
    actual.sent_from = "pretend:0"  # type: ignore[attr-defined]
    err = compare(actual, expected())
    assert err is not None
    assert err.reason == "device"
    assert err.message == "The result: on device pretend:0, expected cpu, where the inputs are."
    with pytest.raises(CheckFailed, match="on device cpu, expected pretend:0"):
        check_form(torch.zeros(2), (2,), torch.float32, device="pretend:0")


@pytest.mark.parametrize(
    ("change", "is_fine"), [(5e-6, True), (3.9e-5, True), (4.1e-5, False), (-3.9e-5, True), (-4.1e-5, False)]
)
def test_tolerance_is_relative_for_large_values(change: float, is_fine: bool) -> None:
    """The last entry is 4, so that 4e-5 is allowed there."""
    actual = expected()
    actual[1, 1] += change
    assert (compare(actual, expected()) is None) is is_fine


def test_small_values_have_an_absolute_tolerance() -> None:
    assert compare(torch.tensor([9e-6]), torch.tensor([0.0])) is None
    assert compare(torch.tensor([1.2e-5]), torch.tensor([0.0])) is not None


def test_expected_float64_is_compared_in_the_dtype_that_was_asked_for() -> None:
    exact = expected().double() + 1e-7
    assert compare(expected(), exact, like=expected()) is None
    assert compare(exact, exact) is None
    assert compare(expected(), exact) is not None


def test_margin_is_kept_and_tolerance_may_be_given() -> None:
    comparison = Comparison(TOLERANCES)
    comparison(torch.tensor([0.1]), torch.tensor([0.0]), tolerance=0.5, name="the weights")
    (margin,) = comparison.margins
    assert (margin.name, margin.dtype, margin.tolerance) == ("the weights", "float32", 0.5)
    assert margin.error == pytest.approx(0.1)


def test_values_are_in_the_detail_only() -> None:
    err = compare(torch.zeros(2, 2), expected())
    assert err is not None
    assert "0.75" not in err.message + err.hint
    assert "[[0.25, 0.75], [0.5, 4.0]]" in err.detail


def test_empty_results_are_equal() -> None:
    assert compare(torch.ones(0, 3), torch.ones(0, 3)) is None


def test_misconception_and_hint_travel_with_the_failure() -> None:
    err = compare(torch.zeros(2, 2), expected(), misconception="no_mask", hint="Mask it.")
    assert err is not None
    assert (err.misconception, err.hint) == ("no_mask", "Mask it.")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (torch.tensor(1.23456), "[1.2346]"),
        (torch.tensor([1, 2]), "[1, 2]"),
        (torch.ones(100), "a tensor of shape (100,)"),
        (torch.ones(1 << 40, 0), "a tensor of shape (1099511627776, 0)"),
        (None, "None"),
        ("\x1b[2J", "'\\x1b[2J'"),
    ],
)
def test_small_values_are_shown_safely(value: Any, text: str) -> None:
    assert show(value) == text


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda x, w: (x * w).detach(), "it reaches `x`, `w`: the result is not part of a graph"),
        (lambda x, w: "text", "the result is not part of a graph"),
        (lambda x, w: x * w.detach(), "before it reaches `w`."),
        (lambda x, w: x.detach() * w, "before it reaches `x`."),
    ],
)
def test_gradient_that_stops_is_told(make: Callable[..., Any], words: str) -> None:
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with pytest.raises(CheckFailed) as caught:
        gradients_of(make(x, w), {"x": x, "w": w}, torch.ones(2))
    assert caught.value.reason == "gradient"
    assert words in caught.value.message


def test_gradients_have_their_names() -> None:
    x, w = torch.full((2,), 3.0, requires_grad=True), torch.full((2,), 5.0, requires_grad=True)
    found = gradients_of(x * w, {"x": x, "w": w}, torch.tensor([1.0, 2.0], dtype=torch.float64))
    assert found["x"].tolist() == [5, 10]
    assert found["w"].tolist() == [3, 6]


def test_frozen_parameter_has_no_gradient_to_reach() -> None:
    x, w = torch.ones(2, requires_grad=True), torch.ones(2)
    with pytest.raises(CheckFailed, match="before it reaches `w`"):
        gradients_of(x * w, {"w": w}, torch.ones(2))


def test_plain_failures() -> None:
    require(True, "never")
    with pytest.raises(CheckFailed, match="words") as caught:
        require(False, "words", reason="state", hint="hint", misconception="name")
    assert (caught.value.reason, caught.value.hint, caught.value.misconception) == ("state", "hint", "name")
    with pytest.raises(CheckFailed, match="words"):
        fail("words")
