"""The queues of batches of each kind, of folds, deliveries and indexing, and their dead-letter queues."""

from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.config import DELIVER_TIMEOUT, FOLD_RECEIVES, LONGEST_FUNCTION, MAX_RECEIVES, Config
from infra.constructs.acknowledgements import acknowledge
from infra.constructs.encryption import own_key
from wavecrawl.adapters.aws.queue import RETENTION
from wavecrawl.domain.crawl.job import BatchKind


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePair:
    """A queue and its dead-letter queue."""

    queue: sqs.Queue
    dead: sqs.Queue


class Queues(Construct):
    """The queues. Each is encrypted by SQS, requires TLS, and is a dead-letter queue or has one."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config) -> None:
        super().__init__(scope, construct_id)
        self._key = own_key(self, config)
        self.batches = {kind: self._of_batches(kind, timeout) for kind, timeout in config.batch_timeouts.items()}
        self.folds_dead = self._queue("FoldsDeadLetters", retention=Duration.days(14))
        # A crawl's end folds what is missing, so a message is of no use for longer than a crawl takes to notice.
        self.folds = self._queue(
            "Folds",
            retention=Duration.days(4),
            visibility_timeout=Duration.seconds(6 * LONGEST_FUNCTION),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.folds_dead, max_receive_count=FOLD_RECEIVES),
        )
        self.indexing = self._of_indexing() if config.knowledge else None
        self.deliveries_dead = self._queue("DeliveriesDeadLetters", retention=Duration.days(14))
        # A message lives as long as its delivery is retried: a day plus the receiver's Retry-After.
        self.deliveries = self._queue(
            "Deliveries",
            retention=Duration.days(4),
            visibility_timeout=Duration.seconds(6 * DELIVER_TIMEOUT),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.deliveries_dead, max_receive_count=MAX_RECEIVES),
        )
        # Events and asynchronous calls that EventBridge or Lambda could not deliver.
        self.undelivered = self._queue("UndeliveredEvents", retention=Duration.days(14))
        acknowledge(
            self.undelivered,
            "AwsSolutions-SQS3",
            "It is itself the dead-letter queue of event rules and of asynchronous invocations.",
        )

    def _of_batches(self, kind: BatchKind, timeout: int) -> QueuePair:
        """Make the queue of a function that runs batches; `timeout` is the function's.

        Messages are hidden for 6 times as long: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
        """
        construct_id = kind.value.title()
        dead = self._queue(f"{construct_id}DeadLetters", retention=Duration.days(14))
        queue = self._queue(
            construct_id,
            retention=Duration.seconds(RETENTION),
            visibility_timeout=Duration.seconds(6 * timeout),
            dead_letter_queue=sqs.DeadLetterQueue(queue=dead, max_receive_count=MAX_RECEIVES),
        )
        return QueuePair(queue=queue, dead=dead)

    def _of_indexing(self) -> QueuePair:
        """Make the queue of index_site and its dead-letter queue, both first in, first out.

        A crawl that takes longer than an invocation is received once for each.
        """
        dead = self._queue("IndexDeadLetters", retention=Duration.days(14), fifo=True)
        queue = self._queue(
            "Index",
            retention=Duration.days(4),
            visibility_timeout=Duration.seconds(6 * LONGEST_FUNCTION),
            dead_letter_queue=sqs.DeadLetterQueue(queue=dead, max_receive_count=MAX_RECEIVES),
            fifo=True,
        )
        return QueuePair(queue=queue, dead=dead)

    def _queue(
        self,
        construct_id: str,
        *,
        retention: Duration,
        visibility_timeout: Duration | None = None,
        dead_letter_queue: sqs.DeadLetterQueue | None = None,
        fifo: bool | None = None,
    ) -> sqs.Queue:
        return sqs.Queue(
            self,
            construct_id,
            encryption=sqs.QueueEncryption.KMS if self._key else sqs.QueueEncryption.SQS_MANAGED,
            encryption_master_key=self._key,
            enforce_ssl=True,
            retention_period=retention,
            visibility_timeout=visibility_timeout,
            dead_letter_queue=dead_letter_queue,
            fifo=fifo,
        )
