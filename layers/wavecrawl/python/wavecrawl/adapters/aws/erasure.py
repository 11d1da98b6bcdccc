"""Erasing a crawl from table and bucket."""

from wavecrawl.adapters.aws.attributes import text_of
from wavecrawl.adapters.aws.names import work_partition
from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.domain.crawl.job import CrawlId


class AwsErasure:
    """`ports.erasure.Erasure`. Claims have an end of their own; old versions of objects go by the bucket's rules."""

    def __init__(self, table: Table, bucket: Bucket) -> None:
        self._table = table
        self._bucket = bucket

    def erase(self, crawl: CrawlId) -> None:
        """Delete every object and every working row of a crawl."""
        self._bucket.delete_all(f"{crawl_prefix(crawl)}/")
        rows = self._table.all_of(work_partition(crawl))
        self._table.delete_many([(text_of(row, "pk"), text_of(row, "sk")) for row in rows])
