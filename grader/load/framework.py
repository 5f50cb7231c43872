"""Notices answers written for another framework than PyTorch, which are common on the web."""

from __future__ import annotations

import ast

from grader.load.facts import Facts
from grader.load.parsed import ParsedFile

_PYTORCH = "PyTorch"
_FRAMEWORKS = {
    "torch": _PYTORCH,
    "tensorflow": "TensorFlow",
    "tf_keras": "Keras",
    "keras": "Keras",
    "mxnet": "MXNet",
    "paddle": "PaddlePaddle",
    "jax": "JAX",
    "flax": "JAX (Flax)",
    "haiku": "JAX (Haiku)",
    "mindspore": "MindSpore",
    "jittor": "Jittor",
}


def foreign_framework(parsed: ParsedFile, definition: Facts) -> str:
    """The framework that the definition is written for, if it is another than PyTorch; else empty."""
    used = {
        framework
        for name in definition.uses
        for item in parsed.bindings.get(name, ())[-1:]
        if (framework := _framework_of_import(item.node, name))
    }
    if _PYTORCH in used or not used:
        return ""
    return sorted(used)[0]


def _framework_of_import(node: ast.stmt, name: str) -> str:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if (alias.asname or alias.name.split(".")[0]) == name:
                return _FRAMEWORKS.get(alias.name.split(".")[0], "")
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        parts = node.module.split(".")
        if parts[0] in _FRAMEWORKS:
            return _FRAMEWORKS[parts[0]]
        for alias in node.names:
            if (alias.asname or alias.name) == name and parts[0] == "d2l":
                # The book's library has a module for each framework: `from d2l import mxnet as d2l`.
                return _FRAMEWORKS.get(parts[1] if len(parts) > 1 else alias.name, "")
    return ""
