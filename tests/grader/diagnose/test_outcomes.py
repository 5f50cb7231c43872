"""What other versions gave for a call is shared between judges, and never changes what is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from grader.diagnose import outcomes as outcomes_module
from grader.diagnose.outcomes import Outcomes
from grader.diagnose.replay import Repeater, sight
from grader.student.calls import Call

COUNTED: list[str] = []


def doubled(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    COUNTED.append("doubled")
    return x * factor


def refused(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    COUNTED.append("refused")
    raise ValueError(f"not {factor}")


class Layer(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(size))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        COUNTED.append("Layer")
        self.seen = self.w * x
        return self.seen.sum(-1)


class Twice(Layer):
    pass


@pytest.fixture(autouse=True)
def _count_anew() -> None:
    COUNTED.clear()


def travelled(known: Outcomes) -> Outcomes:
    """What a later judge is forked with, after the host has learnt it."""
    later = Outcomes()
    later.learn(known.pack())
    return later


def repeat(known: Outcomes, source: Callable[..., Any], call: Call) -> Any:
    sighting = sight(call)
    assert sighting is not None
    return Repeater(known).repeat(source, sighting)


def test_later_judge_repeats_nothing_that_is_known() -> None:
    first, x = Outcomes(), torch.ones(2, 3)
    function = Call("f", (x,), x)
    module = Call("Layer", (x,), x, (3,), {"w": torch.tensor([1.0, 2.0, 3.0])}, attributes={"seen": x})
    found = [repeat(first, doubled, function), repeat(first, refused, function), repeat(first, Layer, module)]
    assert COUNTED == ["doubled", "refused", "Layer"]
    later = travelled(first)
    again = [repeat(later, doubled, function), repeat(later, refused, function), repeat(later, Layer, module)]
    assert COUNTED == ["doubled", "refused", "Layer"]
    for before, after in zip(found, again, strict=True):
        assert before.raised == after.raised
        assert before.parts.keys() == after.parts.keys()
        assert all(torch.equal(part, after.parts[name]) for name, part in before.parts.items())
    assert found[1].raised == "ValueError: not 2.0"


@pytest.mark.parametrize(
    ("source", "other"),
    [
        (doubled, Call("f", (torch.ones(2, 3) + 1,), None)),
        (doubled, Call("f", (torch.ones(3, 2),), None)),
        (doubled, Call("f", (torch.ones(2, 3, dtype=torch.float64),), None)),
        (doubled, Call("f", (torch.ones(2, 3),), None, keywords={"factor": 3.0})),
        (Layer, Call("Layer", (torch.ones(2, 3),), None, (3,), {"w": torch.ones(3)})),
        (Twice, Call("Layer", (torch.ones(2, 3),), None, (3,), {"w": torch.zeros(3)})),
    ],
)
def test_other_inputs_weights_or_versions_are_repeated(source: Callable[..., Any], other: Call) -> None:
    first = Outcomes()
    repeat(first, doubled, Call("f", (torch.ones(2, 3),), None))
    repeat(first, Layer, Call("Layer", (torch.ones(2, 3),), None, (3,), {"w": torch.zeros(3)}))
    later = travelled(first)
    COUNTED.clear()
    repeat(later, source, other)
    assert len(COUNTED) == 1


def test_a_module_as_argument_is_never_taken_from_memory() -> None:
    known, net = Outcomes(), nn.Linear(1, 1)

    def weight_of(module: nn.Linear) -> torch.Tensor:
        return module.weight.detach().clone()

    first = repeat(known, weight_of, Call("train", (net,), torch.ones(1, 1))).parts["result"]
    with torch.no_grad():
        net.weight += 1
    second = repeat(known, weight_of, Call("train", (net,), torch.ones(1, 1))).parts["result"]
    torch.testing.assert_close(second, first + 1)


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes_module, "MAX_FRESH_BYTES", 3 * outcomes_module.OUTCOME_BYTES + 200)
    monkeypatch.setattr(outcomes_module, "MAX_KNOWN_BYTES", 4 * outcomes_module.OUTCOME_BYTES)
    later = Outcomes()
    for number in range(5):
        judge = Outcomes()
        for step in range(5):
            repeat(judge, doubled, Call("f", (torch.full((2,), 10.0 * number + step),), None))
        assert len(judge.fresh) == 3
        later.learn(judge.pack())
    assert 4 <= len(later.known) <= 6
