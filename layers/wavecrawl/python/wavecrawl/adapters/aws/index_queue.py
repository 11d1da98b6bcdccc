"""The queue of the function that indexes, in SQS: a FIFO queue with one message group per tenant.

So the changes of a site's index are made one at a time, and in the order of their messages; and one tenant's sites take
one of the invocations that run at once, however many they are.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagegroupid-property.html
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec

from wavecrawl.adapters.aws.faults import translated
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.errors import InvalidInputError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class IndexCrawl(msgspec.Struct, frozen=True, kw_only=True, tag="index"):
    """Index the texts of a crawl that has its results."""

    crawl: CrawlId


class RemovePages(msgspec.Struct, frozen=True, kw_only=True, tag="remove"):
    """Remove pages from the index of a site."""

    site: SiteId
    keys: tuple[str, ...]


class ForgetCrawl(msgspec.Struct, frozen=True, kw_only=True, tag="forget"):
    """Remove the pages whose text is known from this crawl only."""

    crawl: CrawlId


IndexRequest = IndexCrawl | RemovePages | ForgetCrawl
"""The content of a message."""

_DECODER: msgspec.json.Decoder[IndexRequest] = msgspec.json.Decoder(IndexRequest)


def index_request_from(body: str | bytes) -> IndexRequest:
    """Return the content of a message; raise InvalidInputError if it is none."""
    try:
        return _DECODER.decode(body)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise InvalidInputError(f"the message asks for no change of an index: {error}") from error


class SqsIndexing:
    """`ports.knowledge.IndexRemovals`, and requests to index a crawl."""

    def __init__(self, sqs: "SQSClient", queue_url: str) -> None:
        self._sqs = sqs
        self._queue_url = queue_url

    def index(self, crawl: CrawlId) -> None:
        """Have the texts of a crawl indexed."""
        self._send(crawl.tenant, IndexCrawl(crawl=crawl))

    def remove_pages(self, site: SiteId, keys: Sequence[str]) -> None:
        """Have pages removed."""
        self._send(site.tenant, RemovePages(site=site, keys=tuple(keys)))

    def forget_crawl(self, crawl: CrawlId) -> None:
        """Have the pages removed that are known from this crawl only."""
        self._send(crawl.tenant, ForgetCrawl(crawl=crawl))

    def repeat(self, receipt: str, *, seconds: int) -> None:
        """Deliver a received message again after some seconds; until then, others of its tenant wait behind it."""
        with translated(f"hiding a message of {self._queue_url}"):
            self._sqs.change_message_visibility(
                QueueUrl=self._queue_url, ReceiptHandle=receipt, VisibilityTimeout=seconds
            )

    def _send(self, tenant: str, request: IndexRequest) -> None:
        group = sha256(tenant.encode()).hexdigest()  # a name may be longer than a group's
        with translated(f"sending to {self._queue_url}"):
            self._sqs.send_message(
                QueueUrl=self._queue_url,
                MessageBody=msgspec.json.encode(request).decode(),
                MessageGroupId=group,
                MessageDeduplicationId=uuid4().hex,  # each message counts, even one with the content of another
            )
