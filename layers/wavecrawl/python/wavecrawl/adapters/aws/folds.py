"""The queue of parts to fold, in SQS."""

from typing import TYPE_CHECKING

import msgspec

from wavecrawl.adapters.aws.faults import translated
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import InvalidInputError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class FoldRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a message: a part that the planner has ended."""

    crawl: CrawlId
    part: int


_DECODER = msgspec.json.Decoder(FoldRequest)


def fold_request_from(body: str | bytes) -> FoldRequest:
    """Return the part that a message names; raise InvalidInputError if it names none."""
    try:
        return _DECODER.decode(body)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise InvalidInputError(f"the message names no part of a crawl: {error}") from error


class SqsFolds:
    """`ports.parts.Folds`: a message for each part."""

    def __init__(self, sqs: "SQSClient", queue_url: str) -> None:
        self._sqs = sqs
        self._queue_url = queue_url

    def request(self, crawl: CrawlId, number: int) -> None:
        """Send a message. Message groups keep tenants from delaying each other."""
        body = msgspec.json.encode(FoldRequest(crawl=crawl, part=number)).decode()
        with translated(f"sending to {self._queue_url}"):
            self._sqs.send_message(QueueUrl=self._queue_url, MessageBody=body, MessageGroupId=crawl.tenant)
