from __future__ import annotations

import json
import math
import random
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from grader.report.schema import Report, report_json_schema, rounded
from grader.report.writing import dump_report

TOP_LEVEL = [
    "schema_version",
    "status",
    "score",
    "max_score",
    "assignment",
    "submission",
    "exercises",
    "environment",
    "seed",
    "started_at",
    "duration_s",
]


def test_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(report_json_schema())


def test_report_is_valid_and_its_keys_are_in_order(report: Report) -> None:
    fields = json.loads(dump_report(report, "staff"))
    jsonschema.validate(fields, report_json_schema())
    assert list(fields) == TOP_LEVEL
    assert fields["schema_version"] == "1.0"
    assert list(fields["exercises"][0]["checks"][0]) == [
        "id",
        "title",
        "visibility",
        "outcome",
        "score",
        "max_score",
        "devices",
        "duration_s",
    ]


@pytest.mark.parametrize("key", TOP_LEVEL)
def test_schema_requires_every_key_that_is_always_written(report: Report, key: str) -> None:
    fields = json.loads(dump_report(report, "staff"))
    del fields[key]
    with pytest.raises(jsonschema.ValidationError, match="required property"):
        jsonschema.validate(fields, report_json_schema())


def test_schema_refuses_a_missing_score_of_a_graded_report(report: Report) -> None:
    fields = json.loads(dump_report(report, "staff"))
    fields["score"] = None
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(fields, report_json_schema())


def test_schema_refuses_a_score_that_needs_a_regrade(report: Report) -> None:
    fields = json.loads(dump_report(report, "staff"))
    fields["status"] = "needs_regrade"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(fields, report_json_schema())


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, -1.0])
@pytest.mark.parametrize("place", ["score", "max_score", "duration_s"])
def test_numbers_that_are_not_finite_or_negative_are_refused(
    fields: dict[str, Any], place: str, number: float
) -> None:
    fields[place] = number
    with pytest.raises(ValidationError):
        Report.model_validate(fields)


def _break_check_sum(fields: dict[str, Any]) -> None:
    fields["exercises"][0]["score"] = 3.0
    fields["score"] = 3.0


def _break_total(fields: dict[str, Any]) -> None:
    fields["score"] = 2.5


def _break_maximum(fields: dict[str, Any]) -> None:
    fields["exercises"][1]["checks"][0]["max_score"] = 5.0


def _score_above_maximum(fields: dict[str, Any]) -> None:
    fields["exercises"][0]["checks"][0]["score"] = 2.1


def _no_score_although_graded(fields: dict[str, Any]) -> None:
    fields["score"] = None


def _zero_for_our_failure(fields: dict[str, Any]) -> None:
    fields["exercises"][0]["checks"][1]["outcome"] = "harness_error"


def _points_without_checks(fields: dict[str, Any]) -> None:
    fields["exercises"][0]["checks"] = []


def _rejected_without_reason(fields: dict[str, Any]) -> None:
    fields["status"] = "rejected"


def _unknown_key(fields: dict[str, Any]) -> None:
    fields["bonus"] = 5


def _local_time(fields: dict[str, Any]) -> None:
    fields["started_at"] = "2025-03-01T12:00:00"


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (_break_check_sum, "exercise `alpha` has the score 3.0, but its parts sum to 2.0"),
        (_break_total, "the report has the score 2.5, but its parts sum to 2.0"),
        (_break_maximum, "exercise `beta` has the max_score 4.0, but its parts sum to 5.0"),
        (_score_above_maximum, "has the score 2.1, more than its maximum 2.0"),
        (_no_score_although_graded, "it is null exactly when the grader failed"),
        (_zero_for_our_failure, "it is null exactly when the grader failed"),
        (_points_without_checks, "has a score of 2.0 and no check that earned it"),
        (_rejected_without_reason, "must give its `status_reason`"),
        (_unknown_key, "Extra inputs are not permitted"),
        (_local_time, "timezone"),
    ],
)
def test_inconsistent_report_is_refused(fields: dict[str, Any], damage: Any, complaint: str) -> None:
    damage(fields)
    with pytest.raises(ValidationError) as caught:
        Report.model_validate(fields)
    assert complaint in str(caught.value)


def test_scores_are_rounded_to_four_decimals_and_stay_consistent(fields: dict[str, Any]) -> None:
    random_source = random.Random(5)
    for _ in range(50):
        parts = [rounded(random_source.uniform(0, 1)) for _ in range(3)]
        for check, part in zip(fields["exercises"][0]["checks"], parts, strict=True):
            check["score"] = part + random_source.uniform(-4e-5, 4e-5) * (part > 1e-4)
            check["max_score"] = 2.0
        rounded_parts = [rounded(check["score"]) for check in fields["exercises"][0]["checks"]]
        fields["exercises"][0] |= {"score": sum(rounded_parts), "max_score": 6.0}
        fields["score"] = sum(rounded_parts)
        written = json.loads(dump_report(Report.model_validate(fields), "staff"))
        scores = [check["score"] for check in written["exercises"][0]["checks"]]
        assert scores == rounded_parts
        assert rounded(sum(scores)) == written["exercises"][0]["score"] == written["score"]


def test_extension_exercise_does_not_count(fields: dict[str, Any]) -> None:
    fields["exercises"][1]["track"] = "extension"
    fields["max_score"] = 6.0
    assert Report.model_validate(fields).max_score == 6.0


def test_records_are_frozen(report: Report) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        report.score = 100.0


def test_negative_zero_is_written_as_zero() -> None:
    assert str(rounded(-0.00001)) == "0.0"


def test_text_is_made_safe_and_capped(fields: dict[str, Any]) -> None:
    fields["submission"]["files"][0]["path"] = "a\n\x1b[31m.py"
    fields["exercises"][0]["stdout"] = "x" * 100_000
    report = Report.model_validate(fields)
    assert report.submission.files[0].path == "a\\n\\x1b[31m.py"
    assert len(str(report.exercises[0].stdout)) == 20_000
