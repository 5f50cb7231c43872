"""Judge all attacks in several environments and print where they differ.

    python tests/attacks/run_attacks.py                       # all three environments, real suites
    python tests/attacks/run_attacks.py --light --kind leaks  # a small suite, one kind
    python tests/attacks/run_attacks.py --here --report FILE  # this environment only

Environments: root with all layers, an unprivileged user, root without namespaces. Exit code 1 if an attack
got what it must not, left something, or ended differently somewhere.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]

import environments  # noqa: E402
from corpus import read_attacks  # noqa: E402
from trial import Result, open_trial  # noqa: E402


def run_here(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    attacks = [
        attack
        for attack in read_attacks(*arguments.kind)
        if not arguments.only or attack.name in arguments.only
    ]
    with open_trial(isolation=arguments.isolation, light=arguments.light) as trial:
        return [_record(result) for result in trial.run(attacks)]


def _record(result: Result) -> dict[str, Any]:
    return {
        "attack": result.attack.title,
        "must": result.attack.must,
        "score": result.score,
        "max_score": result.max_score,
        "outcomes": list(result.outcomes),
        "problems": list(result.problems),
    }


def run_elsewhere(name: str, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        report = Path(folder, "report.json")
        command = [sys.executable, str(HERE / "run_attacks.py"), "--here", "--report", str(report)]
        command += ["--light"] * arguments.light
        for option in ("kind", "only"):
            command += [part for value in getattr(arguments, option) for part in (f"--{option}", value)]
        ended = subprocess.run(
            environments.wrap(name, command), cwd="/", env=environments.environment(), capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        if not report.is_file():
            sys.exit(
                f"The run as {environments.MEANINGS[name]} failed:\n{ended.stdout[-2000:]}{ended.stderr[-4000:]}"
            )
        found: list[dict[str, Any]] = json.loads(report.read_text())
        return found


def show(name: str, records: list[dict[str, Any]]) -> bool:
    """Print what was not as it must be; true if anything was."""
    bad = [record for record in records if record["problems"]]
    print(f"{environments.MEANINGS[name]}: {len(records) - len(bad)} of {len(records)} as they must be")
    for record in bad:
        print(f"  {record['attack']} (must be {record['must']}, got {record['score']})")
        print("".join(f"      {problem[:600]}\n" for problem in record["problems"]), end="")
    return bool(bad)


def show_differences(runs: dict[str, list[dict[str, Any]]]) -> bool:
    """Print attacks whose score differs between environments; outcomes may differ, and are only shown."""
    by_attack: dict[str, dict[str, tuple[Any, ...]]] = {}
    for name, records in runs.items():
        for record in records:
            seen = (record["score"], tuple(record["outcomes"]))
            by_attack.setdefault(record["attack"], {})[name] = seen
    differ = {attack: seen for attack, seen in by_attack.items() if len(set(seen.values())) > 1}
    print(f"\n{len(differ)} of {len(by_attack)} attacks end differently somewhere")
    for attack, seen in differ.items():
        print(f"  {attack}")
        print(
            "".join(
                f"      {name}: {score} {' '.join(outcomes)}\n" for name, (score, outcomes) in seen.items()
            ),
            end="",
        )
    return any(len({score for score, _ in seen.values()}) > 1 for seen in differ.values())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--environment", action="append", choices=environments.NAMES, default=[])
    parser.add_argument("--kind", action="append", default=[])
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--light", action="store_true", help="with a small suite in place of the hidden ones")
    parser.add_argument("--here", action="store_true", help="in this environment only")
    parser.add_argument("--isolation", default="auto", choices=("auto", "strict", "process"))
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args()
    if arguments.here:
        records = run_here(arguments)
        if arguments.report:
            arguments.report.write_text(json.dumps(records))
        return int(show("root", records)) if not arguments.report else 0
    runs: dict[str, list[dict[str, Any]]] = {}
    for name in arguments.environment or environments.NAMES:
        if problem := environments.why_not(name):
            print(f"{environments.MEANINGS[name]}: not run, {problem}")
        else:
            runs[name] = run_elsewhere(name, arguments)
    is_bad = [show(name, records) for name, records in runs.items()]
    return int(show_differences(runs) or any(is_bad))


if __name__ == "__main__":
    sys.exit(main())
