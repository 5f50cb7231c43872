"""Is there a real accelerator, and which files does its driver use? Asked without touching it.

CUDA must not be initialised in a process that forks, so nobody but a worker asks torch.
"""

from __future__ import annotations

import glob
import sys

_NODES = ("/dev/nvidia*", "/dev/nvidia-caps/*", "/dev/kfd", "/dev/dri/render*")


def device_nodes() -> tuple[str, ...]:
    """Device files of accelerators on this machine; empty where there is none."""
    return tuple(sorted(path for pattern in _NODES for path in glob.glob(pattern)))


def may_have_accelerator() -> bool:
    """True if it is worth asking a worker: device files are there, or this is a Mac."""
    return bool(device_nodes()) or sys.platform == "darwin"
