"""Sends a plan step by step through a door to a platform; the ledger knows at any time what may be there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from grader.exports.gradefile import Kept
from grader.push.errors import ConflictError, PushError, RefusedError, UncertainError
from grader.push.ledger import Entry, Ledger
from grader.push.patience import rest
from grader.push.planning import Step

TRIES = 3
PAUSE_S = 2.0
MAX_FAILURES_IN_A_ROW = 5  # then it is the platform, not a student


class Door(Protocol):
    """The way to one assignment of a platform.

    `send` raises `RefusedError`, `ConflictError` or `UncertainError` for this student, and any other
    `PushError` when nothing more can be sent.
    """

    def send(self, step: Step) -> None: ...

    def has_received(self, user: str, entry: Entry) -> bool:
        """Did what `entry` describes arrive? Asked when a sending had no clear end."""
        ...


@dataclass
class Delivered:
    """What came of a plan: how many were sent, what was not and why, and why it ended early, if it did."""

    sent: int = 0
    failed: list[Kept] = field(default_factory=list)
    stopped: PushError | None = None


def clear_doubts(door: Door, ledger: Ledger, users: list[str]) -> None:
    """Ask the platform about everything that a run left without a clear end.

    Raises:
        PushError: the platform does not say.
    """
    for user in users:
        entry = ledger.begun(user)
        if entry is not None:
            ledger.note(user, "sent" if door.has_received(user, entry) else "dropped", entry)


def deliver(
    steps: tuple[Step, ...], door: Door, ledger: Ledger, wait: Callable[[float], None] = rest
) -> Delivered:
    """Send all steps; the ledger is open."""
    done = Delivered()
    in_a_row = 0
    for step in steps:
        try:
            _deliver_one(step, door, ledger, wait)
        except (RefusedError, ConflictError, UncertainError) as err:
            done.failed.append(Kept(step.who, f"{err.message} {err.hint}".strip()))
            in_a_row += 1
            if in_a_row == MAX_FAILURES_IN_A_ROW:
                done.stopped = PushError(f"Stopped: {in_a_row} failed one after the other.")
                break
        except PushError as err:
            done.stopped = err
            break
        else:
            done.sent += 1
            in_a_row = 0
    return done


def _deliver_one(step: Step, door: Door, ledger: Ledger, wait: Callable[[float], None]) -> None:
    ledger.note(step.user, "begun", step.entry)
    for number in range(1, TRIES + 1):
        try:
            door.send(step)
        except RefusedError:
            ledger.note(step.user, "dropped", step.entry)
            raise
        except ConflictError:
            if not door.has_received(step.user, step.entry):
                ledger.note(step.user, "dropped", step.entry)
                raise
        except UncertainError:
            # Comments are appended: sending again without asking could say everything twice.
            if not door.has_received(step.user, step.entry):
                if number == TRIES:
                    raise
                wait(PAUSE_S * number)
                continue
        ledger.note(step.user, "sent", step.entry)
        return
