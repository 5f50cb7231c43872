from __future__ import annotations

from grader.records import Submission
from grader.verify.attempts import Attempt, AttemptResult, CheckRun, Compared
from grader.verify.margins import is_tight_enough, is_wide_enough, measure_margins


def ran(name: str, *compared: Compared) -> AttemptResult:
    """A run with one check that made these comparisons."""
    failed = tuple(one for one in compared if not one.is_close)
    check = CheckRun(
        "test_values", 1.0, "failed" if failed else "passed", "values" if failed else "", "", "", "", {},
        compared, failed,
    )  # fmt: skip
    submission = Submission(name, name, (), {}, {})
    return AttemptResult(Attempt(name, "stem", submission, 1), (check,))


def at(error: float, tolerance: float = 1e-5, dtype: str = "float32") -> Compared:
    return Compared("the result", dtype, error, tolerance)


def test_worst_right_code_counts_over_all_comparisons() -> None:
    (margin,) = measure_margins([ran("one", at(1e-7), at(4e-6)), ran("two", at(2e-6))], [])
    assert (margin.worst_wheat, margin.worst_wheat_name) == (4e-6, "one")
    assert margin.nearest_chaff is None
    assert not is_wide_enough(margin)
    assert is_tight_enough(margin)


def test_nearest_chaff_is_the_one_that_is_hardest_to_see() -> None:
    clear = [ran("clear", at(0.5), at(1e-3))]
    near = [ran("near", at(3e-4), at(5e-6)), ran("near", at(9e-5))]
    (margin,) = measure_margins([ran("right", at(1e-6))], [clear, near])
    assert (margin.nearest_chaff, margin.nearest_chaff_name) == (9e-5, "near")
    assert is_wide_enough(margin)
    assert not is_tight_enough(margin)


def test_dtypes_and_tolerances_are_measured_apart() -> None:
    right = [ran("right", at(1e-6), at(1e-15, 1e-12, "float64"), at(1e-4, 1e-3))]
    wrong = [[ran("wrong", at(1e-8, 1e-12, "float64"))]]
    margins = measure_margins(right, wrong)
    found = {(m.dtype, m.tolerance): (m.worst_wheat, m.nearest_chaff) for m in margins}
    assert found == {
        ("float32", 1e-5): (1e-6, None),
        ("float32", 1e-3): (1e-4, None),
        ("float64", 1e-12): (1e-15, 1e-8),
    }


def test_bounds_themselves_still_hold() -> None:
    (margin,) = measure_margins([ran("right", at(2.0**-20, 3 * 2.0**-20))], [])
    assert is_wide_enough(margin)
    (margin,) = measure_margins([], [[ran("wrong", at(10.0, 1.0))]])
    assert is_tight_enough(margin)
    assert not margin.is_measured
