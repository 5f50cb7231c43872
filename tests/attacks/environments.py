"""Other machines, imitated on this one (Linux, root): who grades, and what the kernel gives.

`wrap(name, command)` is the command that runs `command` there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

NAMES = ("root", "user", "container")
MEANINGS = {
    "root": "root with all layers",
    "user": "an unprivileged user",
    "container": "root without namespaces, with a container's capabilities",
}
NOBODY = "65534"

# A private mount namespace in which the folders above the interpreter may be entered by everybody: a Python
# under root's own folder cannot be read by another user.
OPEN_INTERPRETER = """
set -e
top=$(echo "$INTERPRETER_PREFIX" | cut -d/ -f1,2)
case "$top" in
    /usr | /opt | /bin) ;;
    *)
        mount --bind "$INTERPRETER_PREFIX" /mnt
        mount -t tmpfs -o mode=755 tmpfs "$top"
        mkdir -p -m 755 "$INTERPRETER_PREFIX"
        mount --move /mnt "$INTERPRETER_PREFIX"
        ;;
esac
exec "$@"
"""

# What containers usually forbid: new namespaces and mounts. Then the command goes on.
FORBID_NAMESPACES = """
import errno, os, sys
import pyseccomp as s
rules = s.SyscallFilter(s.ALLOW)
for name in ("unshare", "mount", "setns", "pivot_root"):
    rules.add_rule(s.ERRNO(errno.EPERM), name)
rules.add_rule(s.ERRNO(errno.ENOSYS), "clone3")
for flag in (0x20000, 0x10000000, 0x20000000, 0x40000000):  # CLONE_NEWNS, NEWUSER, NEWPID, NEWNET
    rules.add_rule(s.ERRNO(errno.EPERM), "clone", s.Arg(0, s.MASKED_EQ, flag, flag))
rules.load()
os.execvp(sys.argv[1], sys.argv[1:])
"""
CONTAINER_CAPABILITIES = (
    *("chown", "dac_override", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap"),
    *("net_bind_service", "net_raw", "sys_chroot"),
)


def wrap(name: str, command: Sequence[str]) -> list[str]:
    if name == "user":
        ids = [
            "--reuid",
            NOBODY,
            "--regid",
            NOBODY,
            "--clear-groups",
            "--inh-caps=-all",
            "--bounding-set=-all",
        ]
        return ["unshare", "--mount", "sh", "-c", OPEN_INTERPRETER, "sh", "setpriv", *ids, "--", *command]
    if name == "container":
        kept = ",".join(f"+{capability}" for capability in CONTAINER_CAPABILITIES)
        limits = [f"--bounding-set=-all,{kept}", f"--inh-caps=-all,{kept}"]
        return ["setpriv", *limits, "--", sys.executable, "-c", FORBID_NAMESPACES, *command]
    return list(command)


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "INTERPRETER_PREFIX": sys.base_prefix,
        "HOME": "/nonexistent",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def why_not(name: str) -> str:
    """Why this machine cannot be imitated here; empty if it can."""
    if name == "root":
        return ""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "only root on Linux can imitate it"
    if name == "user" and Path(sys.prefix).resolve().is_relative_to("/root"):
        return "the virtual environment lies in root's own folder"
    return ""
