"""Redrive: moving messages from a dead-letter queue back to their queue."""

from contextlib import suppress
from typing import TYPE_CHECKING

from wavecrawl.adapters.aws.faults import translated
from wavecrawl.adapters.aws.queue import job_from
from wavecrawl.errors import InvalidInputError, ThrottledError
from wavecrawl.ports.batches import Batches

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef, SendMessageBatchRequestEntryTypeDef

_PER_REQUEST = 10  # messages
_HIDDEN = 60  # seconds a message is invisible to others while it is moved
_EMPTY_RESPONSES = 3  # in a row until the queue counts as empty: a response covers only some servers of SQS


def redrive(sqs: "SQSClient", batches: Batches, *, dead: str, queue: str, most: int) -> int:
    """Move up to `most` messages from the queue `dead` to `queue` (URLs); return their number.

    The attempts of their batches so far are forgiven, so that each batch has all its attempts again. A message is sent,
    then deleted. An interruption in between leaves it in both queues, which is harmless: a batch that is delivered
    twice is processed once.
    """
    moved = empty = 0
    while moved < most and empty < _EMPTY_RESPONSES:
        with translated(f"redriving from {dead}"):
            messages = sqs.receive_message(
                QueueUrl=dead,
                MaxNumberOfMessages=min(_PER_REQUEST, most - moved),
                VisibilityTimeout=_HIDDEN,
                WaitTimeSeconds=1,
                MessageSystemAttributeNames=["MessageGroupId"],
            ).get("Messages", [])
            empty = 0 if messages else empty + 1
            _forgive(messages, batches)
            if messages:
                moved += _move(sqs, messages, dead=dead, queue=queue)
    return moved


def _forgive(messages: list["MessageTypeDef"], batches: Batches) -> None:
    for message in messages:
        with suppress(InvalidInputError):  # the message is no batch; its worker will report it
            batch = job_from(message["Body"]).id
            batches.forgive(batch)


def _move(sqs: "SQSClient", messages: list["MessageTypeDef"], *, dead: str, queue: str) -> int:
    entries = [_entry(str(number), message) for number, message in enumerate(messages)]
    answer = sqs.send_message_batch(QueueUrl=queue, Entries=entries)
    sent = [messages[int(done["Id"])] for done in answer.get("Successful", ())]
    if not sent:
        raise ThrottledError(
            f"{queue} accepted none of {len(messages)} messages. They are still in {dead}. Try again later"
        )
    handles = [{"Id": str(number), "ReceiptHandle": message["ReceiptHandle"]} for number, message in enumerate(sent)]
    sqs.delete_message_batch(QueueUrl=dead, Entries=handles)  # type: ignore[arg-type]  # typed dicts of literals
    return len(sent)


def _entry(name: str, message: "MessageTypeDef") -> "SendMessageBatchRequestEntryTypeDef":
    entry: SendMessageBatchRequestEntryTypeDef = {"Id": name, "MessageBody": message["Body"]}
    group = message.get("Attributes", {}).get("MessageGroupId")
    if group:
        entry["MessageGroupId"] = group
    return entry
