"""The exports of crawls in S3: written by finish_crawl, downloaded by signed URLs."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from wavecrawl.adapters.aws.faults import translated
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.exports import LIFETIME, Export, content_type_of, saved_as

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_UPLOADS = 8  # at once
_SUMMARY = "summary.json"


class S3Exports:
    """`ports.exports.Exports`: the folder exports/ of each crawl."""

    def __init__(self, s3: "S3Client", bucket: str) -> None:
        self._s3 = s3
        self._bucket = bucket

    def publish(self, crawl: CrawlId, folder: Path) -> None:
        """Upload all files of a folder, the summary last; replace existing ones."""
        names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        with ThreadPoolExecutor(_UPLOADS, thread_name_prefix="upload") as pool:
            for _ in pool.map(lambda name: self._put(crawl, folder, name), sorted(names - {_SUMMARY})):
                pass  # raise the errors of uploads
        if _SUMMARY in names:
            self._put(crawl, folder, _SUMMARY)

    def _put(self, crawl: CrawlId, folder: Path, name: str) -> None:
        with translated(f"put {name} of crawl {crawl}"), (folder / name).open("rb") as body:
            self._s3.put_object(
                Bucket=self._bucket, Key=_key(crawl, name), Body=body, ContentType=content_type_of(name)
            )

    def of(self, crawl: CrawlId) -> list[Export]:
        """Return the files by name."""
        prefix, found, token = _key(crawl, ""), [], ""
        while True:
            with translated(f"list the exports of crawl {crawl}"):
                more = {"ContinuationToken": token} if token else {}
                page = self._s3.list_objects_v2(Bucket=self._bucket, Prefix=prefix, **more)  # type: ignore[arg-type]
            for entry in page.get("Contents", []):
                name = entry["Key"].removeprefix(prefix)
                found.append(Export(name=name, bytes=entry["Size"], content_type=content_type_of(name)))
            token = page.get("NextContinuationToken", "")
            if not token:
                return found

    def signed_url(self, crawl: CrawlId, export: Export) -> str:
        """Return a download URL of a file, valid for `LIFETIME` and without an API key."""
        return self._s3.generate_presigned_url(
            "get_object",
            Params={
                "Bucket": self._bucket,
                "Key": _key(crawl, export.name),
                "ResponseContentType": export.content_type,
                "ResponseContentDisposition": f'attachment; filename="{saved_as(crawl, export.name)}"',
            },
            ExpiresIn=LIFETIME,
        )


def _key(crawl: CrawlId, name: str) -> str:
    return f"{crawl_prefix(crawl)}/exports/{name}"
