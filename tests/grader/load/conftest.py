"""An assignment of two exercises and short ways to write submissions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from grader.catalog import Assignment, read_assignment
from grader.load import load_submission
from grader.records import Submission

TOML = """
id = "small"
title = "Small"
[[exercises]]
stem = "masked_softmax"
title = "Masked softmax"
points = 20
symbols = ["masked_softmax"]
[[exercises]]
stem = "dot_product_attention"
title = "Dot product attention"
points = 20
symbols = ["DotProductAttention"]
uses = ["masked_softmax"]
"""
SOFTMAX_STUB = '''
import torch


def masked_softmax(X, valid_lens):
    """Softmax over the valid keys."""
    raise NotImplementedError
'''
ATTENTION_STUB = '''
from torch import nn
from masked_softmax import masked_softmax


class DotProductAttention(nn.Module):
    """Scaled dot-product attention."""

    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None):
        """Attend."""
        raise NotImplementedError
'''
SOFTMAX = """
import torch

def masked_softmax(X, valid_lens):
    return torch.softmax(X, dim=-1)
"""
ATTENTION = """
from torch import nn
from masked_softmax import masked_softmax

class DotProductAttention(nn.Module):
    def forward(self, queries, keys, values, valid_lens=None):
        return masked_softmax(queries @ keys.mT, valid_lens) @ values
"""

Files = dict[str, "str | bytes"]


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    root = tmp_path / "assignment"
    (root / "exercises").mkdir(parents=True)
    (root / "exercises" / "assignment.toml").write_text(TOML)
    (root / "exercises" / "masked_softmax.py").write_text(SOFTMAX_STUB)
    (root / "exercises" / "dot_product_attention.py").write_text(ATTENTION_STUB)
    (root / "tests" / "hidden").mkdir(parents=True)  # the staff's copy: its stubs are as handed out
    (root / "tests" / "hidden" / "test_masked_softmax.py").write_text("")
    return read_assignment(root)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "hand in"
    path.mkdir()
    return path


@pytest.fixture
def load(assignment: Assignment, folder: Path) -> Callable[..., Submission]:
    """`load({"a.py": "..."})` writes the files into a folder and loads it; `load(path=...)` loads a path."""

    def load_files(files: Files | None = None, path: Path | None = None) -> Submission:
        for name, content in (files or {}).items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else dedent(content).encode())
        return load_submission(path or folder, assignment)

    return load_files


def notebook(*cells: str | tuple[str, str], **metadata: object) -> str:
    """A notebook in nbformat 4; a plain string is a code cell, a pair is (kind, text)."""
    built = []
    for cell in cells:
        kind, text = ("code", cell) if isinstance(cell, str) else cell
        extra = {"execution_count": None, "outputs": []} if kind == "code" else {}
        source = dedent(text).strip("\n").splitlines(keepends=True)
        built.append({"cell_type": kind, "metadata": {}, "source": source, **extra})
    return json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": metadata, "cells": built})


def run(text: str) -> dict[str, object]:
    """Names after running the text; for texts of the tests' own making, which need no torch."""
    names: dict[str, object] = {"__name__": "submitted"}
    exec(compile(text, "<submitted>", "exec", dont_inherit=True), names)
    return names
