"""How the template is started: the plans, best first, each tried by a real start of a small process.

A plan combines namespaces (bubblewrap around the template) with another user; the remaining layers
(limits, privileges, Landlock, seccomp) are applied by each worker to itself and need no rights. What the
machine allows is not guessed from its name: a plan counts when a process started by it runs, can read
what a template reads, and finds itself in other namespaces and under the other user.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from grader.errors import HarnessError, IsolationError
from grader.sandbox.box.layers import LAYER_NAMES, Layer, namespaces, seccomp
from grader.sandbox.box.layers.report import describe_failure
from grader.sandbox.launching import Launch, list_launches
from grader.sandbox.readable import exposed, import_paths, interpreter, read_paths, required_files

Isolation = Literal["auto", "strict", "process"]

TRIAL_TIMEOUT_S = 20.0
# A driver's library starts threads of its own kind, maps device memory and asks the kernel in ways that
# an allowlist cannot know; bubblewrap's small /dev has no device.
DEVICE_EXEMPT = ("namespaces", "seccomp")
DEVICE_READ_PATHS = ("/proc", "/sys", "/etc", "/usr", "/opt", "/run/nvidia-persistenced")

# Everything that the template finds in its environment. One thread: OpenMP's threads do not survive fork.
ENVIRONMENT: Mapping[str, str] = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/nonexistent",
    "LOGNAME": "student",  # there is no passwd file in the namespaces to look a name up in
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",  # else each thread reserves 64 MB of the worker's address space
    "PYTHONDONTWRITEBYTECODE": "1",
    "CUDA_VISIBLE_DEVICES": "",
    # Optimisers import torch._inductor, which wants a folder for its cache: one that exists everywhere.
    "TORCHINDUCTOR_CACHE_DIR": "/tmp",
}

# Runs as the first process of a plan; answers in JSON what it finds.
_TRIAL = """
import json, os, sys
unreadable = []
for path in json.loads(sys.argv[1]):
    try:
        open(path, "rb").close()
    except OSError as err:
        unreadable.append(f"{path}: {err.strerror}")
spaces = {}
for kind in json.loads(sys.argv[2]):
    try:
        spaces[kind] = os.readlink(f"/proc/self/ns/{kind}")
    except OSError:
        pass
