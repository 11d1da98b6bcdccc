"""The process pool: the job queue of one machine and its workers.

A host with an interval is crawled by one worker, which keeps the interval exactly. A host without an interval is
shared: its concurrent requests are divided among the workers.
"""

import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from math import inf
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.embedded.pause_reports import SHORTEST_PAUSE
from wavecrawl.adapters.embedded.worker import AT_ONCE, Message, Tally, Work, worker_main
from wavecrawl.domain.crawl.job import BatchJob, BatchKind
from wavecrawl.errors import PermanentError
from wavecrawl.ports.signals import ANOTHER_WAVE, Following

LEAD = 0.25  # seconds before its start at which a batch is sent to a worker
PATIENCE = 0.2  # maximum seconds to wait for messages of workers
ONE_WORKER_INTERVAL = 0.01  # seconds; from this interval on, one worker is fast enough for a host
LAST_REPORTS = 2.0  # seconds to wait for the reports of workers whose batches are done
START_PATIENCE = 120.0  # seconds until a worker process that has not started is replaced
SPARE_DELIVERIES = 15  # of a batch beyond `waves.max_attempts`: if it cannot even be given up, the crawl fails

_DECODER = msgspec.msgpack.Decoder(Message)


class _Worker(msgspec.Struct, kw_only=True):
    number: int
    owner: str
    process: BaseProcess
    pipe: Connection
    started_at: float  # monotonic seconds
    is_ready: bool = False
    jobs: list[BatchJob] = msgspec.field(default_factory=list)
    # When each job was sent, or the worker was ready; monotonic.
    since: list[float] = msgspec.field(default_factory=list)

    def is_stuck(self, now: float, lease_of: Callable[[BatchKind], float]) -> bool:
        """Return whether the lease of one of its batches has ended, or it has not started in time."""
        if not self.is_ready:
            return now - self.started_at > START_PATIENCE
        return any(now - since > lease_of(job.kind) for job, since in zip(self.jobs, self.since, strict=True))

    def has_room(self, kind: BatchKind) -> bool:
        """Return whether it may take another batch of a kind."""
        return sum(job.kind is kind for job in self.jobs) < AT_ONCE[kind]


