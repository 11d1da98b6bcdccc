"""The crawl that a message from outside started, decided once by one conditional write."""

from wavecrawl.adapters.aws.names import Key
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.domain.crawl.job import CrawlId

PARTITION = "IDEMPOTENCY"
"""The partition of all rows that make repeated messages harmless. They expire."""

KEPT = 7 * 86_400.0
"""Seconds a message is remembered: longer than senders retry a delivery."""


class DynamoMessages:
    """Names the crawl of each message. The first call decides; a repeat finds that crawl, started or half started."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._crawls = PackedItems(table, CrawlId)

    def crawl_of(self, message: str, candidate: CrawlId, *, now: float) -> CrawlId:
        """Return the crawl of a message: the one decided earlier, otherwise `candidate`."""
        answer = self._table.put(self._crawls.new(_key(message), candidate, expires_at=int(now + KEPT)))
        if answer.made:
            return candidate
        row = answer.row or self._table.get(_key(message))
        return self._crawls.unpack(row) if row else candidate


def _key(message: str) -> Key:
    return PARTITION, f"MESSAGE#{message}"
