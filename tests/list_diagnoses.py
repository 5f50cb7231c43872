"""Run labelled cases and print what is named for each: wrong code with its label beside the diagnosis.

    python tests/list_diagnoses.py FOLDER [--exercise STEM] [--seed N]

FOLDER is laid out like `tests/chaffs` (`<stem>/*.py`, each with its label), as for `run_cases.py`. Read the
list by meaning: a diagnosis has to say what the label says. Exit code 1 if right code gets a diagnosis, 2 if
the folder holds no labelled file.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from run_cases import ROOT, CaseResult, find_cases, run_cases

from grader.catalog import read_assignment


def named(result: CaseResult) -> Counter[str]:
    """How many checks got each diagnosis."""
    return Counter(diagnosis for *_, diagnosis in result.lost if diagnosis)


def describe(result: CaseResult) -> str:
    label = re.sub(r"#\s*CHAFF\s*\|\s*misconception:\s*", "", result.case.label)
    kind = re.search(r"detectable by: (.*)", result.case.label)
    diagnoses = ", ".join(f"{name} ({count})" for name, count in named(result).most_common()) or "-"
    silent = [name for name, outcome, _, diagnosis in result.lost if not diagnosis and outcome != "skipped"]
    return (
        f"{result.case.stem}/{result.case.path.stem} [{kind.group(1) if kind else ''}]\n"
        f"    label:     {label.split(' | detectable')[0]}\n"
        f"    diagnosis: {diagnoses}{f'; nothing for {len(silent)}: {silent[0]}' if silent else ''}"
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--assignment", type=Path, default=ROOT)
    parser.add_argument("--exercise", action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args(argv)
    assignment = read_assignment(arguments.assignment.resolve())
    cases = find_cases(arguments.folder, arguments.exercise or assignment.stems)
    if not cases:
        parser.error(
            f"`{arguments.folder}` holds no labelled file: lay it out like tests/chaffs (`<stem>/*.py`)."
        )
    results = list(run_cases(assignment, cases, seed=arguments.seed))
    wrong = [result for result in results if not result.case.is_wheat]
    print("\n".join(map(describe, wrong)))
    several = [result for result in wrong if named(result)]
    print(f"\n{len(several)} of {len(wrong)} wrong versions get a diagnosis.")
    blamed = [result for result in results if result.case.is_wheat and named(result)]
    print(f"{len(blamed)} of {len(results) - len(wrong)} right versions get one.")
    print("\n".join(map(describe, blamed)))
    return 1 if blamed else 0


if __name__ == "__main__":
    sys.exit(main())
