"""Fewer, larger memory pages for a process that is about to be forked many times.

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


def _own_ranges() -> Iterator[tuple[int, int]]:
    """Address ranges of memory that belongs to no file."""
    with contextlib.suppress(OSError), open("/proc/self/maps") as maps:
        for line in maps.read().splitlines():
            span, rights, _, _, _, *name = line.split(maxsplit=5)
            if rights.startswith("rw") and (not name or name[0] == "[heap]"):
                start, _, end = span.partition("-")
                yield int(start, 16), int(end, 16)
