"""`results.json`: the records that a report is made of, and the JSON Schema generated from them.

A report that exists is consistent: its numbers are finite, scores have four decimals, checks sum to
their exercise and core exercises to the total, and no text holds a control character. Whoever builds or
reads one need not look again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from grader.catalog import Track
from grader.errors import Outcome
from grader.pictures import MAX_PICTURES, Curves, Heatmaps
from grader.printable import printable
from grader.records import Audience, Visibility

SCHEMA_VERSION: Literal["1.0"] = "1.0"
DECIMALS = 4
# Sums of numbers with four decimals differ from the true sum only by binary rounding.
_SUM_TOLERANCE = 1e-6

ReportStatus = Literal["graded", "rejected", "needs_regrade", "practice"]
ExerciseStatus = Literal[
    "passed", "partial", "failed", "not_attempted", "missing", "unreadable", "needs_regrade"
]
# Nothing of it was handed in, so its checks say nothing of what was.
UNTOUCHED: frozenset[ExerciseStatus] = frozenset({"not_attempted", "missing"})
DeviceState = Literal["passed", "failed", "inconclusive", "not available"]


def rounded(number: float) -> float:
    """`number` as every score is written: four decimals, and never a negative zero."""
    return round(number, DECIMALS) + 0.0


def _clean(limit: int, *, one_line: bool) -> Callable[[object], object]:
    def clean(text: object) -> object:
        return printable(text, limit, one_line=one_line) if isinstance(text, str) else text

    return clean


Score = Annotated[float, Field(ge=0, allow_inf_nan=False), AfterValidator(rounded)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False), AfterValidator(rounded)]
# Texts by their largest length in characters; longer ones say that they were cut.
Line = Annotated[str, BeforeValidator(_clean(1000, one_line=True))]
Paragraph = Annotated[str, BeforeValidator(_clean(4000, one_line=False))]
LongText = Annotated[str, BeforeValidator(_clean(20_000, one_line=False))]


def _complete_schema(schema: dict[str, Any], record: type[ReportRecord]) -> None:
    """Adds what pydantic cannot know: which fields are always written, and when a score is null."""
    schema["required"] = [name for name in schema["properties"] if name not in record.optional]
    if record.null_score_when is not None:
        name, value = record.null_score_when
        schema["if"] = {"properties": {name: {"const": value}}}
        schema["then"] = {"properties": {"score": {"type": "null"}}}
        schema["else"] = {"properties": {"score": {"type": "number"}}}


class ReportRecord(BaseModel):
    """Base of all parts of a report: frozen, no unknown keys.

    `optional` fields are left out of the JSON when empty; every other field is always written.
    `null_score_when` is the (field, value) with which, and only with which, `score` is null.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_complete_schema)
    optional: ClassVar[frozenset[str]] = frozenset()
    null_score_when: ClassVar[tuple[str, str] | None] = None

    @model_serializer(mode="wrap")
    def _leave_out_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = handler(self)
        return {k: v for k, v in fields.items() if k not in self.optional or v not in (None, "", [], ())}


class ReportNote(ReportRecord):
    """A remark for people; `exercise` is a stem when it is about one exercise. Never worth points."""

    optional = frozenset({"path", "line", "exercise"})
    text: Paragraph
    path: Line | None = None
    line: int | None = Field(default=None, ge=1)
    exercise: Line | None = None
    audience: Audience = "student"


class AssignmentInfo(ReportRecord):
    """Which assignment was graded; `digest` changes whenever anything changes that decides a score."""

    id: Line
    title: Line
    digest: Line


class FileInfo(ReportRecord):
    path: Line
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class SubmissionInfo(ReportRecord):
    id: Line
    files: tuple[FileInfo, ...] = ()
    notes: tuple[ReportNote, ...] = ()


class Frame(ReportRecord):
    """One line of the student's own code that was running when something went wrong."""

    where: Line
    code: Line


class Diagnosis(ReportRecord):
    """The known mistake that the student's outputs equal."""

    misconception: Line
    hint: Paragraph = ""


class CheckResult(ReportRecord):
    """One scored check. `score` is null only when the grader failed (`harness_error`)."""

    null_score_when = ("outcome", "harness_error")
    optional = frozenset({"message", "staff_message", "hint", "frames", "diagnosis"})
    id: Line
    title: Line
    visibility: Visibility
    outcome: Outcome
    score: Score | None
    max_score: Score
    message: Paragraph | None = None
    staff_message: LongText | None = None
    hint: Paragraph | None = None
    frames: tuple[Frame, ...] = ()
    diagnosis: Diagnosis | None = None
    devices: dict[Line, DeviceState] = Field(default_factory=dict)
    duration_s: Seconds = 0.0

    @model_validator(mode="after")
    def _score_fits(self) -> CheckResult:
        _check_score(f"check `{self.id}`", self.score, self.max_score, self.outcome == "harness_error")
        return self


