"""Hidden pages in DynamoDB, beside the crawl's waves and batches, and in S3 for SQL, which cannot read the table."""

from wavecrawl.adapters.aws.names import HIDDEN, hidden_row, work_partition
from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import NEW, NewRow
from wavecrawl.adapters.part_objects import hidden_prefix
from wavecrawl.domain.crawl.job import CrawlId


class DynamoHiddenPages:
    """`ports.hidden_pages.HiddenPages`."""

    def __init__(self, table: Table, bucket: Bucket) -> None:
        self._table = table
        self._bucket = bucket

    def hide(self, crawl: CrawlId, key: str, *, now: float) -> bool:
        """Hide a page; return False if it is hidden already.

        The object is stored before the row, so that a repeat after a failure stores both.
        """
        line = f"{crawl.tenant}\t{crawl.site}\t{crawl.crawl}\t{key}\n"
        self._bucket.put(f"{hidden_prefix(crawl)}{key}.tsv", line.encode())
        return self._table.put(NewRow(key=hidden_row(crawl, key), row={"hidden_at": now}, condition=NEW)).made

    def of(self, crawl: CrawlId) -> frozenset[str]:
        """Return the keys of all hidden pages of a crawl."""
        rows = self._table.query(work_partition(crawl), HIDDEN)
        return frozenset(row["sk"].removeprefix(HIDDEN) for row in rows)
