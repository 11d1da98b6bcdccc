"""The queue of batches in SQS: a message is a whole job, held back until it may start."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from wavecrawl.adapters.aws.faults import attempts, translated
from wavecrawl.domain.crawl.job import BatchJob
from wavecrawl.errors import InvalidInputError, PermanentError, ThrottledError
from wavecrawl.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

LONGEST_DELAY = 900.0
"""Seconds: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html"""

MOST_BYTES = 256 * 1024
"""Of all messages of one request (design 7)."""

_MOST_MESSAGES = 10  # of one request
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(BatchJob)

_Entry = tuple[str, int, str]  # body, delay in seconds, group


def job_from(body: str | bytes) -> BatchJob:
    """Return the job that a message holds; raise InvalidInputError where it holds none."""
    try:
        return _DECODER.decode(body)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise InvalidInputError(f"the message is no batch job: {error}") from error


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
        """Return how long SQS can hold a message back, in seconds."""
        return LONGEST_DELAY

    def send(self, jobs: Sequence[BatchJob]) -> None:
        """Hand the jobs over, ten a request at most; those that SQS did not take are sent again."""
        now = self._clock.now()
        for entries in _packed([_entry(job, now) for job in jobs]):
            self._send(entries)

    def deliver_again(self, receipt: str, seconds: float) -> None:
        """Have a message that was received delivered again in so many seconds, instead of when its time is over.

        https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
        """
        with translated(f"changing when {self._queue_url} delivers a message again"):
            self._sqs.change_message_visibility(
                QueueUrl=self._queue_url, ReceiptHandle=receipt, VisibilityTimeout=int(seconds)
            )

    def _send(self, entries: list[_Entry]) -> None:
        left = [_message(number, entry) for number, entry in enumerate(entries)]
        for _ in attempts(self._sleep):
            with translated(f"sending to {self._queue_url}"):
                answer = self._sqs.send_message_batch(QueueUrl=self._queue_url, Entries=left)
            failed = {failure["Id"]: failure for failure in answer.get("Failed", ())}
            ours = [failure for failure in failed.values() if failure["SenderFault"]]
            if ours:
                raise PermanentError(f"{self._queue_url} refuses a job: {ours[0]['Code']} {ours[0].get('Message', '')}")
            left = [message for message in left if message["Id"] in failed]
            if not left:
                return
        raise ThrottledError(
            f"{self._queue_url} did not take {len(left)} of {len(entries)} jobs, also after many attempts"
        )


def _entry(job: BatchJob, now: float) -> _Entry:
    """Whole seconds, rounded down: the worker waits for the rest, so that batches keep their distance to the second."""
    delay = int(min(max(0.0, job.starts_at - now), LONGEST_DELAY))
    return _ENCODER.encode(job).decode(), delay, job.id.crawl.tenant


def _packed(entries: Sequence[_Entry]) -> Iterator[list[_Entry]]:
    """Yield as many entries as one request takes; one that is too large by itself goes alone, for SQS to judge."""
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
    """Return a message. Its group makes the queue fair: one tenant's many batches do not hold up another's few.

    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
    """
    body, delay, group = entry
    message: Any = {"Id": str(number), "MessageBody": body, "DelaySeconds": delay, "MessageGroupId": group}
    return message  # type: ignore[no-any-return]
