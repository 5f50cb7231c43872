"""The plans and layers on other machines, imitated here: an unprivileged user, root in a container.

Each test starts some of this folder's other tests again inside the imitation.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

LAYER_TESTS = sorted(
    str(path) for path in Path(__file__).parent.glob("test_*.py") if path.name != Path(__file__).name
)
REPOSITORY = Path(__file__).resolve().parents[4]

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can imitate other users and containers"),
]

# A private mount namespace in which the folders above the interpreter may be entered by everybody.
OPEN_INTERPRETER = """
set -e
top=$(echo "$PREFIX" | cut -d/ -f1,2)
case "$top" in /usr|/opt|/bin) exec "$@";; esac
mount --bind "$PREFIX" /mnt
mount -t tmpfs -o mode=755 tmpfs "$top"
mkdir -p -m 755 "$PREFIX"
mount --move /mnt "$PREFIX"
exec "$@"
"""

# What containers usually forbid: new namespaces and mounts. Then the command goes on.
FORBID_NAMESPACES = """
import os, sys, errno, pyseccomp as s
rules = s.SyscallFilter(s.ALLOW)
for name in ("unshare", "mount", "setns", "pivot_root"):
    rules.add_rule(s.ERRNO(errno.EPERM), name)
rules.add_rule(s.ERRNO(errno.ENOSYS), "clone3")
for bit in (0x20000, 0x10000000, 0x20000000, 0x40000000):  # CLONE_NEWNS, NEWUSER, NEWPID, NEWNET
    rules.add_rule(s.ERRNO(errno.EPERM), "clone", s.Arg(0, s.MASKED_EQ, bit, bit))
rules.load()
os.execvp(sys.argv[1], sys.argv[1:])
"""
# The capabilities that a container's root has by default.
CONTAINER = "chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,net_bind_service,net_raw,sys_chroot"

SHOW_PLAN = """
import json
from grader.sandbox.isolation import choose_plan
plan = choose_plan()
print(json.dumps({
    "layers": {layer.name: layer.active for layer in plan.layers},
    "uid_mode": plan.settings["uid"]["mode"],
    "tried": plan.tried,
}))
"""


def open_interpreter(*command: str) -> list[str]:
    if sys.prefix.startswith(str(Path.home())):
        pytest.skip("the virtual environment lies in root's own folder")
    return ["unshare", "--mount", "sh", "-c", OPEN_INTERPRETER, "sh", *command]


def as_nobody(*command: str) -> list[str]:
    ids = ["--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]
    return open_interpreter("setpriv", *ids, "--", *command)


def in_container(*command: str) -> list[str]:
    kept = ",".join(f"+{name}" for name in CONTAINER.split(","))
    return [
        *("setpriv", f"--bounding-set=-all,{kept}", f"--inh-caps=-all,{kept}", "--"),
        *(sys.executable, "-c", FORBID_NAMESPACES, *command),
    ]


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    if shutil.which("unshare") is None or shutil.which("setpriv") is None:
        pytest.skip("needs util-linux")
    environment = {**os.environ, "PREFIX": sys.base_prefix, "TMPDIR": "/tmp", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, cwd=REPOSITORY, env=environment, check=False
    )


def show_plan(wrapped: list[str]) -> dict[str, Any]:
    ended = run(wrapped)
    assert ended.returncode == 0, ended.stderr
    return dict(json.loads(ended.stdout))


def plan_command() -> tuple[str, ...]:
    return (sys.executable, "-c", textwrap.dedent(SHOW_PLAN))


def layer_tests(chosen: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *LAYER_TESTS, "-k", chosen)


def test_unprivileged_user_gets_a_user_namespace() -> None:
    plan = show_plan(as_nobody(*plan_command()))
    assert plan["uid_mode"] == "same"
    if not plan["layers"]["namespaces"]:
        pytest.skip(f"this kernel gives users no namespaces: {plan['tried']}")
    chosen = "nothing_with_all_layers or user_namespace_without_root or torch_computes"
    ended = run(as_nobody(*layer_tests(chosen)))
    assert ended.returncode == 0, ended.stdout
    assert "3 passed" in ended.stdout


def test_unprivileged_user_without_namespaces_can_be_strict() -> None:
    chosen = "landlock_and_seccomp_only or own_signal or what_a_bare_process or seccomp_alone_does_not"
    ended = run(as_nobody(*layer_tests(chosen)))
    assert ended.returncode == 0, ended.stdout
    assert "8 passed" in ended.stdout


def test_root_with_an_open_interpreter_and_no_namespaces_starts_the_template_as_nobody() -> None:
    command = (
        sys.executable,
        "-c",
        SHOW_PLAN.replace("choose_plan()", "choose_plan(allow_namespaces=False)"),
    )
    plan = show_plan(open_interpreter(*command))
    assert plan == {"layers": {"namespaces": False, "uid": True}, "uid_mode": "outside", "tried": []}
    ended = run(open_interpreter(*layer_tests("root_without_namespaces")))
    assert ended.returncode == 0, ended.stdout


def test_root_in_a_container_keeps_another_user_landlock_and_seccomp() -> None:
    plan = show_plan(in_container(*plan_command()))
    assert plan["layers"] == {"namespaces": False, "uid": True}
    assert any("namespace" in line for line in plan["tried"])
    chosen = "without_namespaces or landlock_and_seccomp_only or lazily or no_capability"
    ended = run(in_container(*layer_tests(chosen)))
    assert ended.returncode == 0, ended.stdout
    assert "4 passed" in ended.stdout


def test_root_in_a_container_with_an_open_interpreter() -> None:
    plan = show_plan(open_interpreter(*in_container(*plan_command())))
    assert plan["layers"] == {"namespaces": False, "uid": True}
    assert plan["uid_mode"] == "outside"
