"""The results of crawls in S3: written when a crawl ends, downloaded with signed URLs."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.exports import LIFETIME, Export, content_type_of, saved_as

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_UPLOADS = 8  # in parallel
_SUMMARY = "summary.json"


class S3Exports:
    """`ports.exports.Exports`: the folder exports/ of each crawl."""

    def __init__(self, s3: "S3Client", bucket: str) -> None:
        self._s3 = s3
        self._name = bucket
        self._bucket = Bucket(s3, bucket)

    def publish(self, crawl: CrawlId, folder: Path) -> None:
        """Upload every file of a folder, replacing those of the same names; the summary last."""
        names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        with ThreadPoolExecutor(_UPLOADS, thread_name_prefix="upload") as pool:
            for _ in pool.map(lambda name: self._put(crawl, folder, name), sorted(names - {_SUMMARY})):
                pass  # raises the error of a failed upload
        if _SUMMARY in names:
            self._put(crawl, folder, _SUMMARY)

    def put(self, crawl: CrawlId, path: Path) -> None:
        """Upload one file under its name."""
        self._put(crawl, path.parent, path.name)

    def download(self, crawl: CrawlId, name: str, folder: Path) -> bool:
        """Download a file into a folder; return whether it exists."""
        return self._bucket.download(_key(crawl, name), folder / name) is not None

    def fetch(self, crawl: CrawlId, name: str, folder: Path) -> Path | None:
        """Download a file into a folder; return its path, None if it does not exist."""
        return folder / name if self.download(crawl, name, folder) else None

    def _put(self, crawl: CrawlId, folder: Path, name: str) -> None:
        with (folder / name).open("rb") as body:
            self._bucket.put(_key(crawl, name), body, ContentType=content_type_of(name))

    def of(self, crawl: CrawlId) -> list[Export]:
        """Return the files of a crawl, by name."""
        prefix = _key(crawl, "")
        found = [(key.removeprefix(prefix), size) for key, size in self._bucket.sizes(prefix)]
        return [Export(name=name, bytes=size, content_type=content_type_of(name)) for name, size in found]

    def signed_url(self, crawl: CrawlId, export: Export) -> str:
        """Return a URL that downloads a file without an API key, valid for `LIFETIME`."""
        return self._s3.generate_presigned_url(
            "get_object",
            Params={
                "Bucket": self._name,
                "Key": _key(crawl, export.name),
                "ResponseContentType": export.content_type,
                "ResponseContentDisposition": f'attachment; filename="{saved_as(crawl, export.name)}"',
            },
            ExpiresIn=LIFETIME,
        )

    def viewer_url(self, crawl: CrawlId, export: Export) -> str | None:  # noqa: ARG002 - of the port
        """Return None: deployments have no viewer."""
        return None


def _key(crawl: CrawlId, name: str) -> str:
    return f"{crawl_prefix(crawl)}/exports/{name}"
