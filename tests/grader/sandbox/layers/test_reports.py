"""What layers say about themselves; the limits; the privileges that a worker gives up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.sandbox.box.layers import LAYER_NAMES, Layer
from grader.sandbox.isolation import LaunchPlan, choose_plan, missing_line

REPOSITORY = Path(__file__).resolve().parents[4]
Confine = Callable[..., Any]  # see `confined` in conftest.py


@pytest.mark.usefixtures("needs_root", "needs_landlock", "needs_namespaces")
def test_every_layer_is_active_as_root_with_bubblewrap(confined: Confine, plan: LaunchPlan) -> None:
    seen = confined(plan, "answer = (os.getresuid(), os.getgroups())")
    assert list(seen.layers) == list(LAYER_NAMES)
    assert [layer for layer in seen.layers.values() if not layer.active] == []
    nobody = plan.settings["uid"]["uid"]
    assert seen.answer == [[nobody] * 3, []]
    assert missing_line(tuple(seen.layers.values())) == ""


@pytest.mark.usefixtures("needs_linux")
@pytest.mark.parametrize("name", LAYER_NAMES)
def test_layer_that_is_turned_off_is_named_with_the_reason(confined: Confine, name: str) -> None:
    seen = confined(choose_plan(without=(name,)), "")
    assert seen.layers[name] == Layer(name, False, "turned off by the caller")
    assert f"{name} (turned off by the caller)" in missing_line(tuple(seen.layers.values()))


@pytest.mark.usefixtures("needs_linux")
def test_layer_that_does_not_load_is_named_with_the_reason(confined: Confine, bare: LaunchPlan) -> None:
    hide = "import sys; sys.modules['landlockpy'] = None"
    problem = {"problem": "RuntimeError: Unable to find libseccomp"}
    broken = LaunchPlan(**{**vars(bare), "settings": {**bare.settings, "seccomp": problem}})
    seen = confined(broken, "answer = 1", before=hide)
    assert seen.answer == 1
    assert not seen.layers["landlock"].active
    assert "ModuleNotFoundError" in seen.layers["landlock"].detail
    assert seen.layers["seccomp"] == Layer("seccomp", False, problem["problem"])


@pytest.mark.usefixtures("needs_linux")
def test_filter_that_the_kernel_refuses_is_named(confined: Confine, bare: LaunchPlan) -> None:
    nonsense = {"normal": "/////////////w==", "read_only": "/////////////w=="}
    broken = LaunchPlan(**{**vars(bare), "settings": {**bare.settings, "seccomp": nonsense}})
    seen = confined(broken, "")
    assert not seen.layers["seccomp"].active
    assert "OSError" in seen.layers["seccomp"].detail


@pytest.mark.usefixtures("needs_linux")
def test_process_level_only_limits(confined: Confine) -> None:
    seen = confined(choose_plan("process"), "answer = os.getuid()")
    assert seen.answer == os.getuid()
    active = [name for name, layer in seen.layers.items() if layer.active]
    assert active == ["limits", "privileges"]
    assert "--isolation process" in seen.layers["seccomp"].detail


@pytest.mark.usefixtures("needs_linux")
def test_memory_is_limited_above_the_size_of_the_template(confined: Confine, bare: LaunchPlan) -> None:
    code = """
    def takes(count):
        try:
            return bool(bytearray(count))
        except MemoryError:
            return False
    answer = (takes(100 << 20), takes(300 << 20))
    """
    big_template = "ballast = __import__('mmap').mmap(-1, 1 << 30)"
    assert confined(bare, code, before=big_template).answer == [True, False]


@pytest.mark.usefixtures("needs_linux")
def test_cpu_time_ends_an_endless_loop(confined: Confine, bare: LaunchPlan) -> None:
    seen = confined(bare, "while True: pass", cpu_s=1)
    assert os.WTERMSIG(seen.status) == signal.SIGXCPU


@pytest.mark.usefixtures("needs_linux")
def test_cpu_time_ends_a_loop_that_ignores_the_signal(confined: Confine, bare: LaunchPlan) -> None:
    code = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    assert os.WTERMSIG(confined(bare, code, cpu_s=1).status) == signal.SIGKILL


def test_limits_are_never_raised_and_missing_ones_are_named() -> None:
    script = """
    import sys; sys.path.insert(0, sys.argv[1])
    from grader.sandbox.box.layers import limits
    limits.address_space_bytes = lambda: None
    limits.resource.setrlimit(limits.resource.RLIMIT_NOFILE, (32, 32))
    layer = limits.apply({"cpu_s": 5, "memory_bytes": 1}, None)
    print(layer.detail, layer.active, limits.resource.getrlimit(limits.resource.RLIMIT_NOFILE))
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(REPOSITORY)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "not limited: processes (unknown number now), memory (unknown size)" in said
    assert "False (32, 32)" in said


@pytest.mark.usefixtures("needs_linux")
def test_worker_has_no_privileges_left(confined: Confine, bare: LaunchPlan) -> None:
    plan = choose_plan(allow_namespaces=False, allow_uid=False, without=("landlock", "seccomp"))
    code = """
    import ctypes
    answer = [line.split()[1] for line in open("/proc/self/status") if line.startswith(("CapEff", "NoNew"))]
    answer += [ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)]
    """
    seen = confined(plan, code)
    assert seen.answer == ["0" * 16, "1", 0]


@pytest.mark.usefixtures("needs_linux")
def test_template_and_workers_die_with_the_grader(
    template_command: Callable[..., list[str]], bare: LaunchPlan
) -> None:
    command = template_command(bare, "import time; time.sleep(60)")
    starter = "import subprocess, sys; print(subprocess.Popen(sys.argv[1:]).pid, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", starter, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as grader:
        assert grader.stdout is not None
        template = int(grader.stdout.readline())
        assert "limits" in grader.stdout.readline()  # the worker is confined
        children = Path(f"/proc/{template}/task/{template}/children").read_text().split()
        assert len(children) == 1
        grader.kill()
    left = [template, *map(int, children)]
    deadline = time.monotonic() + 5
    while any(Path(f"/proc/{pid}").exists() for pid in left) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [pid for pid in left if is_running(pid)] == []


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.usefixtures("needs_linux")
def test_process_limit_starts_from_what_the_user_runs_already(confined: Confine) -> None:
    """Threads must start although the user has more of them than the budget allows."""
    before = """
    import threading
    stop = threading.Event()
    for _ in range(100):
        threading.Thread(target=stop.wait, daemon=True).start()
    """
    code = """
    import resource, threading
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    answer = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    """
    plan = choose_plan("process")
    assert confined(plan, code, before, processes=1).answer > 100 + 1