class WorkerPool:
    """`ports.job_queue.JobQueue` over worker processes. Used from one thread."""

    def __init__(
        self,
        count: int,
        build: Callable[..., Work],
        arguments: tuple[object, ...],
        *,
        name: str,
        lease_of: Callable[[BatchKind], float],
        max_attempts: int,
        on_tally: Callable[[Tally], None],
        on_death: Callable[[str], object],
        on_fork: Callable[[], None] = lambda: None,
    ) -> None:
        """Start `count` workers.

        Each worker calls `build(reporter, owner, *arguments)`. `on_death(owner)` frees the leases of a dead worker. A
        worker that has a batch for more than `lease_of` its kind, in seconds, is stuck: it is killed and replaced.
        `max_attempts` is the number of deliveries after which a worker gives up a batch. If it is safe, the first
        workers are forks of this process, which saves imports; `on_fork` is called in the fork to release resources of
        this process.
        """
        self._build = build
        self._arguments = arguments
        self._name = name
        self._lease_of = lease_of
        self._on_tally = on_tally
        self._on_death = on_death
        self._most_deliveries = max_attempts + SPARE_DELIVERIES
        self._started = 0
        self._waiting: list[tuple[float, int, int, int, BatchJob]] = []
        self._sent = 0
        self._is_waiting = False
        self._deliveries: dict[tuple[int, int], int] = {}
        self._home: dict[tuple[str, BatchKind], int] = {}
        self._outputs: dict[str, Following] = {}  # of completed tokens
        self._workers: list[_Worker] = []
        may_fork = sys.platform == "linux" and threading.active_count() == 1
        for number in range(count):
            self._workers.append(self._start(number, on_fork if may_fork else None))

    @property
    def longest_delay(self) -> float:
        """Unlimited: jobs wait in memory."""
        return inf

    def holds(self, *, sent_at: float) -> bool:  # noqa: ARG002 - jobs wait as long as the pool lives
        """Return whether any job waits."""
        return bool(self._waiting)

    def send(self, jobs: Sequence[BatchJob]) -> None:
        """Queue jobs."""
        for job in jobs:
            self._queue(job)

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """Complete the wait for `token`: `ports.signals.Signals` for the planner and, through a pipe, for workers."""
        self._outputs.setdefault(token, following)

    def wait_for(self, token: str, *, poll: Callable[[], None], stop: Callable[[], bool] = lambda: False) -> Following:
        """Deliver jobs until `token` is completed; return its output. `poll` is called now and then.

        Once `stop` returns True, jobs are delivered before their start: workers then postpone their URLs.
        """
        self._is_waiting = True
        while token not in self._outputs:
            self._hand_out(until=inf if stop() else time.time() + LEAD)
            self._listen()
            self._replace_stuck()
            poll()
        self._is_waiting = False  # not if an exception ended the wait
        following = self._outputs[token]
        self._outputs.clear()
        self._waiting.clear()
        self._deliveries.clear()
        return following

    def is_paused(self) -> bool:
        """Return whether at most one request starts within `SHORTEST_PAUSE` seconds, going by the hosts' intervals."""
        soon = time.time() + SHORTEST_PAUSE
        jobs = [job for worker in self._workers for job in worker.jobs]
        jobs += [entry[-1] for entry in self._waiting if entry[0] <= soon]
        intervals = {part.host: part.pace.interval for job in jobs for part in job.hosts}.values()
        return all(intervals) and sum(SHORTEST_PAUSE / interval for interval in intervals) <= 1

    def close(self) -> None:
        """End all workers. The next run repeats their unfinished batches.

        If the last wave is done, its workers are about to report their last counts: they are waited for.
        """
        until = time.monotonic() + LAST_REPORTS
        while not self._is_waiting and any(worker.jobs for worker in self._workers) and time.monotonic() < until:
            self._listen()
        for worker in self._workers:
            worker.pipe.close()
        for worker in self._workers:
            _end(worker.process)
            worker.process.close()
        self._workers = []

    def _queue(self, job: BatchJob) -> None:
        self._sent += 1
        heappush(self._waiting, (job.starts_at, job.id.wave, job.id.batch, self._sent, job))

    def _start(self, number: int, on_fork: Callable[[], None] | None = None) -> _Worker:
        self._started += 1
        owner = f"{self._name}-{self._started}"
        ours, theirs = get_context("spawn").Pipe()
        work = (theirs, self._build, (owner, *self._arguments))
        process: BaseProcess
        if on_fork:
            pipes = [ours, *(worker.pipe for worker in self._workers)]
            process = get_context("fork").Process(target=_forked, args=(pipes, on_fork, work), name=owner, daemon=True)
        else:
            process = get_context("spawn").Process(target=worker_main, args=work, name=owner, daemon=True)
        process.start()
        theirs.close()
        _limit_blocking(ours, self._lease_of(BatchKind.FETCH))
        return _Worker(number=number, owner=owner, process=process, pipe=ours, started_at=time.monotonic())

    def _hand_out(self, *, until: float) -> None:
        """Send jobs that start by `until` to workers with free capacity."""
        held: list[tuple[float, int, int, int, BatchJob]] = []
        while self._waiting and self._waiting[0][0] <= until:
            entry = heappop(self._waiting)
            lanes, job = self._lanes(entry[-1])
            free = [worker for worker in lanes if self._has_room(worker, job)]
            if not free:
                held.append(entry)
                if not any(worker.has_room(kind) for worker in self._workers for kind in BatchKind):
                    break
                continue
            worker = min(free, key=lambda worker: len(worker.jobs))
            worker.jobs.append(entry[-1])
            worker.since.append(time.monotonic())
            try:
                worker.pipe.send_bytes(msgspec.msgpack.encode(job))
            except OSError:
                self._bury(worker)
        for entry in held:
            heappush(self._waiting, entry)

    def _has_room(self, worker: _Worker, job: BatchJob) -> bool:
        """Return whether the worker can take the job. A batch that failed runs alone: it may kill its worker."""
        if any(self._has_failed(one) for one in (job, *worker.jobs)):
            return not worker.jobs
        return worker.has_room(job.kind)

    def _has_failed(self, job: BatchJob) -> bool:
        return (job.id.wave, job.id.batch) in self._deliveries

    def _lanes(self, job: BatchJob) -> tuple[list[_Worker], BatchJob]:
        """Return the workers for the job's host, and the job with one worker's share of the pace.

        Hosts that share a batch have no other batch in the wave.
        """
        if job.parts:
            return self._workers, job
        if job.pace.interval >= ONE_WORKER_INTERVAL or job.pace.in_flight == 1:
            load = [len(worker.jobs) for worker in self._workers]
            home = self._home.setdefault((job.host, job.kind), load.index(min(load)))
            return [self._workers[home]], job
        lanes = self._workers[: job.pace.in_flight]
        share = replace(job.pace, in_flight=job.pace.in_flight // len(lanes), interval=job.pace.interval * len(lanes))
        return lanes, replace(job, pace=share)

    def _listen(self) -> None:
        """Handle messages of workers until the next job is due. Overdue jobs wait for a worker's message."""
        due = time.time() + LEAD
        next_start = min((entry[0] - due for entry in self._waiting if entry[0] > due), default=PATIENCE)
        pipes = {worker.pipe: worker for worker in self._workers}
        for pipe in wait(list(pipes), timeout=min(PATIENCE, next_start)):
            worker = pipes[pipe]  # type: ignore[index]  # only our own pipes are waited for
            try:
                message = _DECODER.decode(worker.pipe.recv_bytes())
            except (EOFError, OSError):
                self._bury(worker)
                continue
            self._take(worker, message)

    def _take(self, worker: _Worker, message: Message) -> None:
        if message.ready:
            worker.is_ready = True
            worker.since = [time.monotonic()] * len(worker.jobs)
        if message.tally is not None:
            self._on_tally(message.tally)
        if message.token:
            self.succeed(message.token, message.following)
        if message.finished is not None:
            position = [job.id for job in worker.jobs].index(message.finished.id)
            job = worker.jobs.pop(position)
            worker.since.pop(position)
            if message.failure:
                self._on_death(worker.owner)
                self._deliver_again(job, message.failure)

    def _replace_stuck(self) -> None:
        """Replace workers that are stopped, or whose batch never ends."""
        now = time.monotonic()
        for worker in [worker for worker in self._workers if worker.is_stuck(now, self._lease_of)]:
            worker.process.kill()
            self._bury(worker)

    def _bury(self, worker: _Worker) -> None:
        """Replace a dead worker, or one whose pipe fails: free its leases and deliver its jobs again."""
        worker.pipe.close()
        code = _end(worker.process)
        self._on_death(worker.owner)
        self._workers[worker.number] = self._start(worker.number)
        for job in worker.jobs:
            self._deliver_again(_after_interval(job, time.time()), f"worker {worker.owner} died with exit code {code}")

    def _deliver_again(self, job: BatchJob, why: str) -> None:
        key = (job.id.wave, job.id.batch)
        self._deliveries[key] = self._deliveries.get(key, 0) + 1
        if self._deliveries[key] > self._most_deliveries:
            raise PermanentError(
                f"batch {job.id.batch} of wave {job.id.wave} failed {self._most_deliveries} times. The last time: {why}"
            )
        self._queue(job)


def _after_interval(job: BatchJob, now: float) -> BatchJob:
    """Return the job of a worker that died, which may have started a request just before."""
    parts = tuple(replace(part, starts_at=max(part.starts_at, now + part.pace.interval)) for part in job.parts)
    return replace(job, starts_at=max(job.starts_at, now + job.pace.interval), parts=parts)


def _end(process: BaseProcess) -> int | None:
    """Wait until a process has ended; kill it if it does not. Return its exit code."""
    process.join(timeout=5)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode


def _limit_blocking(pipe: Connection, seconds: float) -> None:
    """Let reading and writing fail after `seconds`: a stopped process does neither, and the pool must not wait."""
    whole = int(seconds)
    limit = struct.pack("ll", whole, int((seconds - whole) * 1e6))  # a C timeval
    with socket.socket(fileno=os.dup(pipe.fileno())) as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)


def _forked(
    pipes: list[Connection],
    on_fork: Callable[[], None],
    work: tuple[Connection, Callable[..., Work], tuple[object, ...]],
) -> None:
    """Run a forked worker. Close the pool's ends of the pipes first, else the worker would not notice its end."""
    for pipe in pipes:
        pipe.close()
    on_fork()
    worker_main(*work)
