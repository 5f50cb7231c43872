"""A small template started by a real plan, a worker forked from it, and code in that worker.

The template imports no torch unless a test asks for it, so that a start takes a tenth of a second.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from grader.sandbox.box.layers import Layer, landlock
from grader.sandbox.isolation import LaunchPlan, choose_plan, merge_layers
from grader.sandbox.readable import BOX_FOLDER

LIMITS = {"cpu_s": 5, "memory_bytes": 256 << 20}

# What a template does, without torch: harden, prepare, fork, confine, run code, answer in JSON lines.
TEMPLATE = """
import json, os, sys
settings = json.loads(sys.argv[1])
sys.path += [settings["box_parent"], *settings["import_paths"]]
from box.layers import confine, harden_template, prepare
harden_template()
before = {"os": os, "settings": settings, "confine": confine, "prepare": prepare}
exec(settings["before"], before)
prepared = prepare(settings["read_paths"], settings)
pid = os.fork()
if pid == 0:
    # Whatever happens, this process must not go on as the template.
    try:
        names = {"os": os, "template_pid": os.getppid(), "before": before}
        layers = confine(prepared, settings["limits"])
        os.write(1, json.dumps([[l.name, l.active, l.detail] for l in layers]).encode() + b"\\n")
        exec(settings["code"], names)
        os.write(1, json.dumps(names.get("answer")).encode() + b"\\n")
    except BaseException as err:
        os.write(1, json.dumps(f"{type(err).__name__}: {err}").encode() + b"\\n")
    finally:
        os._exit(0)
_, status = os.waitpid(pid, 0)
os.write(1, json.dumps(status).encode() + b"\\n")
"""


@dataclass(frozen=True)
class Confined:
    """What a worker said: its layers, `answer` of the code (None if it died), how it ended."""

    layers: Mapping[str, Layer]
    answer: Any
    status: int


def _command(plan: LaunchPlan, code: str, before: str = "", **limits: int) -> list[str]:
    settings = {
        **plan.settings,
        "box_parent": str(BOX_FOLDER.parent),
        "limits": {**LIMITS, **limits},
        "before": textwrap.dedent(before),
        "code": textwrap.dedent(code),
    }
    return [*plan.argv_prefix, plan.python, "-I", "-S", "-u", "-c", TEMPLATE, json.dumps(settings)]


@pytest.fixture(scope="session")
def template_command() -> Callable[..., list[str]]:
    """`template_command(plan, code, before="", **limits)`: how to start such a template."""
    return _command


@pytest.fixture(scope="session")
def confined() -> Callable[..., Confined]:
    """`confined(plan, code, before="", **limits)`: run code in a worker; its answer is `answer`."""

    def run(plan: LaunchPlan, code: str, before: str = "", **limits: int) -> Confined:
        ended = subprocess.run(
            _command(plan, code, before, **limits),
            capture_output=True,
            timeout=60,
            check=True,
            **plan.popen_kwargs,
        )
        layers, *answer, status = (json.loads(line) for line in ended.stdout.splitlines())
        reported = {layer.name: layer for layer in merge_layers(plan, layers)}
        return Confined(reported, answer[0] if answer else None, status)

    return run


@pytest.fixture(scope="session")
def attempt() -> Callable[[str], str]:
    """`attempt(expression)`: code whose answer is "allowed", or the name of the error."""
    return lambda expression: (
        "import errno\n"
        "try:\n"
        f"    {expression}\n"
        "    answer = 'allowed'\n"
        "except OSError as err:\n"
        "    answer = errno.errorcode[err.errno]\n"
    )


@pytest.fixture(scope="session")
def plan() -> LaunchPlan:
    """The best that this machine offers."""
    return choose_plan()


@pytest.fixture(scope="session")
def bare() -> LaunchPlan:
    """Landlock and seccomp carry everything: no namespaces, no other user."""
    return choose_plan(allow_namespaces=False, allow_uid=False)


@pytest.fixture(scope="session")
def only_seccomp() -> LaunchPlan:
    return choose_plan(allow_namespaces=False, allow_uid=False, without=("landlock",))


@pytest.fixture(scope="session")
def needs_linux() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("needs Linux")


@pytest.fixture(scope="session")
def needs_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")


@pytest.fixture(scope="session")
def needs_landlock(needs_linux: None) -> None:
    try:
        version = landlock.kernel_version()
    except (ImportError, OSError) as err:
        pytest.skip(f"no Landlock: {err}")
    if version == 0:
        pytest.skip("this kernel has no Landlock")


@pytest.fixture(scope="session")
def needs_namespaces(needs_linux: None, plan: LaunchPlan) -> None:
    if not {layer.name: layer.active for layer in plan.layers}["namespaces"]:
        pytest.skip(f"no namespaces here: {plan.tried}")
