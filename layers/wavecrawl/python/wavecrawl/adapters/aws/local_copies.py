"""Copies of exports and parts in a function's own folder: downloaded at first use, kept while there is space."""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import UNANSWERED, code_of, translated
from wavecrawl.adapters.batch_objects import PART, crawl_prefix
from wavecrawl.adapters.part_objects import part_name
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import StoreBusyError, TooLargeError
from wavecrawl.ports.parts import Table

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef

_MISSING = ("NoSuchKey", "404")
_CHUNK = 1024 * 1024

_SHARE = 0.5
"""The share of a function's free disk space that copies may take.

The rest is used by results so far, by DuckDB and by the archive.
"""


def room_for_copies(folder: Path) -> int:
    """Return how many bytes of copies a folder may hold."""
    return int(disk_usage(folder).free * _SHARE)


class LocalCopies:
    """At most `most_bytes` of copies. The exports of a finished crawl and parts never change, so copies stay valid.

    Not safe to share between threads.
    """

    def __init__(self, s3: "S3Client", bucket: str, *, folder: Path, most_bytes: int) -> None:
        self._s3 = s3
        self._bucket = bucket
        self.folder = folder
        self.most_bytes = most_bytes
        self._kept: OrderedDict[str, int] = OrderedDict()  # key -> bytes, the most recently used last

    def exports(self, wanted: Sequence[tuple[CrawlId, str]]) -> list[Path | None]:
        """Return copies of exports, valid until the next call; None for those that do not exist."""
        return self.of([f"{crawl_prefix(crawl)}/exports/{name}" for crawl, name in wanted])

    def parts(self, crawl: CrawlId, tables: Sequence[Table], numbers: Sequence[int]) -> dict[Table, list[Path]]:
        """Return copies of the tables of these parts, valid until the next call. Missing ones are left out."""
        names = [(table, part_name(crawl, table, number)) for table in tables for number in numbers]
        found: dict[Table, list[Path]] = {table: [] for table in tables}
        for (table, _), path in zip(names, self.of([name for _, name in names]), strict=True):
            if path is not None:
                found[table].append(path)
        return found

    def of(self, keys: Sequence[str]) -> list[Path | None]:
        """Return copies of objects, valid until the next call; None for those that do not exist."""
        for key in keys:
            if key in self._kept:
                self._kept.move_to_end(key)
        return [self.folder / key if key in self._kept or self._fetch(key, keys) else None for key in keys]

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
        path = self.folder / key
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
            if sum(self._kept.values()) + size <= self.most_bytes:
                return
            if key not in together:
                (self.folder / key).unlink(missing_ok=True)
                del self._kept[key]
        if sum(self._kept.values()) + size > self.most_bytes:
            raise TooLargeError("the results of this crawl are too large to query. Download its exports instead")
