"""Objects in S3."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import UNANSWERED, attempts, code_of, translated
from wavecrawl.adapters.aws.read_ahead import ReadAhead
from wavecrawl.adapters.aws.uploads import Upload, UploadLimits
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.adapters.gzip_members import BROKEN, compressed, decompressed
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError, StoreBusyError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef

Content = TypeVar("Content")

_TAKEN = ("PreconditionFailed", "412")
_MISSING = ("NoSuchKey", "404")
_KEYS_PER_DELETE = 1_000
_PIECE = 1024 * 1024  # bytes
_FOR_THE_PLANNER = "frontier/"
OF_A_RUNNING_CRAWL = "lifetime=crawl"
"""Tag of snapshots and lists of URLs, which are not read after their crawl.

A lifecycle rule of the bucket deletes them.
"""

_CONFLICT = "ConditionalRequestConflict"  # with If-None-Match: another request is writing the same object


class Bucket:
    """A client and the name of a bucket. Safe to share between threads.

    Objects of any size are written in memory that does not grow with them (`uploads`).
    """

    def __init__(
        self,
        s3: "S3Client",
        name: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
        limits: UploadLimits = UploadLimits(),  # noqa: B008 - it is frozen
    ) -> None:
        self._s3 = s3
        self._name = name
        self._sleep = sleep
        self._limits = limits

    def put(self, key: str, body: bytes | IO[bytes], **headers: Any) -> None:
        """Store an object, replacing the one of the same key. `headers`: such as ContentType, of PutObject."""
        with translated(f"writing s3://{self._name}/{key}"):
            self._send(key, body, headers=headers)

    def put_new(self, key: str, body: bytes, *, tag: str = "") -> bool:
        """Store an object unless the key is taken; return whether it was stored. `tag` is `name=value`.

        https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
        """
        what = f"writing s3://{self._name}/{key}"
        more: dict[str, Any] = {"Tagging": tag} if tag else {}
        for _ in attempts(self._sleep):
            with translated(what):
                try:
                    self._send(key, body, headers=more, condition={"IfNoneMatch": "*"})
                except ClientError as error:
                    if code_of(error) in _TAKEN:
                        return False
                    if code_of(error) != _CONFLICT:
                        raise
                else:
                    return True
        raise StoreBusyError(f"{what}: others were writing it in every attempt. Try again later")

    def get(self, key: str, *, first: int = 0, length: int = 0) -> bytes | None:
        """Return an object's bytes, or `length` of them from `first` on; None if there is no such object."""
        part = f"bytes={first}-{first + length - 1}" if length else ""
        return self._read(key, lambda response: response["Body"].read(), part)

    def pieces(self, key: str) -> Iterator[bytes] | None:
        """Return an object's bytes in pieces, as they are received; None if there is no such object.

        Raise StoreBusyError if the body breaks off: what was read cannot be taken back, so nothing is repeated.
        """
        return self._read(key, lambda response: self._received(key, response))

    def _received(self, key: str, response: "GetObjectOutputTypeDef") -> Iterator[bytes]:
        try:
            yield from response["Body"].iter_chunks(_PIECE)
        except UNANSWERED as error:
            raise StoreBusyError(f"reading s3://{self._name}/{key}: the body broke off. Try again later") from error

    def copy(self, source: str, target: str, *, tag: str) -> bool:
        """Copy an object of at most 5 GB within S3; return False if there is no such object.

        https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
        """
        with translated(f"copying s3://{self._name}/{source} to {target}"):
            try:
                self._s3.copy_object(
                    Bucket=self._name,
                    Key=target,
                    CopySource={"Bucket": self._name, "Key": source},
                    TaggingDirective="REPLACE",
                    Tagging=tag,
                )
            except ClientError as error:
                if code_of(error) in _MISSING:
                    return False
                raise
        return True

    def tag(self, key: str, tag: str) -> None:
        """Give an object this tag, `name=value`, in place of all others."""
        name, _, value = tag.partition("=")
        with translated(f"tagging s3://{self._name}/{key}"):
            self._s3.put_object_tagging(Bucket=self._name, Key=key, Tagging={"TagSet": [{"Key": name, "Value": value}]})

    def download(self, key: str, path: Path) -> str | None:
        """Write an object to a file, piece by piece; return the object's ETag, or None if there is no such object."""

        def write(response: "GetObjectOutputTypeDef") -> str:
            with path.open("wb") as file:
                file.writelines(response["Body"].iter_chunks(_PIECE))
            return response["ETag"]

        return self._read(key, write)

    def replace(self, key: str, body: IO[bytes], *, etag: str) -> str | None:
        """Replace the object that has this ETag, or store a new one if `etag` is "".

        Return the ETag of the new object, or None if the object has another ETag or exists already.

        https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
        """
        condition = {"IfMatch": etag} if etag else {"IfNoneMatch": "*"}
        with translated(f"replacing s3://{self._name}/{key}"):
            try:
                return self._send(key, body, condition=condition)
            except ClientError as error:
                if code_of(error) in (*_TAKEN, *_MISSING, _CONFLICT):
                    return None
                raise

    def _send(
        self,
        key: str,
        body: bytes | IO[bytes],
        *,
        headers: Mapping[str, Any] = MappingProxyType({}),
        condition: Mapping[str, Any] = MappingProxyType({}),
    ) -> str:
        upload = Upload(bucket=self._name, key=key, headers=headers, condition=condition)
        return upload.send(self._s3, body, self._limits)

    def _read(self, key: str, read: Callable[["GetObjectOutputTypeDef"], Content], part: str = "") -> Content | None:
        """Return what `read` makes of an object, or of its range `part`; None if there is no such object.

        S3 reports a missing object only to roles that may list the bucket; otherwise the error is AccessDenied.
        """
        request: dict[str, Any] = {"Range": part} if part else {}
        what = f"reading s3://{self._name}/{key}"
        broken: Exception | None = None
        for _ in attempts(self._sleep):
            with translated(what):
                try:
                    response = self._s3.get_object(Bucket=self._name, Key=key, **request)
                except ClientError as error:
                    if code_of(error) in _MISSING:
                        return None
                    raise
            try:
                return read(response)
            except UNANSWERED as error:  # botocore retries until the body starts, not within it
                broken = error
        raise StoreBusyError(f"{what}: the body broke off in every attempt. Try again later") from broken

    def exists(self, key: str) -> bool:
        """Return whether there is an object with this key."""
        return self.etag(key) is not None

    def etag(self, key: str) -> str | None:
        """Return the ETag of an object, or None if there is no such object."""
        with translated(f"looking up s3://{self._name}/{key}"):
            try:
                return self._s3.head_object(Bucket=self._name, Key=key)["ETag"]
            except ClientError as error:
                if code_of(error) in _MISSING:
                    return None
                raise

    def sizes(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Yield the keys that start with `prefix`, and the size of each object in bytes."""
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

    def folders(self, prefix: str) -> Iterator[str]:
        """Yield the names, up to the next slash, of what is below `prefix`, which ends with a slash."""
        more: dict[str, Any] = {}
        while True:
            with translated(f"listing s3://{self._name}/{prefix}"):
                page = self._s3.list_objects_v2(Bucket=self._name, Prefix=prefix, Delimiter="/", **more)
            for entry in page.get("CommonPrefixes", []):
                yield entry["Prefix"].removeprefix(prefix).removesuffix("/")
            token = page.get("NextContinuationToken", "")
            if not token:
                return
            more = {"ContinuationToken": token}

    def delete_all(self, prefix: str) -> None:
        """Delete all objects whose keys start with `prefix`."""
        while keys := [key for key, _ in islice(self.sizes(prefix), _KEYS_PER_DELETE)]:
            self.delete(keys)

    def delete(self, keys: Sequence[str]) -> None:
        """Delete objects, a thousand per request, which is the most S3 accepts. They may be missing."""
        for start in range(0, len(keys), _KEYS_PER_DELETE):
            some = keys[start : start + _KEYS_PER_DELETE]
            what = f"deleting {len(some)} objects, such as s3://{self._name}/{some[0]}"
            with translated(what):
                response = self._s3.delete_objects(
                    Bucket=self._name, Delete={"Objects": [{"Key": key} for key in some], "Quiet": True}
                )
            if response.get("Errors"):
                raise StoreBusyError(f"{what}: {len(response['Errors'])} objects are left. Try again later")


class S3Objects:
    """`ports.objects.Objects`: compressed with gzip, under the same names as in a folder."""

    def __init__(self, s3: "S3Client", bucket: str) -> None:
        self._bucket = Bucket(s3, bucket)

    def put(self, crawl: CrawlId, name: str, data: bytes) -> None:
        """Store an object, replacing one of the same name."""
        self._bucket.put(_key(crawl, name), compressed(data))

    def put_new(self, crawl: CrawlId, name: str, data: bytes) -> bool:
        """Store an object unless the name is taken; return whether it was stored."""
        tag = OF_A_RUNNING_CRAWL if name.startswith(_FOR_THE_PLANNER) else ""
        return self._bucket.put_new(_key(crawl, name), compressed(data), tag=tag)

    def get_many(self, crawl: CrawlId, names: Sequence[str]) -> Iterator[bytes | None]:
        """Yield objects in order, several read at a time."""
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
