"""Asks from inside what student code can do, instead of trusting that the layers do what they say.

`PROBE_SOURCE` is handed to a worker like any submission. Its answers are facts about the worker, not about
a submission: nobody but us wrote the code that gives them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from grader.errors import IsolationError
from grader.sandbox.box.layers import Layer

PROBE_SOURCE = '''\
import os
import socket


def _can(action):
    try:
        action()
    except BaseException:
        return False
    return True


def _read(path):
    if os.path.isdir(path):
        os.listdir(path)
    else:
        with open(path, "rb") as file:
            file.read(1)


def _write(folder):
    path = os.path.join(folder, f".probe-{os.getpid()}")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    os.unlink(path)


def _start_process():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _reach_network():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as outgoing:
        outgoing.settimeout(0.2)
        try:
            outgoing.connect(("127.0.0.1", 1))
        except ConnectionRefusedError:
            pass  # the machine itself answered


def probe(paths, pid):
    """What works here. `paths`: secret files and folders; `pid`: the grader's process."""
    return {
        "read_secret": any([_can(lambda: _read(path)) for path in paths]),
        "see_secret": any([_can(lambda: os.stat(path)) for path in paths]),
        "read_accounts": _can(lambda: _read("/etc/passwd")),
        "write_tmp": _can(lambda: _write("/tmp")),
        "write_shared_memory": _can(lambda: _write("/dev/shm")),
        "write_current_folder": _can(lambda: _write(".")),
        "start_process": _can(_start_process),
        "reach_network": _can(_reach_network),
        "open_unix_socket": _can(lambda: socket.socket(socket.AF_UNIX).close()),
        "signal_grader": _can(lambda: os.kill(pid, 0)),
        "read_grader_environment": _can(lambda: _read(f"/proc/{pid}/environ")),
        "read_grader_memory": _can(lambda: open(f"/proc/{pid}/mem", "rb").close()),
        "be_root": os.geteuid() == 0 and _can(lambda: os.chown("/dev/null", 0, 0)),
    }
'''

# What `probe` answers to, as the end of "student code can ..." and "student code cannot ...".
ABILITIES: Mapping[str, str] = {
    "read_secret": "read the solutions and hidden suites",
    "see_secret": "see that they exist",
    "read_accounts": "read the list of user accounts",
    "write_tmp": "write files in /tmp",
    "write_shared_memory": "write files in /dev/shm",
    "write_current_folder": "write files in its current folder",
    "start_process": "start processes",
    "reach_network": "reach the network",
    "open_unix_socket": "open local sockets",
    "signal_grader": "send signals to the grader",
    "read_grader_environment": "read the grader's environment variables",
    "read_grader_memory": "read the grader's memory",
    "be_root": "act as root",
}

# With any of these, `strict` refuses to grade.
STRICT_DENIES = frozenset(ABILITIES) - {"see_secret", "read_accounts", "open_unix_socket"}

# What brings a missing layer back.
_REMEDIES: Mapping[str, str] = {
    "namespaces": "install bubblewrap (`apt install bubblewrap`)",
    "landlock": "use Linux 5.13 or newer with Landlock enabled and `pip install landlockpy`",
    "seccomp": "install libseccomp (`apt install libseccomp2`) and `pip install pyseccomp`",
    "uid": "start the grader as root, so that student code can run as another user",
}


@contextmanager
def canary() -> Iterator[Path]:
    """A secret file in a folder that only this user may enter, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="grade-canary-") as folder:
        secret = Path(folder, "secret.txt")
        secret.write_text("only the grader may read this\n", encoding="utf-8")
        os.chmod(secret, 0o600)
        yield secret


def sentences(result: Mapping[str, bool]) -> list[str]:
    """One sentence for each ability, in a fixed order."""
    return [
        f"student code {'can' if result[name] else 'cannot'} {ability}"
        for name, ability in ABILITIES.items()
        if name in result
    ]


def strict_problems(result: Mapping[str, bool]) -> list[str]:
    """Why `strict` must refuse, as sentences; an ability that was not asked about counts as given."""
    return [
        f"student code can {ability}"
        for name, ability in ABILITIES.items()
        if name in STRICT_DENIES and result.get(name, True)
    ]


def check_strict(result: Mapping[str, bool], layers: Sequence[Layer]) -> None:
    """Raises: IsolationError if student code can do what `strict` promises that it cannot."""
    problems = strict_problems(result)
    if not problems:
        return
    missing = [layer for layer in layers if not layer.active]
    remedies = [_REMEDIES[layer.name] for layer in missing if layer.name in _REMEDIES]
    advice = f"To isolate more, {', or '.join(remedies)}. " if remedies else ""
    reasons = "".join(f" Missing: {layer.name} ({layer.detail})." for layer in missing)
    raise IsolationError(
        f"Nothing was graded: with `--isolation strict` this machine is not safe enough, because "
        f"{'; '.join(problems)}.{reasons}",
        hint=f"{advice}`--isolation auto` grades with what there is; `--isolation process` only separates "
        "processes, for code that you trust.",
    )
