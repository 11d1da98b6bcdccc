"""A store with the limits of S3 behind a real client: it counts and hashes bytes, and holds none of them.

It answers in place of the network, so the client serializes, signs and parses as in AWS. Limits:
https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from botocore.awsrequest import AWSResponse

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.meter import AwsMeter

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

MB = 1024 * 1024
_READ = MB


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the store accepts, in bytes."""

    largest_put: int = 5 * 1024 * MB
    smallest_part: int = 5 * MB  # of all parts but the last
    most_parts: int = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """An object, or a part of one."""

    size: int
    digest: str  # SHA-256 of a part or of a small object; of a large one, the parts' digests joined by "+"
    etag: str


@dataclass(slots=True)
class _Open:
    key: str
    headers: dict[str, str]
    parts: dict[int, Stored] = field(default_factory=dict)


class StrictS3:
    """The store. `on_part`: called with the number of each part before it is received; may raise or return a status."""

    def __init__(self, limits: Limits = Limits(), *, meter: AwsMeter | None = None) -> None:
        self.limits = limits
        self.objects: dict[str, Stored] = {}
        self.headers: dict[str, dict[str, str]] = {}
        self.requests: list[str] = []
        self.received = 0
        self.aborted: list[str] = []
        self.on_part: Callable[[int], int] = lambda _: 200
        self.on_complete: Callable[[], None] = lambda: None
        self._open: dict[str, _Open] = {}
        self._lock = Lock()
        self.clients = AwsClients(meter=meter)
        self.clients.s3.meta.events.register("before-send.s3", self._respond)  # type: ignore[arg-type]  # it may respond

    @property
    def s3(self) -> "S3Client":
        """The client whose requests the store answers."""
        return self.clients.s3

    @property
    def left_over(self) -> int:
        """The number of uploads that were neither completed nor aborted."""
        return len(self._open)

    def _respond(self, request: Any, **_: object) -> AWSResponse:
        url = urlsplit(request.url)
        query = {name: values[0] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
        headers = {name.lower(): _text(value) for name, value in request.headers.items()}
        status, answered, body = self._answer(request.method, url.path.lstrip("/"), query, headers, request.body)
        return AWSResponse(request.url, status, answered, _Raw(body))  # type: ignore[arg-type]  # any mapping does

    def _answer(
        self, method: str, key: str, query: dict[str, str], headers: dict[str, str], body: Any
    ) -> tuple[int, dict[str, str], bytes]:
        if method == "PUT" and "partNumber" in query:
            return self._part(query["uploadId"], int(query["partNumber"]), headers, body)
        if method == "PUT":
            return self._put(key, headers, body)
        if method == "POST" and "uploads" in query:
            return self._create(key, headers)
        if method == "POST":
            return self._complete(key, query["uploadId"], headers, body)
        if method == "DELETE" and "uploadId" in query:
            return self._abort(query["uploadId"])
        raise AssertionError(f"{method} {key} {query}")

    def _put(self, key: str, headers: dict[str, str], body: Any) -> tuple[int, dict[str, str], bytes]:
        self._note("PutObject")
        stored = self._receive(headers, body)
        if stored.size > self.limits.largest_put:
            return _error(400, "EntityTooLarge")
        return self._store(key, stored, headers) or (200, {"ETag": stored.etag}, b"")

    def _create(self, key: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        self._note("CreateMultipartUpload")
        with self._lock:
            id_ = f"upload{len(self.requests)}"
            self._open[id_] = _Open(key, headers)
        text = f"<InitiateMultipartUploadResult><UploadId>{id_}</UploadId></InitiateMultipartUploadResult>"
        return 200, {}, text.encode()

    def _part(self, upload: str, number: int, headers: dict[str, str], body: Any) -> tuple[int, dict[str, str], bytes]:
        self._note("UploadPart")
        status = self.on_part(number)
        if status != 200:
            return _error(status, "InternalError" if status >= 500 else "AccessDenied")
        stored = self._receive(headers, body)
        if not 1 <= number <= self.limits.most_parts:
            return _error(400, "InvalidArgument")
        if stored.size > self.limits.largest_put:
            return _error(400, "EntityTooLarge")
        with self._lock:
            if upload not in self._open:
                return _error(404, "NoSuchUpload")
            self._open[upload].parts[number] = stored
        return 200, {"ETag": stored.etag}, b""

    def _complete(self, key: str, id_: str, headers: dict[str, str], body: Any) -> tuple[int, dict[str, str], bytes]:
        self._note("CompleteMultipartUpload")
        self.on_complete()
        text = b"".join(_pieces(body, headers)).decode()
        named = [
            (int(number), etag.replace("&quot;", '"'))
            for etag, number in re.findall(r"<ETag>(.*?)</ETag><PartNumber>(\d+)</PartNumber>", text)
        ] or [
            (int(number), etag.replace("&quot;", '"'))
            for number, etag in re.findall(r"<PartNumber>(\d+)</PartNumber><ETag>(.*?)</ETag>", text)
        ]
        upload = self._open.get(id_)
        if upload is None or upload.key != key:
            return _error(404, "NoSuchUpload")
        if not named or [number for number, _ in named] != sorted(number for number, _ in named):
            return _error(400, "InvalidPartOrder")
        if any(number not in upload.parts or upload.parts[number].etag != etag for number, etag in named):
            return _error(400, "InvalidPart")
        parts = [upload.parts[number] for number, _ in named]
        if any(part.size < self.limits.smallest_part for part in parts[:-1]):
            return _error(400, "EntityTooSmall")
        etag = f'"{hashlib.md5("".join(part.etag for part in parts).encode()).hexdigest()}-{len(parts)}"'
        whole = Stored(size=sum(part.size for part in parts), digest="+".join(part.digest for part in parts), etag=etag)
        refused = self._store(key, whole, headers)
        if refused:
            return refused
        self.headers[key] = upload.headers
        del self._open[id_]
        return 200, {}, f"<CompleteMultipartUploadResult><ETag>{etag}</ETag></CompleteMultipartUploadResult>".encode()

    def _abort(self, upload: str) -> tuple[int, dict[str, str], bytes]:
        self._note("AbortMultipartUpload")
        with self._lock:
            self.aborted.append(self._open.pop(upload).key)
        return 204, {}, b""

    def _store(self, key: str, stored: Stored, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes] | None:
        """Store an object if its condition holds; return the error otherwise."""
        there = self.objects.get(key)
        if "if-none-match" in headers and there is not None:
            return _error(412, "PreconditionFailed")
        if "if-match" in headers and there is None:
            return _error(404, "NoSuchKey")
        if "if-match" in headers and there is not None and there.etag != headers["if-match"]:
            return _error(412, "PreconditionFailed")
        with self._lock:
            self.objects[key], self.headers[key] = stored, headers
        return None

    def _receive(self, headers: dict[str, str], body: Any) -> Stored:
        digest, size = hashlib.sha256(), 0
        for piece in _pieces(body, headers):
            digest.update(piece)
            size += len(piece)
            with self._lock:
                self.received += len(piece)
        hexadecimal = digest.hexdigest()
        return Stored(size=size, digest=hexadecimal, etag=f'"{hexadecimal[:32]}"')

    def _note(self, operation: str) -> None:
        with self._lock:
            self.requests.append(operation)


class _Raw(BytesIO):
    def stream(self, *_: object, **__: object) -> Iterator[bytes]:
        yield self.read()


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _error(status: int, code: str) -> tuple[int, dict[str, str], bytes]:
    return status, {}, f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()


def _pieces(body: Any, headers: dict[str, str]) -> Iterator[bytes]:
    """Yield a request's content. Over HTTPS it is sent in chunks with a checksum at the end (aws-chunked)."""
    if isinstance(body, bytes | bytearray):
        yield bytes(body)
        return
    if "aws-chunked" not in headers.get("content-encoding", ""):
        yield from iter(lambda: body.read(_READ), b"")
        return
    left = b""
    while True:
        while b"\r\n" not in left:
            left += body.read(_READ)
        head, _, left = left.partition(b"\r\n")
        size = int(head, 16)
        if not size:
            return
        while len(left) < size + 2:
            left += body.read(_READ)
        yield left[:size]
        left = left[size + 2 :]
