"""Repeats what a check did with a student's code on another version of it, and compares the two."""

from __future__ import annotations

import contextlib
import copy
import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from grader.diagnose.distance import count, distance, overflows
from grader.diagnose.outcomes import Outcome, Outcomes
from grader.student.calls import Call, Made, snapshot
from grader.suite.memo import key_of
from grader.suite.reference import float64_default, widen
from grader.suite.weights import fit_shape, match_parameters, misfits

# A version that comes this much nearer to the student's numbers than the reference has the same mistake,
# whatever noise the student's own dtype adds.
NEARER = 1e-3
# Differences up to this many tolerances may be noise: they speak neither for nor against a mistake.
NOISE = 10.0
RESULT = "result"
_MODAL = (nn.modules.dropout._DropoutNd, nn.modules.batchnorm._NormBase)


@dataclass(frozen=True)
class Sighting:
    """One call of a check (or the making of a module) and what the student's code gave."""

    call: Call | Made
    outcome: Outcome

    @property
    def is_module(self) -> bool:
        return isinstance(self.call, Made) or self.call.constructor is not None


@dataclass
class Compared:
    """A sighting beside the reference: how far the student is off, by part.

    `entries` counts the numbers in the parts that differ (NaN is no number).
    """

    sighting: Sighting
    errors: Mapping[str, float]
    tolerance: float
    raises: bool = False
    entries: int = field(init=False)
    overflows: bool = field(init=False)

    def __post_init__(self) -> None:
        parts = self.sighting.outcome.parts
        self.entries = sum(count(parts[name]) for name in self.errors if self._differs(name))
        self.overflows = any(overflows(part) for part in parts.values())

    def _differs(self, name: str) -> bool:
        return self.errors[name] > NOISE * self.tolerance

    @property
    def differs(self) -> bool:
        return self.raises or any(self._differs(name) for name in self.errors)

    def agrees_with(self, other: Outcome) -> bool:
        """The other version does here what the student's does."""
        own = self.sighting.outcome
        if own.raised or other.raised:
            return bool(own.raised and other.raised) and same_error(own.raised, other.raised)
        return all(
            name in other.parts and self._is_near(own.parts[name], other.parts[name], self.errors[name])
            for name in own.parts
        )

    def _is_near(self, own: Any, other: Any, error: float) -> bool:
        noise = NOISE * self.tolerance
        if noise < error < math.inf:
            return distance(own, other) <= max(self.tolerance, NEARER * error)
        return distance(own, other) <= noise


def sight(call: Call | Made) -> Sighting | None:
    """What a call says about its code; None if it says nothing."""
    if call.raised:
        return Sighting(call, Outcome({}, call.raised))
    if isinstance(call, Call):
        return Sighting(call, Outcome({RESULT: call.result, **call.attributes}))
    return Sighting(call, Outcome(dict(call.attributes))) if call.attributes else None


class Repeater:
    """Repeats calls on other versions of the code; makes a module once for the same constructor."""

    def __init__(self, outcomes: Outcomes | None = None) -> None:
        self._outcomes = Outcomes() if outcomes is None else outcomes
        self._digests: dict[int, tuple[Sighting, str]] = {}
        self._prepared: dict[tuple[object, ...], Prepared] = {}

    def repeat(
        self,
        source: Any,
        sighting: Sighting,
        *,
        is_strict: bool = False,
        is_wide: bool = True,
        is_kept: bool = True,
    ) -> Outcome:
        """The same call on `source`, in eval mode, with the student's weights.

        In float64 if `is_wide`, else in the dtype of the inputs, on which it depends what overflows.
        `is_strict` if a weight of the same name has to be of the same size; `is_kept` if the module will be
        used again. Raises nothing: an exception of `source` is part of the outcome.
        """
        if _is_given_a_module(sighting.call):  # whose weights no digest covers
            return self._try(source, sighting, is_strict, is_wide, is_kept)
        digest, version = self._digest(sighting), f"{_name_of(source)} {is_strict:d}{is_wide:d}"
        outcome = self._outcomes.find(digest, version)
        if outcome is None:
            outcome = self._try(source, sighting, is_strict, is_wide, is_kept)
            self._outcomes.keep(digest, version, outcome)
        return outcome

    def _digest(self, sighting: Sighting) -> str:
        """Of everything that an outcome depends on but the version."""
        if id(sighting) not in self._digests:
            call = sighting.call
            seen: list[Any] = [*constructor_of(call), sorted(sighting.outcome.parts)]
            if isinstance(call, Call):
                seen += [call.arguments, call.keywords, call.state, call.constructor is None]
            # Kept with the sighting, whose id is its own only as long as it lives.
            self._digests[id(sighting)] = sighting, key_of(call.symbol, seen)
        return self._digests[id(sighting)][1]

    def _try(self, source: Any, sighting: Sighting, is_strict: bool, is_wide: bool, is_kept: bool) -> Outcome:
        try:
            is_training = _is_given_a_module(sighting.call)
            dtype = float64_default() if is_wide else contextlib.nullcontext()
            with torch.set_grad_enabled(is_training), dtype:
                # Copies: a module that is kept may write into what it returned.
                return Outcome(snapshot(self._repeat(source, sighting, is_strict, is_wide, is_kept)))
        except Exception as err:  # noqa: BLE001  # a mistaken version may raise anything, as a student's does
            return Outcome({}, f"{type(err).__name__}: {err}")

    def _repeat(
        self, source: Any, sighting: Sighting, is_strict: bool, is_wide: bool, is_kept: bool
    ) -> dict[str, Any]:
        call = sighting.call
        names = [name for name in sighting.outcome.parts if name != RESULT]
        if isinstance(call, Made):
            return _attributes(self._prepare(source, call, is_wide, is_kept).module, names)
        arguments = [_adapt(argument, is_wide) for argument in call.arguments]
        keywords = {name: _adapt(argument, is_wide) for name, argument in call.keywords.items()}
        if call.constructor is None:
            return {RESULT: source(*arguments, **keywords)}
        prepared = self._prepare(source, call, is_wide, is_kept)
        prepared.load(is_strict, call.state or {})
        result = prepared.module(*arguments, **keywords)
        return {RESULT: result, **_attributes(prepared.module, names)}

    def _prepare(self, source: Any, call: Call | Made, is_wide: bool, is_kept: bool) -> Prepared:
        arguments, keywords = constructor_of(call)
        state = call.state if isinstance(call, Call) else None
        shapes = tuple((name, value.shape) for name, value in (state or {}).items())
        key = (source, is_wide, repr(arguments), repr(keywords), shapes)
        prepared = self._prepared.get(key)
        if prepared is None:
            module = source(*arguments, **keywords).eval()
            prepared = Prepared(module, *match_state(module, state or {}))
            if is_kept:
                self._prepared[key] = prepared
        return prepared


