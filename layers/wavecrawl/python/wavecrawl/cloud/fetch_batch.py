"""The function fetch_batch: each message of the fetch queue is a batch."""

from dataclasses import dataclass, replace

from wavecrawl.adapters.aws.queue import job_from
from wavecrawl.application import fetch_batch as use_case
from wavecrawl.application.worker_ports import WorkerPorts, worker_ports
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.http_clients import page_client
from wavecrawl.cloud.charging import charge_message
from wavecrawl.cloud.crawl_meter import CrawlMeter
from wavecrawl.cloud.metrics import PageMeasures, measure_queue
from wavecrawl.cloud.recent import Recent
from wavecrawl.cloud.sqs_messages import Message, process_messages
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchJob, CrawlId
from wavecrawl.domain.politeness.pace import interval_between_workers, turn
from wavecrawl.domain.politeness.windows import Turns
from wavecrawl.errors import BatchStuckError, WavecrawlError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_client import PageClient
from wavecrawl.ports.signals import ANOTHER_WAVE, Following
from wavecrawl.telemetry import Context, Event, about, count, logger

TOO_EARLY = 2.0
"""Seconds. A job that starts later than this from now returns to the queue: waiting in the function costs more."""

TOO_LATE = 5.0
"""Seconds after the end of its turn at the host from which a job reserves a new turn. If one job is late, others of its
host are late too, and without new turns all of them would start at once."""

RESERVE = 10.0
"""Seconds of an invocation that are reserved for storing what was fetched."""

BACK_OFF = (15.0, 60.0, 240.0, 900.0)
"""Seconds until the message of a failed batch is delivered again, by number of deliveries so far. No batch is lost to a
disturbance of a quarter of an hour. The fifth delivery is the last (infra/constructs/queues.py)."""

_CRAWLS_KEPT = 8
"""Crawls whose connections and rules a warm process keeps."""

_STATUS_KEPT = 60.0
"""Seconds until the status of a running crawl is read again."""


