"""The project's own cases, all graded once: the assignment is proved, wrong code gets its mistake's name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.catalog import read_assignment
from grader.verify.cases import Case, read_case

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


@pytest.fixture(scope="module")
def proof() -> Any:
    """What `grade verify` says of the real assignment with one seed; without options it takes fifty."""
    command = [sys.executable, "-m", "grader", "verify", "--assignment", str(ROOT), "--seeds", "1", "--json"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode in (0, 1), ended.stderr
    return json.loads(ended.stdout)


def test_this_assignment_is_proved(proof: Any) -> None:
    assert [f"{problem['path']}: {problem['message']}" for problem in proof["problems"]] == []
    assert proof["is_proved"]


@pytest.mark.parametrize("stem", ASSIGNMENT.stems)
def test_wrong_code_gets_the_name_of_its_mistake_and_right_code_none(proof: Any, stem: str) -> None:
    (exercise,) = (exercise for exercise in proof["exercises"] if exercise["stem"] == stem)
    graded = [one for one in exercise["cases"] if one["kind"] in ("wheat", "chaff")]
    cases = [(read_case(ROOT / one["path"]), set(one["diagnosis"])) for one in graded]
    assert {case.is_wheat for case, _ in cases if case is not None} == {True, False}
    assert [said for case, named in cases if case is not None for said in misnamed(case, named)] == []


def misnamed(case: Case, named: set[str]) -> list[str]:
    """What is wrong with the names that a case got."""
    if case.is_wheat:
        return [f"{case.path.name} is right and gets {named}"] if named else []
    if case.is_null:
        return []
    label = case.fields["misconception"]
    wanted = COVERED_BY.get(label, label)
    problems = [] if wanted in named else [f"{case.path.name} should get {wanted}, gets {named or 'no name'}"]
    others = {name for name in named if name != wanted and label not in COMPANIONS.get(name, ())}
    return problems + [f"{case.path.name} also gets {name}" for name in sorted(others)]
