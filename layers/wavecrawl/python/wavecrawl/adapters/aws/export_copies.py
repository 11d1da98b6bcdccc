"""Copies of exports in a function's own folder: downloaded at first use, kept while there is space."""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import UNANSWERED, code_of, translated
from wavecrawl.adapters.batch_objects import PART, crawl_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import StoreBusyError, TooLargeError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef

_MISSING = ("NoSuchKey", "404")
_CHUNK = 1024 * 1024

_SHARE = 0.7
"""The share of a function's free disk space that copies may take; DuckDB and the archive use the rest."""


def room_for_copies(folder: Path) -> int:
    """Return how many bytes of copies a folder may hold."""
    return int(disk_usage(folder).free * _SHARE)


class ExportCopies:
    """At most `most_bytes` of copies. Exports of a finished crawl never change, so copies stay valid.

    Not safe to share between threads.
    """

    def __init__(self, s3: "S3Client", bucket: str, *, folder: Path, most_bytes: int) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._folder = folder
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, int] = OrderedDict()  # key -> bytes, the most recently used last

    def __call__(self, wanted: Sequence[tuple[CrawlId, str]]) -> list[Path | None]:
        """Return copies of exports, valid until the next call; None for those that do not exist."""
        keys = [f"{crawl_prefix(crawl)}/exports/{name}" for crawl, name in wanted]
        for key in keys:
            if key in self._kept:
                self._kept.move_to_end(key)
        return [self._folder / key if key in self._kept or self._fetch(key, keys) else None for key in keys]

    def _fetch(self, key: str, together: Sequence[str]) -> bool:
        what = f"reading s3://{self._bucket}/{key}"
        with translated(what):
            try:
                answer = self._s3.get_object(Bucket=self._bucket, Key=key)
            except ClientError as error:
                if code_of(error) in _MISSING:
                    return False
                raise
        self._make_room(answer["ContentLength"], together)
        try:
            self._store(key, answer)
        except UNANSWERED as error:
            raise StoreBusyError(f"{what}: the body broke off") from error
        except OSError as error:
            raise StoreBusyError(f"{what}: {error}") from error
        self._kept[key] = answer["ContentLength"]
        return True

    def _store(self, key: str, answer: "GetObjectOutputTypeDef") -> None:
        path = self._folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + PART)
        try:
            with part.open("wb") as file:
                for chunk in answer["Body"].iter_chunks(_CHUNK):
                    file.write(chunk)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)  # an incomplete file would take space that is not counted

    def _make_room(self, size: int, together: Sequence[str]) -> None:
        """Delete the least recently used copies, but none of those that are used together."""
        for key in list(self._kept):
            if sum(self._kept.values()) + size <= self._most_bytes:
                return
            if key not in together:
                (self._folder / key).unlink(missing_ok=True)
                del self._kept[key]
        if sum(self._kept.values()) + size > self._most_bytes:
            raise TooLargeError("the results of this crawl are too large to query. Download its exports instead")
