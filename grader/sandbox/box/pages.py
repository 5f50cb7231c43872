"""Memory of a process that is about to be forked many times: fewer and larger pages, no loose pieces.

A fork copies an entry for every page in use, and an ending process frees each: in a process with torch
loaded, on a virtual machine, most of what a worker costs. Pages of 2 MB make it a tenth of the entries; a
page that the fork writes to is split again by the kernel.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator

HUGE_PAGE_BYTES = 1 << 21
# From the kernel's include/uapi/asm-generic/mman-common.h; kernels before 6.1 refuse it.
_MADV_COLLAPSE = 25
# More than glibc keeps at hand; it sorts ten thousand pieces at a time.
_LARGE_BYTES = 64 << 20
_SORTING_ROUNDS = 16


class _Mallinfo(ctypes.Structure):
    """From glibc's malloc.h: how much the C library holds, and how much of it was never used (the last)."""

    _fields_ = (*((f"other_{number}", ctypes.c_size_t) for number in range(9)), ("keepcost", ctypes.c_size_t))


def gather_pages() -> int:
    """Put this process's own memory on large pages and return how many; 0 where the kernel does not."""
    if not sys.platform.startswith("linux"):
        return 0
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    gathered = 0
    for start, end in _own_ranges():
        first = -(-start // HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES
        for address in range(first, end - HUGE_PAGE_BYTES + 1, HUGE_PAGE_BYTES):
            # A refusal changes nothing: the range is sparse, or huge pages are off or used up.
            gathered += madvise(address, HUGE_PAGE_BYTES, _MADV_COLLAPSE) == 0
    return gathered


def settle_heap() -> None:
    """Take all freed pieces of memory out of the C library's lists: forks then begin on memory of their own.

    Sorting its lists, and every small piece that it takes from somewhere among what the fork shares, would
    copy a page: together a third of all that a worker copies. Only glibc's way is known here.
    """
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallinfo2"):  # glibc before 2.33, or another library
        return
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    libc.free.restype, libc.free.argtypes = None, (ctypes.c_void_p,)
    libc.sbrk.restype, libc.mallinfo2.restype = ctypes.c_void_p, _Mallinfo
    libc.malloc_trim(ctypes.c_size_t(0))
    for _ in range(_SORTING_ROUNDS):
        libc.free(libc.malloc(_LARGE_BYTES))  # larger than any free piece, so that all are looked at
    never_used = libc.sbrk(0) - libc.mallinfo2().keepcost
    for size in (*(1 << power for power in range(16, 10, -1)), *range(1024, 0, -16)):
        while (piece := libc.malloc(size)) and piece < never_used:
            pass
        libc.free(piece)


def _own_ranges() -> Iterator[tuple[int, int]]:
    """Address ranges of memory that belongs to no file."""
    with contextlib.suppress(OSError), open("/proc/self/maps") as maps:
        for line in maps.read().splitlines():
            span, rights, _, _, _, *name = line.split(maxsplit=5)
            if rights.startswith("rw") and (not name or name[0] == "[heap]"):
                start, _, end = span.partition("-")
                yield int(start, 16), int(end, 16)
