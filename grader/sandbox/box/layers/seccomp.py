"""Which system calls a worker may make (seccomp): an allowlist, compiled once, loaded per worker.

The only module that knows the library (pyseccomp). Compiling takes milliseconds and needs libseccomp, so
it happens outside of the sandbox, once; the template receives the finished programs and a worker only
hands one to the kernel. Three answers are possible besides "yes":

* EPERM for calls that student code has no business with: a clear PermissionError on the student's line;
* ENOSYS for everything unknown, so that the C library falls back to an older call (clone3 to clone,
  whose flags can be inspected);
* death of the process for calls of another architecture (32-bit numbers mean something else).

A worker may signal itself, so that abort() ends it with SIGABRT as everywhere. Its process id is not
known when the program is compiled: a placeholder stands for it and is replaced in the worker.
"""

from __future__ import annotations

import errno
import os
import struct
import tempfile
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from . import libc
from .report import Layer

OWN_PID = 0x5EC04B1D  # stands for the worker's process id; above the highest possible one (2**22)
_OWN_PID_BYTES = struct.pack("=I", OWN_PID)
_INSTRUCTION = struct.Struct("=HBBI")  # struct sock_filter: code, jump if true, jump if false, constant

ALLOWED = """
 read write readv writev pread64 pwrite64 close close_range lseek fsync
 fstat newfstatat stat lstat statx statfs fstatfs access faccessat faccessat2
 readlink readlinkat getdents64 getcwd chdir fchdir fadvise64
 dup dup2 dup3 poll ppoll select pselect6 pipe pipe2 umask eventfd2
 epoll_create1 epoll_ctl epoll_wait epoll_pwait
 mmap munmap mremap mprotect madvise brk mincore msync membarrier
 futex futex_waitv set_robust_list get_robust_list rseq set_tid_address arch_prctl
 rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack
 restart_syscall alarm setitimer getitimer pause
 clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times
 getrusage getrandom getrlimit getpriority uname sysinfo getcpu
 getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp getpgid getsid
 sched_yield sched_getaffinity sched_getparam sched_getscheduler
 sched_get_priority_max sched_get_priority_min
 wait4 waitid exit exit_group
"""

DENIED = """
 fork vfork execve execveat ptrace process_vm_readv process_vm_writev kcmp pidfd_open pidfd_getfd
 pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo setsid setpgid
 socket socketpair connect bind listen accept accept4 sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg
 shutdown getsockopt setsockopt getsockname getpeername
 creat truncate ftruncate fallocate mkdir mkdirat mknod mknodat unlink unlinkat rmdir rename renameat
 renameat2 link linkat symlink symlinkat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat
 utime utimes utimensat futimesat setxattr lsetxattr fsetxattr flock
 mount umount2 unshare setns chroot pivot_root open_by_handle_at name_to_handle_at
 keyctl add_key request_key bpf perf_event_open userfaultfd memfd_create memfd_secret
 io_uring_setup io_uring_enter io_uring_register
 shmget shmat shmctl shmdt semget semop semtimedop semctl msgget msgsnd msgrcv msgctl
 mq_open mq_unlink mq_timedsend mq_timedreceive
 setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset
 setrlimit sched_setaffinity sched_setscheduler sched_setparam sched_setattr setpriority ioprio_set
 reboot swapon swapoff init_module finit_module delete_module kexec_load personality acct quotactl
 settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname syslog
"""

_CLONE_THREAD = 0x10000
_CLONE_NEW = 0x7E020080  # every CLONE_NEW* flag
# PR_SET_NAME and PR_GET_NAME name threads; PR_SET_VMA names their memory (the C library does both).
_HARMLESS_PRCTL = (15, 16, 0x53564D41)
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Not the others: F_SETOWN with
# F_SETSIG sends any signal to any process of the user, locks and leases are a channel between workers.
_HARMLESS_FCNTL = (0, 1, 2, 3, 4, 1030, 1032)
_DENIED_FCNTL = (5, 6, 7, 8, 10, 15, 36, 37, 38, 1024, 1026, 1031)
# TCGETS (isatty), TIOCGWINSZ, FIONBIO, FIONREAD, FIONCLEX, FIOCLEX.
_HARMLESS_IOCTL = (0x5401, 0x5413, 0x5421, 0x541B, 0x5450, 0x5451)


_Add = Callable[..., None]  # (action, name of the call, conditions on its arguments)


