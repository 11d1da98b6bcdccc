"""The function fetch_batch: each message of the fetch queue is a batch of pages, or of URLs to check.

`render_batch` and `process_media` do the same with their queues.
"""

from enum import Enum, auto
from functools import partial

import msgspec
from msgspec import structs
from msgspec.structs import replace

from wavecrawl.adapters.aws.queue import SqsJobQueue, job_from
from wavecrawl.adapters.memory_arena import share_one_arena
from wavecrawl.adapters.pages.parser import BudgetedParser
from wavecrawl.application import fetch_batch as use_case
from wavecrawl.application.check_batch import check_batch
from wavecrawl.application.resource_batch import resource_batch
from wavecrawl.application.run_batch import lease_of
from wavecrawl.application.worker_ports import WorkerPorts, worker_ports
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.http_clients import crawl_client
from wavecrawl.cloud.charging import charge_message
from wavecrawl.cloud.crawl_meter import CrawlMeter
from wavecrawl.cloud.metrics import PageMeasures, measure_queue
from wavecrawl.cloud.recent import Recent
from wavecrawl.cloud.sqs_messages import Message, process_messages
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, CrawlId, HostPart
from wavecrawl.domain.crawl.metrics import STALE_LEASES
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.url_log import MESSAGE, is_logged, url_fields
from wavecrawl.domain.politeness.circuit_breaker import paused_until
from wavecrawl.domain.politeness.pace import interval_between_workers, sender_turn, slowed_to, turn
from wavecrawl.domain.politeness.windows import Turns, Window
from wavecrawl.errors import BatchStuckError, WavecrawlError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_client import PageClient
from wavecrawl.ports.page_parser import PageParser
from wavecrawl.ports.signals import ANOTHER_WAVE, Following
from wavecrawl.telemetry import Context, Event, about, count, logger

TOO_EARLY = 2.0
"""Seconds. A job that starts later than this from now waits in the queue: waiting in the function costs more."""

TOO_LATE = 5.0
"""Seconds after the end of its turn at the host from which a job reserves a new turn. If one job is late, others of its
host are late too, and without new turns all of them would start at once."""

RESERVE = 10.0
"""Seconds of an invocation that are reserved for storing what was fetched."""

BACK_OFF = (15.0, 60.0, 240.0, 900.0)
"""Seconds until the message of a failed batch is delivered again, by number of deliveries so far. No batch is given up
because of a disturbance of a quarter of an hour."""

MOST_DELIVERIES = 20
"""Deliveries after which a message that must wait is sent again as a new one. A message that is received too often
becomes a dead letter (infra/constructs/queues.py), and waiting is no failure."""

_MIB = 2**20

OWN_MEMORY = 192 * _MIB
"""Bytes of the function's memory that its own process needs. The process that reads large pages has the rest."""

_LEASE_MARGIN = 1.0
"""Seconds from the end of a lease until the message of its batch is delivered again: visibility timeouts are whole
seconds, and a lease is taken shortly after its message was hidden."""

_CRAWLS_KEPT = 8
"""Crawls whose connections and rules a warm process keeps."""


class _Outcome(Enum):
    """What becomes of a message."""

    COMPLETED = auto()  # its batch is done, by this worker
    DROPPED = auto()  # there is nothing left to do
    WAITS = auto()  # it is delivered again later


