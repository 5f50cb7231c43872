"""The ways to start a template, best first: bubblewrap's command line, setpriv, or another user for Popen.

Bubblewrap is given the paths of `read_paths` and nothing else, so that solutions, hidden suites and other
submissions do not exist for student code. It stands around the template, not around each worker: starting
a program there would cost another import of torch.
"""

from __future__ import annotations

import os
import pwd
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.sandbox.readable import interpreter, read_paths, unreadable_for

STUDENT_USER = "nobody"
TMP_BYTES = 16 << 20
# Top folders that are links into /usr on most systems.
_LINKED = ("/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
# For changing the user in each worker, reading what only root may enter, and ending such workers.
_WORKER_UID_CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH", "CAP_KILL")
_SETPRIV_CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")


@dataclass(frozen=True)
class Launch:
    """One way to start a template. `problem` is why it cannot work, if that is known beforehand."""

    name: str
    argv_prefix: tuple[str, ...] = ()
    popen_kwargs: Mapping[str, Any] = field(default_factory=dict)
    isolates: bool = False
    uid: Mapping[str, Any] = field(default_factory=lambda: {"mode": "same"})
    problem: str = ""


def list_launches(*, namespaces: bool, uid: bool) -> Iterator[Launch]:
    """All ways that make sense for this user, best first; the last one always works.

    Namespaces hide the file system and the network, so they come before another user.
    """
    account = _student_account() if uid and os.geteuid() == 0 else None
    yield from _namespaced(account) if namespaces else ()
    if account is not None:
        problem = _closed_to(account)
        yield Launch(
            f"user {STUDENT_USER}", popen_kwargs=_popen_user(account), uid=_outside(account), problem=problem
        )
        yield Launch(f"user {STUDENT_USER}, changed in each worker", uid=_in_worker(account))
    yield Launch("the grader's own user")


def _namespaced(account: pwd.struct_passwd | None) -> Iterator[Launch]:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        yield Launch("namespaces", isolates=True, problem="bubblewrap (`bwrap`) is not installed")
        return
    if account is not None:
        setpriv = _setpriv_program()
        yield Launch(
            f"namespaces, user {STUDENT_USER}",
            argv_prefix=(*_bubblewrap(bwrap, *_SETPRIV_CAPABILITIES), *_setpriv(setpriv or "", account)),
            isolates=True,
            uid=_outside(account),
            problem="" if setpriv else "`setpriv` (util-linux) is not installed",
        )
        yield Launch(
            f"namespaces, user {STUDENT_USER} changed in each worker",
            argv_prefix=_bubblewrap(bwrap, *_WORKER_UID_CAPABILITIES),
            isolates=True,
            uid=_in_worker(account),
        )
        yield Launch(
            f"user {STUDENT_USER}, user namespace",
            argv_prefix=_bubblewrap(bwrap, user_namespace=True),
            popen_kwargs=_popen_user(account),
            isolates=True,
            uid=_outside(account),
            problem=_closed_to(account),
        )
    yield Launch("user namespace", argv_prefix=_bubblewrap(bwrap, user_namespace=True), isolates=True)


def _setpriv_program() -> str | None:
    found = shutil.which("setpriv")
    return os.path.realpath(found) if found else None


def _student_account() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(STUDENT_USER)
    except KeyError:
        return None


def _closed_to(account: pwd.struct_passwd) -> str:
    place = unreadable_for(account.pw_uid, account.pw_gid)
    return f"`{place}` is closed to user {STUDENT_USER}" if place else ""


def _popen_user(account: pwd.struct_passwd) -> dict[str, Any]:
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _outside(account: pwd.struct_passwd) -> dict[str, Any]:
    detail = f"template and workers run as {STUDENT_USER} (user {account.pw_uid})"
    return {"mode": "outside", "uid": account.pw_uid, "gid": account.pw_gid, "detail": detail}


def _in_worker(account: pwd.struct_passwd) -> dict[str, Any]:
    detail = f"each worker changes to {STUDENT_USER} (user {account.pw_uid})"
    return {"mode": "worker", "uid": account.pw_uid, "gid": account.pw_gid, "detail": detail}


def _setpriv(setpriv: str, account: pwd.struct_passwd) -> tuple[str, ...]:
    ids = ("--reuid", str(account.pw_uid), "--regid", str(account.pw_gid), "--clear-groups")
    return (setpriv, *ids, "--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--")


def _bubblewrap(bwrap: str, *capabilities: str, user_namespace: bool = False) -> tuple[str, ...]:
    """The command line up to `--`: own namespaces, a file system of `read_paths` that nobody may write."""
    spaces = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if user_namespace:
        spaces.append("--unshare-user")
    rights = ["--cap-drop", "ALL"]
    for capability in capabilities:
        rights += ["--cap-add", capability]
    return (
        bwrap,
        *spaces,
        "--die-with-parent",
        "--new-session",
        *_file_system(),
        *rights,
        "--chdir",
        "/",
        "--",
    )


def _file_system() -> list[str]:
    links = [path for path in _LINKED if os.path.islink(path)]
    # The programs are closed to student code by Landlock.
    kept = sorted({*read_paths(), *filter(None, (interpreter(), _setpriv_program()))})
    kept = [path for path in kept if not path.startswith(("/dev/", "/proc/"))]
    # A place for torch's caches while the template starts; Landlock closes it to student code. It comes
    # first, so that it cannot cover an environment that lies below it.
    made = ["--proc", "/proc", "--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", "/tmp"]
    # Bubblewrap makes missing parents for root only; another user could not enter them.
    parents = {str(parent) for path in (*kept, "/etc/x", "/dev/x") for parent in Path(path).parents}
    for folder in sorted(parents - {"/", "/proc", "/tmp", *links}):
        made += ["--perms", "0755", "--dir", folder]
    for path in kept:
        made += ["--ro-bind", path, path]
    for path in links:
        made += ["--symlink", os.readlink(path).lstrip("/"), path]
    for path in filter(os.path.exists, _DEVICES):
        made += ["--dev-bind", path, path]
    if os.path.exists("/etc/localtime"):
        made += ["--ro-bind", os.path.realpath("/etc/localtime"), "/etc/localtime"]
    return [*made, "--remount-ro", "/"]
