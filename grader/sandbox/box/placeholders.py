"""Stand-ins for packages that are not installed, or that make no sense where nobody watches.

A missing package becomes a `Placeholder`: it can be imported, used as a base class and as a decorator,
and complains by its own name as soon as it is really used. Plotting packages become `Silent`: every use
of them is accepted and does nothing.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Collection, Iterator, Sequence
from typing import Any

SILENT_PACKAGES = frozenset({"matplotlib", "pylab", "seaborn", "plotly", "IPython", "matplotlib_inline"})
OTHER_FRAMEWORKS = frozenset({"tensorflow", "mxnet", "paddle", "jax", "flax", "keras"})


def _complaint(name: str) -> ModuleNotFoundError:
    package = name.partition(".")[0]
    if package in OTHER_FRAMEWORKS:
        text = f"`{name}` belongs to {package}; this exercise is graded with PyTorch"
    else:
        text = f"`{package}` is not installed where your code is graded, and `{name}` needs it"
    return ModuleNotFoundError(text, name=package)


class _PlaceholderType(type):
    """Makes placeholder classes answer attribute access with further placeholders."""

    _name: str

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return make_placeholder(f"{cls._name}.{name}")

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if "_name" in cls.__dict__ and len(args) == 1 and not kwargs and isinstance(args[0], _DECORATED):
            return args[0]  # used as a decorator
        raise _complaint(cls._name)


_DECORATED = (types.FunctionType, type)


def make_placeholder(name: str) -> type:
    """A class that stands for the absent `name` until it is called."""
    return _PlaceholderType(name.rpartition(".")[2], (), {"_name": name})


class Silent:
    """Accepts everything and does nothing; unpacks like the pair that `plt.subplots()` gives."""

    def __getattr__(self, name: str) -> Silent:
        if name.startswith("__"):
            raise AttributeError(name)
        return Silent()

    def __call__(self, *args: Any, **kwargs: Any) -> Silent:
        return Silent()

    def __getitem__(self, key: object) -> Silent:
        return Silent()

    def __setitem__(self, key: object, value: object) -> None:
        return None

    def __iter__(self) -> Iterator[Silent]:
        return iter((Silent(), Silent()))

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *exc: object) -> None:
        return None


class _StandInModule(types.ModuleType):
    """A module whose every attribute is made on demand, or is one of the submission's `siblings`."""

    def __init__(self, name: str, silent: bool, siblings: frozenset[str]) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self._silent, self._siblings = silent, siblings

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._siblings:  # `from exercises import warm_up`
            return importlib.import_module(f"{self.__name__}.{name}")
        return Silent() if self._silent else make_placeholder(f"{self.__name__}.{name}")


class StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Goes first for plotting packages, last for packages that nobody else has found."""

    def __init__(self, silent: bool, siblings: Collection[str] = ()) -> None:
        self._silent, self._siblings = silent, frozenset(siblings)
        self.used: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package = fullname.partition(".")[0]
        if self._silent:
            if package not in SILENT_PACKAGES:
                return None
        elif package in sys.builtin_module_names or package in sys.stdlib_module_names:
            return None
        elif package != fullname and not isinstance(sys.modules.get(package), _StandInModule):
            return None  # a missing part of a package that is there: the ordinary error is the true one
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        self.used.append(spec.name)
        return _StandInModule(spec.name, self._silent, self._siblings)

    def exec_module(self, module: types.ModuleType) -> None:
        return None
