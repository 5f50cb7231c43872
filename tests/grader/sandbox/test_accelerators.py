"""Workers that may use a real accelerator, on a machine without one: the plan, and what it still denies."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from grader.catalog import ExerciseSpec, Limits
from grader.records import SourceText
from grader.sandbox import accelerators
from grader.sandbox.box import devices
from grader.sandbox.isolation import choose_plan
from grader.sandbox.template import Template
from grader.student.handle import Student
from grader.student.material import Material
from grader.student.session import Session

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="device files are Linux's")

SOURCE = """
def can(path, mode):
    try:
        with open(path, mode) as file:
            file.write(b"0") if "w" in mode else file.read(1)
    except OSError:
        return False
    return True
"""


@pytest.fixture
def reach(tmp_path: Path) -> Any:
    """Asks a worker of the accelerator's template, with /dev/zero as its device, what it can open."""
    plan = choose_plan("auto", device_nodes=("/dev/zero",))
    template = Template(plan)
    client = template.connect()
    spec = ExerciseSpec("ask", "Ask", 1.0, ("can",))
    material = Material(spec, SourceText("ask", "ask.py", SOURCE), {})
    session = Session(client, material, Limits(memory_mb=0), Random(0))
    yield lambda path, mode: Student(session).can(str(path), mode), session
    session.retire()
    client.close()
    template.close()


@linux
def test_device_can_be_used_and_secrets_stay_closed(reach: Any, tmp_path: Path) -> None:
    can, session = reach
    secret = tmp_path / "reference.py"
    secret.write_text("the answer")
    assert can("/dev/zero", "rb")
    assert can("/dev/zero", "wb")
    active = {name: is_active for name, is_active, _ in session.layers}
    if not active["landlock"]:
        pytest.skip("this kernel has no Landlock")
    assert not can(secret, "rb")
    assert not can(tmp_path / "new", "wb")
    assert (active["seccomp"], active["namespaces"]) == (False, False)


@linux
def test_layers_that_a_driver_cannot_live_with_are_named(reach: Any) -> None:
    can, session = reach
    assert can("/dev/zero", "rb")
    details = {name: detail for name, _, detail in session.layers}
    assert "driver" in details["seccomp"]
    assert "driver" in details["limits"]


@linux
def test_accelerator_plan_shows_devices_and_fixes_the_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = choose_plan("auto", device_nodes=("/dev/zero",)).popen_kwargs["env"]
    assert environment.get("CUDA_VISIBLE_DEVICES") == os.environ.get("CUDA_VISIBLE_DEVICES")
    assert environment["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8"
    ordinary = choose_plan("auto").popen_kwargs["env"]
    assert ordinary["CUDA_VISIBLE_DEVICES"] == ""


def test_no_device_file_means_that_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accelerators.glob, "glob", lambda pattern: [])
    monkeypatch.setattr(accelerators.sys, "platform", "linux")
    assert not accelerators.may_have_accelerator()
    monkeypatch.setattr(accelerators.glob, "glob", lambda pattern: ["/dev/nvidia0"])
    assert accelerators.may_have_accelerator()


def test_device_that_is_not_there_is_not_available() -> None:
    with pytest.raises(devices.NotAvailable):
        devices.set_up("cuda")
