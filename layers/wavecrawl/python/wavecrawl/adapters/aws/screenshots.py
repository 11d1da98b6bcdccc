"""Screenshots in S3, one object each."""

from typing import TYPE_CHECKING

from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.batch_objects import screenshot_name, screenshot_of, screenshots_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.exports import LIFETIME, content_type_of, saved_as

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3Screenshots:
    """`ports.screenshots.Screenshots`."""

    def __init__(self, s3: "S3Client", bucket: str) -> None:
        self._s3 = s3
        self._name = bucket
        self._bucket = Bucket(s3, bucket)

    def put(self, crawl: CrawlId, key: str, jpeg: bytes) -> str:
        """Store a screenshot; return its name."""
        name = screenshot_name(crawl, key)
        self._bucket.put(name, jpeg)
        return name

    def get(self, name: str) -> bytes | None:
        """Return a screenshot, None if it no longer exists."""
        return self._bucket.get(name)

    def delete(self, crawl: CrawlId, key: str) -> None:
        """Delete the screenshot of a page, if there is one."""
        self._bucket.delete([screenshot_name(crawl, key)])

    def size(self, crawl: CrawlId, *, most: int) -> int:
        """Return the bytes of all screenshots of a crawl; stop beyond `most`, as a thousand cost a request."""
        total = 0
        for _, size in self._bucket.sizes(screenshots_prefix(crawl)):
            total += size
            if total > most:
                break
        return total

    def signed_url(self, crawl: CrawlId, name: str) -> str | None:
        """Return a URL of a screenshot, None if it no longer exists or is not one of the site."""
        made_in = screenshot_of(crawl, name)
        if made_in is None or not self._bucket.exists(name):
            return None
        file = name.rpartition("/")[2]
        return self._s3.generate_presigned_url(
            "get_object",
            Params={
                "Bucket": self._name,
                "Key": name,
                "ResponseContentType": content_type_of(file),
                "ResponseContentDisposition": f'inline; filename="{saved_as(made_in, file)}"',
            },
            ExpiresIn=LIFETIME,
        )
