"""The batch's side of a cluster: sends submissions to a Dask scheduler and takes runs, as `Judges` does here.

A worker that is lost takes nothing with it: the scheduler gives its tasks to others. A worker that refuses
(see `agreement`) is remembered; its task and all later ones go to the others, until none is left.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from datetime import datetime, timezone
from queue import Empty, SimpleQueue
from typing import Any

from distributed import Client, Future, KilledWorker
from distributed import TimeoutError as DaskTimeoutError
from distributed.core import rpc
from distributed.security import Security

from grader.classroom.cluster import worker
from grader.classroom.cluster.agreement import RefusalError, Terms, pack_request, pack_terms, unpack_reply
from grader.classroom.judges import MAX_SENDS, Judged
from grader.errors import AssignmentError, GraderError, HarnessError
from grader.records import Submission, SuiteRun

CONNECT_DEADLINE_S = 20.0
LOOK_EVERY_S = 3.0  # at who is there, while nothing comes
# So many wait at the scheduler for each thread: no thread waits for us, and a cluster that grows with its
# queue sees one.
SENT_PER_THREAD = 2
LEAST_SENT = 32


class ClusterError(GraderError):
    """The cluster cannot judge; what is done is kept."""


@dataclass
class _UnderWay:
    submission: Submission
    request: str
    started_at: datetime
    began: float
    workers: Collection[str] | None = None  # who may judge it; None: anybody
    future: Future[str] | None = None
    sends: int = field(default=0)


class ClusterJudges:
    """In the place of `Judges`; submissions are told apart by their ids.

    Raises, from every method: ClusterError, or AssignmentError when a suite is broken.
    """

    def __init__(self, address: str, terms: Terms, say: Callable[[str], None]) -> None:
        self._address, self._terms, self._say = address, terms, say
        self._name = f"grade-{uuid.uuid4().hex[:12]}"
        self._client: Client | None = None
        self._under_way: dict[str, _UnderWay] = {}
        self._done: SimpleQueue[tuple[str, Future[str]]] = SimpleQueue()
        self._refused: dict[str, str] = {}
        self._threads: dict[str, int] = {}
        self._met: set[str] = set()
        self._leaving: set[str] = set()  # as good as gone
        self._looked_at = 0.0
        self._is_waiting_said = False
        self.deaths = 0

    def start(self) -> None:
        """Connect to the scheduler."""
        if self._client is not None:
            return
        try:
            asyncio.run(_check_scheduler(self._address))
            self._client = Client(
                self._address, name=self._name, timeout=CONNECT_DEADLINE_S, set_as_default=False
            )
        except (OSError, DaskTimeoutError, ValueError, TypeError) as err:
            # TypeError: tls:// without a certificate in Dask's settings.
            raise ClusterError(
                f"No Dask scheduler answers at `{self._address}`: {err}.",
                hint="Is the address right, and can it be reached from here?",
            ) from err
        self._look()

    @property
    def under_way(self) -> int:
        return len(self._under_way)

    def has_room(self, jobs: int | None) -> bool:
        """May another one be sent? Without `jobs`, as many as keep all the workers' threads busy."""
        if jobs is None:
            if time.monotonic() - self._looked_at > LOOK_EVERY_S:
                self._look()
            jobs = max(LEAST_SENT, SENT_PER_THREAD * sum(self._threads.values()))
        return len(self._under_way) < jobs

    def send(self, submission: Submission) -> None:
        request = pack_request(self._terms, submission)
        job = _UnderWay(submission, request, datetime.now(timezone.utc), time.monotonic())
        self._under_way[submission.id] = job
        self._send(job)

    def _send(self, job: _UnderWay) -> None:
        assert self._client is not None
        job.sends += 1
        job.workers = (self._willing() or None) if self._refused or self._leaving else None
        # Dask keeps results by key: one that was used before would give the old result.
        key = f"{self._name}-{job.submission.id}-{uuid.uuid4().hex[:8]}"
        with _scheduler_at(self._address):
            job.future = self._client.submit(
                worker.judge_for_batch,
                job.request,
                key=key,
                pure=False,
                workers=None if job.workers is None else list(job.workers),
            )
        self._await(job)

    def _await(self, job: _UnderWay) -> None:
        name, future = job.submission.id, job.future
        assert future is not None
        future.add_done_callback(lambda done: self._done.put((name, future)))

    def receive(self) -> Judged:
        """The next submission that is done. Call it only while some are under way."""
        while True:
            try:
                name, future = self._done.get(timeout=LOOK_EVERY_S)
            except Empty:
                self._look()
                self._rescue()
                continue
            job = self._under_way.get(name)
            if job is not None and job.future is future:
                judged = self._collect(job, future)
                if judged is not None:
                    del self._under_way[name]
                    return judged

    def _collect(self, job: _UnderWay, future: Future[str]) -> Judged | None:
        """What became of it, or None if it is under way again."""
        try:
            reply = future.result(timeout=LOOK_EVERY_S)
        except DaskTimeoutError:
            # Whoever had the result is gone; Dask makes it again, once somebody is there.
            self._look()
            self._await(job)
            return None
        except RefusalError as err:
            job.sends -= 1  # nobody tried it
            if err.is_leaving:
                self._leaving.add(err.worker)
            else:
                self._refuse(err.worker, f"{err.message} {err.hint}".strip())
        except AssignmentError:
            raise  # the same for everybody
        except KilledWorker:
            self.deaths += 1
            return self._fail(job, "Several workers were lost while they judged this submission.")
        except CancelledError as err:
            raise _gone(self._address) from err
        except Exception as err:  # noqa: BLE001  # whatever a machine of the cluster ran into
            if job.sends >= MAX_SENDS:
                problem = f"{type(err).__name__}: {err}"
                return self._fail(job, f"The cluster failed {MAX_SENDS} times on this submission: {problem}")
        else:
            return unpack_reply(reply, job.submission)
        self._send(job)
        return None

    def _fail(self, job: _UnderWay, problem: str) -> Judged:
        duration_s = round(time.monotonic() - job.began, 4)
        outcome: SuiteRun | GraderError = HarnessError(problem)
        return Judged(job.submission, outcome, {}, job.started_at, duration_s)

    def _refuse(self, address: str, reason: str) -> None:
        if address not in self._refused:
            self._refused[address] = reason
            self._say(reason)

    def _willing(self) -> list[str]:
        """Workers that are there and have not refused.

        Raises:
            ClusterError: all that are there have refused.
        """
        self._look()
        willing = [address for address in self._threads if address not in self._refused]
        if self._threads and not willing:
            reasons = " ".join(self._refused[address] for address in self._threads)
            raise ClusterError(f"No worker at `{self._address}` judges for this batch. {reasons}")
        return willing

    def _look(self) -> None:
        """Ask the scheduler who is there, and who is new whether it is fit."""
        assert self._client is not None
        with _scheduler_at(self._address):
            there = self._client.nthreads()
            self._threads = {name: count for name, count in there.items() if name not in self._leaving}
            self._meet([address for address in self._threads if address not in self._met])
        self._looked_at = time.monotonic()
        if not self._threads and not self._is_waiting_said:
            self._say(f"No worker at `{self._address}`: waiting for one.")
        self._is_waiting_said = not self._threads

    def _meet(self, strangers: list[str]) -> None:
        """A worker that cannot load our task would not refuse it but end."""
        if not strangers:
            return
        assert self._client is not None
        terms = pack_terms(self._terms)
        answers = self._client.run(worker.meet, terms, workers=strangers, on_error="return")
        for address, answer in answers.items():
            if isinstance(answer, OSError):
                continue  # gone, or too busy to answer: asked again
            self._met.add(address)
            if isinstance(answer, BaseException):
                # Dask wraps an exception that came up while it read the call in a plain one.
                problem = str(answer) if type(answer) is Exception else f"{type(answer).__name__}: {answer}"
                self._refuse(address, f"Worker `{address}` cannot load the grader: {problem}.")
            elif answer:
                self._refuse(address, answer)

    def _rescue(self) -> None:
        """Send again what only workers may judge that are gone: nobody else would ever take it."""
        for job in self._under_way.values():
            if job.workers is not None and not any(address in self._threads for address in job.workers):
                if job.future is not None:
                    job.future.cancel()
                job.sends -= 1  # it failed nowhere
                self._send(job)

    def close(self) -> None:
        """Leave; the scheduler forgets what is not done. What a worker has begun, it ends."""
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(OSError, DaskTimeoutError):
                client.close()


async def _check_scheduler(address: str) -> None:
    """A client that does not get through keeps trying, and complains when it is thrown away."""
    options: dict[str, Any] = Security().get_connection_args("client")
    async with rpc(address, timeout=CONNECT_DEADLINE_S, connection_args=options) as scheduler:
        found = await asyncio.wait_for(scheduler.identity(), CONNECT_DEADLINE_S)
    if found.get("type") != "Scheduler":
        raise ValueError(f"it is a Dask {found.get('type')}")


@contextlib.contextmanager
def _scheduler_at(address: str) -> Iterator[None]:
    """Turns a lost connection into a ClusterError."""
    try:
        yield
    except (OSError, DaskTimeoutError, RuntimeError) as err:
        raise _gone(address) from err


def _gone(address: str) -> ClusterError:
    return ClusterError(
        f"The Dask scheduler at `{address}` is gone.", hint="What is done is kept; run it again to go on."
    )
