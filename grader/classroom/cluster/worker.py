"""The Dask worker's side: one task judges one submission and returns its run as JSON text."""

from __future__ import annotations

import asyncio
from typing import cast

from distributed import Worker, WorkerPlugin, get_worker
from distributed.utils import sync

from grader.classroom.cluster.agreement import RefusalError, agree, pack_reply, unpack_request, unpack_terms
from grader.classroom.cluster.desk import Desks, LeavingError
from grader.errors import GraderError, HarnessError, IsolationError

PLUGIN = "attention-grader"


class DesksPlugin(WorkerPlugin):
    """Holds a worker's desks for as long as the worker lives, and closes them when it shuts down."""

    def __init__(self) -> None:
        self.desks = Desks()

    async def teardown(self, worker: Worker) -> None:
        await asyncio.to_thread(self.desks.close)


def meet(terms: str, dask_worker: Worker) -> str:
    """Asked of every worker before it gets a task: why it refuses, or empty. It costs next to nothing.

    Dask gives `dask_worker` to a function that is run outside tasks and has such an argument.
    """
    try:
        agree(unpack_terms(terms))
    except RefusalError as err:
        refusal = _named(err, dask_worker.address)
        return f"{refusal.message} {refusal.hint}".strip()
    return ""


def judge_for_batch(request: str) -> str:
    """The task: a pure function of the request, but for times.

    Raises:
        RefusalError: this worker cannot judge for this batch; the message names it.
        AssignmentError: a suite is broken, for everybody.
    """
    worker = get_worker()
    return judge_here(request, _desks_of(worker), worker.address)


def judge_here(request: str, desks: Desks, worker: str) -> str:
    terms, submission = unpack_request(request)
    try:
        return pack_reply(desks.judge(terms, submission))
    except (RefusalError, IsolationError, HarnessError) as err:
        raise _named(err, worker) from err


def _named(err: GraderError, worker: str) -> RefusalError:
    """The refusal with the worker's address."""
    reason = err.message.rstrip(".")
    if not isinstance(err, RefusalError):
        reason = f"it cannot judge. {reason}"
    said, is_leaving = f"Worker `{worker}` refuses: {reason}.", isinstance(err, LeavingError)
    return RefusalError(said, hint=err.hint, worker=worker, is_leaving=is_leaving)


def _desks_of(worker: Worker) -> Desks:
    async def find() -> Desks:
        if PLUGIN not in worker.plugins:
            await worker.plugin_add(plugin=DesksPlugin(), name=PLUGIN)
        return cast(DesksPlugin, worker.plugins[PLUGIN]).desks

    # In the worker's own loop: two tasks at once must not make two.
    return sync(worker.loop, find)
