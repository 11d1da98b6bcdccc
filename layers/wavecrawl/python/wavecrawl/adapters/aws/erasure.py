"""Erasing a crawl from the table and the bucket."""

from wavecrawl.adapters.aws.names import work_partition
from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.domain.crawl.job import CrawlId


class AwsErasure:
    """`ports.erasure.Erasure`. Claims expire; the bucket's lifecycle rules delete old versions of objects."""

    def __init__(self, table: Table, bucket: Bucket) -> None:
        self._table = table
        self._bucket = bucket

    def erase(self, crawl: CrawlId) -> None:
        """Delete every object and every working row of a crawl."""
        self._bucket.delete_all(f"{crawl_prefix(crawl)}/")
        self._table.delete_many([(row["pk"], row["sk"]) for row in self._table.query(work_partition(crawl))])
