"""Objects in S3."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import UNANSWERED, attempts, code_of, translated
from wavecrawl.adapters.aws.read_ahead import ReadAhead
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.adapters.gzip_members import BROKEN, compressed, decompressed
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError, StoreBusyError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_TAKEN = ("PreconditionFailed", "412")
_MISSING = ("NoSuchKey", "404")
_KEYS_PER_DELETE = 1_000
_PIECE = 1024 * 1024  # bytes of a download at once
_SNAPSHOTS = "frontier/"
_OF_A_RUNNING_CRAWL = "lifetime=crawl"
"""Tag of snapshots, which are not needed after the crawl; a lifecycle rule of the bucket deletes them."""

_CONFLICT = "ConditionalRequestConflict"  # with If-None-Match: another process is writing the same object


class Bucket:
    """A client and the name of a bucket. Safe to share between threads."""

    def __init__(self, s3: "S3Client", name: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._s3 = s3
        self._name = name
        self._sleep = sleep

    def put(self, key: str, body: bytes | IO[bytes]) -> None:
        """Store an object; replace an existing one."""
        with translated(f"writing s3://{self._name}/{key}"):
            self._s3.put_object(Bucket=self._name, Key=key, Body=body)

    def put_new(self, key: str, body: bytes, *, tag: str = "") -> bool:
        """Store an object unless the key exists; return whether it was stored. `tag` is `name=value`.

        https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
        """
        what = f"writing s3://{self._name}/{key}"
        more: dict[str, Any] = {"Tagging": tag} if tag else {}
        for _ in attempts(self._sleep):
            with translated(what):
                try:
                    self._s3.put_object(Bucket=self._name, Key=key, Body=body, IfNoneMatch="*", **more)
                except ClientError as error:
                    if code_of(error) in _TAKEN:
                        return False
                    if code_of(error) != _CONFLICT:
                        raise
                else:
                    return True
        raise StoreBusyError(f"{what}: still in conflict with other writers after several attempts")

    def get(self, key: str, *, first: int = 0, length: int = 0) -> bytes | None:
        """Return an object's bytes, or `length` of them from `first` on; None if there is no such object.

        S3 reports a missing object only to callers with ListBucket; to others it reports AccessDenied.
        """
        range_: dict[str, Any] = {"Range": f"bytes={first}-{first + length - 1}"} if length else {}
        what = f"reading s3://{self._name}/{key}"
        broken: Exception | None = None
        for _ in attempts(self._sleep):
            with translated(what):
                try:
                    response = self._s3.get_object(Bucket=self._name, Key=key, **range_)
                except ClientError as error:
                    if code_of(error) in _MISSING:
                        return None
                    raise
            try:
                return response["Body"].read()
            except UNANSWERED as error:  # botocore does not retry after the start of the body
                broken = error
        raise StoreBusyError(f"{what}: the body is still incomplete after several attempts") from broken

    def download(self, key: str, path: Path) -> bool:
        """Write an object to a file in chunks; return whether the object exists."""
        what = f"reading s3://{self._name}/{key}"
        broken: Exception | None = None
        for _ in attempts(self._sleep):
            with translated(what):
                try:
                    response = self._s3.get_object(Bucket=self._name, Key=key)
                except ClientError as error:
                    if code_of(error) in _MISSING:
                        return False
                    raise
            try:
                with path.open("wb") as file:
                    file.writelines(response["Body"].iter_chunks(_PIECE))
            except UNANSWERED as error:
                broken = error
            else:
                return True
        raise StoreBusyError(f"{what}: the body is still incomplete after several attempts") from broken

    def sizes(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Yield key and size in bytes of all objects whose keys start with `prefix`."""
        more: dict[str, Any] = {}
        while True:
            with translated(f"listing s3://{self._name}/{prefix}"):
                page = self._s3.list_objects_v2(Bucket=self._name, Prefix=prefix, **more)
            for entry in page.get("Contents", []):
                yield entry["Key"], entry["Size"]
            token = page.get("NextContinuationToken", "")
            if not token:
                return
            more = {"ContinuationToken": token}

    def delete_all(self, prefix: str) -> None:
        """Delete all objects whose keys start with `prefix`."""
        while keys := [key for key, _ in islice(self.sizes(prefix), _KEYS_PER_DELETE)]:
            with translated(f"deleting s3://{self._name}/{prefix}"):
                response = self._s3.delete_objects(
                    Bucket=self._name, Delete={"Objects": [{"Key": key} for key in keys], "Quiet": True}
                )
            if response.get("Errors"):
                left = len(response["Errors"])
                raise StoreBusyError(f"deleting s3://{self._name}/{prefix}: {left} objects could not be deleted")


class S3Objects:
    """`ports.objects.Objects`: gzipped objects."""

    def __init__(self, s3: "S3Client", bucket: str) -> None:
        self._bucket = Bucket(s3, bucket)

    def put(self, crawl: CrawlId, name: str, data: bytes) -> None:
        """Store an object; replace an existing one."""
        self._bucket.put(_key(crawl, name), compressed(data))

    def put_new(self, crawl: CrawlId, name: str, data: bytes) -> bool:
        """Store an object unless the name exists; return whether it was stored."""
        tag = _OF_A_RUNNING_CRAWL if name.startswith(_SNAPSHOTS) else ""
        return self._bucket.put_new(_key(crawl, name), compressed(data), tag=tag)

    def get_many(self, crawl: CrawlId, names: Sequence[str]) -> Iterator[bytes | None]:
        """Yield objects in order; several are read at a time."""
        ahead = ReadAhead(lambda name: self.get(crawl, name))
        ahead.expect(names)
        for name in names:
            yield ahead.get(name)

    def get(self, crawl: CrawlId, name: str) -> bytes | None:
        """Return an object's bytes, or None."""
        data = self._bucket.get(_key(crawl, name))
        if data is None:
            return None
        try:
            return decompressed(data)
        except BROKEN as error:
            raise CorruptDataError(f"object {name} of crawl {crawl} cannot be read: {error}") from error


def _key(crawl: CrawlId, name: str) -> str:
    return f"{crawl_prefix(crawl)}/{name}"
