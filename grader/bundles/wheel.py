"""The grader as a wheel, made from the files that run here: nothing has to be built or downloaded for it.

A build tool would need the source tree and its backend; an instructor may have only what pip installed.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from collections.abc import Sequence
from importlib import metadata

from grader.bundles.tree import DISTRIBUTION, BundleError, BundleFile, as_zip, grader_files

_WHEEL = """\
Wheel-Version: 1.0
Generator: attention-grader
Root-Is-Purelib: true
Tag: py3-none-any
"""
# Of the installed grader's own description, what the wheel takes over as it is.
_AS_INSTALLED = ("entry_points.txt", "licenses/LICENSE")


def wheel_file(below: str) -> BundleFile:
    """The wheel of this grader under `below`, under the name that pip expects.

    Raises:
        BundleError: the grader runs from a folder and was never installed, so that its requirements are not
            known.
    """
    try:
        installed = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError as err:
        raise BundleError(
            f"`{DISTRIBUTION}` is not installed here, so its requirements are not known.",
            hint="Install it with pip first.",
        ) from err
    name = f"{DISTRIBUTION.replace('-', '_')}-{installed.version}"
    info = f"{name}.dist-info"
    files = [
        *(file._replace(path=file.path.removeprefix("./")) for file in grader_files(".")),
        BundleFile(f"{info}/METADATA", _headers(installed).encode()),
        BundleFile(f"{info}/WHEEL", _WHEEL.encode()),
        *(BundleFile(f"{info}/{part}", (installed.read_text(part) or "").encode()) for part in _AS_INSTALLED),
    ]
    files.append(BundleFile(f"{info}/RECORD", _record(files, f"{info}/RECORD")))
    return BundleFile(f"{below}{name}-py3-none-any.whl", as_zip(files))


def _headers(installed: metadata.Distribution) -> str:
    """Name, version and requirements; the long description is for whoever has the source."""
    headers, _, _ = (installed.read_text("METADATA") or "").partition("\n\n")
    kept = [line for line in headers.split("\n") if not line.startswith("Description-Content-Type")]
    return "\n".join(kept) + "\n"


def _record(files: Sequence[BundleFile], own_path: str) -> bytes:
    """The list of files with their hashes, by which pip knows what it has installed."""
    made = io.StringIO()
    rows = csv.writer(made, lineterminator="\n")
    for file in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.content).digest()).rstrip(b"=").decode()
        rows.writerow([file.path, f"sha256={digest}", len(file.content)])
    rows.writerow([own_path, "", ""])
    return made.getvalue().encode()
