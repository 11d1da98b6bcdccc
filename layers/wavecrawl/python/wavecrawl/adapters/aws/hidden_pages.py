"""Hidden pages in the table, beside the crawl's waves and batches."""

from wavecrawl.adapters.aws.attributes import number, text_of
from wavecrawl.adapters.aws.names import HIDDEN, hidden_row, work_partition
from wavecrawl.adapters.aws.table import NewRow, Table
from wavecrawl.domain.crawl.job import CrawlId


class DynamoHiddenPages:
    """`ports.hidden_pages.HiddenPages`."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def hide(self, crawl: CrawlId, key: str, *, now: float) -> bool:
        """Hide a page; return False where it was hidden already."""
        row = NewRow(
            key=hidden_row(crawl, key), row={"hidden_at": number(now)}, condition="attribute_not_exists(#hidden_at)"
        )
        return self._table.put(row).made

    def of(self, crawl: CrawlId) -> frozenset[str]:
        """Return the keys of all hidden pages of a crawl."""
        rows = self._table.query(work_partition(crawl), HIDDEN)
        return frozenset(text_of(row, "sk").removeprefix(HIDDEN) for row in rows)
