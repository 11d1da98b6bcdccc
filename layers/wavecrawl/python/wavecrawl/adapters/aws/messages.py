"""Which crawl a message from outside started: decided once, by one conditional write."""

from wavecrawl.adapters.aws.attributes import number, text, text_of
from wavecrawl.adapters.aws.names import Key
from wavecrawl.adapters.aws.table import NewRow, Table
from wavecrawl.domain.crawl.job import CrawlId

PARTITION = "IDEMPOTENCY"
"""Where everything stands that makes messages count once; rows expire."""

KEPT = 7 * 86_400.0
"""Seconds a message is remembered: longer than senders go on trying to deliver one."""


class DynamoMessages:
    """Names the crawl of each message. Whoever asks first decides; a repeat finds what was started, or half started."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def crawl_of(self, message: str, candidate: CrawlId, *, now: float) -> CrawlId:
        """Return the crawl that the message stands for: `candidate`, or what was decided earlier."""
        row = {
            "tenant": text(candidate.tenant),
            "site": text(candidate.site),
            "crawl": text(candidate.crawl),
            "expires_at": number(int(now + KEPT)),
        }
        answer = self._table.put(NewRow(key=_key(message), row=row, condition="attribute_not_exists(#pk)"))
        if answer.made:
            return candidate
        row = answer.row or self._table.get(_key(message)) or row
        return CrawlId(tenant=text_of(row, "tenant"), site=text_of(row, "site"), crawl=text_of(row, "crawl"))


def _key(message: str) -> Key:
    return PARTITION, f"MESSAGE#{message}"
