from __future__ import annotations

from typing import get_args

import pytest

from grader.errors import Outcome
from grader.report.schema import DeviceState, ExerciseStatus, ReportStatus
from grader.report.wording import (
    DEVICE_WORDS,
    OUTCOME_SENTENCES,
    OUTCOME_WORDS,
    REPORT_WORDS,
    STATUS_WORDS,
    points_text,
    score_text,
    seconds_text,
)


def test_every_outcome_and_status_has_words() -> None:
    assert set(OUTCOME_WORDS) == set(OUTCOME_SENTENCES) == set(get_args(Outcome))
    assert set(STATUS_WORDS) == set(get_args(ExerciseStatus))
    assert set(REPORT_WORDS) == set(get_args(ReportStatus))
    assert set(DEVICE_WORDS) == set(get_args(DeviceState))
    assert all(sentence.endswith(".") for sentence in OUTCOME_SENTENCES.values())


@pytest.mark.parametrize(
    ("points", "text"),
    [(100.0, "100"), (17.5, "17.5"), (6.66666, "6.6667"), (0.0, "0"), (-0.00001, "0"), (None, "?")],
)
def test_points_read_as_a_person_writes_them(points: float | None, text: str) -> None:
    assert points_text(points) == text


def test_score_names_its_maximum() -> None:
    assert score_text(100.0, 100.0) == "100 / 100"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 ms"),
        (0.0121, "12 ms"),
        (0.0996, "0.10 s"),
        (1.234, "1.23 s"),
        (9.996, "10.0 s"),
        (14.21, "14.2 s"),
        (99.96, "1 min 40 s"),
        (185.0, "3 min 5 s"),
    ],
)
def test_seconds_have_the_unit_that_reads_best(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text
