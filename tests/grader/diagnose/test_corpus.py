"""The project's own cases: wrong code gets the name of its mistake, right code none."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from grader.catalog import read_assignment
from grader.judge.client import JudgeHost
from grader.load import load_submission
from grader.verify.attempts import Attempt, AttemptResult, run_attempts
from grader.verify.cases import Case, find_cases

ROOT = Path(__file__).parents[3]
ASSIGNMENT = read_assignment(ROOT)
# Labels that are finer than what can be seen from outside, and the name that covers them.
COVERED_BY = {
    **dict.fromkeys(["detaches_scores", "rebuilt_tensor", "scores_without_graph"], "gradient_stops"),
    **dict.fromkeys(["queries_detached", "values_detached", "weights_detached"], "gradient_stops"),
    **dict.fromkeys(["weights_without_graph", "width_as_number", "input_detached"], "gradient_stops"),
    "detour_through_numpy": "gradient_stops",
    "frozen_projection": "frozen_layer",
    **dict.fromkeys(["always_float64", "loses_dtype", "float32_inside", "always_float32"], "dtype_changed"),
    **dict.fromkeys(["fill_tensor_on_cpu", "positions_on_cpu", "result_collected_on_cpu"], "wrong_device"),
    **dict.fromkeys(["through_the_cpu", "mask_made_on_cpu", "scores_filled_on_cpu"], "wrong_device"),
    **dict.fromkeys(["weights_stored_through_numpy", "output_collected_on_cpu"], "wrong_device"),
    **dict.fromkeys(["root_on_cpu", "weights_stored_on_cpu", "ones_on_cpu"], "wrong_device"),
    **dict.fromkeys(["predictions_collected_on_cpu", "sum_on_cpu", "table_built_in_forward"], "wrong_device"),
    **dict.fromkeys(["table_left_on_cpu", "table_moved_only_once"], "wrong_device"),
    **dict.fromkeys(["shortens_valid_lens", "zeroes_padding_in_place", "adds_in_place"], "inputs_changed"),
    **dict.fromkeys(["scales_queries_in_place", "subtracts_in_place"], "inputs_changed"),
    "weights_values_in_place": "inputs_changed",
    **dict.fromkeys(["dropout_on_scores", "dropout_on_queries"], "dropout_before_softmax"),
    **dict.fromkeys(["learns_a_projection", "learns_the_scale"], "has_parameters"),
    **dict.fromkeys(["layers_in_a_list", "layers_made_in_forward"], "layers_not_registered"),
    "none_fails": "none_not_handled",
    "weights_misspelt": "weights_not_stored",
}
# Said beside the name of a mistake, and true of it as well.
COMPANIONS = {
    "dropout_mask_kept": {"seeds_in_forward"},
    "frozen_layer": {"frozen_projection"},
    "gradient_stops": {"frozen_parameter", "frozen_projection", "subtracts_in_place", "detour_through_numpy"},
    "layer_of_wrong_size": {"width_per_key"},
    "layers_not_registered": {"parameter_not_registered"},
    "wrong_device": {"detour_through_numpy", "layers_made_in_forward"},
}


def diagnoses(result: AttemptResult) -> Counter[str]:
    return Counter(check.diagnosis for check in result.checks if check.diagnosis)


@pytest.mark.parametrize("stem", ASSIGNMENT.stems)
def test_wrong_code_gets_the_name_of_its_mistake_and_right_code_none(stem: str) -> None:
    cases = [case for kind in ("wheats", "chaffs") for case in find_cases(ROOT / "tests" / kind, [stem])]
    attempts = (Attempt(c.path.name, stem, load_submission(c.path, ASSIGNMENT), seed=1) for c in cases)
    with JudgeHost(ASSIGNMENT, isolation="auto", device="pretend") as host:
        results = list(run_attempts(host, attempts, device="pretend", in_flight=2))
    pairs = zip(cases, results, strict=True)
    problems = [problem for case, result in pairs for problem in misnamed(case, diagnoses(result))]
    assert problems == []


def misnamed(case: Case, named: Counter[str]) -> list[str]:
    """What is wrong with the names that a case got."""
    if case.is_wheat:
        return [f"{case.path.name} is right and gets {dict(named)}"] if named else []
    if case.is_null:
        return []
    label = case.fields["misconception"]
    wanted = COVERED_BY.get(label, label)
    problems = [] if wanted in named else [f"{case.path.name} should get {wanted}, gets {dict(named)}"]
    others = {name for name in named if name != wanted and label not in COMPANIONS.get(name, ())}
    return problems + [f"{case.path.name} also gets {name}" for name in sorted(others)]
