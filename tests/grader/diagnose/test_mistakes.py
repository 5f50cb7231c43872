"""What an author writes into a file of misconceptions, and what is read from it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from grader.catalog import read_assignment
from grader.diagnose import load_mistakes
from grader.diagnose.mistakes import snake_case
from grader.diagnose.replay import Repeater, sight
from grader.errors import AssignmentError
from grader.student.calls import Call
from grader.suite.reference import load_references

ROOT = Path(__file__).parents[3]
ASSIGNMENT = read_assignment(ROOT)

FILE = '''
import torch
from torch import nn

LIMIT = 3

class Right(nn.Module):
    """The right one."""
    def __init__(self): super().__init__()
    def forward(self, x): return self.last(self.first(x))
    def first(self, x): return x + 1
    def last(self, x): return x * 2

class NoFirst(Right):
    """You skip the
    first step."""
    def first(self, x): return x

class NoLast(Right):
    """You skip the last step."""
    def last(self, x): return x

class OtherLast(Right):
    """You take the wrong last step."""
    def last(self, x): return x * 3

class _Base(Right):
    def last(self, x): return x

def gradient_stops():
    """The graph is cut."""

def doubles(x):
    """You double."""
    return 2 * x
'''


def write(folder: Path, text: str) -> Path:
    path = folder / "own.py"
    path.write_text(text)
    return path


def test_classes_and_functions_are_mistakes_by_their_names(tmp_path: Path) -> None:
    mistakes = load_mistakes("own", write(tmp_path, FILE))
    assert [mistake.name for mistake in mistakes.repeatable] == [
        "no_first",
        "no_last",
        "other_last",
        "doubles",
    ]
    assert mistakes.repeatable[0].hint == "You skip the first step."
    assert mistakes.words["gradient_stops"] == "The graph is cut."


def test_two_mistakes_combine_where_they_override_different_steps(tmp_path: Path) -> None:
    pairs = list(load_mistakes("own", write(tmp_path, FILE)).pairs())
    assert [pair.name for pair in pairs] == ["no_first and no_last", "no_first and other_last"]
    assert pairs[0].source()(torch.tensor(5.0)) == 5.0
    assert "first step" in pairs[0].hint
    assert "last step" in pairs[0].hint


def test_a_mistake_without_words_is_the_authors_error(tmp_path: Path) -> None:
    with pytest.raises(AssignmentError, match=r"`NoWords`.*no docstring"):
        load_mistakes("own", write(tmp_path, "class NoWords:\n    pass\n"))


def test_a_file_that_does_not_import_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(AssignmentError, match="does not import"):
        load_mistakes("own", write(tmp_path, "import nothing_of_that_name\n"))


def test_no_file_means_no_known_mistakes(tmp_path: Path) -> None:
    assert not load_mistakes("own", tmp_path / "absent.py").repeatable


@pytest.mark.parametrize(
    ("name", "told"), [("NoScale", "no_scale"), ("BaseE", "base_e"), ("of_one", "of_one")]
)
def test_names_are_told_with_underscores(name: str, told: str) -> None:
    assert snake_case(name) == told


def sample_calls(stem: str) -> list[tuple[str, Call]]:
    """The right versions in the file, and a call of each with sizes that are pairwise different."""
    q, k, v, lens = torch.randn(3, 4, 6), torch.randn(3, 7, 6), torch.randn(3, 7, 5), torch.tensor([2, 7, 4])
    nw = (torch.rand(6) * 5, torch.rand(6, 8) * 5, torch.randn(6, 8))
    scores, x, y = (torch.randn(4, 6), torch.randn(4, 6), torch.randn(6)), torch.rand(6) * 5, torch.randn(6)
    samples = {
        "masked_softmax": [("Right", Call("masked_softmax", (torch.randn(3, 4, 7), lens), None))],
        "additive_attention": [("Right", Call("AdditiveAttention", (q, k, v, lens), None, (6, 6, 8, 0.0)))],
        "dot_product_attention": [("Right", Call("DotProductAttention", (q, k, v, lens), None, (0.0,)))],
        "nw_kernel_regression": [
            ("Right", Call("NWKernelRegression", nw, None, (), {"w": torch.tensor([1.7])}))
        ],
        "positional_encoding": [
            ("Right", Call("PositionalEncoding", (torch.randn(3, 7, 6),), None, (6, 0.0)))
        ],
        "concat_attn": [("Right", Call("Attn", (q[:1], q[1:2], v[:1]), None, (6, 6, 7, 5, 3)))],
        "attention_rules": [
            ("Right", Call("TanhSumAttn", (q, k, v), None, (6, 6, 8))),
            ("_Dot", Call("scaled_dot_attn", (q, k, v), None)),
        ],
        "multi_head_attention": [
            ("Right", Call("MultiHeadAttention", (q, k, v, lens), None, (6, 6, 5, 12, 3, 0.0)))
        ],
        "scoring_functions": [
            ("_Additive", Call("additive_scores", (q, k, *scores[:2], torch.randn(4)), None)),
            ("_Dot", Call("dot_scores", (q, k), None)),
            ("_ScaledDot", Call("scaled_dot_scores", (q, k), None)),
        ],
        "sequence_mask": [("Right", Call("sequence_mask", (torch.randn(3, 7, 2), lens), None))],
        "nw_nonparametric": [
            ("Right", Call("average_pooling", (y, 4), None)),
            ("Right", Call("gaussian_pooling", (x[:4] + 1, x, y), None)),
        ],
        "nw_training": [("Right", Call("leave_one_out", (x, y), None))],
        "relative_position": [("Right", Call("relative_projection", (3, 8), None))],
    }
    return samples[stem]


@pytest.mark.parametrize("stem", ASSIGNMENT.stems)
def test_the_right_version_in_steps_is_the_reference(stem: str) -> None:
    reference = load_references(ASSIGNMENT)[stem]
    load_mistakes(stem, ASSIGNMENT.misconceptions(stem))
    for name, call in sample_calls(stem):
        right = getattr(importlib.import_module(f"_misconceptions_{stem}"), name)
        expected = getattr(reference, call.symbol)
        sighting = sight(with_state(call, right, expected))
        assert sighting is not None
        ours, theirs = (Repeater().repeat(source, sighting).parts["result"] for source in (right, expected))
        torch.testing.assert_close(ours, theirs)


def with_state(call: Call, right: Any, expected: Any) -> Call:
    """The same call of a module that has the weights of one of the reference's."""
    if not issubclass(right, nn.Module) or call.state is not None:
        return call
    state = {n: p.detach() for n, p in expected(*(call.constructor or ())).named_parameters()}
    return Call(call.symbol, call.arguments, None, call.constructor, state)
