"""The queue of deliveries in SQS: a message names a delivery, and exists until the delivery ends.

The visibility timeout of a message is its delay: at most twelve hours after each receive
(https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html), which is
longer than any delay between two tries. Lambda deletes messages that are not reported as failed, and keeps the
visibility timeout of the others (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html).
"""

from math import ceil
from typing import TYPE_CHECKING

import msgspec

from wavecrawl.adapters.aws.faults import translated
from wavecrawl.domain.webhooks.delivery import DeliveryId
from wavecrawl.errors import InvalidInputError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

LONGEST_WAIT = 43_000.0
"""The longest delay in seconds: twelve hours, less the time that the invocation may have taken already."""

_DECODER = msgspec.json.Decoder(DeliveryId)


def delivery_from(body: str | bytes) -> DeliveryId:
    """Return the delivery that a message names; raise InvalidInputError if it names none."""
    try:
        return _DECODER.decode(body)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise InvalidInputError(f"the message names no delivery: {error}") from error


class SqsDeliveryQueue:
    """`ports.deliveries.DeliveryQueue`."""

    def __init__(self, sqs: "SQSClient", queue_url: str) -> None:
        self._sqs = sqs
        self._queue_url = queue_url

    def send(self, id_: DeliveryId) -> None:
        """Send a delivery that is due. Message groups keep tenants from delaying each other."""
        with translated(f"sending to {self._queue_url}"):
            self._sqs.send_message(
                QueueUrl=self._queue_url, MessageBody=msgspec.json.encode(id_).decode(), MessageGroupId=id_.tenant
            )

    def wait(self, receipt: str, *, seconds: float) -> None:
        """Delay a received message until its next attempt, in `seconds`."""
        hidden = ceil(min(max(0.0, seconds), LONGEST_WAIT))
        with translated(f"hiding a message of {self._queue_url}"):
            self._sqs.change_message_visibility(
                QueueUrl=self._queue_url, ReceiptHandle=receipt, VisibilityTimeout=hidden
            )
