"""The cloud in virtual time: many crawls, one fetch queue, few workers.

Real are the rules that decide what is sent, received and counted: the dispatch of a wave (`application.dispatch`), the
worker's handling of each message (`cloud.fetch_batch.BatchMessages`), the tasks of a wave (`cloud.run_wave`), the plan
of each wave (`domain.crawl.plan`), the queue of crawls (`application.admission`), the SQS adapter, the deployment's
limits (`infra.config`), and the stored rows of crawls, waves, batches and hosts, in SQLite.

Simulated are the clock, SQS, the state machine, the durations of requests and functions, and the pages: gather is left
out, as the records of 5 million pages would take hours. All sites of a profile are the same tree of pages, so their
waves are planned once. No worker is killed and no message is lost.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

from bench.virtual_time import Message, SimulatedQueue, VirtualTime
from infra.config import MAX_RECEIVES, Config
from infra.definition import SOURCE
from msgspec.structs import replace

from wavecrawl.adapters.aws.queue import SqsJobQueue
from wavecrawl.application.admission import AdmittingLauncher
from wavecrawl.application.crawl_state import Snapshot
from wavecrawl.application.dispatch import Dispatcher
from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.run_wave import WaveResult
from wavecrawl.application.site_rules import sender_of
from wavecrawl.application.start_crawl import start_crawl
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cloud.fetch_batch import BatchMessages, CloudWorkerPorts
from wavecrawl.cloud.run_wave import WaveTask, count_done_batches, run_wave
from wavecrawl.domain.crawl.batching import PlannedBatch, Speed
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.counters import Counters
from wavecrawl.domain.crawl.job import BatchJob, CrawlId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.batches import BatchSums, Lease
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.signals import ANOTHER_WAVE, Following, NextStep
from wavecrawl.telemetry import Context, metrics

OPENING, PLANNING, FINISHING = 3.0, 1.0, 10.0
"""Seconds of open_crawl, of run_wave until the batches are sent, and of finish_crawl."""

HANDLING = 0.1
"""Seconds that a worker needs for a message besides its requests."""

_SETTINGS: Final = CrawlSettings(discovery=Discovery.LINKS_ONLY)
_RESUMES: Final = (
    "{% $states.result.Payload.done > $done ? 0 : ($states.result.Payload.waits ? $resumes : $resumes + 1) %}"
)
_GIVES_UP: Final = "{% $resumes > ${MaxResumes} %}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteProfile:
    """Sites that are alike: their pace, their response time, and the waves that a crawl of them has."""

    pace: Pace  # with an interval that is long enough for the latency
    latency: float  # seconds per request
    waves: tuple[tuple[PlannedBatch, ...], ...]

    def seconds(self, job: BatchJob) -> float:
        """Return how long a worker fetches the pages of a batch."""
        return HANDLING + self.latency + (len(job.items) - 1) * job.pace.interval


@dataclass(slots=True, kw_only=True)
class Crawl:
    """A crawl, and when it reached its steps. Times are Unix seconds; 0 = not yet."""

    id: CrawlId
    profile: SiteProfile
    due_at: float
    admitted_at: float = 0.0
    fetched_at: float = 0.0  # start of the first batch
    ended_at: float = 0.0
    error: str = ""
    wave: int = 0
    token: str = ""  # of the task that runs
    done: int = 0  # batches at the last time-out of the wave
    resumes: int = 0
    time_outs: int = 0
    batches: int = 0


class SimulatedCloud:
    """Stands for `bootstrap.cloud.Cloud`, and is the launcher's executions and the wave's signals."""

    def __init__(
        self, folder: Path, config: Config, *, workers: int, fair: bool = True, start: float = 1_800_000_000.0
    ) -> None:
        check_rules()
        self.clock = VirtualTime(start)
        self.config = config
        self.settings = CloudSettings()
        self.sqs = SimulatedQueue(self.clock, visibility=6 * config.fetch_timeout, max_receives=MAX_RECEIVES, fair=fair)
        self.sqs.on_visible = self._work
        self.queue = self.queues = SqsJobQueue(cast("Any", self.sqs), "queue", self.clock)
        self.meter = _FreeMeter()
        self.signals = self
        self.all: dict[CrawlId, Crawl] = {}
        self.worked = 0.0  # seconds, of all workers
        self.errors: list[Exception] = []
        self._store = LocalStore(folder)
        self._idle = [_Worker(self) for _ in range(workers)]
        self._tasks: dict[str, Crawl] = {}  # by token
        self._launcher = AdmittingLauncher(
            crawls=self._store.crawls,
            tenants=self._store.tenants,
            executions=self,
            operator=OperatorSettings(),
            clock=self.clock,
        )

    def __getattr__(self, name: str) -> object:
        """Return a port of the store: crawls, waves, batches, hosts."""
        return getattr(self._store, name)

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def add(self, crawl: Crawl) -> None:
        """Request a crawl when it is due."""
        self.all[crawl.id] = crawl
        self.clock.call_at(crawl.due_at, partial(self._request, crawl))

    def run(self) -> None:
        """Run all crawls to their end."""
        self.clock.run()

    def crawl(self, id_: CrawlId) -> CrawlRow:
        """Return a crawl's row."""
        row = self._store.crawls.read(id_)
        if row is None:
            raise NotFoundError(f"crawl {id_} does not exist")
        return row

    def make_results(self, crawl: CrawlId, *, now: float) -> None:
        """Do nothing: simulated crawls have no results."""

    def make_files(self, crawl: CrawlId, files: Collection[ResultFile], *, now: float) -> None:
        """Do nothing: the same."""

    def launch(self, crawl: CrawlId, *, resumes: int) -> None:  # noqa: ARG002 - simulated crawls are not resumed
        """`application.admission.Executions`: start the crawl's execution."""
        execution = self.all[crawl]
        execution.admitted_at = self.clock.now()
        self._store.crawls.settle_root(crawl, f"https://{crawl.site}/")
        self.clock.call_in(OPENING, partial(self._enter, execution, 1))

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """`ports.signals.Signals`: complete the task that waits for a wave."""
        crawl = self._tasks.pop(token, None)
        if crawl is None:
            return
        crawl.done = crawl.resumes = 0
        if following.next is NextStep.WAVE:
            self._enter(crawl, crawl.wave + 1)
        elif following.next is NextStep.PAUSE:
            self.clock.call_at(following.until, partial(self._enter, crawl, crawl.wave))
        else:
            self.clock.call_in(FINISHING, partial(self._end, crawl))

    def fetch(self, worker: "_Worker", job: BatchJob, lease: Lease, ports: WorkerPorts) -> None:
        """Let a worker fetch a batch that it has leased."""
        crawl, starts_at = self.all[job.id.crawl], max(self.clock.now(), job.starts_at)
        crawl.fetched_at = crawl.fetched_at or starts_at
        worker.busy_until = starts_at + crawl.profile.seconds(job)

        def complete() -> None:
            ports.batches.complete(lease, BatchSums(records=len(job.items), fetched=len(job.items)))
            wave = ports.waves.read(job.id.crawl, job.id.wave)
            if wave is not None and wave.done >= wave.planned and wave.token:
                self.succeed(wave.token)

        self.clock.call_at(worker.busy_until, complete)

    def _request(self, crawl: Crawl) -> None:
        url = f"https://{crawl.id.site}/"
        crawls, queued = self._store.crawls, CrawlStatus.QUEUED
        objects = self._store.objects
        start_crawl(crawl.id, url, _SETTINGS, crawls=crawls, objects=objects, clock=self.clock, status=queued)
        self._launcher.launch(crawl.id)

    def _enter(self, crawl: Crawl, wave: int) -> None:
        """Enter the task that runs a wave and waits for its batches."""
        self._tasks.pop(crawl.token, None)
        now = self.clock.now()
        crawl.wave, crawl.token = wave, f"{crawl.id}#{wave}#{now}#{crawl.time_outs}"
        self._tasks[crawl.token] = crawl
        entered = datetime.fromtimestamp(now, tz=UTC).isoformat()
        task = WaveTask(crawl=crawl.id, phase=Phase.BFS, wave=wave, token=crawl.token, entered=entered)
        self.clock.call_in(PLANNING, partial(self._run_wave, task))
        self.clock.call_in(self.config.wave_timeout, partial(self._time_out, crawl, task))

    def _run_wave(self, task: WaveTask) -> None:
        run_wave(cast("Any", self), cast("Any", self), task, memory=0)
        metrics.clear_metrics()

    def has_room(self, _row: CrawlRow, _wave: int, *, memory: int, measured: bool) -> bool:  # noqa: ARG002 - its calls
        """`cloud.planners.CloudPlanners`: return that each wave can be planned."""
        return True

    def of(self, row: CrawlRow) -> "_Planner":
        """`cloud.planners.CloudPlanners`: return the planner of a crawl."""
        return _Planner(self, self.all[row.id])

    def _time_out(self, crawl: Crawl, task: WaveTask) -> None:
        if self._tasks.get(task.token) is not crawl:
            return
        crawl.time_outs += 1
        counted = cast("Any", count_done_batches(cast("Any", self), task))
        if counted["done"] > crawl.done:
            crawl.resumes = 0
        elif not counted["waits"]:
            crawl.resumes += 1
        crawl.done = counted["done"]
        if crawl.resumes > self.config.max_resumes:
            self._tasks.pop(task.token)
            self._end(crawl, error="TooManyResumes")
        else:
            self._enter(crawl, task.wave)

    def _end(self, crawl: Crawl, error: str = "") -> None:
        crawl.ended_at, crawl.error = self.clock.now(), error
        status = CrawlStatus.FAILED if error else CrawlStatus.COMPLETED
        self._store.crawls.finish(crawl.id, status=status, now=crawl.ended_at, error=error)
        self._launcher.launch(crawl.id)

    def _work(self) -> None:
        """Give visible messages to idle workers."""
        while self._idle and (message := self.sqs.receive()) is not None:
            worker, now = self._idle.pop(), self.clock.now()
            worker.busy_until = now + HANDLING
            is_done = worker.handle(message)
            self.worked += worker.busy_until - now
            self.clock.call_at(worker.busy_until, partial(self._rest, worker, message if is_done else None))

    def _rest(self, worker: "_Worker", done: Message | None) -> None:
        if done is not None:
            self.sqs.delete(done)
        self._idle.append(worker)
        self._work()