class BatchMessages:
    """Fetches the batches of messages, one at a time."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._meter = CrawlMeter(cloud.meter)
        self._ports = CloudWorkerPorts(cloud, self._meter)

    def process(self, event: Event, context: Context) -> dict[str, list[dict[str, str]]]:
        """Fetch the batch of each message; return the messages to deliver again."""
        return process_messages(event, lambda message: self._is_done(message, context))

    def _is_done(self, message: Message, context: Context) -> bool:
        """Fetch the batch of a message. If that fails, the message is delivered again, after an increasing delay."""
        try:
            self._work_on(message, context)
        except Exception as error:  # noqa: BLE001 - the other messages go on
            logger.exception("batch failed")
            count("BatchesFailed")
            if not isinstance(error, BatchStuckError):  # until its lease expires it would look like a duplicate
                self._deliver_again(message)
            return False
        return True

    def _deliver_again(self, message: Message) -> None:
        received = int(message["attributes"]["ApproximateReceiveCount"])
        wait = BACK_OFF[min(received, len(BACK_OFF)) - 1]
        try:
            self._cloud.queue.deliver_again(message["receiptHandle"], wait)
        except WavecrawlError as error:  # the message returns after the queue's visibility timeout
            logger.warning("message will be delivered late", exc_info=error)

    def _work_on(self, message: Message, context: Context) -> None:
        job = job_from(message["body"])
        about(job.id.crawl, wave=job.id.wave, batch=job.id.batch)
        charge_message(self._cloud.meter, len(message["body"]))
        meter, is_stored = self._meter, False
        meter.begin(job.id.crawl)
        try:
            is_stored = self._take_up(job, message, context) or not meter.has_taken
        finally:
            self._charge(job, meter.end(is_stored=is_stored))

    def _charge(self, job: BatchJob, usage: Usage) -> None:
        """Charge what a batch used that was not completed."""
        try:
            self._cloud.waves.add_usage(job.id.crawl, job.id.wave, usage)
        except WavecrawlError as error:
            logger.warning("the usage of a failed batch was not charged", exc_info=error)

    def _take_up(self, job: BatchJob, message: Message, context: Context) -> bool:
        """Return whether the batch is done, and its usage stored."""
        now = self._cloud.clock.now()
        due, job = job.starts_at, self._in_turn(job, now)
        if job.starts_at - now > TOO_EARLY:
            self._cloud.queue.send([job])
            count("SentAgain")
            return False
        measure_queue(sent_at=_sent_at(message), starts_at=due, now=now)
        ports = self._ports.of(job.id.crawl)
        if ports is None:
            logger.info("batch dropped: its crawl has ended")
            count("Dropped")
            return False
        deadline = now + context.get_remaining_time_in_millis() / 1000 - RESERVE
        return self._fetch(job, replace(ports, owner=context.aws_request_id), deadline=deadline)

    def _in_turn(self, job: BatchJob, now: float) -> BatchJob:
        """Return the job, with a new start if its turn is long over."""
        length = len(job.items) * job.pace.interval
        if not length or now - job.starts_at <= length + TOO_LATE:
            return job
        hosts, id_ = self._cloud.hosts, job.id
        host = hosts.read(job.host)
        turns = Turns(
            holder=str(id_.crawl),
            part=f"{id_.wave}/{id_.batch}",
            count=len(job.items),
            interval=turn(job.pace, host),
            spacing=interval_between_workers(job.pace, latency=host.latency),
        )
        window = hosts.reserve(job.host, turns, now=now)
        count("LateJobs")
        return replace(job, starts_at=window.opens_at)

    def _fetch(self, job: BatchJob, ports: WorkerPorts, *, deadline: float) -> bool:
        measures = PageMeasures()
        began = self._cloud.clock.now()
        try:
            done = use_case.fetch_batch(job, replace(ports, watch=measures.add), deadline=deadline)
        finally:
            measures.report(took=self._cloud.clock.now() - began)
        logger.info("batch done" if done else "batch left to another worker", pages=measures.pages)
        return done


class CloudWorkerPorts:
    """The worker's ports for each crawl that this process fetched pages of recently."""

    def __init__(self, cloud: Cloud, meter: CrawlMeter) -> None:
        self._cloud = cloud
        self._meter = meter
        self._kept: Recent[CrawlId, tuple[WorkerPorts, PageClient]] = Recent(
            _CRAWLS_KEPT, on_end=lambda kept: kept[1].close()
        )
        self._seen_running: dict[CrawlId, float] = {}  # Unix seconds

    def of(self, crawl: CrawlId) -> WorkerPorts | None:
        """Return the ports for a crawl, None if it has ended: a message may arrive long after its crawl's end.

        The caller replaces its `owner` and `watch`.
        """
        now = self._cloud.clock.now()
        if now - self._seen_running.get(crawl, 0.0) > _STATUS_KEPT:
            row = self._cloud.crawl(crawl)
            if row.status.has_ended:
                self._kept.forget(crawl)
                return None
            self._seen_running = {crawl: now}
            return self._kept.get(crawl, lambda _: self._build(row))[0]
        return self._kept.get(crawl, lambda id_: self._build(self._cloud.crawl(id_)))[0]

    def _build(self, crawl: CrawlRow) -> tuple[WorkerPorts, PageClient]:
        client = page_client(crawl.settings)
        ports = worker_ports(
            crawl,
            self._cloud,
            client,
            signals=_LateSignals(self._cloud),
            owner="",
            watch=lambda _: None,
            meter=self._meter,
            on_takeover=lambda: count("StaleLeases"),
        )
        return ports, client


@dataclass(frozen=True, slots=True)
class _LateSignals:
    """`ports.signals.Signals`. Its client is created for the first signal, as most workers never send one."""

    cloud: Cloud

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        self.cloud.signals.succeed(token, following)


def _sent_at(message: Message) -> float:
    """Return when the message was sent, in Unix seconds; SQS counts milliseconds."""
    return int(message["attributes"]["SentTimestamp"]) / 1000