class Programs(NamedTuple):
    """Compiled filters, as arrays of struct sock_filter with `OWN_PID` in them.

    `read_only` also denies opening for writing: for kernels where Landlock cannot.
    """

    normal: bytes
    read_only: bytes


def compile_programs() -> Programs:
    """Compile both filters with libseccomp.

    Raises: ImportError without pyseccomp; RuntimeError without libseccomp; OSError if it refuses a rule.
    """
    if not libc.IS_LINUX:
        raise OSError("seccomp needs Linux")
    library = import_module("pyseccomp")
    return Programs(_compile(library, read_only=False), _compile(library, read_only=True))


def _compile(library: Any, *, read_only: bool) -> bytes:
    rules = library.SyscallFilter(library.ERRNO(errno.ENOSYS))
    rules.set_attr(library.Attr.ACT_BADARCH, library.KILL_PROCESS)
    not_permitted = library.ERRNO(errno.EPERM)

    def add(action: int, name: str, *arguments: Any) -> None:
        # Negative: the call does not exist on this machine, or this libseccomp is older than the call.
        if library.resolve_syscall(library.Arch.NATIVE, name) >= 0:
            rules.add_rule(action, name, *arguments)

    for name in ALLOWED.split():
        add(library.ALLOW, name)
    for name in DENIED.split():
        add(not_permitted, name)
    _add_by_argument(library, add)
    for name, flags in (("open", 1), ("openat", 2)):
        _add_open(library, add, name, flags, read_only)
    return _export(rules)


def _add_by_argument(library: Any, add: _Add) -> None:
    """Calls of which only some uses are harmless."""
    not_permitted, equal = library.ERRNO(errno.EPERM), library.EQ
    for name in ("kill", "tkill", "tgkill"):  # the last two name threads; tkill's is then the main thread
        add(library.ALLOW, name, library.Arg(0, equal, OWN_PID))
        add(not_permitted, name, library.Arg(0, library.NE, OWN_PID))
    for name, position, action, values in (
        ("prctl", 0, library.ALLOW, _HARMLESS_PRCTL),
        ("fcntl", 1, library.ALLOW, _HARMLESS_FCNTL),
        ("fcntl", 1, not_permitted, _DENIED_FCNTL),
        ("ioctl", 1, library.ALLOW, _HARMLESS_IOCTL),
    ):
        for value in values:
            add(action, name, library.Arg(position, equal, value))
    # Limits may be read (no new value given), and only its own.
    add(library.ALLOW, "prlimit64", library.Arg(0, equal, 0), library.Arg(2, equal, 0))
    add(not_permitted, "prlimit64", library.Arg(2, library.NE, 0))
    # Threads, not processes, and none in a new namespace.
    masked = library.MASKED_EQ
    add(library.ALLOW, "clone", library.Arg(0, masked, _CLONE_THREAD | _CLONE_NEW, _CLONE_THREAD))
    add(not_permitted, "clone", library.Arg(0, masked, _CLONE_THREAD, 0))


def _add_open(library: Any, add: _Add, name: str, flags: int, read_only: bool) -> None:
    """Allow opening files; with `read_only` only for reading. `flags` is the number of that argument."""
    if not read_only:
        add(library.ALLOW, name)
        return
    masked, denied = library.MASKED_EQ, library.ERRNO(errno.EACCES)
    writes = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC
    add(library.ALLOW, name, library.Arg(flags, masked, writes, 0))
    for mask, value in (
        (os.O_ACCMODE, os.O_WRONLY),
        (os.O_ACCMODE, os.O_RDWR),
        (os.O_CREAT, os.O_CREAT),
        (os.O_TRUNC, os.O_TRUNC),
    ):
        add(denied, name, library.Arg(flags, masked, mask, value))


def _export(rules: Any) -> bytes:
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        program = file.read()
    constants = [constant for *_, constant in _INSTRUCTION.iter_unpack(program)]
    if not constants.count(OWN_PID) == program.count(_OWN_PID_BYTES) > 0:
        raise OSError("the compiled filter has no clear place for the process id")
    return program


def apply(program: bytes) -> Layer:
    """Load the filter into this process for good; the last step of all. Raises: OSError."""
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    # `_export` made sure that these bytes stand for nothing else.
    libc.load_filter(program.replace(_OWN_PID_BYTES, struct.pack("=I", os.getpid())))
    return Layer("seccomp", True, "seccomp allowlist: no processes, no sockets, signals only to itself")
