"""The queue between planner and workers, and the queues for what could not be delivered."""

from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.config import DELIVER_TIMEOUT, Config
from infra.constructs.acknowledgements import acknowledge

MAX_RECEIVES: Final = 5
"""Deliveries of one batch before it goes to the dead letters (`CrawlSettings.waves.max_attempts` is as many)."""


MAX_TURNS: Final = 30
"""Receives of a delivery's message: its eight tries, and those that were too early or met an error of ours."""


class Queues(Construct):
    """Every queue is encrypted by SQS, refuses what does not come over TLS, and is a dead letter queue or has one."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config) -> None:
        super().__init__(scope, construct_id)
        self.fetch_dead = self._queue("FetchDeadLetters", retention=Duration.days(14))
        # A message may be delayed by 900 s, and a worker may be late: four days are plenty, and less than the dead
        # letters' retention, which counts from the first sending.
        self.fetch = self._queue(
            "Fetch",
            retention=Duration.days(4),
            visibility_timeout=Duration.seconds(config.queue_visibility),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.fetch_dead, max_receive_count=MAX_RECEIVES),
        )
        self.deliveries_dead = self._queue("DeliveriesDeadLetters", retention=Duration.days(14))
        # A message lives as long as its delivery is tried: a day, and what its receiver asked for.
        self.deliveries = self._queue(
            "Deliveries",
            retention=Duration.days(4),
            visibility_timeout=Duration.seconds(6 * DELIVER_TIMEOUT),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.deliveries_dead, max_receive_count=MAX_TURNS),
        )
        # Events that fail_crawl could not be told, by EventBridge or by Lambda's own retries.
        self.undelivered = self._queue("UndeliveredEvents", retention=Duration.days(14))
        acknowledge(
            self.undelivered,
            "AwsSolutions-SQS3",
            "It is a dead letter queue itself: of an event rule's target and of a function's asynchronous invocations.",
        )

    def _queue(
        self,
        construct_id: str,
        *,
        retention: Duration,
        visibility_timeout: Duration | None = None,
        dead_letter_queue: sqs.DeadLetterQueue | None = None,
    ) -> sqs.Queue:
        return sqs.Queue(
            self,
            construct_id,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=retention,
            visibility_timeout=visibility_timeout,
            dead_letter_queue=dead_letter_queue,
        )
