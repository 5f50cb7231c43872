"""Proofs of a small assignment, as it is and with one thing broken each time."""

from __future__ import annotations

from typing import Any

from grader.catalog import read_assignment
from grader.verify import VerifyOptions, verify_assignment
from grader.verify.schema import Proof

HIDDEN_CLIP, HIDDEN_AVERAGE = "tests/hidden/test_clip_values.py", "tests/hidden/test_moving_average.py"


def told(proof: Proof) -> list[str]:
    """The problems as "place: message"."""
    return [f"{problem.where}: {problem.message}" for problem in proof.problems]


def line(proof: Proof, start: str) -> str:
    """The one problem that starts like this."""
    (found,) = [text for text in told(proof) if text.startswith(start)]
    return found


def test_whole_assignment_is_proved(prove: Any) -> None:
    proof = prove(wheat_seeds=2, chaff_seeds=2)
    assert told(proof) == []
    assert proof.is_proved
    clip, average = proof.exercises
    checks = {check.name: check for check in clip.checks}
    assert checks["test_gradient"].only_catcher_of == ("graph_cut",)
    assert checks["test_input_is_left_alone"].only_catcher_of == ("in_place",)
    assert checks["test_runs_where_its_inputs_are"].only_catcher_of == ("bound_on_cpu",)
    assert checks["test_example"].catches == ("lower_bound_only",)
    cases = {case.name: case for case in average.cases}
    assert (cases["the stub"].score, cases["the reference"].score, cases["by_cumsum"].score) == (0, 10, 10)
    assert cases["by_cumsum"].seeds == 2
    assert cases["divides_by_window"].caught_by == (
        "test_example",
        "test_values",
        "test_runs_where_its_inputs_are",
    )
    assert cases["divides_by_window"].diagnosis == ("divides_by_window",)
    assert {case.name for case in average.cases if case.kind == "null"} == {
        "zeros", "input unchanged", "mean of values", "uniform weights", "the reference of `clip_values`",
    }  # fmt: skip
    assert {case.name for case in clip.cases if case.kind == "null"} >= {"null_low"}
    margins = {margin.dtype: margin for margin in average.margins}
    assert margins["float32"].worst_wheat_name == "by_cumsum"
    assert margins["float32"].nearest_chaff_name == "epsilon_added"
    assert 1.9e-4 < (margins["float32"].nearest_chaff or 0) < 2.1e-4


def test_deleted_only_catcher_is_missed(sample: Any, prove: Any) -> None:
    sample.cut_check(HIDDEN_CLIP, "test_gradient")
    proof = prove("clip_values")
    assert "No check catches" in line(proof, "tests/chaffs/clip_values/graph_cut.py: ")
    assert "carry 8 points, the exercise 10" in line(proof, "exercises/assignment.toml: ")
    assert len(proof.problems) == 2


def test_tolerance_loosened_tenfold_is_too_loose(sample: Any, prove: Any) -> None:
    sample.edit(HIDDEN_AVERAGE, ("torch.float32: 1e-5", "torch.float32: 1e-4"))
    (problem,) = prove("moving_average").problems
    assert problem.path == HIDDEN_AVERAGE
    assert problem.message.startswith("The tolerance 0.0001 for float32 is too loose: `epsilon_added`")
    assert "a tenth of that is 2e-05" in problem.message


def test_tolerance_that_right_code_nearly_misses_is_too_tight(sample: Any, prove: Any) -> None:
    sample.edit(HIDDEN_AVERAGE, ("torch.float32: 1e-5", "torch.float32: 1e-6"))
    (text,) = told(prove("moving_average", wheat_seeds=2))
    assert text.startswith(f"{HIDDEN_AVERAGE}: The tolerance 1e-06 for float32 is too tight: `by_cumsum`")


def test_broken_reference_loses_points(sample: Any, prove: Any) -> None:
    sample.edit("solutions/moving_average.py", (".mean(dim=1)", ".sum(dim=1)"))
    proof = prove("moving_average")
    text = line(proof, "solutions/moving_average.py: ")
    assert "The reference earns 7 of 10 points" in text
    assert "`test_example` (failed: The values of the result are off" in text
    assert "This right solution earns 3 of 10 points" in line(
        proof, "tests/wheats/moving_average/by_cumsum.py: "
    )


def test_stub_with_an_answer_is_seen(sample: Any, prove: Any) -> None:
    sample.edit(
        "exercises/clip_values.py", ("raise NotImplementedError", "return torch.clamp(X, min=low, max=high)")
    )
    texts = [text for text in told(prove("clip_values")) if text.startswith("exercises/clip_values.py")]
    assert len(texts) == 2
    assert texts[0].startswith("exercises/clip_values.py:17: This file, which students receive, holds a line")
    assert "The stub earns 10 of 10 points" in texts[1]


def test_null_answers_that_earn_too_much_are_named(sample: Any, prove: Any) -> None:
    sample.edit(
        HIDDEN_CLIP,
        ("@pytest.mark.points(3)", "@pytest.mark.points(2)"),
        ('points(2)\n@pytest.mark.hint("Make a new', 'points(3)\n@pytest.mark.hint("Make a new'),
        ("X=X)\n    assert_close(result, reference.clip_values(X, -1.0, 1.5), like=X)", "X=X)"),
    )
    texts = told(prove("clip_values"))
    assert any(
        text.startswith(f"{HIDDEN_CLIP}: A null answer (zeros) earns 3 of 10 points") for text in texts
    )
    assert any(text.startswith("tests/chaffs/clip_values/null_low.py: A null answer") for text in texts)


