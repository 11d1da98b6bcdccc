"""Screenshots in S3, one object each."""

from typing import TYPE_CHECKING

from wavecrawl.adapters.batch_objects import screenshot_name
from wavecrawl.domain.crawl.job import CrawlId

if TYPE_CHECKING:
    from wavecrawl.adapters.aws.objects import Bucket


class S3Screenshots:
    """`ports.screenshots.Screenshots`."""

    def __init__(self, bucket: "Bucket") -> None:
        self._bucket = bucket

    def put(self, crawl: CrawlId, key: str, jpeg: bytes) -> str:
        """Store a screenshot; return its name."""
        name = screenshot_name(crawl, key)
        self._bucket.put(name, jpeg)
        return name

    def get(self, name: str) -> bytes | None:
        """Return a screenshot, None if it no longer exists."""
        return self._bucket.get(name)