class _FreeMeter:
    """`ports.meter.Meter`: nothing is charged."""

    def take(self) -> Usage:
        return Usage()

    def add(self, usage: Usage) -> None:
        del usage


@dataclass(slots=True)
class _Planner:
    """The planner of a crawl whose waves are known: it stores and dispatches them as the real one does."""

    cloud: SimulatedCloud
    crawl: Crawl

    def run_wave(
        self,
        phase: Phase,
        wave: int,
        token: str,
        *,
        order: float = 0.0,
        cancelled: bool = False,
        spent: bool = False,  # noqa: ARG002 - part of the planner, as the next
        full: bool = False,  # noqa: ARG002
    ) -> WaveResult:
        waves, host = self.crawl.profile.waves, self.crawl.id.site
        batches = tuple(replace(batch, host=host) for batch in (waves[wave - 1] if wave <= len(waves) else ()))
        snapshot = Snapshot(
            wave=wave,
            phase=phase,
            planned_at=0.0,
            clock=0.0,
            counters=Counters(),
            stopped=Reason.NONE,
            batches=batches,
            rows=[],
        )
        pause_until = 0.0
        if batches:
            pace = self.crawl.profile.pace
            speed = Speed(pace=pace, turn=pace.interval, spacing=pace.interval)
            dispatcher = self._dispatcher()
            dispatched = dispatcher.dispatch(self.crawl.id, snapshot, token, lambda _url: speed, order=order)
            pause_until = dispatched.pause_until
        urls = sum(len(batch.items) for batch in batches)
        return WaveResult(
            wave=wave,
            batches=len(batches),
            urls=urls,
            stopped=Reason.NONE,
            pause_until=pause_until,
            cancelled=cancelled,
        )

    def _dispatcher(self) -> Dispatcher:
        cloud = cast("Any", self.cloud)
        return Dispatcher(
            batches=cloud.batches,
            waves=cloud.waves,
            hosts=cloud.hosts,
            queue=cloud.queue,
            signals=cloud.signals,
            clock=cloud.clock,
        )