class BatchMessages:
    """Runs the batches of messages, one at a time: fetches their pages."""

    def __init__(self, cloud: Cloud) -> None:
        share_one_arena()
        self._cloud = cloud
        self._meter = CrawlMeter(cloud.meter)
        self._parser = BudgetedParser()
        self._ports = CloudWorkerPorts(cloud, self._meter, self._parser)

    @property
    def queue(self) -> SqsJobQueue:
        """The queue of the messages."""
        return self._cloud.queue

    def run(self, job: BatchJob, ports: WorkerPorts, *, deadline: float) -> bool:
        """Run a batch until a deadline in Unix seconds. Return False if another worker has or had it."""
        runs = {BatchKind.CHECK: check_batch, BatchKind.RESOURCE: resource_batch}
        return runs.get(job.kind, use_case.fetch_batch)(job, ports, deadline=deadline)

    def process(self, event: Event, context: Context) -> dict[str, list[dict[str, str]]]:
        """Run the batch of each message; return the messages to deliver again."""
        self._parser.limit_memory(context.memory_limit_in_mb * _MIB - OWN_MEMORY)
        return process_messages(event, lambda message: self._is_done(message, context))

    def _is_done(self, message: Message, context: Context) -> bool:
        """Run the batch of a message; return False if the message is to be delivered again.

        A message is done if its batch is done or its crawl has ended. So each open batch has a message, in the queue or
        among the dead letters.
        """
        try:
            return self._work_on(message, context)
        except Exception as error:  # noqa: BLE001 - the other messages go on
            logger.exception("batch failed")
            count("BatchesFailed")
            if not isinstance(error, BatchStuckError):  # it comes when its lease ends
                received = _received(message)
                self._hide(message, BACK_OFF[min(received, len(BACK_OFF)) - 1])
            return False

    def _hide(self, message: Message, seconds: float) -> None:
        try:
            self.queue.deliver_again(message["receiptHandle"], seconds)
        except WavecrawlError as error:  # the message returns after the queue's visibility timeout
            logger.warning("message will be delivered late", exc_info=error)

    def _work_on(self, message: Message, context: Context) -> bool:
        job = job_from(message["body"])
        about(job.id.crawl, wave=job.id.wave, batch=job.id.batch)
        charge_message(self._cloud.meter, len(message["body"]))
        meter, is_stored = self._meter, False
        meter.begin(job.id.crawl)
        try:
            outcome = self._take_up(job, message, context)
            is_stored = outcome is _Outcome.COMPLETED or not meter.has_taken
        finally:
            self._charge(job, meter.end(is_stored=is_stored))
        return outcome is not _Outcome.WAITS

    def _charge(self, job: BatchJob, usage: Usage) -> None:
        """Charge what a batch used that was not completed."""
        try:
            self._cloud.waves.add_usage(job.id.crawl, job.id.wave, usage, create=False)
        except WavecrawlError as error:
            logger.warning("the usage of a failed batch was not charged", exc_info=error)

    def _take_up(self, job: BatchJob, message: Message, context: Context) -> "_Outcome":
        """Run the batch, unless its crawl has ended, the batch is done or leased, or its turn is later."""
        ports = self._ports.of(job.id.crawl)
        if ports is None:
            logger.info("batch dropped: its crawl has ended or was deleted")
            count("Dropped")
            return _Outcome.DROPPED
        now = self._cloud.clock.now()
        due, job = job.starts_at, self._in_turn(job, ports, now)
        if job.starts_at - now > TOO_EARLY:
            return self._wait(job, message, until=job.starts_at)
        # The queue latency is the wait for a worker, not the wait for a turn at the host.
        due = job.starts_at if job.starts_at < now else due
        measure_queue(sent_at=_sent_at(message), starts_at=due, now=now)
        # If this worker is killed, the message returns when the lease of its batch ends.
        self._hide(message, lease_of(job.kind, ports.settings) + _LEASE_MARGIN)
        deadline = now + context.get_remaining_time_in_millis() / 1000 - RESERVE
        if self._run_measured(job, structs.replace(ports, owner=context.aws_request_id), deadline=deadline):
            return _Outcome.COMPLETED
        row = self._cloud.batches.read(job.id)
        if row is None or row.done:
            return _Outcome.DROPPED
        return self._wait(job, message, until=row.leased_until + _LEASE_MARGIN)

    def _wait(self, job: BatchJob, message: Message, *, until: float) -> "_Outcome":
        """Let the message wait in the queue: hidden, or as a new message if this one was delivered often."""
        count("Waits")
        if _received(message) >= MOST_DELIVERIES:
            self.queue.send([job])
            return _Outcome.DROPPED
        self._hide(message, until - self._cloud.clock.now())
        return _Outcome.WAITS

    def _in_turn(self, job: BatchJob, ports: WorkerPorts, now: float) -> BatchJob:
        """Return the job with a new start if its turn is long over, unless its batch is done or leased.

        The new start is stored, so a message reserves one turn, however often it is delivered before. A crawl that must
        stop requests nothing, so it needs no turns.
        """
        if not any(_is_late(part, now) for part in job.hosts):
            return job
        if ports.stop.is_set():
            return job
        if job.parts:
            return self._parts_in_turn(job, ports, now)
        batches, id_ = self._cloud.batches, job.id
        row = batches.read(id_)
        if row is not None:
            if row.done or row.leased_until > now:
                return job
            job = replace(job, starts_at=max(job.starts_at, row.starts_at))
            if not _is_late(job.hosts[0], now):
                return job
        window = self._new_turn(id_, job.hosts[0], ports, now)
        count("LateJobs")
        if window.opens_at - now > TOO_EARLY:
            batches.postpone(id_, starts_at=window.opens_at)
        return replace(job, starts_at=window.opens_at)

    def _parts_in_turn(self, job: BatchJob, ports: WorkerPorts, now: float) -> BatchJob:
        """Return the job of several hosts with a new start for each of them whose turn is long over.

        The worker postpones the URLs of hosts whose new turn is not now. The others do not wait for them.
        """
        row = self._cloud.batches.read(job.id)
        if row is not None and (row.done or row.leased_until > now):
            return job
        count("LateJobs")
        parts = [
            replace(part, starts_at=self._new_turn(job.id, part, ports, now).opens_at) if _is_late(part, now) else part
            for part in job.parts
        ]
        return replace(job, parts=tuple(parts))

    def _new_turn(self, batch: BatchId, part: HostPart, ports: WorkerPorts, now: float) -> Window:
        """Reserve new turns at a host for its URLs in a batch, after a pause that began since the plan."""
        hosts, sender = self._cloud.hosts, ports.sender.at(part.host)
        host = hosts.read(part.host, sender=sender)
        pace = slowed_to(part.pace, host.interval)
        turns = Turns(
            holder=str(batch.crawl),
            part=f"{batch.wave}/{batch.batch}",
            count=part.count,
            interval=turn(pace, host),
            spacing=interval_between_workers(pace, latency=host.latency),
            not_before=paused_until(host, ports.settings.polite),
            sender=sender,
            sender_interval=sender_turn(pace, host),
            apart=pace.crawl_delay > 0,
        )
        return hosts.reserve(part.host, turns, now=now)

    def _run_measured(self, job: BatchJob, ports: WorkerPorts, *, deadline: float) -> bool:
        measures = PageMeasures()
        began = self._cloud.clock.now()
        try:
            measure = partial(_measure, job=job, share=ports.settings.log_urls, measures=measures)
            measured = structs.replace(ports, measure=measure)
            done = self.run(job, measured, deadline=deadline)
        finally:
            measures.report(took=self._cloud.clock.now() - began)
        logger.info("batch done" if done else "batch left to another worker", pages=measures.pages)
        return done


