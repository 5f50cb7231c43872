"""What the template does with its memory: forks copy less of it, and all of it is still there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import grader.sandbox

PROGRAM = """
import ctypes, os, resource, sys
sys.path.insert(0, sys.argv[1])
from box import pages

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
libc.free.argtypes = (ctypes.c_void_p,)
if not hasattr(libc, "mallinfo2"):
    sys.exit("needs glibc 2.33")

def pages_copied():
    '''By a fork that asks for a megabyte in small pieces.'''
    reader, writer = os.pipe()
    if os.fork() == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for number in range(5000):
            libc.malloc(200)
        os.write(writer, str(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before).encode())
        os._exit(0)
    os.wait()
    return int(os.read(reader, 100))

# Every second piece is freed: what is free lies between what is not.
held = [(libc.malloc(200), libc.malloc(1800)) for number in range(20000)]
for small, large in held:
    ctypes.memset(large, 7, 1800)
    libc.free(small)
loose = pages_copied()
SETTLE
settled = pages_copied()
assert all(ctypes.string_at(large, 1800) == bytes([7]) * 1800 for _, large in held)
print(loose, settled)
"""


def test_fork_finds_no_loose_pieces_of_memory() -> None:
    program = PROGRAM.replace("SETTLE", "pages.settle_heap(); pages.settle_heap()")
    sandbox = str(Path(grader.sandbox.__file__).parent)
    ran = subprocess.run(
        [sys.executable, "-I", "-c", program, sandbox], capture_output=True, text=True, timeout=60
    )
    if "needs glibc" in ran.stderr:
        pytest.skip(ran.stderr.strip())
    loose, settled = map(int, ran.stdout.split())
    assert settled < loose / 3, ran.stdout
