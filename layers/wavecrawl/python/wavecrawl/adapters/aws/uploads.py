"""Uploads to S3: one request for a small object, a multipart upload for a large one.

PutObject takes 5 GB, a multipart upload 10,000 parts of 5 MB to 5 GB each:
https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html. A failed upload is aborted, as its parts cost money.
A lifecycle rule of the bucket deletes what a killed process leaves
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpu-abort-incomplete-mpu-lifecycle-config.html).

This is not s3transfer, boto3's transfer manager: version 0.19 refuses the conditions If-Match and If-None-Match, which
CompleteMultipartUpload takes (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from io import SEEK_END
from typing import IO, TYPE_CHECKING, Any

import msgspec
from botocore.exceptions import BotoCoreError, ClientError

from wavecrawl.errors import PermanentError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef

_MB = 1024 * 1024
_PARALLEL = 4  # parts of an object that are sent at a time


class UploadLimits(msgspec.Struct, frozen=True, kw_only=True):
    """From which size an object is uploaded in parts, and how large these are. In bytes."""

    largest_put: int = 64 * _MB
    part: int = 16 * _MB  # grows if there would be more than `most_parts`
    most_parts: int = 10_000

    def part_size(self, size: int) -> int:
        """Return the size of all parts of an object but the last."""
        return max(self.part, -(-size // self.most_parts))


class Upload(msgspec.Struct, frozen=True, kw_only=True):
    """An object to store. `headers`: such as ContentType, of PutObject and CreateMultipartUpload alike."""

    bucket: str
    key: str
    headers: Mapping[str, Any]
    condition: Mapping[str, Any]  # IfMatch or IfNoneMatch, if any

    def send(self, s3: "S3Client", body: bytes | IO[bytes], limits: UploadLimits) -> str:
        """Store the object; return its ETag. `body` is read from its position on. Raise ClientError if S3 refuses it.

        A large object takes the memory of five parts, whatever its size.
        """
        size = _size_of(body)
        if size <= limits.largest_put:
            return s3.put_object(**self._target(), Body=body, **self.headers, **self.condition)["ETag"]
        upload: dict[str, Any] = {"UploadId": s3.create_multipart_upload(**self._target(), **self.headers)["UploadId"]}
        try:
            parts = self._send_parts(s3, upload, _pieces(body, limits.part_size(size)), size)
            done: Mapping[str, Any] = {"MultipartUpload": {"Parts": parts}, **self.condition}
            return s3.complete_multipart_upload(**self._target(), **upload, **done)["ETag"]
        except BaseException:
            with suppress(ClientError, BotoCoreError):  # the lifecycle rule deletes the parts then
                s3.abort_multipart_upload(**self._target(), **upload)
            raise

    def _send_parts(
        self, s3: "S3Client", upload: Mapping[str, Any], pieces: Iterator[bytes], size: int
    ) -> "list[CompletedPartTypeDef]":
        """Send the parts of an upload, a few at a time. None is under way any more when this ends, also by an error."""

        def send(number: int, piece: bytes) -> "CompletedPartTypeDef":
            answer = s3.upload_part(**self._target(), **upload, PartNumber=number, Body=piece)
            return {"PartNumber": number, "ETag": answer["ETag"]}

        sent = 0
        parts: list[CompletedPartTypeDef] = []
        waiting: deque[Future[CompletedPartTypeDef]] = deque()
        with ThreadPoolExecutor(_PARALLEL, thread_name_prefix="part") as pool:
            try:
                for number, piece in enumerate(pieces, 1):
                    sent += len(piece)
                    if len(waiting) == _PARALLEL:
                        parts.append(waiting.popleft().result())
                    waiting.append(pool.submit(send, number, piece))
                parts += [future.result() for future in waiting]
            finally:
                for future in waiting:
                    future.cancel()
        if sent != size:
            raise PermanentError(f"writing s3://{self.bucket}/{self.key}: {sent} of {size} bytes could be read")
        return parts

    def _target(self) -> dict[str, Any]:
        return {"Bucket": self.bucket, "Key": self.key}


def _size_of(body: bytes | IO[bytes]) -> int:
    if isinstance(body, bytes):
        return len(body)
    start = body.tell()
    end = body.seek(0, SEEK_END)
    body.seek(start)
    return end - start


def _pieces(body: bytes | IO[bytes], size: int) -> Iterator[bytes]:
    """Yield a body in pieces of `size` bytes; the last one may be smaller."""
    if isinstance(body, bytes):
        yield from (body[start : start + size] for start in range(0, len(body), size))
        return
    read: Callable[[], bytes] = lambda: body.read(size)  # noqa: E731 - a file on disk reads as much as is asked for
    yield from iter(read, b"")
