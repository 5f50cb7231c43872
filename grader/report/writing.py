"""A report as JSON text, and that text as a file that is either whole or absent."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from grader.errors import GraderError
from grader.records import Audience
from grader.report.audience import for_audience
from grader.report.schema import Report


def dump_report(report: Report, audience: Audience) -> str:
    """`report` as JSON for `audience`: keys in the order of the schema, a newline at the end.

    The text is UTF-8 encodable and holds only finite numbers.
    """
    return for_audience(report, audience).model_dump_json(indent=2) + "\n"


def read_report(text: str) -> Report:
    """The report that `dump_report` wrote. Raises pydantic's `ValidationError` if it is not one."""
    return Report.model_validate_json(text)


def write_report(path: Path, text: str, *, durable: bool = True) -> None:
    """Write `text` to `path` in UTF-8, as `write_bytes` does."""
    write_bytes(path, text.encode(), durable=durable)


def write_bytes(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write `content` to `path`, as `write_pieces` does."""
    _write(path, (content,), durable)


def write_pieces(path: Path, pieces: Iterable[str], *, durable: bool = True) -> None:
    """Write a text, piece by piece, to `path` in one step: a reader finds the old file or the whole new one.

    A link is followed; a device or pipe (`/dev/null`) is written to, not replaced. Unless `durable`, a power
    cut (not a killed process) may leave an empty file.

    Raises:
        GraderError: the file cannot be written, e.g. the disk is full; nothing half-written is left.
    """
    _write(path, (piece.encode() for piece in pieces), durable)


def _write(path: Path, pieces: Iterable[bytes], durable: bool) -> None:
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            with target.open("wb") as handle:
                handle.writelines(pieces)
        else:
            _replace_file(target, pieces, durable)
    except OSError as err:
        raise GraderError(
            f"`{path}` cannot be written: {err.strerror or err}.",
            hint="Name another file with -o.",
        ) from err


def _replace_file(target: Path, pieces: Iterable[bytes], durable: bool) -> None:
    # In the same folder, so that the last step is a rename and never a copy.
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        # Mode 0o666 less the user's umask, like any other new file.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(descriptor, "wb") as handle:
            handle.writelines(pieces)
            if durable:
                handle.flush()
                os.fsync(handle.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)  # also after Ctrl-C; gone already when all went well
