"""What Landlock and seccomp let through, each alone."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.sandbox.box.layers import landlock, limits, seccomp
from grader.sandbox.isolation import LaunchPlan, choose_plan
from grader.sandbox.readable import BOX_FOLDER

REPOSITORY = Path(__file__).resolve().parents[4]
Confine = Callable[..., Any]  # see `confined` in conftest.py


@pytest.mark.usefixtures("needs_landlock")
@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("open(os.__file__)", "allowed"),
        ("os.listdir(os.path.dirname(os.__file__))", "allowed"),
        ("open('/dev/urandom', 'rb').read(1)", "allowed"),
        ("open('/dev/null', 'w').write('x')", "allowed"),
        ("open('/etc/passwd')", "EACCES"),
        ("open('/proc/self/environ')", "EACCES"),
        ("open('/tmp/.grade-never-there', 'w')", "EACCES"),
        (f"open({__file__!r})", "EACCES"),
        (f"os.listdir({str(REPOSITORY)!r})", "EACCES"),
        (f"open({str(BOX_FOLDER.parent / 'isolation.py')!r})", "EACCES"),
        (f"open({str(BOX_FOLDER / '__init__.py')!r})", "allowed"),
        ("os.listdir('/')", "EACCES"),
        ("os.mkdir('/tmp/.grade-never-there')", "EACCES"),
        ("__import__('socket').create_connection(('127.0.0.1', 1))", "EACCES"),
        ("os.kill(template_pid, 0)", "EPERM"),
    ],
)
def test_landlock_alone(
    confined: Confine, attempt: Callable[[str], str], expression: str, result: str
) -> None:
    plan = choose_plan(allow_namespaces=False, allow_uid=False, without=("seccomp",))
    if ("socket" in expression or "kill" in expression) and landlock.kernel_version() < 6:
        pytest.skip("this kernel's Landlock knows only files")
    assert confined(plan, attempt(expression)).answer == result


@pytest.mark.usefixtures("needs_landlock")
def test_no_descriptor_is_left_open(confined: Confine, bare: LaunchPlan) -> None:
    code = """
    answer = []
    for descriptor in range(1024):
        try:
            os.fstat(descriptor)
            answer.append(descriptor)
        except OSError:
            pass
    """
    assert confined(bare, code).answer == [0, 1, 2]


@pytest.mark.usefixtures("needs_linux")
@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("os.fork()", "EPERM"),
        ("__import__('subprocess').run(['/bin/true'])", "EPERM"),
        ("os.posix_spawn('/bin/true', ['true'], {})", "EPERM"),
        ("os.execv('/bin/true', ['true'])", "EPERM"),
        ("__import__('socket').socket()", "EPERM"),
        ("__import__('socket').socketpair()", "EPERM"),
        ("os.kill(template_pid, 0)", "EPERM"),
        ("os.kill(0, 0)", "EPERM"),
        ("os.kill(-1, 0)", "EPERM"),
        ("os.kill(os.getpid(), 0)", "allowed"),
        ("os.memfd_create('x')", "EPERM"),
        ("os.setuid(0)", "EPERM"),
        ("os.setsid()", "EPERM"),
        ("os.unshare(0x10000000) if hasattr(os, 'unshare') else os.chroot('/')", "EPERM"),
        ("os.pidfd_open(template_pid)", "EPERM"),
        ("os.sched_setaffinity(0, {0})", "EPERM"),
        ("__import__('fcntl').flock(0, 2)", "EPERM"),
        ("__import__('fcntl').fcntl(0, 8, template_pid)", "EPERM"),
        ("__import__('fcntl').fcntl(1, 3)", "allowed"),
        ("os.isatty(1)", "allowed"),
        ("os.mkdir('/tmp/.grade-never-there')", "EPERM"),
        ("open('/tmp/.grade-never-there', 'w')", "EACCES"),
        ("open('/tmp/.grade-never-there', 'a')", "EACCES"),
        ("os.open('/tmp', os.O_TMPFILE | os.O_RDWR)", "EACCES"),
        ("os.open('/etc/hostname', os.O_RDONLY | os.O_TRUNC)", "EACCES"),
        ("open(os.__file__)", "allowed"),
        ("os.waitpid(-1, 0)", "ECHILD"),
    ],
)
def test_seccomp_alone(
    confined: Confine, attempt: Callable[[str], str], only_seccomp: LaunchPlan, expression: str, result: str
) -> None:
    assert confined(only_seccomp, attempt(expression)).answer == result


@pytest.mark.usefixtures("needs_linux")
def test_limits_can_be_read_and_not_raised(confined: Confine, only_seccomp: LaunchPlan) -> None:
    code = """
    import resource
    answer = [resource.getrlimit(resource.RLIMIT_NOFILE)[0]]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))
    except (OSError, ValueError) as err:  # ValueError is how Python words EPERM here
        answer.append(type(err).__name__)
    """
    assert confined(only_seccomp, code).answer == [limits.OPEN_FILES, "ValueError"]


@pytest.mark.usefixtures("needs_linux")
def test_threads_work_and_processes_do_not(confined: Confine, only_seccomp: LaunchPlan) -> None:
    code = """
    import threading
    seen = []
    threads = [threading.Thread(target=seen.append, args=(i,)) for i in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    answer = sorted(seen)
    """
    assert confined(only_seccomp, code).answer == [0, 1, 2, 3]


@pytest.mark.usefixtures("needs_linux")
@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("os.abort()", signal.SIGABRT),
        ("os.kill(os.getpid(), 9)", signal.SIGKILL),
        ("import signal; signal.raise_signal(15)", signal.SIGTERM),
        ("import ctypes; ctypes.string_at(1)", signal.SIGSEGV),
        ("import signal, threading; signal.pthread_kill(threading.get_ident(), 6)", signal.SIGABRT),
    ],
)
def test_worker_ends_by_its_own_signal(confined: Confine, plan: LaunchPlan, code: str, number: int) -> None:
    seen = confined(plan, code)
    assert os.WIFSIGNALED(seen.status)
    assert os.WTERMSIG(seen.status) == number


@pytest.mark.usefixtures("needs_linux")
def test_call_of_another_architecture_ends_the_worker(confined: Confine, only_seccomp: LaunchPlan) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("x86-64 only")
    # x32: number 39 (getpid) with bit 30.
    seen = confined(only_seccomp, "import ctypes; answer = ctypes.CDLL(None).syscall(0x40000000 + 39)")
    assert os.WIFSIGNALED(seen.status)
    assert os.WTERMSIG(seen.status) == signal.SIGSYS


@pytest.mark.usefixtures("needs_linux")
def test_unknown_calls_do_not_exist(confined: Confine, only_seccomp: LaunchPlan) -> None:
    code = """
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    answer = []
    for number in (435, 437, 999):  # clone3, openat2, none at all
        libc.syscall(number, 0, 0, 0, 0)
        answer.append(ctypes.get_errno())
    """
    assert confined(only_seccomp, code).answer == [38, 38, 38]


@pytest.mark.usefixtures("needs_linux")
def test_filter_without_library_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyseccomp", None)
    with pytest.raises(ImportError):
        seccomp.compile_programs()