class SourceInfo(ReportRecord):
    """Where the graded code lies; `cells` are the notebook cells that it comes from, counted from 1."""

    optional = frozenset({"cells"})
    path: Line
    cells: tuple[int, ...] = ()


PictureRecord = Annotated[Heatmaps | Curves, Field(discriminator="kind")]


class ExerciseResult(ReportRecord):
    """One exercise. `score` is null only for the status `needs_regrade`.

    `checks` is empty only when nothing was run at all: a rejected submission, or a dead grader. `pictures`
    show what the code computes on fixed public inputs, if they were asked for; they carry no points.
    """

    null_score_when = ("status", "needs_regrade")
    optional = frozenset({"source", "stdout", "pictures", "no_picture"})
    stem: Line
    title: Line
    track: Track = "core"
    status: ExerciseStatus
    score: Score | None
    max_score: Score
    follow_through: bool = False
    source: SourceInfo | None = None
    checks: tuple[CheckResult, ...] = ()
    stdout: LongText | None = None
    pictures: Annotated[tuple[PictureRecord, ...], Field(max_length=MAX_PICTURES)] = ()
    no_picture: Line | None = None

    @model_validator(mode="after")
    def _checks_sum_up(self) -> ExerciseResult:
        where = f"exercise `{self.stem}`"
        _check_score(where, self.score, self.max_score, self.status == "needs_regrade")
        if not self.checks:
            if self.score:
                raise ValueError(f"{where} has a score of {self.score} and no check that earned it")
            return self
        _check_sum(where, "max_score", self.max_score, [check.max_score for check in self.checks])
        if self.score is not None:
            if any(check.score is None for check in self.checks):
                raise ValueError(f"{where} has a score although one of its checks has none")
            _check_sum(where, "score", self.score, [check.score or 0.0 for check in self.checks])
        return self


class IsolationInfo(ReportRecord):
    """What kept student code away from everything else: the layers that were active, those missing."""

    level: Line
    layers: tuple[Line, ...] = ()
    missing: tuple[Line, ...] = ()


class EnvironmentInfo(ReportRecord):
    grader: Line
    python: Line
    torch: Line
    platform: Line
    devices: tuple[Line, ...] = ()
    isolation: IsolationInfo


class Report(ReportRecord):
    """The whole of `results.json`. `score` is null only for the status `needs_regrade`.

    `seed` is null when no grading took place, and for students, who must not learn what the inputs were.
    """

    model_config = ConfigDict(title="results.json of the attention grader")
    null_score_when = ("status", "needs_regrade")
    optional = frozenset({"status_reason"})
    schema_version: Literal["1.0"] = SCHEMA_VERSION
    status: ReportStatus
    status_reason: Paragraph | None = None
    score: Score | None
    max_score: Score
    assignment: AssignmentInfo
    submission: SubmissionInfo
    exercises: tuple[ExerciseResult, ...]
    environment: EnvironmentInfo
    seed: int | None = Field(default=None, ge=0)
    started_at: AwareDatetime
    duration_s: Seconds

    @model_validator(mode="after")
    def _exercises_sum_up(self) -> Report:
        _check_score("the report", self.score, self.max_score, self.status == "needs_regrade")
        if self.status in ("rejected", "needs_regrade") and not self.status_reason:
            raise ValueError(f"a report with status `{self.status}` must give its `status_reason`")
        core = [exercise for exercise in self.exercises if exercise.track == "core"]
        _check_sum("the report", "max_score", self.max_score, [exercise.max_score for exercise in core])
        if self.score is not None:
            if any(exercise.score is None for exercise in self.exercises):
                raise ValueError("the report has a score although one of its exercises needs a regrade")
            _check_sum("the report", "score", self.score, [exercise.score or 0.0 for exercise in core])
        return self


def _check_score(where: str, score: float | None, max_score: float, must_be_null: bool) -> None:
    if must_be_null != (score is None):
        raise ValueError(f"{where} has the score {score}; it is null exactly when the grader failed")
    if score is not None and score > max_score + _SUM_TOLERANCE:
        raise ValueError(f"{where} has the score {score}, more than its maximum {max_score}")


def _check_sum(where: str, name: str, total: float, parts: list[float]) -> None:
    if abs(sum(parts) - total) > _SUM_TOLERANCE:
        raise ValueError(f"{where} has the {name} {total}, but its parts sum to {rounded(sum(parts))}")


def report_json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `results.json`, generated from the records of this module."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Report.model_json_schema()}
