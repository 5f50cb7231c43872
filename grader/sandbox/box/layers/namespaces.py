"""Does this process live in its own namespaces? They are made around the template (bubblewrap), not here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .report import Layer

KINDS = ("mnt", "pid", "net", "ipc", "uts")


def read_namespaces() -> dict[str, str]:
    """The identity of each namespace of this process, by kind; without those that the system lacks."""
    found = {}
    for kind in KINDS:
        try:
            found[kind] = os.readlink(f"/proc/self/ns/{kind}")
        except OSError:
            continue
    return found


def shared_kinds(outside: Mapping[str, str], inside: Mapping[str, str]) -> list[str]:
    """Kinds of which `inside` is not known to be another namespace than `outside`."""
    return [kind for kind in KINDS if inside.get(kind) in (None, outside.get(kind))]


def inspect(plan: Mapping[str, Any]) -> Layer:
    """Compare with the grader's namespaces (`plan["outside"]`), which the trusted side noted.

    `plan["wanted"]` says whether any were set up, `plan["detail"]` which, or why none.
    """
    detail = str(plan.get("detail") or "student code shares the grader's namespaces")
    if not plan.get("wanted"):
        return Layer("namespaces", False, detail)
    if shared := shared_kinds(plan["outside"], read_namespaces()):
        return Layer("namespaces", False, f"{detail}, but these are the grader's: {', '.join(shared)}")
    return Layer("namespaces", True, detail)
