from __future__ import annotations

import dataclasses
import math
from typing import Any, get_args

import pytest

from grader.errors import AssignmentError, Outcome
from grader.records import ExerciseRun, Note, Problem

STUDENT_FAILURES = sorted(set(get_args(Outcome)) - {"passed", "harness_error"})


def _exercise(report: Any, stem: str) -> Any:
    return next(exercise for exercise in report.exercises if exercise.stem == stem)


def test_all_passed_gives_every_point(build: Any) -> None:
    report = build.score()
    assert (report.status, report.score, report.max_score) == ("graded", 10.0, 10.0)
    assert [exercise.status for exercise in report.exercises] == ["passed"] * 3
    assert report.seed == 7


def test_extension_exercise_is_reported_but_not_in_the_total(build: Any) -> None:
    build.end("gamma::test_values", "failed", message="No.")
    report = build.score()
    assert (report.score, report.max_score) == (10.0, 10.0)
    assert (_exercise(report, "gamma").status, _exercise(report, "gamma").score) == ("failed", 0.0)


@pytest.mark.parametrize("outcome", STUDENT_FAILURES)
def test_a_check_with_any_outcome_of_the_student_costs_its_points_only(build: Any, outcome: str) -> None:
    build.exit_code = 1
    build.end("alpha::test_values", outcome, message="What we saw.", staff_message="More.")
    report = build.score()
    check = _exercise(report, "alpha").checks[1]
    assert (check.outcome, check.score, check.message) == (outcome, 0.0, "What we saw.")
    assert check.hint is None  # a hint is made for the failure, by the suite
    assert check.staff_message == "More."
    assert (_exercise(report, "alpha").status, report.score) == ("partial", 6.0)


def test_a_passed_check_shows_neither_message_nor_hint(build: Any) -> None:
    build.end("alpha::test_values", "passed", message="Fine.", hint="None needed.")
    check = _exercise(build.score(), "alpha").checks[1]
    assert check.message is None
    assert check.hint is None


def test_first_case_that_did_not_pass_decides_the_check(build: Any) -> None:
    frame = {"where": "`alpha.py` line 3", "code": "x = y"}
    build.end_cases(
        "alpha::test_values",
        {"case": "1d", "outcome": "passed", "devices": {"cpu": "passed", "pretend": "passed"}},
        {"case": "2d", "outcome": "raised", "message": "First.", "frames": [frame], "hint": "Own hint."},
        {"case": "none", "outcome": "failed", "message": "Second.", "devices": {"pretend": "failed"}},
    )
    check = _exercise(build.score(), "alpha").checks[1]
    assert (check.outcome, check.score, check.message, check.hint) == ("raised", 0.0, "First.", "Own hint.")
    assert check.frames[0].code == "x = y"
    assert check.devices == {"cpu": "failed", "pretend": "failed"}
    assert check.staff_message == "case 2d"
    assert check.duration_s == pytest.approx(0.03)


def test_points_are_per_check_not_per_case(build: Any) -> None:
    build.end_cases("alpha::test_values", *({"case": str(i), "outcome": "passed"} for i in range(9)))
    assert _exercise(build.score(), "alpha").checks[1].score == 4.0


def test_inconclusive_device_costs_nothing(build: Any) -> None:
    build.end("alpha::test_values", "passed", devices={"cpu": "passed", "pretend": "inconclusive"})
    report = build.score()
    assert report.score == 10.0
    assert _exercise(report, "alpha").checks[1].devices["pretend"] == "inconclusive"


def test_diagnosis_travels_to_the_report(build: Any) -> None:
    diagnosis = {"misconception": "off_by_one", "hint": "Count again."}
    build.end("alpha::test_values", "failed", message="m", diagnosis=diagnosis)
    assert _exercise(build.score(), "alpha").checks[1].diagnosis.misconception == "off_by_one"


