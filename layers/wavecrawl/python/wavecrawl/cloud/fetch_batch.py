"""The messages of the fetch queue: one batch each."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wavecrawl.adapters.aws.queue import job_from
from wavecrawl.application.fetch_batch import BatchWorkshop, fetch_batch
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.cloud.batch_metrics import PageMeasures, measure_queue
from wavecrawl.cloud.batch_workshops import CloudWorkshops
from wavecrawl.cloud.charging import charge_message
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchJob
from wavecrawl.domain.politeness.pace import interval_between_workers
from wavecrawl.errors import BatchStuckError, WavecrawlError
from wavecrawl.telemetry import Context, Event, about, count, logger

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

TOO_EARLY = 2.0
"""Seconds before its start from which a job goes back into the queue: nobody is paid to wait longer than that."""

TOO_LATE = 5.0
"""Seconds after the end of its own turn from which a job needs a new one: where one is late, others of its host are,
and all of them would start at once."""

RESERVE = 10.0
"""Seconds of an invocation that are kept for storing what was fetched."""


BACK_OFF = (15.0, 60.0, 240.0, 900.0)
"""Seconds until a message whose batch failed is delivered again, by how often it was delivered before: a disturbance of
a quarter of an hour costs no batch. The fifth delivery is the last (infra/constructs/queues.py)."""


class BatchMessages:
    """Works on batches, one at a time."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._workshops = CloudWorkshops(cloud, lambda: count("StaleLeases"))

    def process(self, event: Event, context: Context) -> Any:
        """Fetch the batch of each message; return which of them are to be delivered again."""
        from aws_lambda_powertools.utilities.batch import (  # noqa: PLC0415 - brings asyncio and every event there is
            BatchProcessor,
            EventType,
            process_partial_response,
        )

        processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)
        return process_partial_response(event=event, record_handler=self.work_on, processor=processor, context=context)

    def work_on(self, record: "SQSRecord", lambda_context: Context) -> None:
        """Fetch the batch of a message. What is raised has it delivered again, soon and then ever later."""
        try:
            self._work_on(record, lambda_context)
        except Exception as error:
            logger.exception("batch failed")
            count("BatchesFailed")
            if not isinstance(error, BatchStuckError):  # before its lease is over it would be taken for a duplicate
                self._deliver_again(record)
            raise

    def _deliver_again(self, message: "SQSRecord") -> None:
        received = int(message.attributes.approximate_receive_count)
        wait = BACK_OFF[min(received, len(BACK_OFF)) - 1]
        try:
            self._cloud.queue.deliver_again(message.receipt_handle, wait)
        except WavecrawlError as error:  # then it comes when it is visible again by itself
            logger.warning("message comes late", exc_info=error)

    def _work_on(self, message: "SQSRecord", context: Context) -> None:
        job = job_from(message.body)
        about(job.id.crawl, wave=job.id.wave, batch=job.id.batch)
        charge_message(self._cloud.meter, len(message.body))
        meter, is_stored = self._workshops.meter, False
        meter.begin(job.id.crawl)
        try:
            is_stored = self._take_up(job, message, context) or not meter.has_taken
        finally:
            self._charge(job, meter.end(is_stored=is_stored))

    def _charge(self, job: BatchJob, usage: Usage) -> None:
        """Charge what a batch used that was not completed: nothing else will."""
        try:
            self._cloud.waves.add_usage(job.id.crawl, job.id.wave, usage)
        except WavecrawlError as error:
            logger.warning("a failed batch is charged to nobody", exc_info=error)

    def _take_up(self, job: BatchJob, message: "SQSRecord", context: Context) -> bool:
        """Return whether the batch is done, with what it used written down."""
        now = self._cloud.clock.now()
        due, job = job.starts_at, self._in_turn(job, now)
        if job.starts_at - now > TOO_EARLY:
            self._cloud.queue.send([job])
            count("SentAgain")
            return False
        measure_queue(sent_at=_sent_at(message), starts_at=due, now=now)
        shop = self._workshops.of(job.id.crawl)
        if shop is None:
            logger.info("the crawl has ended: its batch is dropped")
            count("Dropped")
            return False
        deadline = now + context.get_remaining_time_in_millis() / 1000 - RESERVE
        return self._fetch(job, replace(shop, owner=context.aws_request_id), deadline=deadline)

    def _in_turn(self, job: BatchJob, now: float) -> BatchJob:
        """Return the job, with a new start where its turn is long over."""
        turn = len(job.items) * job.pace.interval
        if not turn or now - job.starts_at <= turn + TOO_LATE:
            return job
        hosts, id_ = self._cloud.hosts, job.id
        apart = interval_between_workers(job.pace, latency=hosts.read(job.host).latency)
        holder = f"{id_.crawl}/{id_.wave}/{id_.batch}"
        window = hosts.reserve(job.host, holder=holder, count=len(job.items), interval=apart, now=now)
        count("LateJobs")
        return replace(job, starts_at=window.opens_at)

    def _fetch(self, job: BatchJob, shop: BatchWorkshop, *, deadline: float) -> bool:
        measures = PageMeasures()
        began = self._cloud.clock.now()
        try:
            done = fetch_batch(job, replace(shop, watch=measures.add), deadline=deadline)
        finally:
            measures.tell(took=self._cloud.clock.now() - began)
        logger.info("batch done" if done else "batch was not ours to finish", pages=measures.pages)
        return done


def _sent_at(message: "SQSRecord") -> float:
    """Return when the message was sent, in Unix seconds; SQS counts milliseconds."""
    return int(message.attributes.sent_timestamp) / 1000