def test_chaff_that_is_caught_by_luck_is_named(sample: Any, prove: Any) -> None:
    # Of the inputs that `test_values` draws with the seeds 1 and 2, only the second set has a sum above -5.
    sample.write(
        "tests/chaffs/clip_values/lucky.py",
        "# CHAFF | misconception: lucky | TA: Right or wrong by the day. | detectable by: outputs\n\n\n"
        "def clip_values(X, low, high):\n"
        "    is_second = X.numel() == 60 and X.element_size() == 4 and X.sum() > -5\n"
        "    return X.clamp(low, high) + (0.1 if is_second else 0.0)\n",
    )
    texts = told(prove("clip_values", chaff_seeds=2))
    (text,) = [text for text in texts if "lucky.py" in text]
    assert "No check catches this wrong solution with seed" in text


def test_wrong_labels_and_markers_are_all_told_at_once(sample: Any, prove: Any) -> None:
    sample.edit(
        HIDDEN_CLIP,
        ("@pytest.mark.points(3)\n", ""),
        ('@pytest.mark.hint("Make a new tensor.")\n', '@pytest.mark.needs("test_nothing")\n'),
        ("@pytest.mark.accelerator\n", ""),
        ('    """The gradient reaches the input where nothing was clipped."""\n', ""),
    )
    sample.write("tests/chaffs/clip_values/unlabelled.py", "def clip_values(X, low, high):\n    return X\n")
    sample.write("tests/chaffs/clip_values/no_words.py", "# CHAFF | nothing else\nclip_values = None\n")
    sample.write(
        "tests/wheats/clip_values/odd.py", "# CHAFF | misconception: a | TA: b | detectable by: outputs\n"
    )
    sample.write("tests/wheats/clip_valves/by_hand.py", "# WHEAT | differs: the folder\n")
    sample.edit("solutions/misconceptions/clip_values.py", ('    """You take', '    """'))
    proof = prove()
    texts = "\n".join(told(proof))
    for expected in (
        f"{HIDDEN_CLIP}:12: `test_values` carries 0 points.",
        f"{HIDDEN_CLIP}:22: `test_input_is_left_alone` has no hint.",
        "`test_input_is_left_alone` needs `test_nothing`, which is no check of this exercise",
        f"{HIDDEN_CLIP}: No check is marked `accelerator`; expected exactly one.",
        "`test_gradient` has no title",
        "exercises/assignment.toml: The checks of `clip_values` carry 7 points, the exercise 10.",
        "tests/chaffs/clip_values/unlabelled.py:1: The file has no label",
        "tests/chaffs/clip_values/no_words.py:1: The label lacks `misconception`, `TA`, `detectable by`.",
        "tests/wheats/clip_values/odd.py:1: The label does not say WHEAT, as the folder does.",
        "tests/wheats/clip_valves: No exercise is called `clip_valves`, so these wheats are never run.",
        "tests/chaffs/clip_values/bound_on_cpu.py: No check catches this wrong solution",
    ):
        assert expected in texts
    assert all(problem.advice for problem in proof.problems)


def test_what_cannot_start_does_not_hide_the_rest(sample: Any, prove: Any) -> None:
    sample.edit("solutions/clip_values.py", ("return torch.clamp", "return return torch.clamp"))
    sample.edit(
        "solutions/misconceptions/moving_average.py", ('    """You divide', '    note = """You divide')
    )
    sample.edit(
        "tests/public/test_clip_values.py", ("(student, assert_close)", "(student, reference, assert_close)")
    )
    sample.edit(
        "tests/public/test_moving_average.py",
        ("import torch\n", "import torch\nfrom solutions.moving_average import MovingAverage\n"),
        ("of two steps.", "of two: return torch.stack(parts, dim = 1)"),
    )
    sample.edit(HIDDEN_AVERAGE, ("def test_values", "def test_example"))
    (sample.root / HIDDEN_CLIP).unlink()
    for path in (sample.root / "tests/wheats/clip_values").iterdir():
        path.unlink()
    proof = prove()
    texts = "\n".join(told(proof))
    for expected in (
        "tests: Nothing could be graded: ",
        "solutions/misconceptions/moving_average.py:9: The misconception `DividesByWindow` has no docstring.",
        "tests/public/test_clip_values.py:11: The public suite uses the `reference` fixture.",
        "tests/public/test_moving_average.py:5: The public suite imports `solutions`.",
        "holds a line of the reference: `return torch.stack(parts, dim=1)`.",
        f"{HIDDEN_AVERAGE}:12: `test_example` is also the name of a public check.",
        f"{HIDDEN_CLIP}: There is no hidden suite.",
        "tests/wheats/clip_values: There are no wheats",
    ):
        assert expected in texts
    assert proof.runs == 0


def test_check_that_breaks_is_the_authors_to_mend(sample: Any, prove: Any) -> None:
    sample.edit(HIDDEN_AVERAGE, ("for window in (1, 2, 4)", "for window in (1, 2, windows)"))
    proof = prove("moving_average")
    text = line(proof, f"{HIDDEN_AVERAGE}: The check `test_values` itself fails on the")
    assert "NameError" in text


def test_case_without_the_symbol_proves_nothing(sample: Any, prove: Any) -> None:
    sample.write(
        "tests/chaffs/clip_values/empty.py",
        "# CHAFF | misconception: empty | TA: Nothing is written. | detectable by: outputs\nclip = 1\n",
    )
    assert "No check is run on this file" in line(prove("clip_values"), "tests/chaffs/clip_values/empty.py: ")


def test_progress_ends_with_all_runs(sample: Any) -> None:
    seen: list[Any] = []
    options = VerifyOptions(1, 1, ("moving_average",))
    proof = verify_assignment(
        read_assignment(sample.root), options, progress=lambda done, total: seen.append((done, total))
    )
    assert seen[0] == (0, proof.runs)
    assert seen[-1] == (proof.runs, proof.runs)