print(json.dumps({"unreadable": unreadable, "uid": os.getuid(), "namespaces": spaces}))
"""


class Trial(NamedTuple):
    """A launch that does not work here."""

    launch: Launch
    problem: str


@dataclass(frozen=True)
class LaunchPlan:
    """How to start a template: `[*argv_prefix, python, "-I", "-S", "-u", file, json of settings]`.

    `popen_kwargs` go to subprocess.Popen (environment, folder, session, user). `settings` are for the
    template (`box.layers.prepare`, `read_paths`, `import_paths`). `layers` is what the trial start
    showed; the worker reports all of them. `tried` are better plans that failed, with the reason.
    """

    level: Isolation
    argv_prefix: tuple[str, ...]
    python: str
    popen_kwargs: Mapping[str, Any]
    settings: Mapping[str, Any]
    layers: tuple[Layer, ...]
    tried: tuple[str, ...]


def choose_plan(
    level: Isolation = "auto",
    *,
    secrets: Sequence[Path] = (),
    allow_namespaces: bool = True,
    allow_uid: bool = True,
    without: Collection[str] = (),
    device_nodes: Collection[str] = (),
) -> LaunchPlan:
    """The best plan that works here. Decided once per process and set of arguments.

    With `device_nodes` (see `grader.sandbox.accelerators`) workers can reach a real accelerator.

    `secrets` are files and folders that must stay unreadable. `without` names layers to leave out.
    Raises: IsolationError if a folder that student code needs holds a secret; HarnessError if not even a
    bare interpreter starts.
    """
    open_secrets = exposed(secrets) if level != "process" else []
    if open_secrets:
        raise IsolationError(
            f"`{open_secrets[0]}` lies in a folder of Python or torch, which student code must read.",
            hint="Move the assignment out of the Python installation and its site-packages.",
        )
    return _choose(level, allow_namespaces, allow_uid, frozenset(without), frozenset(device_nodes))


@lru_cache(maxsize=16)
def _choose(
    level: Isolation,
    allow_namespaces: bool,
    allow_uid: bool,
    without: frozenset[str],
    device_nodes: frozenset[str],
) -> LaunchPlan:
    off = dict.fromkeys(sorted(without), "turned off by the caller")
    if device_nodes:
        off |= dict.fromkeys(DEVICE_EXEMPT, "the accelerator's driver needs what it forbids")
    if level == "process":
        off |= dict.fromkeys(LAYER_NAMES[2:], "not asked for (`--isolation process`)")
    tried: list[Trial] = []
    launches = list_launches(
        namespaces=allow_namespaces and "namespaces" not in off, uid=allow_uid and "uid" not in off
    )
    for launch in launches:
        problem = launch.problem or _try_launch(launch)
        if not problem:
            plan = _plan(level, launch, off, tuple(tried))
            return _open_devices(plan, device_nodes) if device_nodes else plan
        tried.append(Trial(launch, problem))
    raise HarnessError(
        f"No Python process can be started for student code: {tried[-1].problem}",
        hint="`grade doctor` shows which folder of the Python installation cannot be read.",
    )


def _open_devices(plan: LaunchPlan, device_nodes: Collection[str]) -> LaunchPlan:
    """The plan for workers that use a real accelerator: files stay protected by Landlock and user."""
    settings = {
        **plan.settings,
        "device_nodes": sorted(device_nodes),
        "read_paths": [*plan.settings["read_paths"], *DEVICE_READ_PATHS],
    }
    environment = {name: text for name, text in ENVIRONMENT.items() if name != "CUDA_VISIBLE_DEVICES"}
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        environment["CUDA_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICES"]
    # A cuBLAS workspace of fixed size: the same numbers run after run.
    environment["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    return replace(plan, settings=settings, popen_kwargs={**plan.popen_kwargs, "env": environment})


def forget_plans() -> None:
    """Decide anew next time, for a machine that changed."""
    _choose.cache_clear()
    _seccomp_programs.cache_clear()


def _try_launch(launch: Launch) -> str:
    """Start a small process by this launch; the problem as one line, or nothing."""
    arguments = [json.dumps(required_files()), json.dumps(namespaces.KINDS)]
    command = [*launch.argv_prefix, interpreter(), "-I", "-S", "-c", _TRIAL, *arguments]
    try:
        ended = subprocess.run(
            command, capture_output=True, timeout=TRIAL_TIMEOUT_S, check=False, **_popen_kwargs(launch)
        )
    except (OSError, subprocess.SubprocessError) as err:
        return describe_failure(err)
    if ended.returncode != 0:
        lines = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        return (lines[-1] if lines else f"exit status {ended.returncode}")[:200]
    return _judge_trial(launch, json.loads(ended.stdout))


def _judge_trial(launch: Launch, answer: Mapping[str, Any]) -> str:
    """Does the process that answered have what this launch promises? The problem, or nothing."""
    if answer["unreadable"]:
        return f"cannot read {answer['unreadable'][0]}"
    if launch.uid["mode"] == "outside" and answer["uid"] != launch.uid["uid"]:
        return f"runs as user {answer['uid']}"
    shared = namespaces.shared_kinds(namespaces.read_namespaces(), answer["namespaces"])
    if launch.isolates and shared:
        return f"shares namespaces with the grader: {', '.join(shared)}"
    return ""


def _popen_kwargs(launch: Launch) -> dict[str, Any]:
    fixed = {"env": dict(ENVIRONMENT), "cwd": "/", "stdin": subprocess.DEVNULL, "start_new_session": True}
    return {**fixed, **launch.popen_kwargs}


def _plan(level: Isolation, launch: Launch, off: Mapping[str, str], tried: Sequence[Trial]) -> LaunchPlan:
    spaces = {
        "wanted": launch.isolates,
        "outside": namespaces.read_namespaces(),
        "detail": "own files, processes, network, IPC and host name (bubblewrap)"
        if launch.isolates
        else _why_not(tried, lambda trial: trial.launch.isolates, "not asked for"),
    }
    user = dict(launch.uid)
    if user["mode"] == "same":
        ours = f"student code runs as the grader's own user ({os.geteuid()})"
        why = "only root can start processes as another user" if os.geteuid() else ""
        why = why or _why_not(tried, lambda trial: trial.launch.uid["mode"] != "same", "not asked for")
        user["detail"] = f"{ours}: {why}"
    settings = {
        "read_paths": list(read_paths()),
        "import_paths": list(import_paths()),
        "off": dict(off),
        "uid": user,
        "namespaces": spaces,
        "seccomp": {} if "seccomp" in off else _seccomp_programs(),
    }
    seen = tuple(
        Layer(name, False, off[name]) if name in off else Layer(name, active, str(detail))
        for name, active, detail in (
            ("uid", user["mode"] != "same", user["detail"]),
            ("namespaces", launch.isolates, spaces["detail"]),
        )
    )
    names = tuple(f"{trial.launch.name}: {trial.problem}" for trial in tried)
    return LaunchPlan(level, launch.argv_prefix, interpreter(), _popen_kwargs(launch), settings, seen, names)


def _why_not(tried: Sequence[Trial], matches: Callable[[Trial], bool], otherwise: str) -> str:
    """Why the best launch of some kind failed."""
    return next((trial.problem for trial in tried if matches(trial)), otherwise)


@lru_cache(maxsize=1)
def _seccomp_programs() -> dict[str, str]:
    """The compiled filters as the template takes them, or why there are none."""
    try:
        programs = seccomp.compile_programs()
    except Exception as err:  # noqa: BLE001 - whatever the library raises: the layer is missing and named
        return {"problem": describe_failure(err)}
    return {name: base64.b64encode(program).decode() for name, program in programs._asdict().items()}


def merge_layers(plan: LaunchPlan, reported: Sequence[tuple[str, bool, str]]) -> tuple[Layer, ...]:
    """All layers in order: as the worker reported them before it saw student code, else as the plan says."""
    known = {layer.name: layer for layer in plan.layers}
    known |= {name: Layer(name, bool(active), str(detail)) for name, active, detail in reported}
    return tuple(known.get(name, Layer(name, False, "not reported")) for name in LAYER_NAMES)


def missing_line(layers: Sequence[Layer]) -> str:
    """One line for the terminal that names the missing layers; empty if all are active."""
    missing = [f"{layer.name} ({layer.detail})" for layer in layers if not layer.active]
    return f"Isolation without: {'; '.join(missing)}." if missing else ""
