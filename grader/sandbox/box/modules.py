"""Turns source text into the submission's modules, without a file or a folder.

No folder of the submission is ever on `sys.path`: a planted `torch.py`, `conftest.py` or
`sitecustomize.py` is never seen. Only the submission's own module names import each other.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.abc
import importlib.machinery
import itertools
import linecache
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import d2l_standin
from .placeholders import StandInFinder

PREFIX = "<student>/"
PACKAGE = "_submission"


@dataclass(frozen=True)
class LoadRequest:
    """What to load and how.

    `sources` are texts by module name, `aliases` further names of modules, `main` is the exercise's own
    module. Statements of `piecewise` modules run one by one: one that fails is remembered and the rest
    still runs, as the cells of a notebook do. `offers` maps a global name that the text may use without
    defining it to the module that has it; `overrides` maps names of the main module to the module whose
    object replaces them; `answers` are symbols that no stand-in may provide.
    """

    sources: Mapping[str, str]
    main: str
    aliases: Mapping[str, str]
    piecewise: frozenset[str]
    symbols: tuple[str, ...]
    offers: Mapping[str, str]
    overrides: Mapping[str, str]
    answers: frozenset[str]


def file_name(module: str) -> str:
    return f"{PREFIX}{module}.py"


class SubmissionFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the submission's modules from memory: plainly, relatively, or through any folder's name."""

    def __init__(self, request: LoadRequest) -> None:
        shadowing = sys.stdlib_module_names | {"torch", "numpy", "d2l"}
        self._sources = {name: text for name, text in request.sources.items() if name not in shadowing}
        self._aliases = {name: module for name, module in request.aliases.items() if name not in shadowing}
        self._piecewise, self._request = request.piecewise, request
        self.failures: list[PieceFailure] = []
        self.used: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        folder, _, last = fullname.rpartition(".")
        loader: importlib.abc.Loader
        if fullname in self._sources:
            loader = self
        elif fullname in self._aliases:
            loader = _Alias(self._aliases[fullname])
        elif folder == PACKAGE and (last in self._sources or last in self._aliases):
            loader = _Alias(last)
        else:
            return None
        self.used.append(fullname)
        origin = file_name(fullname) if loader is self else None
        return importlib.machinery.ModuleSpec(fullname, loader, origin=origin)

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
        if name in self._piecewise:
            self._run_pieces(text, shown, module)
        else:
            exec(code, module.__dict__)
        _offer_missing_names(module, code, self._request)

    def _run_pieces(self, text: str, shown: str, module: types.ModuleType) -> None:
        tree = ast.parse(text, shown)
        flags = _future_flags(tree)
        for statement in tree.body:
            piece = ast.Module([statement], type_ignores=[])
            try:
                exec(compile(piece, shown, "exec", flags, dont_inherit=True), module.__dict__)
            except Exception as err:  # noqa: BLE001  # any failure of one piece leaves the others alone
                self.failures.append(PieceFailure(_names_bound(statement), err))


@dataclass(frozen=True)
class PieceFailure:
    """A top-level statement that raised, and the names that it would have bound."""

    names: frozenset[str]
    error: Exception


def _names_bound(statement: ast.stmt) -> frozenset[str]:
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    name = getattr(statement, "name", None)
    return frozenset(names | {name} if isinstance(name, str) else names)


def _future_flags(tree: ast.Module) -> int:
    """Compiler flags of the text's `from __future__` imports, for its pieces."""
    import __future__

    flags = 0
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for alias in statement.names:
                flags |= getattr(__future__, alias.name).compiler_flag
    return flags


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
    """`from exercises.warm_up import ...`: a folder's name that nothing else answers to."""

    def __init__(self, request: LoadRequest) -> None:
        self._names = {*request.sources, *request.aliases}
        self.used: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, last = fullname.rpartition(".")
        if package and last in self._names:
            self.used.append(fullname)
            return importlib.machinery.ModuleSpec(fullname, _Alias(last))
        return None


def load(request: LoadRequest, installed: int) -> types.ModuleType:
    """Run the main module (and what it imports) and return it; whatever it raises passes through.

    A second load starts from scratch: nothing that the first one made is found again. `installed` modules
    were there before the first.
    """
    _unload(installed)
    package = types.ModuleType(PACKAGE)
    package.__path__ = []
    sys.modules[PACKAGE] = package
    d2l_standin.install(request.answers, partial(_find_own, request=request))
    finder = SubmissionFinder(request)
    sys.meta_path[:0] = [StandInFinder(silent=True), finder]
    sys.meta_path += [
        FolderFinder(request),
        StandInFinder(silent=False, siblings=[*request.sources, *request.aliases]),
    ]
    module = importlib.import_module(request.main)
    for name, source in request.overrides.items():
        if not isinstance(module.__dict__.get(name), types.ModuleType):
            setattr(module, name, getattr(importlib.import_module(source), name))
    _raise_what_is_missed(module, request, finder.failures)
    return module


_FINDERS = (StandInFinder, SubmissionFinder, FolderFinder)


def _unload(installed: int) -> None:
    """Forget what finders of ours brought in, under any name that has come since the worker began.

    Not by a look at all names: that would copy the memory that holds two thousand modules.
    """
    finders = [finder for finder in sys.meta_path if isinstance(finder, _FINDERS)]
    if not finders:
        return
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _FINDERS)]
    names = dict.fromkeys(name for finder in finders for name in finder.used)
    newest = max(0, len(sys.modules) - installed)
    names |= dict.fromkeys(itertools.islice(reversed(sys.modules), newest))
    for name in names:
        module = sys.modules.get(name)
        spec = module.__dict__.get("__spec__") if isinstance(module, types.ModuleType) else None
        if type(getattr(spec, "loader", None)) in (*_FINDERS, _Alias) or name == PACKAGE:
            del sys.modules[name]


def _raise_what_is_missed(
    module: types.ModuleType, request: LoadRequest, failures: Sequence[PieceFailure]
) -> None:
    """A symbol that is not there because its statement failed: that failure is the reason to give."""
    for symbol in request.symbols:
        if failures and symbol not in module.__dict__:
            own = (failure for failure in failures if symbol in failure.names)
            raise next(own, failures[0]).error


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
    value = _find_in(sibling, name)
    if value is not None:
        setattr(module, name, value)


def _find_in(sibling: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(sibling), name)
    except Exception:  # noqa: BLE001  # a broken sibling costs its own exercise; here the name stays undefined
        return None


def _find_own(name: str, *, request: LoadRequest) -> Any:
    """What the submission (or the reference in its place) has under a name that is expected in the book."""
    holder = request.overrides.get(name) or request.offers.get(name)
    main = sys.modules.get(request.main)
    return _find_in(holder, name) if holder else vars(main).get(name) if main else None


def _names_used(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_used(constant)
