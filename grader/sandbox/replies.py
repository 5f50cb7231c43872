"""Requests and replies as frames: what we send, and what a worker's answer means.

An answer is the student's word. It can only ever be a value or a reported failure; anything else is a breach
of the protocol, which is a failure of the code too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.catalog import Limits
from grader.errors import HarnessError
from grader.sandbox.box import wire
from grader.sandbox.endings import Locate, error_of_report, protocol_error

# Said of a wrong answer and of one answer too many alike: which of them is seen first is chance.
NOT_AN_ANSWER = "The grader's channel carried something that is not an answer."


def request_frame(number: int, op: str, body: Mapping[str, Any]) -> bytes:
    """A request. Raises HarnessError for a body that cannot travel."""
    try:
        return wire.encode({"id": number, "op": op, **body})
    except wire.WireError as err:
        raise HarnessError(f"A check sent {err} to the student's code.") from err


class ReplyReader:
    """Reads the replies of one submission's workers."""

    def __init__(self, limits: Limits, locate: Locate) -> None:
        self._limits, self._locate = limits, locate

    def read(self, frame: bytes, number: int) -> Any:
        """The value of the reply to request `number`.

        Raises:
            StudentError: the code failed; of kind "protocol" if this is no reply.
        """
        try:
            reply = wire.decode(*wire.parts_of(frame))
        except wire.WireError as err:
            raise protocol_error(f"The grader's channel carried {err}.") from err
        is_answer = type(reply) is dict and type(reply.get("id")) is int and reply["id"] == number
        if not is_answer or ("ok" in reply) == ("error" in reply):
            raise protocol_error(NOT_AN_ANSWER)
        if "ok" in reply:
            return reply["ok"]
        error = reply["error"] if type(reply["error"]) is dict else {}
        raise error_of_report(error, self._limits, self._locate)
