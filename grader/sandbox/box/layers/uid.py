"""Another user for student code, so that files of the grader's user are closed to it.

The best place to change the user is the start of the template; then this module only looks. When the
interpreter lies in a folder that other users cannot enter, the template has to stay root and each worker
changes its user by itself. It then keeps one capability, to read files regardless of folder rights, as
long as Landlock says which files: without it a plain `import statistics` in student code would fail with
a misleading error. Without Landlock the capability is dropped too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import libc
from .report import Layer


def apply(plan: Mapping[str, Any]) -> Layer:
    """Change the user if the plan leaves that to the worker, and say who we are. Raises: OSError.

    `plan`: `mode` ("outside": changed before the template started, "worker": change it here, "same": not
    at all), `uid`, `gid`, and `detail` for the report.
    """
    mode = plan.get("mode", "same")
    if mode == "same":
        return Layer("uid", False, str(plan.get("detail") or "student code runs as the grader's own user"))
    uid, gid = int(plan["uid"]), int(plan["gid"])
    if mode == "worker":
        libc.prctl(libc.PR_SET_KEEPCAPS, 1)
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    if set(os.getresuid()) != {uid} or set(os.getresgid()) != {gid} or set(os.getgroups()) - {gid}:
        return Layer("uid", False, f"expected user {uid}, but this is {os.getresuid()}")
    return Layer("uid", True, str(plan.get("detail") or f"runs as user {uid}"))


def capabilities_to_keep(plan: Mapping[str, Any]) -> tuple[int, ...]:
    """The capability that a worker of this plan keeps as long as Landlock limits it; at most one.

    Containers often hold the second one only; Landlock denies the writing that it would allow.
    """
    if plan.get("mode") != "worker":
        return ()
    held = libc.permitted_capabilities()
    wanted = (libc.CAP_DAC_READ_SEARCH, libc.CAP_DAC_OVERRIDE)
    return tuple(number for number in wanted if held >> number & 1)[:1]