class _Worker(BatchMessages):
    """A process of fetch_batch. It handles a message at once and is busy until the batch is complete."""

    def __init__(self, cloud: SimulatedCloud) -> None:
        super().__init__(cast("Any", cloud))
        self.busy_until = 0.0
        self._simulation = cloud
        self._ports = _WorkerPorts(cast("Any", cloud), self._meter, self._parser)
        self._context = cast(
            "Context",
            SimpleNamespace(
                aws_request_id="worker", memory_limit_in_mb=512, get_remaining_time_in_millis=lambda: 180_000
            ),
        )

    def handle(self, message: Message) -> bool:
        """Return whether SQS may delete the message."""
        attributes = {
            "ApproximateReceiveCount": str(message.receives),
            "SentTimestamp": str(int(message.sent_at * 1000)),
        }
        record = {"messageId": message.id, "receiptHandle": message.id, "body": message.body, "attributes": attributes}
        failed = self.process({"Records": [record]}, self._context)["batchItemFailures"]
        metrics.clear_metrics()
        if self._simulation.errors:
            raise self._simulation.errors[0]
        return not failed

    def _work_on(self, message: Any, context: Context) -> Any:
        """Handle the message. An error ends the simulation: nothing here can fail for a while."""
        try:
            return super()._work_on(message, context)
        except Exception as error:
            self._simulation.errors.append(error)
            raise

    def run(self, job: BatchJob, ports: WorkerPorts, *, deadline: float) -> bool:
        del deadline
        now = self._simulation.clock.now()
        lease = ports.batches.lease(job.id, owner=ports.owner, now=now, seconds=ports.settings.waves.lease)
        if lease is None:
            return False
        self._simulation.fetch(self, job, lease, ports)
        return True


