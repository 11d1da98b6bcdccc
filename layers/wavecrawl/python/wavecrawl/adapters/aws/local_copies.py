"""Copies of exports and parts in a function's own folder: downloaded at first use, kept while there is space."""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING

import msgspec
from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import UNANSWERED, code_of, translated
from wavecrawl.adapters.batch_objects import PART, crawl_prefix
from wavecrawl.adapters.part_objects import part_name
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import StoreBusyError, TooLargeError
from wavecrawl.ports.parts import Table

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef, GetObjectRequestTypeDef

_MISSING = ("NoSuchKey", "404")
_UNCHANGED = "304"
_CHUNK = 1024 * 1024

_SHARE = 0.5
"""The share of a function's free disk space that copies may take.

The rest is used by results so far, by DuckDB and by the archive.
"""


class _Copy(msgspec.Struct, frozen=True, kw_only=True):
    bytes: int
    etag: str  # of the object, which names its content


def room_for_copies(folder: Path) -> int:
    """Return how many bytes of copies a folder may hold."""
    return int(disk_usage(folder).free * _SHARE)


class LocalCopies:
    """At most `most_bytes` of copies. Parts never change, so their copies stay valid.

    Exports can be made again, so each use asks S3 whether the copy is that of the present object.
    Not safe to share between threads.
    """

    def __init__(self, s3: "S3Client", bucket: str, *, folder: Path, most_bytes: int) -> None:
        self._s3 = s3
        self._bucket = bucket
        self.folder = folder
        self.most_bytes = most_bytes
        self._kept: OrderedDict[str, _Copy] = OrderedDict()  # by key, the most recently used last

    def exports(self, wanted: Sequence[tuple[CrawlId, str]]) -> list[Path | None]:
        """Return copies of exports, valid until the next call; None for those that do not exist."""
        return self._of([f"{crawl_prefix(crawl)}/exports/{name}" for crawl, name in wanted], can_change=True)

    def parts(self, crawl: CrawlId, tables: Sequence[Table], numbers: Sequence[int]) -> dict[Table, list[Path]]:
        """Return copies of the tables of these parts, valid until the next call. Missing ones are left out."""
        names = [(table, part_name(crawl, table, number)) for table in tables for number in numbers]
        found: dict[Table, list[Path]] = {table: [] for table in tables}
        for (table, _), path in zip(names, self._of([name for _, name in names], can_change=False), strict=True):
            if path is not None:
                found[table].append(path)
        return found

    def _of(self, keys: Sequence[str], *, can_change: bool) -> list[Path | None]:
        """Return copies of objects, valid until the next call; None for those that do not exist."""
        for key in keys:
            if key in self._kept:
                self._kept.move_to_end(key)
        return [
            self.folder / key if (key in self._kept and not can_change) or self._fetch(key, keys) else None
            for key in keys
        ]

    def _fetch(self, key: str, together: Sequence[str]) -> bool:
        """Download an object, unless its copy is of the same version. Return False if it does not exist."""
        what, copy = f"reading s3://{self._bucket}/{key}", self._kept.get(key)
        request: GetObjectRequestTypeDef = {"Bucket": self._bucket, "Key": key}
        if copy is not None:
            request["IfNoneMatch"] = copy.etag
        with translated(what):
            try:
                answer = self._s3.get_object(**request)
            except ClientError as error:
                if copy is not None and code_of(error) == _UNCHANGED:
                    return True
                if code_of(error) in _MISSING:
                    self._drop(key)
                    return False
                raise
        self._drop(key)
        self._make_room(answer["ContentLength"], together)
        try:
            self._store(key, answer)
        except UNANSWERED as error:
            raise StoreBusyError(f"{what}: the body broke off") from error
        except OSError as error:
            raise StoreBusyError(f"{what}: {error}") from error
        self._kept[key] = _Copy(bytes=answer["ContentLength"], etag=answer["ETag"])
        return True

    def _drop(self, key: str) -> None:
        if self._kept.pop(key, None) is not None:
            (self.folder / key).unlink(missing_ok=True)

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
            if self._size() + size <= self.most_bytes:
                return
            if key not in together:
                self._drop(key)
        if self._size() + size > self.most_bytes:
            raise TooLargeError("the results of this crawl are too large to query. Download its exports instead")

    def _size(self) -> int:
        return sum(copy.bytes for copy in self._kept.values())
