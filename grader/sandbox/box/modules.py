"""Turns source text into the submission's modules, without a file or a folder.

No folder of the submission is ever on `sys.path`: a planted `torch.py`, `conftest.py` or
`sitecustomize.py` is never seen. Only the submission's own module names import each other.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.abc
import importlib.machinery
import linecache
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import d2l_standin
from .placeholders import StandInFinder

PREFIX = "<student>/"
PACKAGE = "_submission"


@dataclass(frozen=True)
class LoadRequest:
    """`sources` are texts by module name; `main` is the exercise's own module.

    `offers` maps a global name that the text may use without defining it to the module that has it;
    `overrides` maps names of the main module to the module whose object replaces them; `answers` are
    symbols that no stand-in may provide.
    """

    sources: Mapping[str, str]
    main: str
    symbols: tuple[str, ...]
    offers: Mapping[str, str]
    overrides: Mapping[str, str]
    answers: frozenset[str]


def file_name(module: str) -> str:
    return f"{PREFIX}{module}.py"


class SubmissionFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the submission's modules from memory: plainly, relatively, or through any folder's name."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        shadowing = sys.stdlib_module_names | {"torch", "numpy", "d2l"}
        self._sources = {name: text for name, text in sources.items() if name not in shadowing}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname in self._sources:
            return importlib.machinery.ModuleSpec(fullname, self, origin=file_name(fullname))
        folder, _, last = fullname.rpartition(".")
        if folder == PACKAGE and last in self._sources:
            return importlib.machinery.ModuleSpec(fullname, _Alias(last))
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = types.ModuleType(spec.name)
        module.__file__ = file_name(spec.name)
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        module.__package__ = PACKAGE  # so that `from .sibling import x` works
        text = self._sources[name]
        shown = file_name(name)
        linecache.cache[shown] = (len(text), None, text.splitlines(keepends=True), shown)
        code = compile(text, shown, "exec", dont_inherit=True)
        exec(code, module.__dict__)
        module.__dict__["__code_of_module__"] = code


class _Alias(importlib.abc.Loader):
    """`_submission.x` is `x`: one module under two names, run once."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        real = importlib.import_module(self._name)
        sys.modules[module.__name__] = real


class FolderFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """`from exercises.masked_softmax import ...`: a folder's name that nothing else answers to."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, last = fullname.rpartition(".")
        if package and last in self._sources:
            return importlib.machinery.ModuleSpec(fullname, _Alias(last))
        return None


def load(request: LoadRequest) -> types.ModuleType:
    """Run the main module (and what it imports) and return it; whatever it raises passes through."""
    package = types.ModuleType(PACKAGE)
    package.__path__ = []
    sys.modules[PACKAGE] = package
    d2l_standin.install(request.answers)
    sys.meta_path[:0] = [StandInFinder(silent=True), SubmissionFinder(request.sources)]
    sys.meta_path += [FolderFinder(request.sources), StandInFinder(silent=False)]
    module = importlib.import_module(request.main)
    code = module.__dict__.pop("__code_of_module__", None)
    if isinstance(code, types.CodeType):
        _offer_missing_names(module, code, request)
    for name, source in request.overrides.items():
        if not isinstance(module.__dict__.get(name), types.ModuleType):
            setattr(module, name, getattr(importlib.import_module(source), name))
    return module


def _offer_missing_names(module: types.ModuleType, code: types.CodeType, request: LoadRequest) -> None:
    """Give the module names that it uses, does not define, and that a sibling or the book has."""
    book: dict[str, Any] = vars(sys.modules["d2l.torch"])
    for name in sorted(set(_names_used(code))):
        if name in module.__dict__ or hasattr(builtins, name):
            continue
        if name in request.offers:
            _offer_from_sibling(module, name, request.offers[name])
        elif name in d2l_standin.BARE_NAMES and name in book:
            setattr(module, name, book[name])


def _offer_from_sibling(module: types.ModuleType, name: str, sibling: str) -> None:
    try:
        value = getattr(importlib.import_module(sibling), name)
    except Exception:  # noqa: BLE001  # a broken sibling costs its own exercise; here the name stays undefined
        return
    setattr(module, name, value)


def _names_used(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_used(constant)