@pytest.mark.parametrize(
    ("outcome", "status"),
    [("missing", "missing"), ("not_attempted", "not_attempted"), ("raised", "unreadable")],
)
def test_exercise_with_a_problem_lists_all_its_checks(build: Any, outcome: Any, status: str) -> None:
    build.problems["alpha"] = Problem(outcome, "There is nothing to run.", "Write it.")
    report = build.score()
    alpha = _exercise(report, "alpha")
    assert (alpha.status, alpha.score, alpha.max_score) == (status, 0.0, 6.0)
    assert [check.title for check in alpha.checks] == ["test_shape of alpha.", "test_values of alpha."]
    assert {(check.outcome, check.message, check.hint) for check in alpha.checks} == {
        (outcome, "There is nothing to run.", "Write it.")
    }
    assert (report.status, report.score) == ("graded", 4.0)


@pytest.mark.parametrize("exit_code", [0, 5, None])
def test_untouched_stubs_are_graded_at_zero(build: Any, exit_code: int | None) -> None:
    build.problems = {stem: Problem("not_attempted", "Still the stub.") for stem in build.assignment.stems}
    build.exit_code = exit_code
    report = build.score()
    assert (report.status, report.score) == ("graded", 0.0)
    assert {exercise.status for exercise in report.exercises} == {"not_attempted"}


def test_stub_that_only_a_worker_recognises_is_not_attempted(build: Any) -> None:
    build.end("alpha::test_shape", "not_attempted", message="Still raises NotImplementedError.")
    build.end("alpha::test_values", "skipped", message="Skipped: needs `test_shape` to pass first.")
    assert _exercise(build.score(), "alpha").status == "not_attempted"


def test_submission_without_any_exercise_is_rejected(build: Any) -> None:
    build.problems = {stem: Problem("missing", "Not found.") for stem in build.assignment.stems}
    report = build.score()
    assert (report.status, report.score, report.max_score) == ("rejected", 0.0, 10.0)
    assert report.status_reason == "The submission holds none of what is asked for: `alpha`, `Beta`."


def test_extension_that_nobody_began_saves_no_submission_from_being_rejected(build: Any) -> None:
    build.problems = {stem: Problem("missing", "Not found.") for stem in build.assignment.stems}
    build.problems["gamma"] = Problem("not_attempted", "This extension is not part of the submission.")
    report = build.score()
    assert report.status == "rejected"
    assert _exercise(report, "gamma").status == "not_attempted"


def test_extension_alone_is_a_submission(build: Any) -> None:
    build.problems = {stem: Problem("missing", "Not found.") for stem in ("alpha", "beta")}
    build.end("gamma::test_values", "passed")
    assert build.score().status == "graded"


def test_submission_that_cannot_be_read_is_rejected(build: Any) -> None:
    build.problems = {stem: Problem("missing", "Not found.") for stem in build.assignment.stems}
    build.problems["beta"] = Problem("raised", "`beta.py` line 2 is not Python.")
    report = build.score()
    assert report.status == "rejected"
    assert _exercise(report, "beta").status == "unreadable"


def test_harness_error_in_any_case_needs_a_regrade_and_is_no_zero(build: Any) -> None:
    build.end_cases(
        "alpha::test_values",
        {"case": "a", "outcome": "failed", "message": "Wrong."},
        {"case": "b", "outcome": "harness_error", "message": "We broke."},
    )
    report = build.score()
    alpha = _exercise(report, "alpha")
    assert (report.status, report.score) == ("needs_regrade", None)
    assert report.status_reason == "The grader could not finish `alpha`."
    assert (alpha.status, alpha.score, alpha.checks[1].score) == ("needs_regrade", None, None)
    assert (_exercise(report, "beta").status, _exercise(report, "beta").score) == ("passed", 4.0)