def _is_given_a_module(call: Call | Made) -> bool:
    """A function that is given a module may train it."""
    if isinstance(call, Made) or call.constructor is not None:
        return False
    return any(isinstance(part, nn.Module) for part in (*call.arguments, *call.keywords.values()))


def _adapt(argument: Any, is_wide: bool) -> Any:
    """A copy of an argument that the repeated code may write into, or train."""
    if isinstance(argument, nn.Module):
        own = copy.deepcopy(argument)
        return own.double() if is_wide else own
    return widen(argument) if is_wide else snapshot(argument)


@dataclass(frozen=True)
class Prepared:
    """A module, which of its parameters takes which tensor of the student's, and names that do not fit."""

    module: nn.Module
    matched: Mapping[str, str]
    misfits: tuple[str, ...]

    def load(self, is_strict: bool, state: Mapping[str, torch.Tensor]) -> None:
        if is_strict and self.misfits:
            raise ValueError(f"other sizes: {', '.join(self.misfits)}")
        if self.matched:
            parameters = dict(self.module.named_parameters())
            for name, own in self.matched.items():
                parameters[name].copy_(fit_shape(state[own], parameters[name].shape))


@functools.cache
def _name_of(source: Any) -> str:
    """A version's name, the same in every judge of a run; of two at once, both."""
    parts = source.__mro__ if isinstance(source, type) else (source,)
    return " ".join(f"{part.__module__}.{part.__qualname__}" for part in parts)


def match_state(
    module: nn.Module, state: Mapping[str, torch.Tensor]
) -> tuple[dict[str, str], tuple[str, ...]]:
    ours = dict(module.named_parameters())
    return match_parameters(state, ours), tuple(misfits(state, ours))


def constructor_of(call: Call | Made) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    if isinstance(call, Made):
        return call.constructor, call.keywords
    return call.constructor or (), call.constructor_keywords


def has_modes(source: Any, call: Call) -> bool:
    """The module that this call uses behaves differently in training mode."""
    if call.constructor is None:
        return False
    arguments, keywords = constructor_of(call)
    return any(isinstance(part, _MODAL) for part in source(*arguments, **keywords).modules())


def _attributes(module: nn.Module, names: list[str]) -> dict[str, Any]:
    return {name: getattr(module, name) for name in names if hasattr(module, name)}


def compare(sighting: Sighting, expected: Outcome, tolerances: Mapping[torch.dtype, float]) -> Compared:
    """Put the student's outcome beside the reference's."""
    own = sighting.outcome
    tensor = next((part for part in own.parts.values() if isinstance(part, torch.Tensor)), None)
    dtype = torch.float32 if tensor is None else tensor.dtype
    tolerance = tolerances.get(dtype, tolerances.get(torch.float32, 1e-5))
    if isinstance(sighting.call, Call) and dtype == torch.float64:
        # float64 may have been float32 on the way.
        tolerance = max(tolerance, 1e-9)
    errors = {name: distance(part, expected.parts.get(name)) for name, part in own.parts.items()}
    return Compared(sighting, errors, tolerance, raises=bool(own.raised) and not expected.raised)


def same_error(own: str, other: str) -> bool:
    """Two exceptions, as "Type: text", with one cause."""
    return own == other or _cause(own) == _cause(other)


# Sizes that do not fit: two of them and an axis, in the words of broadcasting, `expand` and indexing.
_MISFITS = (
    re.compile(
        r"tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)"
    ),
    re.compile(
        r"of the tensor \((\d+)\) must match the existing size \((\d+)\) at non-singleton dimension (\d+)"
    ),
)
_MASK_MISFIT = re.compile(
    r"mask \[([\d, ]+)\] at index (\d+) does not match the shape of the indexed tensor \[([\d, ]+)\]"
)


def _cause(text: str) -> object:
    """What an exception says, in a form that does not depend on which operation said it."""
    if "NoneType" in text:
        return "None"
    for misfit in _MISFITS:
        if found := misfit.search(text):
            return frozenset(found.group(1, 2)), found.group(3)
    if found := _MASK_MISFIT.search(text):
        axis = int(found.group(2))
        sizes = (found.group(1).split(", ")[axis], found.group(3).split(", ")[axis])
        return frozenset(sizes), str(axis)
    return text
