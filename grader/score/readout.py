"""Reads the judge's pytest report: which checks exist, and how each of their cases ended.

The report is ours, but a dying judge may leave anything behind. So all of it is checked here, and what
does not fit is a `HarnessError`: the submission is graded again, and nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from grader.errors import HarnessError, Outcome
from grader.records import Visibility
from grader.report.schema import DeviceState, Diagnosis, Frame, Line, LongText, Paragraph


def _empty_for_none(text: object) -> object:
    return "" if text is None else text


OptionalLine = Annotated[Line, BeforeValidator(_empty_for_none)]
OptionalParagraph = Annotated[Paragraph, BeforeValidator(_empty_for_none)]
OptionalLongText = Annotated[LongText, BeforeValidator(_empty_for_none)]


class CheckKey(NamedTuple):
    stem: str
    name: str


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class CatalogueEntry(_Read):
    """A check that the suites define, whether it was run or not. `cases`, if told, is how many it has."""

    stem: str
    name: str
    title: Line
    visibility: Visibility
    points: float = Field(ge=0, allow_inf_nan=False)
    hint: OptionalParagraph = ""
    cases: int | None = None

    @property
    def key(self) -> CheckKey:
        return CheckKey(self.stem, self.name)


class CaseRecord(_Read):
    """How one case of a check ended."""

    stem: str
    name: str
    case: OptionalLine = ""
    outcome: Outcome
    message: OptionalParagraph = ""
    hint: OptionalParagraph = ""
    frames: tuple[Frame, ...] = ()
    diagnosis: Diagnosis | None = None
    devices: dict[Line, DeviceState] = Field(default_factory=dict)
    duration_s: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    staff_message: OptionalLongText = ""

    @property
    def key(self) -> CheckKey:
        return CheckKey(self.stem, self.name)


Catalogue = Mapping[CheckKey, CatalogueEntry]
Cases = Mapping[CheckKey, Sequence[CaseRecord]]


def read_catalogue(pytest_report: Mapping[str, Any]) -> Catalogue:
    """All checks of all exercises, in the suites' order, from `pytest_report["checks"]`.

    Raises:
        HarnessError: there is none, one is malformed, or one is listed twice.
    """
    entries = pytest_report.get("checks")
    if not isinstance(entries, Sequence) or not entries:
        raise HarnessError("The judge collected no checks.")
    catalogue: dict[CheckKey, CatalogueEntry] = {}
    for raw in entries:
        entry = _parse(CatalogueEntry, raw)
        if entry.key in catalogue:
            raise HarnessError(f"The judge listed the check `{entry.stem}::{entry.name}` twice.")
        catalogue[entry.key] = entry
    return catalogue


def read_cases(pytest_report: Mapping[str, Any], catalogue: Catalogue) -> Cases:
    """Every case that was run, by check and in the order of running.

    Raises:
        HarnessError: a case says nothing about itself, is unknown to the catalogue or was run twice, or
            pytest contradicts it.
    """
    cases: dict[CheckKey, list[CaseRecord]] = {}
    for test in pytest_report.get("tests") or ():
        if not isinstance(test, Mapping):
            raise HarnessError("The judge's pytest report lists something that is not a test.")
        node = str(test.get("nodeid", "?"))
        metadata = test.get("metadata")
        if not isinstance(metadata, Mapping) or "check" not in metadata:
            raise HarnessError(f"The judge ran `{node}` without saying how the check ended.")
        record = _parse(CaseRecord, metadata["check"])
        if record.key not in catalogue:
            raise HarnessError(f"The judge ran `{node}`, which is not a known check.")
        if any(record.case == other.case for other in cases.get(record.key, ())):
            raise HarnessError(f"The judge ran `{node}` more than once.")
        # A crash after the verdict (say, while tearing down) is seen by pytest only.
        if record.outcome == "passed" and test.get("outcome") != "passed":
            raise HarnessError(f"`{node}` passed for the judge, but {test.get('outcome')} for pytest.")
        cases.setdefault(record.key, []).append(record)
    return cases


_Parsed = TypeVar("_Parsed", bound=_Read)


def _parse(record: type[_Parsed], raw: object) -> _Parsed:
    try:
        return record.model_validate(raw)
    except ValidationError as err:
        first = err.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "record"
        raise HarnessError(f"The judge sent a malformed check: `{where}`: {first['msg']}.") from err
