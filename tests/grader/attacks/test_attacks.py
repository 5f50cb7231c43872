"""Hostile submissions get what they must and no more, say nothing that is secret, and leave nothing.

The attacks lie in `tests/attacks`, by kind; here every kind is judged through one host, honest submissions
in between. `tests/attacks/run_attacks.py` does the same with the real suites and in other environments.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "attacks"
sys.path.insert(0, str(FOLDER))
try:
    from corpus import MUSTS, Attack, read_attacks
    from trial import Trial, open_trial
finally:
    sys.path.remove(str(FOLDER))

ATTACKS = read_attacks()
KINDS = sorted({attack.kind for attack in ATTACKS})
MINIMUM = 80
# An endless loop costs its limit; these stand for their kin, which the script runs too.
SLOW_ONES = ("loops_in_the_call", "sleeps_in_every_call", "ignores_signals_and_loops", "half_a_frame")


@pytest.fixture(scope="module")
def trial() -> Iterator[Trial]:
    with open_trial(light=True) as trial:
        yield trial


def test_the_corpus_is_labelled_and_large_enough() -> None:
    assert len(ATTACKS) >= MINIMUM
    assert len({attack.title for attack in ATTACKS}) == len(ATTACKS)
    assert all(attack.tries and attack.must in MUSTS for attack in ATTACKS)
    unlabelled = [attack.title for attack in ATTACKS if not attack.may]
    assert unlabelled == []


@pytest.mark.parametrize("kind", KINDS)
def test_attacks_of_this_kind_get_what_they_must(trial: Trial, kind: str) -> None:
    chosen = [a for a in ATTACKS if a.kind == kind and (not a.is_slow or a.name in SLOW_ONES)]
    problems = {result.as_line(): result.problems for result in trial.run(chosen) if result.problems}
    assert problems == {}


def test_a_kind_of_attack_is_a_folder(trial: Trial) -> None:
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir() and list(path.glob("*.py"))}
    assert folders - {"suites", "__pycache__"} | {"files"} == set(KINDS)
    assert all(isinstance(attack, Attack) for attack in ATTACKS)
