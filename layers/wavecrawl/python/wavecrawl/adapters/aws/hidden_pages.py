"""Hidden pages in DynamoDB, beside the crawl's waves and batches."""

from wavecrawl.adapters.aws.names import HIDDEN, hidden_row, work_partition
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import NEW, NewRow
from wavecrawl.domain.crawl.job import CrawlId


class DynamoHiddenPages:
    """`ports.hidden_pages.HiddenPages`."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def hide(self, crawl: CrawlId, key: str, *, now: float) -> bool:
        """Hide a page; return False if it is hidden already."""
        return self._table.put(NewRow(key=hidden_row(crawl, key), row={"hidden_at": now}, condition=NEW)).made

    def of(self, crawl: CrawlId) -> frozenset[str]:
        """Return the keys of all hidden pages of a crawl."""
        rows = self._table.query(work_partition(crawl), HIDDEN)
        return frozenset(row["sk"].removeprefix(HIDDEN) for row in rows)