@pytest.mark.parametrize("exit_code", [2, 3, 4, 5, -9, None])
def test_pytest_that_did_not_end_well_needs_a_regrade(build: Any, exit_code: int | None) -> None:
    build.exit_code = exit_code
    report = build.score()
    assert (report.status, report.score) == ("needs_regrade", None)
    assert str(exit_code) in str(report.status_reason)
    assert all(exercise.score is None for exercise in report.exercises)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"checks": []}, "The judge collected no checks."),
        ({"checks": None}, "The judge collected no checks."),
        ({"tests": []}, "The judge ran no check."),
        ({"tests": None}, "The judge ran no check."),
        (
            {"tests": ["?"]},
            "The judge's pytest report lists something that is not a test.",
        ),
        (
            {"tests": [{"nodeid": "a", "outcome": "passed"}]},
            "The judge ran `a` without saying how the check ended.",
        ),
    ],
)
def test_report_that_makes_no_sense_needs_a_regrade(build: Any, change: Any, reason: str) -> None:
    report = build.score_with(**change)
    assert (report.status, report.score, report.status_reason) == ("needs_regrade", None, reason)


def test_check_that_was_not_run_needs_a_regrade(build: Any) -> None:
    build.end_cases("beta::test_values")
    report = build.score()
    assert (report.status, report.score) == ("needs_regrade", None)
    assert _exercise(report, "beta").checks[1].outcome == "harness_error"


def test_missing_case_of_a_check_needs_a_regrade(build: Any) -> None:
    build.catalogue[1]["cases"] = 2
    report = build.score()
    assert report.status == "needs_regrade"
    assert _exercise(report, "alpha").checks[1].staff_message == "1 of 2 cases were run."


def test_case_that_ran_twice_needs_a_regrade(build: Any) -> None:
    build.end_cases("beta::test_values", {"outcome": "failed"}, {"outcome": "passed"})
    report = build.score()
    assert report.status_reason == "The judge ran `beta::test_values` more than once."


def test_check_that_no_suite_defines_needs_a_regrade(build: Any) -> None:
    build.end("alpha::test_values", "passed", name="test_free_points")
    assert build.score().status == "needs_regrade"


def test_check_that_passed_for_us_but_not_for_pytest_needs_a_regrade(build: Any) -> None:
    run = build.run()
    run.pytest_report["tests"][0]["outcome"] = "error"
    report = build.score_of(run)
    assert report.status_reason == "`alpha::test_shape` passed for the judge, but error for pytest."


@pytest.mark.parametrize(
    "wrong",
    [
        {"outcome": "excellent"},
        {"duration_s": math.nan},
        {"devices": {"cpu": "maybe"}},
        {"frames": [{"where": 3}]},
    ],
)
def test_malformed_case_needs_a_regrade(build: Any, wrong: Any) -> None:
    build.end("alpha::test_values", **{"outcome": "failed", **wrong})
    report = build.score()
    assert report.status == "needs_regrade"
    assert str(report.status_reason).startswith("The judge sent a malformed check: ")


@pytest.mark.parametrize("points", [math.nan, math.inf, -1.0])
def test_points_that_are_no_number_need_a_regrade(build: Any, points: float) -> None:
    build.catalogue[0]["points"] = points
    assert build.score().status == "needs_regrade"


def test_points_that_do_not_add_up_are_the_authors_fault(build: Any) -> None:
    build.catalogue[0]["points"] = 2.5
    build.catalogue[3]["points"] = 1.0
    with pytest.raises(AssignmentError) as caught:
        build.score()
    assert caught.value.problems == (
        "the checks of `alpha` carry 6.5 points, but the exercise is worth 6",
        "the checks of `beta` carry 2 points, but the exercise is worth 4",
    )


def test_exercise_without_any_check_needs_a_regrade(build: Any) -> None:
    build.catalogue = [entry for entry in build.catalogue if entry["stem"] != "beta"]
    assert build.score().status_reason == "The judge collected no checks of `beta`."


@pytest.mark.parametrize("count", [1, 3, 7, 11, 13])
def test_odd_points_still_sum_to_the_exercise(build: Any, count: int) -> None:
    build.catalogue = [
        *({**build.catalogue[0], "name": f"test_{i}", "points": 6 / count} for i in range(count)),
        *build.catalogue[2:],
    ]
    report = build.score()
    alpha = _exercise(report, "alpha")
    assert report.score == report.max_score == 10.0
    assert alpha.score == alpha.max_score == 6.0
    assert round(sum(check.max_score for check in alpha.checks), 4) == 6.0
    assert all(check.max_score == round(check.max_score, 4) for check in alpha.checks)


