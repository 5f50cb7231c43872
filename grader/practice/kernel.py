"""The code of a running notebook: what was run in it, in order, and what its names stand for now.

With IPython (Jupyter, VS Code, Colab) this is its history; elsewhere the texts that Python keeps to show
tracebacks. The code that is checked is this text, in a sandboxed worker; the objects are never called.
"""

from __future__ import annotations

import inspect
import json
import linecache
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.load.raw import Member
from grader.records import ExerciseSource, SourceText, Submission

# In messages it is "`this notebook` cell 7, line 3", where cell 7 is the one that shows [7].
NAME, FILE = "this notebook", "this notebook.ipynb"
MAX_CELLS = 2000
RUN_FIRST = "If you have written it: run the cell that defines it, then this one again."


@dataclass(frozen=True)
class Kernel:
    """`cells` are the texts that were run, oldest first; `names` is what they have defined."""

    cells: tuple[str, ...]
    names: Mapping[str, Any]

    def as_member(self) -> Member:
        """The cells as a notebook file. A text that is run again later counts only there."""
        last = {text: number for number, text in enumerate(self.cells)}
        cells = [
            {
                "cell_type": "code",
                "source": text if last[text] == number else "",
                "metadata": {},
                "outputs": [],
            }
            for number, text in enumerate(self.cells)
        ]
        notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells[:MAX_CELLS]}
        content = json.dumps(notebook).encode("utf-8", "replace")
        return Member(FILE, len(content), None, "", lambda limit: content[:limit])


def find_kernel(things: Sequence[object]) -> Kernel:
    """The notebook that we run in; without IPython, whatever the `things` were defined together with."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        return Kernel(tuple(shell.history_manager.input_hist_raw[1:]), dict(shell.user_ns))
    names: dict[str, Any] = dict(vars(sys.modules["__main__"]))
    for thing in things:
        names |= _globals_of(thing)
    return Kernel(tuple(_texts(names)), names)


def as_run(submission: Submission) -> Submission:
    """Only definitions, imports and simple constants: no plot and no training loop is run again.

    Nothing is said of what was left out; the notebook is called what its reader calls it.
    """
    modules = {
        name: replace(
            source,
            path=NAME,
            text=source.text if source.definitions is None else source.definitions,
            definitions=None,
            left_out=(),
        )
        for name, source in submission.modules.items()
    }
    exercises = {stem: _as_run(answer, modules) for stem, answer in submission.exercises.items()}
    return replace(submission, modules=modules, exercises=exercises, notes=())


def _as_run(answer: ExerciseSource, modules: Mapping[str, SourceText]) -> ExerciseSource:
    if answer.source is not None:
        return replace(answer, source=modules[answer.source.module])
    assert answer.problem is not None
    message, hint = (text.replace(FILE, NAME) for text in (answer.problem.message, answer.problem.hint))
    if answer.problem.outcome == "not_attempted":
        hint = RUN_FIRST  # what counts here is what was run, saved or not
    return replace(answer, problem=replace(answer.problem, message=message, hint=hint))


def defined_in_file(thing: object) -> str:
    """The file of the module that `thing` comes from; empty if that is the notebook itself."""
    name = getattr(thing, "__module__", None)
    module = sys.modules.get(name) if isinstance(name, str) and name != "__main__" else None
    return getattr(module, "__file__", None) or ""


def _globals_of(thing: object) -> dict[str, Any]:
    return next((dict(function.__globals__) for function in _functions(thing)), {})


def _functions(thing: object) -> Iterator[types.FunctionType]:
    if isinstance(thing, types.FunctionType):
        yield thing
    elif isinstance(thing, type):
        yield from (part for part in vars(thing).values() if isinstance(part, types.FunctionType))


def _texts(names: Mapping[str, Any]) -> Iterator[str]:
    """The texts, once each, that the functions and classes among `names` were compiled from."""
    files = {
        function.__code__.co_filename: None
        for thing in names.values()
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and not defined_in_file(thing)
        for function in _functions(thing)
    }
    for file in files:
        text = "".join(linecache.getlines(file))
        if text:
            yield text
