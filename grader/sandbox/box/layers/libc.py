"""The few C library calls that Python does not offer: prctl, capset.

The library is looked up when this module is imported, in the template, so that a worker pays only for
the calls themselves.
"""

from __future__ import annotations

import ctypes
import os
import sys

IS_LINUX = sys.platform.startswith("linux")

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38

CAP_DAC_OVERRIDE = 1
CAP_DAC_READ_SEARCH = 2
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilitySets(ctypes.Structure):
    """Low and high 32 capabilities: effective, permitted, inheritable of each half."""

    _fields_ = (("words", ctypes.c_uint32 * 6),)


def _check(result: int, call: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{call}: {os.strerror(code)}")


def prctl(option: int, *arguments: int) -> None:
    """Call prctl(2) with whole numbers. Raises: OSError; also where there is no prctl (not Linux)."""
    if not IS_LINUX:
        raise OSError("prctl needs Linux")
    padded = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    _check(_libc.prctl(option, *padded), f"prctl({option})")


def load_filter(program: bytes) -> None:
    """Install a seccomp filter (an array of struct sock_filter, 8 bytes each) for this thread.

    Raises: OSError; among others when no_new_privs is not set.
    """

    class _Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    filter_program = _Program(len(program) // 8, program)
    _check(_libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(filter_program), 0, 0), "prctl(PR_SET_SECCOMP)")


def set_capabilities(*kept: int) -> None:
    """Keep only these capabilities (numbers below 32) of those that the process holds. Raises: OSError."""
    mask = sum(1 << number for number in kept)
    sets = _CapabilitySets((ctypes.c_uint32 * 6)(mask, mask, 0, 0, 0, 0))
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(ctypes.byref(header), ctypes.byref(sets)), "capset")


def permitted_capabilities() -> int:
    """The capabilities below 32 that this process may use, as bits. Raises: OSError."""
    sets, header = _CapabilitySets(), _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    _check(_libc.capget(ctypes.byref(header), ctypes.byref(sets)), "capget")
    return int(sets.words[1])