def test_follow_through_is_marked_and_noted(build: Any) -> None:
    build.exercise_runs["beta"] = ExerciseRun("beta", follow_through=True, stdout="leak")
    report = build.score()
    assert _exercise(report, "beta").follow_through
    assert "Graded with the reference for `alpha`" in report.submission.notes[-1].text
    assert report.submission.notes[-1].exercise == "beta"


def test_use_of_definitions_only_is_noted(build: Any) -> None:
    build.exercise_runs["alpha"] = ExerciseRun("alpha", used_definitions=True, notes=(Note("Own note."),))
    texts = [note.text for note in build.score().submission.notes]
    assert texts == [
        "A note on the whole.",
        "Only the definitions of `alpha.py` are used: the file as a whole does not run.",
        "Own note.",
    ]


def test_notebook_shows_its_cells_and_what_was_left_out(build: Any, notebook_source: Any) -> None:
    build.sources["alpha"] = notebook_source()
    report = build.score()
    assert _exercise(report, "alpha").source.cells == (3, 8)
    assert "Left out a magic." in [note.text for note in report.submission.notes]


def test_what_was_left_out_of_a_file_with_two_answers_is_noted_once(build: Any, notebook_source: Any) -> None:
    build.sources["alpha"] = build.sources["beta"] = notebook_source()
    notes = [note for note in build.score().submission.notes if note.text == "Left out a magic."]
    assert [note.exercise for note in notes] == [None]


def test_chosen_exercises_only_are_reported_and_totalled(build: Any) -> None:
    build.cases = {("alpha", "test_shape"): [], ("alpha", "test_values"): [], ("gamma", "test_values"): []}
    report = build.score(exercises=("beta",))
    assert [exercise.stem for exercise in report.exercises] == ["beta"]
    assert (report.status, report.score, report.max_score) == ("graded", 4.0, 4.0)


def test_handout_without_hidden_suites_gives_a_practice_score(build: Any) -> None:
    (build.assignment.root / "tests" / "hidden" / "test_alpha.py").unlink()
    build.catalogue = [entry for entry in build.catalogue if entry["visibility"] == "public"]
    report = build.score()
    assert (report.status, report.score, report.max_score) == ("practice", 3.0, 3.0)
    assert [exercise.stem for exercise in report.exercises] == ["alpha", "beta"]


def test_hostile_text_cannot_reach_the_report_raw(build: Any) -> None:
    build.end("alpha::test_values", "raised", message="\x1b[2J\u202eevil\ud800\x9b")
    build.exercise_runs["alpha"] = ExerciseRun("alpha", stdout="a\rTotal 100 / 100\x00")
    alpha = _exercise(build.score(), "alpha")
    assert alpha.checks[1].message == "\\x1b[2J\\u202eevil\\ud800\\x9b"
    assert alpha.stdout == "a\\rTotal 100 / 100\\x00"


def test_same_run_gives_the_same_report(build: Any) -> None:
    build.end("alpha::test_values", "failed", message="m")
    assert build.score() == build.score()


def test_environment_says_what_was_active_and_what_was_missing(build: Any) -> None:
    environment = build.score().environment
    assert environment.isolation.layers == ("process", "seccomp")
    assert environment.isolation.missing == ("lock",)
    assert environment.devices == ("cpu", "pretend")


def test_single_device_may_be_told_as_a_name(build: Any) -> None:
    run = build.run()
    run = dataclasses.replace(run, environment={**run.environment, "devices": "pretend"})
    assert build.score_of(run).environment.devices == ("pretend",)


def test_environment_that_the_judge_did_not_tell_is_looked_up(build: Any) -> None:
    report = build.score_of(dataclasses.replace(build.run(), environment={}))
    assert report.environment.isolation.level == "unknown"
    assert report.environment.python
