"""What a worker is given of a submission: source texts by module name, and what may stand in for them."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.catalog import ExerciseSpec
from grader.records import SourceText

REFERENCE_MODULE = "_reference_{}"

# `torch.optim.SGD(...)`, `optim.Adam(...)`, `from torch.optim import ...`, `from torch import nn, optim`.
# What imports torch's compiler at its first use, a second of CPU time in every worker.
_OPTIMISER = re.compile(
    r"\boptim\.\w|\btorch\.optim\b|\bimport\b.*\boptim\b|\buse_deterministic_algorithms\b|\b_dynamo\b"
)


@dataclass(frozen=True)
class Material:
    """What a worker is given. `references` are texts of exercises whose own code is replaced (by stem)."""

    spec: ExerciseSpec
    source: SourceText
    modules: Mapping[str, SourceText]
    offers: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)

    def locate(self, module: str) -> SourceText | None:
        return self.source if module == self.source.module else self.modules.get(module)

    def sources(self) -> list[SourceText]:
        return [*self.modules.values(), self.source]

    def aliases(self) -> dict[str, str]:
        """Further names of modules: a file that answers several exercises is still one module."""
        named = {name: source.module for name, source in self.modules.items() if name != source.module}
        return {name: module for name, module in named.items() if name not in self.references}

    def piecewise(self, only_definitions: bool) -> list[str]:
        """Modules whose statements run one by one: one that fails does not take the others along."""
        return [
            s.module for s in self.sources() if s.cells or (only_definitions and s.definitions is not None)
        ]

    def mentions_optimisers(self, only_definitions: bool) -> bool:
        """The code may train something, or use another part of torch that is slow to import."""
        return any(map(_mentions_optimisers, self.texts(only_definitions).values()))

    def texts(self, only_definitions: bool) -> dict[str, str]:
        """Source texts by module name, the replaced siblings with the reference's."""
        texts = {source.module: _text(source, only_definitions) for source in self.sources()}
        for stem, text in self.references.items():
            texts[REFERENCE_MODULE.format(stem)] = text
            if stem != self.source.module:
                texts[stem] = text
        return texts


@functools.cache
def _mentions_optimisers(text: str) -> bool:
    return _OPTIMISER.search(text) is not None


def _text(source: SourceText, only_definitions: bool) -> str:
    return source.definitions if only_definitions and source.definitions is not None else source.text