def _measure(record: PageRecord, processing: float, *, job: BatchJob, share: float, measures: PageMeasures) -> None:
    """Measure a record, and write its line if its URL is among the logged ones."""
    measures.add(record, job.kind, processing=processing)
    if is_logged(record.key, share):
        logger.info(MESSAGE, extra=url_fields(record, job.id, processing=processing))


class CloudWorkerPorts:
    """The worker's ports for each crawl that this process fetched pages of recently."""

    def __init__(self, cloud: Cloud, meter: CrawlMeter, parser: PageParser) -> None:
        self._cloud = cloud
        self._meter = meter
        self._parser = parser
        self._kept: Recent[CrawlId, tuple[WorkerPorts, PageClient]] = Recent(
            _CRAWLS_KEPT, on_end=lambda kept: kept[1].close()
        )

    def of(self, crawl: CrawlId) -> WorkerPorts | None:
        """Return the ports for a crawl; None if it has ended or was deleted: a message may arrive long afterwards.

        The caller replaces its `owner` and `watch`.
        """
        row = self._cloud.crawls.read(crawl)
        if row is None or row.status.has_ended:
            self._kept.forget(crawl)
            return None
        return self._kept.get(crawl, lambda _: self._build(row))[0]

    def _build(self, crawl: CrawlRow) -> tuple[WorkerPorts, PageClient]:
        client = crawl_client(crawl, self._cloud)
        ports = worker_ports(
            crawl,
            self._cloud,
            client,
            signals=_LateSignals(self._cloud),
            owner="",
            watch=lambda _: None,
            meter=self._meter,
            on_takeover=lambda: count(STALE_LEASES.emf),
            parser=self._parser,
        )
        return ports, client


class _LateSignals(msgspec.Struct, frozen=True):
    """`ports.signals.Signals`. Its client is created for the first signal, as most workers never send one."""

    cloud: Cloud

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        self.cloud.signals.succeed(token, following)


def _is_late(part: HostPart, now: float) -> bool:
    """Return whether the turn at a host is long over. A host without an interval has no turns."""
    turn = part.count * part.pace.interval
    return turn > 0 and now - part.starts_at > turn + TOO_LATE


def _received(message: Message) -> int:
    """Return how often the message was delivered, this time included."""
    return int(message["attributes"]["ApproximateReceiveCount"])


def _sent_at(message: Message) -> float:
    """Return when the message was sent, in Unix seconds; SQS counts milliseconds."""
    return int(message["attributes"]["SentTimestamp"]) / 1000
