"""The queue of batches in SQS: one message per job, delayed until its start."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from wavecrawl.adapters.aws.faults import attempts, translated
from wavecrawl.domain.crawl.job import BatchJob, BatchKind, CrawlId
from wavecrawl.errors import InvalidInputError, PermanentError, ThrottledError
from wavecrawl.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

LONGEST_DELAY = 900.0
"""Seconds: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html"""

LONGEST_HIDING = 43_200.0 - 600.0
"""Seconds. SQS keeps a message hidden for at most 12 hours from its reception, minus some time to process it."""

RETENTION = 4 * 86_400.0
"""Seconds that the queue keeps a message. They are enough for delays and waiting, and less than the retention of the
dead-letter queue, which counts from the first sending."""

LONGEST_GROUP = 128
"""Characters of a message group."""

MOST_BYTES = 256 * 1024
"""Maximum bytes of all messages in one request."""

_VISIBLE: Final = "ApproximateNumberOfMessages"
_MOST_MESSAGES = 10  # per request
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(BatchJob)

_Entry = tuple[str, int, str]  # body, delay in seconds, group


def job_from(body: str | bytes) -> BatchJob:
    """Return the job in a message; raise InvalidInputError if the message is invalid."""
    try:
        return _DECODER.decode(body)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise InvalidInputError(f"the message is not a batch job: {error}") from error


class SqsJobQueue:
    """`ports.job_queue.JobQueue`."""

    def __init__(
        self, sqs: "SQSClient", queue_url: str, clock: Clock, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._sqs = sqs
        self._queue_url = queue_url
        self._clock = clock
        self._sleep = sleep

    @property
    def longest_delay(self) -> float:
        """Return the maximum delay of a message in SQS, in seconds."""
        return LONGEST_DELAY

    def holds(self, *, sent_at: float) -> bool:
        """Return whether `sent_at` is in the future, or messages are visible and one sent then has not expired.

        Only visible messages are counted: those that are hidden or delayed wait for a time, and not for a worker.
        https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
        """
        age = self._clock.now() - sent_at
        if age < 0:
            return True
        if age >= RETENTION:
            return False
        with translated(f"counting the messages in {self._queue_url}"):
            answer = self._sqs.get_queue_attributes(QueueUrl=self._queue_url, AttributeNames=[_VISIBLE])
        return int(answer["Attributes"][_VISIBLE]) > 0

    def send(self, jobs: Sequence[BatchJob]) -> None:
        """Send the jobs, at most ten per request; retry those that SQS rejects."""
        now = self._clock.now()
        for entries in _packed([_entry(job, now) for job in jobs]):
            self._send(entries)

    def deliver_again(self, receipt: str, seconds: float) -> None:
        """Have a received message delivered again after `seconds` instead of its visibility timeout.

        The time is rounded down to whole seconds.
        https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
        """
        hidden = int(min(max(0.0, seconds), LONGEST_HIDING))
        with translated(f"changing the visibility of a message in {self._queue_url}"):
            self._sqs.change_message_visibility(
                QueueUrl=self._queue_url, ReceiptHandle=receipt, VisibilityTimeout=hidden
            )

    def _send(self, entries: list[_Entry]) -> None:
        left = [_message(number, entry) for number, entry in enumerate(entries)]
        for _ in attempts(self._sleep):
            with translated(f"sending to {self._queue_url}"):
                response = self._sqs.send_message_batch(QueueUrl=self._queue_url, Entries=left)
            failed = {failure["Id"]: failure for failure in response.get("Failed", ())}
            ours = [failure for failure in failed.values() if failure["SenderFault"]]
            if ours:
                reason = f"{ours[0]['Code']} {ours[0].get('Message', '')}"
                raise PermanentError(f"{self._queue_url} rejected a job: {reason}")
            left = [message for message in left if message["Id"] in failed]
            if not left:
                return
        raise ThrottledError(f"{self._queue_url} rejected {len(left)} of {len(entries)} jobs after several attempts")


class KindQueues:
    """`ports.job_queue.JobQueue` over a queue for each kind of batches; some kinds may share one."""

    def __init__(self, queues: Mapping[BatchKind, SqsJobQueue]) -> None:
        self._queues = queues

    @property
    def kinds(self) -> frozenset[BatchKind]:
        """The kinds of batches that have a queue."""
        return frozenset(self._queues)

    @property
    def longest_delay(self) -> float:
        """Return the maximum delay of a message in SQS, in seconds."""
        return LONGEST_DELAY

    def holds(self, *, sent_at: float) -> bool:
        """Return whether one of the queues may hold a message that was sent then."""
        return any(queue.holds(sent_at=sent_at) for queue in set(self._queues.values()))

    def send(self, jobs: Sequence[BatchJob]) -> None:
        """Send each job to the queue of its kind."""
        for kind, queue in self._queues.items():
            if wanted := [job for job in jobs if job.kind is kind]:
                queue.send(wanted)


def _entry(job: BatchJob, now: float) -> _Entry:
    """Return an entry. The delay is rounded down to whole seconds; the worker waits for the rest."""
    delay = int(min(max(0.0, job.starts_at - now), LONGEST_DELAY))
    return _ENCODER.encode(job).decode(), delay, message_group(job.id.crawl)


def message_group(crawl: CrawlId) -> str:
    """Return the message group of a crawl. The queue is fair between groups.

    It has at most 128 characters: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
    """
    return f"{crawl.tenant}/{crawl.crawl}"[-LONGEST_GROUP:]


def _packed(entries: Sequence[_Entry]) -> Iterator[list[_Entry]]:
    """Yield the entries of each request; an entry that is too large is sent alone, and SQS rejects it."""
    pack: list[_Entry] = []
    size = 0
    for entry in entries:
        length = len(entry[0].encode())
        if pack and (len(pack) == _MOST_MESSAGES or size + length > MOST_BYTES):
            yield pack
            pack, size = [], 0
        pack.append(entry)
        size += length
    if pack:
        yield pack


def _message(number: int, entry: _Entry) -> "SendMessageBatchRequestEntryTypeDef":
    """Return a message. Its message group makes the queue fair between crawls.

    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
    """
    body, delay, group = entry
    message: Any = {"Id": str(number), "MessageBody": body, "DelaySeconds": delay, "MessageGroupId": group}
    return message  # type: ignore[no-any-return]
