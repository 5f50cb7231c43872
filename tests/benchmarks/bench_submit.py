"""How long `grade submit solutions/` takes, beside a bare `python -c "import torch, pytest"`.

    python tests/benchmarks/bench_submit.py [--runs 5]

The two alternate in one run, since the speed of a machine drifts. The goal on two idle cores: the median of
the whole command is at most 1.5 times the bare import plus 3 s.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOAL_FACTOR, GOAL_EXTRA_S = 1.5, 3.0


def seconds(argv: list[str], folder: str) -> float:
    began = time.perf_counter()
    subprocess.run(argv, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    grade = str(Path(sys.executable).with_name("grade"))
    bare = [sys.executable, "-c", "import torch, pytest"]
    whole = [grade, "submit", str(ROOT / "solutions"), "-q"]
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ.get("GRADE_ASSIGNMENT")
        os.environ["GRADE_ASSIGNMENT"] = str(ROOT)
        for warm_up in (bare, whole):  # the first of each reads from a cold disk
            seconds(warm_up, folder)
        pairs = [(seconds(bare, folder), seconds(whole, folder)) for _ in range(runs)]
        if environment is None:
            del os.environ["GRADE_ASSIGNMENT"]
    imports, submits = (statistics.median(column) for column in zip(*pairs, strict=True))
    goal = GOAL_FACTOR * imports + GOAL_EXTRA_S
    print(f"runs                                {runs}")
    print(f"python -c 'import torch, pytest'    {imports:.2f} s (median)")
    ratio = submits / imports
    print(f"grade submit solutions/             {submits:.2f} s (median), {ratio:.2f} times the import")
    print(f"goal: 1.5 x import + 3 s            {goal:.2f} s: {'met' if submits <= goal else 'missed'}")
    return 0 if submits <= goal else 1


if __name__ == "__main__":
    sys.exit(main())
