"""Which plan is chosen, and what student code may read in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.errors import IsolationError
from grader.sandbox.box.layers import Layer
from grader.sandbox.isolation import LaunchPlan, choose_plan, forget_plans
from grader.sandbox.probe import canary
from grader.sandbox.readable import BOX_FOLDER, exposed, import_paths, read_paths

REPOSITORY = Path(__file__).resolve().parents[4]
Confine = Callable[..., Any]  # see `confined` in conftest.py


@pytest.mark.usefixtures("needs_linux", "needs_root")
def test_root_without_namespaces_still_changes_the_user(confined: Confine) -> None:
    seen = confined(choose_plan(allow_namespaces=False), "answer = os.getresuid()")
    assert seen.layers["uid"].active
    assert len(set(seen.answer)) == 1
    assert seen.answer[0] != 0
    assert not seen.layers["namespaces"].active


@pytest.mark.usefixtures("needs_root", "needs_landlock")
def test_worker_that_changes_its_user_can_still_import_lazily(
    confined: Confine, attempt: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = in_worker_plan(monkeypatch)
    seen = confined(plan, "import statistics; answer = (os.getuid(), statistics.mean([1, 3]))")
    assert seen.answer == [plan.settings["uid"]["uid"], 2]
    with canary() as secret:
        assert confined(plan, attempt(f"open({str(secret)!r})")).answer == "EACCES"
        assert confined(plan, attempt("open('/etc/shadow')")).answer == "EACCES"


@pytest.mark.usefixtures("needs_linux", "needs_root")
def test_worker_that_changes_its_user_keeps_no_capability_without_landlock(
    confined: Confine,
    attempt: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = in_worker_plan(monkeypatch, without=("landlock",))
    with canary() as secret:
        assert confined(plan, attempt(f"open({str(secret)!r})")).answer == "EACCES"


def in_worker_plan(monkeypatch: pytest.MonkeyPatch, without: tuple[str, ...] = ()) -> LaunchPlan:
    """The plan for an interpreter that is closed to other users, even where ours is open."""
    monkeypatch.setattr("grader.sandbox.launching.unreadable_for", lambda uid, gid: "/root")
    forget_plans()
    plan = choose_plan(allow_namespaces=False, without=without)
    forget_plans()
    assert plan.settings["uid"]["mode"] == "worker"
    assert any("`/root` is closed to user nobody" in line for line in plan.tried)
    return plan


@pytest.mark.usefixtures("needs_namespaces")
def test_user_namespace_without_root(confined: Confine) -> None:
    without_root = choose_plan(allow_uid=False)
    seen = confined(without_root, "answer = os.getpid()")
    assert seen.layers["namespaces"].active
    assert seen.answer < 10  # its own process numbers
    assert not seen.layers["uid"].active
    assert "grader's own user" in seen.layers["uid"].detail


def test_missing_bubblewrap_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    found = shutil.which
    monkeypatch.setattr("shutil.which", lambda name: None if name == "bwrap" else found(name))
    forget_plans()
    layers = {layer.name: layer for layer in choose_plan().layers}
    forget_plans()
    assert layers["namespaces"] == Layer("namespaces", False, "bubblewrap (`bwrap`) is not installed")


def test_plan_is_decided_once() -> None:
    assert choose_plan() is choose_plan()


def test_assignment_inside_site_packages_is_refused() -> None:
    secret = Path(import_paths()[0], "course", "solutions")
    assert exposed([REPOSITORY / "solutions"]) == []
    with pytest.raises(IsolationError, match="course/solutions"):
        choose_plan(secrets=[secret])


def test_read_paths_hold_torch_and_the_box_and_not_the_project() -> None:
    paths = read_paths()
    assert str(BOX_FOLDER) in paths
    assert any(Path(path, "torch").is_dir() for path in import_paths())
    assert not {str(REPOSITORY), str(BOX_FOLDER.parent), "/", "/etc", "/root", "/home"} & set(paths)
