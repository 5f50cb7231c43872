"""What a fork of the judge host does: it runs one submission, writes one message, and ends."""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from grader.errors import GraderError
from grader.judge import transport
from grader.sandbox.template import Template

if TYPE_CHECKING:
    from grader.judge.prepared import PreparedSuites

# A judge lives for a second: it looks for garbage less often than Python does by itself.
GARBAGE_THRESHOLD = 20_000


class Grounds(Protocol):
    """What a judge is forked with."""

    suites: PreparedSuites
    template: Template
    accelerator_template: Template | None


def be_judge(host: Grounds, message: dict[str, Any], write_end: int, parent: int) -> NoReturn:
    """In the fork: run one submission, write one message, end."""
    die_with_parent(parent)
    gc.set_threshold(GARBAGE_THRESHOLD)
    try:
        reply = {"job": message["job"], "run": _judge(host, message)}
    except GraderError as err:
        reply = {"job": message["job"], "error": describe_error(err)}
    except BaseException as err:  # noqa: BLE001  # the edge of this process: whatever it is, it is ours
        text = f"The judge failed: {type(err).__name__}: {err}"
        reply = {"job": message["job"], "error": {"kind": "harness", "message": text}}
    try:
        with os.fdopen(write_end, "wb") as pipe:
            pipe.write(transport.pack(reply))
            # Behind the reply, which is passed on as it is: what was computed that later judges can use.
            suites = host.suites
            learned = {
                "computed": suites.reference.memo.pack(),
                "outcomes": suites.diagnoser.outcomes.pack(),
                "trails": suites.trails.pack(),
            }
            pipe.write(transport.pack(learned))
    except BaseException:  # noqa: BLE001  # the edge of this process: its last words go where ours go
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)


def _judge(host: Grounds, message: dict[str, Any]) -> dict[str, Any]:
    from grader.judge.judge import Judge, JudgeOptions, Templates

    submission = transport.submission_from_json(message["submission"])
    options = JudgeOptions(
        message["seed"], message["device"], tuple(message["exercises"]), message["pictures"]
    )
    templates = Templates(host.template, host.accelerator_template)
    run = Judge(host.suites, templates, submission, options).run()
    return transport.run_to_json(run)


def describe_error(err: GraderError) -> dict[str, Any]:
    kinds = {"AssignmentError": "assignment", "IsolationError": "isolation"}
    return {"kind": kinds.get(type(err).__name__, "harness"), "message": err.message, "hint": err.hint}


def die_with_parent(parent: int) -> None:
    """End with our parent: on Linux by the kernel, even when it is killed; elsewhere by its closed socket."""
    if sys.platform.startswith("linux"):
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
