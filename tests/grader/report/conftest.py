"""Hand-written reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from grader.report.schema import Report

MakeReport = Callable[..., Report]


def report_fields() -> dict[str, Any]:
    """One exercise with a passed, a raised and a hidden failed check; one that is not attempted."""
    checks = [
        {
            "id": "alpha::test_shape",
            "title": "The shape is kept.",
            "visibility": "public",
            "outcome": "passed",
            "score": 2.0,
            "max_score": 2.0,
            "devices": {"cpu": "passed", "pretend": "passed"},
            "duration_s": 0.02,
        },
        {
            "id": "alpha::test_values",
            "title": "Values match the reference.",
            "visibility": "hidden",
            "outcome": "failed",
            "score": 0.0,
            "max_score": 3.0,
            "message": "The largest error is 0.3, allowed is 1e-5.",
            "staff_message": "SECRET case 2d.",
            "hint": "Look at the mask.",
            "diagnosis": {"misconception": "off_by_one", "hint": "The last valid key is masked."},
            "devices": {"cpu": "failed"},
        },
        {
            "id": "alpha::test_gradients",
            "title": "Gradients reach the input.",
            "visibility": "hidden",
            "outcome": "raised",
            "score": 0.0,
            "max_score": 1.0,
            "message": "`RuntimeError`: no grad",
            "frames": [{"where": "`alpha.py` line 3", "code": "x = x.detach()"}],
        },
    ]
    idle = {
        "id": "beta::test_values",
        "title": "Values match.",
        "visibility": "public",
        "outcome": "not_attempted",
        "score": 0.0,
        "max_score": 4.0,
        "message": "`Beta` is still as it was handed out.",
    }
    return {
        "status": "graded",
        "score": 2.0,
        "max_score": 10.0,
        "assignment": {"id": "tiny", "title": "Tiny", "digest": "d"},
        "submission": {
            "id": "alice",
            "files": [{"path": "alpha.py", "sha256": "0" * 64}],
            "notes": [
                {"text": "A magic is left out.", "path": "hw.ipynb", "line": 3},
                {"text": "SECRET uses exec.", "audience": "staff"},
            ],
        },
        "exercises": [
            {
                "stem": "alpha",
                "title": "Alpha",
                "status": "partial",
                "score": 2.0,
                "max_score": 6.0,
                "source": {"path": "alpha.py"},
                "checks": checks,
                "stdout": "printed by alice",
            },
            {
                "stem": "beta",
                "title": "Beta",
                "status": "not_attempted",
                "score": 0.0,
                "max_score": 4.0,
                "checks": [idle],
            },
        ],
        "environment": {
            "grader": "0.1.0",
            "python": "3.11.0",
            "torch": "2.13.0",
            "platform": "Linux",
            "devices": ["cpu", "pretend"],
            "isolation": {"level": "auto", "layers": ["process"], "missing": []},
        },
        "seed": 7,
        "started_at": "2025-03-01T12:00:00Z",
        "duration_s": 1.5,
    }


@pytest.fixture
def fields() -> dict[str, Any]:
    return report_fields()


@pytest.fixture
def report(fields: dict[str, Any]) -> Report:
    return Report.model_validate(fields)
