"""The probe as a submission, and what `strict` makes of its answers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.errors import IsolationError
from grader.sandbox.isolation import LaunchPlan, choose_plan
from grader.sandbox.probe import (
    ABILITIES,
    PROBE_SOURCE,
    STRICT_DENIES,
    canary,
    check_strict,
    sentences,
    strict_problems,
)

REPOSITORY = Path(__file__).resolve().parents[4]
Confine = Callable[..., Any]  # see `confined` in conftest.py


@pytest.fixture
def run_probe(confined: Confine) -> Confine:
    """`run_probe(plan)`: what the probe answers in a worker of that plan."""

    def run(plan: LaunchPlan) -> Any:
        with canary() as secret:
            paths = [str(secret), str(REPOSITORY / "solutions")]
            return confined(plan, f"{PROBE_SOURCE}\nanswer = probe({paths!r}, {os.getpid()})")

    return run


@pytest.mark.usefixtures("needs_landlock", "needs_namespaces")
def test_probe_finds_nothing_with_all_layers(run_probe: Confine, plan: LaunchPlan) -> None:
    seen = run_probe(plan)
    assert [name for name, possible in seen.answer.items() if possible] == []
    assert set(seen.answer) == set(ABILITIES)
    assert strict_problems(seen.answer) == []
    check_strict(seen.answer, tuple(seen.layers.values()))
    assert "student code cannot read the solutions and hidden suites" in sentences(seen.answer)


@pytest.mark.usefixtures("needs_landlock")
def test_strict_is_possible_with_landlock_and_seccomp_only(run_probe: Confine, bare: LaunchPlan) -> None:
    seen = run_probe(bare)
    assert [name for name, possible in seen.answer.items() if possible] == ["see_secret"]
    assert strict_problems(seen.answer) == []


@pytest.mark.usefixtures("needs_linux")
def test_probe_sees_what_a_bare_process_can_do(run_probe: Confine) -> None:
    seen = run_probe(choose_plan("process"))
    possible = {name for name, can in seen.answer.items() if can}
    assert {"read_secret", "see_secret", "start_process", "reach_network", "signal_grader"} <= possible
    with pytest.raises(IsolationError) as refusal:
        check_strict(seen.answer, tuple(seen.layers.values()))
    assert "student code can read the solutions" in refusal.value.message
    assert "apt install bubblewrap" in refusal.value.hint
    assert "--isolation auto" in refusal.value.hint


@pytest.mark.usefixtures("needs_linux")
def test_seccomp_alone_does_not_satisfy_strict(run_probe: Confine, only_seccomp: LaunchPlan) -> None:
    possible = {name for name, can in run_probe(only_seccomp).answer.items() if can}
    assert "read_secret" in possible
    # The same user's processes can be looked at through /proc, unless they have more rights.
    assert possible <= {
        "read_secret",
        "see_secret",
        "read_accounts",
        "read_grader_environment",
        "read_grader_memory",
    }


def test_strict_counts_what_was_not_asked_as_possible() -> None:
    assert len(strict_problems({})) == len(STRICT_DENIES)


def test_canary_is_removed() -> None:
    with canary() as secret:
        assert secret.stat().st_mode & 0o777 == 0o600
        assert secret.parent.stat().st_mode & 0o777 == 0o700
    assert not secret.parent.exists()
