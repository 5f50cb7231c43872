"""Submissions and runs as JSON, between the grader and the judge host; both sides are ours."""

from __future__ import annotations

import json
import select
import socket
import struct
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from grader.errors import HarnessError
from grader.pictures import picture_from_json
from grader.records import (
    CellLine,
    ExerciseRun,
    ExerciseSource,
    Note,
    Problem,
    SourceText,
    Submission,
    SubmittedFile,
    SuiteRun,
)

_LENGTH = struct.Struct("!Q")


def submission_to_json(submission: Submission) -> dict[str, Any]:
    return asdict(submission)


def submission_from_json(record: Mapping[str, Any]) -> Submission:
    modules = {name: _source(source) for name, source in record["modules"].items()}
    exercises = {
        stem: ExerciseSource(
            stem,
            source=_source(entry["source"]) if entry["source"] else None,
            problem=Problem(**entry["problem"]) if entry["problem"] else None,
        )
        for stem, entry in record["exercises"].items()
    }
    return Submission(
        id=record["id"],
        root=record["root"],
        files=tuple(SubmittedFile(**entry) for entry in record["files"]),
        exercises=exercises,
        modules=modules,
        notes=_notes(record["notes"]),
    )


def _source(record: Mapping[str, Any]) -> SourceText:
    return SourceText(
        module=record["module"],
        path=record["path"],
        text=record["text"],
        definitions=record["definitions"],
        cells={int(line): CellLine(**cell) for line, cell in record["cells"].items()},
        left_out=_notes(record["left_out"]),
    )


def _notes(records: Any) -> tuple[Note, ...]:
    return tuple(Note(**record) for record in records)


def run_to_json(run: SuiteRun) -> dict[str, Any]:
    return {
        "pytest_report": run.pytest_report,
        "environment": run.environment,
        "exercises": {stem: asdict(exercise) for stem, exercise in run.exercises.items()},
        "timings": run.timings,
        "notes": [asdict(note) for note in run.notes],
    }


def run_from_json(record: Mapping[str, Any]) -> SuiteRun:
    exercises = {
        stem: ExerciseRun(
            **{
                **entry,
                "notes": _notes(entry["notes"]),
                "pictures": tuple(picture_from_json(picture) for picture in entry["pictures"]),
            }
        )
        for stem, entry in record["exercises"].items()
    }
    return SuiteRun(
        pytest_report=record["pytest_report"],
        environment=record["environment"],
        exercises=exercises,
        timings=record["timings"],
        notes=_notes(record["notes"]),
    )


def pack(message: Mapping[str, Any]) -> bytes:
    body = json.dumps(message).encode("utf-8", "surrogatepass")
    return _LENGTH.pack(len(body)) + body


def unpack(frame: bytes) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(frame[_LENGTH.size :].decode("utf-8", "surrogatepass"))
    return message


def send(connection: socket.socket, frame: bytes, received: bytearray) -> None:
    """Send all of `frame`; what comes meanwhile goes to `received`.

    Two sides that only send wait for each other for ever as soon as both buffers are full.

    Raises:
        OSError: the other side has gone.
    """
    left = memoryview(frame)
    while left:
        readable, writable, _ = select.select([connection], [connection], [])
        if readable:
            part = connection.recv(1 << 20, socket.MSG_DONTWAIT)
            if not part:
                raise ConnectionResetError("the other side has gone")
            received += part
        if writable:
            left = left[connection.send(left, socket.MSG_DONTWAIT) :]


def receive(
    connection: socket.socket, deadline_s: float, received: bytearray | None = None
) -> dict[str, Any] | None:
    """One message, or None when the other side has gone.

    `received` is what came before (see `send`); what follows the message stays there.

    Raises:
        HarnessError: nothing came within the deadline.
    """
    end, pending = time.monotonic() + deadline_s, bytearray() if received is None else received
    while (length := message_length(pending)) is None or len(pending) < length:
        if not select.select([connection], [], [], max(0.0, end - time.monotonic()))[0]:
            raise HarnessError(f"The judge did not answer within {deadline_s:g} s.")
        # Without a place for what follows, not a byte more than the message is taken.
        wanted = 1 << 20 if received is not None else (length or _LENGTH.size) - len(pending)
        try:
            part = connection.recv(wanted)
        except ConnectionError:
            part = b""
        if not part:
            return None
        pending += part
    frame = bytes(pending[:length])
    del pending[:length]
    return unpack(frame)


def message_length(received: bytes | bytearray) -> int | None:
    """How long the first message in `received` is, when enough is there to know."""
    if len(received) < _LENGTH.size:
        return None
    return _LENGTH.size + int(_LENGTH.unpack(bytes(received[: _LENGTH.size]))[0])
