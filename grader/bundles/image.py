"""The container image that several platforms run: Python, the pinned packages, the grader in `/opt/grader`.

The official Python image is used because its interpreter can be read by every user, and is the version that
the pins were made with. Nothing of the assignment is in it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from grader.bundles.tree import BundleFile, grader_files, pinned_requirements

TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
# The packages are pinned as they are installed here, and may support no other version of Python.
PYTHON_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
BASE_IMAGE = f"python:{PYTHON_VERSION}-slim"

_DOCKERFILE = """\
FROM {base}
RUN apt-get update \\
 && apt-get install -y --no-install-recommends {packages} \\
 && rm -rf /var/lib/apt/lists/*
COPY requirements.txt /opt/grader/requirements.txt
RUN pip install --no-cache-dir --extra-index-url {index} -r /opt/grader/requirements.txt
COPY src /opt/grader/src
RUN chmod -R a+rX /opt/grader
"""


def dockerfile(*lines: str, first: Sequence[str] = (), packages: Sequence[str] = ()) -> bytes:
    """The text of a Dockerfile: `first`, the grader's part with more Debian `packages`, then `lines`."""
    # The sandbox loads libseccomp by name.
    names = " ".join(["libseccomp2", *packages])
    body = _DOCKERFILE.format(base=BASE_IMAGE, packages=names, index=TORCH_INDEX)
    return "\n".join([*first, body.rstrip("\n"), *lines, ""]).encode()


def image_files(below: str, content: bytes) -> Iterator[BundleFile]:
    """The build folder of an image under `below`, with this Dockerfile."""
    yield BundleFile(f"{below}Dockerfile", content)
    yield BundleFile(f"{below}requirements.txt", pinned_requirements())
    yield from grader_files(f"{below}src")
