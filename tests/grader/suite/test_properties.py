"""Properties that several exercises promise, as a suite asks for them."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.suite import CheckFailed, parts_of


def refused(result: Any) -> CheckFailed:
    with pytest.raises(CheckFailed) as caught:
        parts_of(result, "output", "weights")
    return caught.value


def test_parts_come_in_a_tuple_or_a_list() -> None:
    assert parts_of((1, 2), "output", "weights") == (1, 2)
    assert parts_of([1, 2], "output", "weights") == [1, 2]


@pytest.mark.parametrize(
    ("result", "saw", "mistake"),
    [
        (torch.zeros(2), "`Tensor`", "returns_one_part"),
        (None, "`NoneType`", "returns_nothing"),
        ((1, 2, 3), "a tuple of 3", "returns_one_part"),
        ({"output": 1, "weights": 2}, "`dict`", "returns_one_part"),
    ],
)
def test_other_results_are_refused_with_what_came_back(result: Any, saw: str, mistake: str) -> None:
    failure = refused(result)
    assert str(failure) == f"The result: {saw}, expected 2 things: output, weights."
    assert (failure.reason, failure.misconception) == ("type", mistake)
