"""How a worker gives up its rights: layers that are prepared in the template and applied in the worker.

    template:  harden_template() ... prepared = prepare(read_paths, settings)
    worker:    layers = confine(prepared, limits)      # the last step before the first student byte

Every layer is optional and none is ever silently absent: one that cannot be loaded or applied is
returned as inactive, with the reason. `settings` is made by `grader.sandbox.isolation`:

    off                 {layer: why it is not wanted}
    device_nodes        files of a real accelerator that student code may use; none by default
    uid, namespaces     see the modules of these names
    seccomp             {"normal": base64, "read_only": base64} or {"problem": why there is no filter}
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import landlock, limits, namespaces, privileges, seccomp, uid
from .privileges import harden_template
from .report import LAYER_NAMES, Layer, describe_failure

__all__ = ["LAYER_NAMES", "Layer", "Prepared", "confine", "harden_template", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """What the template made ready for its workers; `known` are layers whose state is settled already."""

    template_pid: int
    uid_plan: Mapping[str, Any]
    known: Mapping[str, Layer]
    landlock: landlock.PreparedLandlock | None
    program: bytes
    threads: int | None  # that the worker's user runs already

    @property
    def keep_fds(self) -> tuple[int, ...]:
        """Descriptors that a worker must leave open until `confine`, which closes them."""
        return (self.landlock.descriptor,) if self.landlock else ()


def prepare(read_paths: Sequence[str], settings: Mapping[str, Any]) -> Prepared:
    """Make the layers ready, once, in the template, when nothing is left to import.

    `read_paths` are the files and folders that student code may read. Never raises for a missing layer.
    """
    known = {name: Layer(name, False, str(why)) for name, why in settings.get("off", {}).items()}
    if "namespaces" not in known:
        known["namespaces"] = namespaces.inspect(settings.get("namespaces", {}))
    ruleset = None
    if "landlock" not in known:
        try:
            ruleset = landlock.prepare(read_paths, settings.get("device_nodes", ()))
        except Exception as err:  # noqa: BLE001 - whatever a library raises: the layer is missing and named
            known["landlock"] = Layer("landlock", False, describe_failure(err))
    program = b""
    if "seccomp" not in known:
        program = _seccomp_program(settings.get("seccomp", {}), read_only=ruleset is None)
        if not program:
            problem = settings.get("seccomp", {}).get("problem", "the grader passed no filter")
            known["seccomp"] = Layer("seccomp", False, str(problem))
    user = settings.get("uid", {})
    threads = limits.count_threads(int(user.get("uid", os.getuid())))
    return Prepared(os.getpid(), user, known, ruleset, program, threads)


def _seccomp_program(programs: Mapping[str, str], *, read_only: bool) -> bytes:
    """Without Landlock nobody else stops student code from creating files, so the filter must."""
    return base64.b64decode(programs.get("read_only" if read_only else "normal", ""))


def confine(prepared: Prepared, worker_limits: Mapping[str, int]) -> list[Layer]:
    """Apply all layers to this process, for good; return one `Layer` per name, in order.

    The order of the steps matters: changing the user clears the parent-death signal; reading our own
    size needs /proc, which Landlock closes; after seccomp none of these calls is possible any more.
    Exits the process if the template is already dead.
    """
    keep = uid.capabilities_to_keep(prepared.uid_plan) if "uid" not in prepared.known else ()
    found = dict(prepared.known)

    def step(name: str, action: Callable[[], Layer]) -> None:
        if name not in found:
            found[name] = _attempt(name, action)

    step("uid", lambda: uid.apply(prepared.uid_plan))
    step("privileges", lambda: privileges.harden_worker(prepared.template_pid, keep))
    step("limits", lambda: limits.apply(worker_limits, prepared.threads))
    if prepared.landlock is not None:
        ruleset = prepared.landlock
        step("landlock", lambda: landlock.apply(ruleset))
    if keep and not found["landlock"].active:
        privileges.drop_capabilities()
    step("seccomp", lambda: seccomp.apply(prepared.program))
    if keep and not found["seccomp"].active:
        privileges.drop_capabilities()
    return [found[name] for name in LAYER_NAMES]


def _attempt(name: str, action: Callable[[], Layer]) -> Layer:
    try:
        return action()
    except Exception as err:  # noqa: BLE001 - a layer that fails for any reason is missing and named
        return Layer(name, False, describe_failure(err))
