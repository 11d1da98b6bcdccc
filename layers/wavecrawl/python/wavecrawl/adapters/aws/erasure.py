"""Erasing a crawl from the table and the bucket."""

from math import ceil

from wavecrawl.adapters.aws.catalog import GlueCatalog
from wavecrawl.adapters.aws.names import work_partition
from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.adapters.part_objects import hidden_prefix, table_prefixes
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import ConflictError
from wavecrawl.ports.clock import Clock


class AwsErasure:
    """`ports.erasure.Erasure`. Claims expire; the bucket's lifecycle rules delete old versions of objects."""

    def __init__(self, table: Table, bucket: Bucket, catalog: GlueCatalog, clock: Clock) -> None:
        self._table = table
        self._bucket = bucket
        self._catalog = catalog
        self._clock = clock

    def erase(self, crawl: CrawlId) -> None:
        """Delete every object and every working row of a crawl. Raise ConflictError if one of its batches is leased."""
        rows = self._table.query(work_partition(crawl))
        lease_end = max((float(row["leased_until"]) for row in rows if "leased_until" in row), default=0.0)
        wait = lease_end - self._clock.now()
        if wait > 0:
            raise ConflictError(
                f"crawl {crawl.crawl} has ended, but a worker may still store pages of it; "
                f"delete it in {counted(ceil(wait), 'second')}"
            )
        self._catalog.remove(crawl)
        for prefix in (*table_prefixes(crawl), hidden_prefix(crawl), f"{crawl_prefix(crawl)}/"):
            self._bucket.delete_all(prefix)
        self._table.delete_many([(row["pk"], row["sk"]) for row in rows])