class _WorkerPorts(CloudWorkerPorts):
    """The ports of a worker that fetches nothing."""

    def _build(self, crawl: CrawlRow) -> Any:
        used = {"settings": crawl.settings, "meter": self._cloud.meter, "owner": "worker"}
        used |= {"stop": _GoesOn(), "sender": sender_of(crawl)}
        used |= {name: getattr(self._cloud, name) for name in ("batches", "waves", "signals", "clock")}
        unused: dict[str, Any] = dict.fromkeys(WorkerPorts.__struct_fields__)
        return WorkerPorts(**unused | used), _NoClient()


class _GoesOn:
    """The stop signal of a crawl that nobody ends, at hosts that ask for no pause."""

    def is_set(self) -> bool:
        return False

    def paused_until(self, host: str) -> float:
        del host
        return 0.0


class _NoClient:
    def close(self) -> None: ...


def check_rules() -> None:
    """Raise ValueError if the state machine counts time-outs by other rules than this simulation."""
    states = json.loads(SOURCE.read_text(encoding="utf-8"))["States"]
    resumes = states["CountDoneBatches"]["Assign"]["resumes"]
    gives_up = states["ResumeWave?"]["Choices"][0]["Condition"]
    if (resumes, gives_up) != (_RESUMES, _GIVES_UP):
        raise ValueError(f"the state machine's rules have changed: {resumes}; {gives_up}")
