"""Objects of any size in S3, against a store that refuses what S3 refuses."""

import hashlib
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from tests.support.campaign import long
from tests.support.generated_stream import GeneratedStream
from tests.support.patience import HANG
from tests.support.strict_s3 import MB, Limits, StrictS3

import wavecrawl
from wavecrawl.adapters.aws.exports import S3Exports
from wavecrawl.adapters.aws.memory_files import S3MemoryFiles
from wavecrawl.adapters.aws.meter import AwsMeter
from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.aws.parts import S3Parts
from wavecrawl.adapters.aws.uploads import UploadLimits
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import PermanentError
from wavecrawl.ports.parts import Table, file_of

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from wavecrawl.adapters.aws.catalog import GlueCatalog

SCALE = 1_000  # the limits of S3 and of the uploads, divided by this
SMALL = Limits(largest_put=Limits().largest_put // SCALE, smallest_part=Limits().smallest_part // SCALE)
UPLOADS = UploadLimits(largest_put=UploadLimits().largest_put // SCALE, part=UploadLimits().part // SCALE)


@pytest.fixture
def store() -> StrictS3:
    return StrictS3(SMALL)


@pytest.fixture
def bucket(store: StrictS3) -> Bucket:
    return Bucket(store.s3, "bucket", limits=UPLOADS, sleep=lambda _: None)


def digest_of(content: bytes, part: int) -> str:
    """Return the digest of an object that was uploaded in parts of this size."""
    return "+".join(hashlib.sha256(content[start : start + part]).hexdigest() for start in range(0, len(content), part))


def test_the_limits_of_uploads_are_within_those_of_s3() -> None:
    for uploads, s3 in ((UploadLimits(), Limits()), (UPLOADS, SMALL)):
        assert s3.smallest_part <= uploads.part <= uploads.largest_put <= s3.largest_put
        for size in (1, uploads.largest_put + 1, s3.largest_put + 1, 10_000 * uploads.part + 1, 200_000 * uploads.part):
            part = uploads.part_size(size)
            assert part >= s3.smallest_part
            assert -(-size // part) <= s3.most_parts


@pytest.mark.parametrize("size", [0, 1, UPLOADS.largest_put])
def test_a_small_object_takes_one_request(store: StrictS3, bucket: Bucket, size: int) -> None:
    bucket.put("key", b"x" * size)
    bucket.put("file", BytesIO(b"x" * size))
    assert store.requests == ["PutObject"] * 2
    assert [store.objects[key].size for key in ("key", "file")] == [size] * 2


@pytest.mark.parametrize("kind", [bytes, BytesIO])
def test_a_large_object_arrives_in_parts(
    store: StrictS3, bucket: Bucket, kind: Callable[[bytes], bytes | BytesIO]
) -> None:
    content = bytes(range(256)) * (SMALL.largest_put // 256 + 1)
    bucket.put("key", kind(content), ContentType="text/csv")
    assert store.objects["key"].size == len(content) > SMALL.largest_put
    assert store.objects["key"].digest == digest_of(content, UPLOADS.part)
    assert store.headers["key"]["content-type"] == "text/csv"
    assert store.requests[0] == "CreateMultipartUpload"
    assert set(store.requests[1:-1]) == {"UploadPart"}
    assert store.requests[-1] == "CompleteMultipartUpload"
    assert store.left_over == 0


def test_a_file_is_uploaded_from_its_position_on(store: StrictS3, bucket: Bucket, tmp_path: Path) -> None:
    content = bytes(range(256)) * 1_000
    (tmp_path / "file").write_bytes(content)
    with (tmp_path / "file").open("rb") as file:
        file.seek(1_000)
        bucket.put("key", file)
    assert store.objects["key"].digest == digest_of(content[1_000:], UPLOADS.part)


def test_a_huge_object_has_no_more_parts_than_s3_takes(store: StrictS3) -> None:
    few = Limits(smallest_part=1, most_parts=100)
    store.limits = few
    limits = UploadLimits(largest_put=10, part=16, most_parts=few.most_parts)
    Bucket(store.s3, "bucket", limits=limits).put("key", b"x" * 2_345)
    assert store.requests.count("UploadPart") == 98  # of 24 bytes, as 100 parts of 23 are too few
    assert store.objects["key"].size == 2_345


def test_an_upload_holds_five_parts_at_most(store: StrictS3, bucket: Bucket) -> None:
    stream = GeneratedStream(60 * UPLOADS.part)
    ahead: list[int] = []

    def on_part(_: int) -> int:
        ahead.append(stream.tell() - store.received)
        return 200

    store.on_part = on_part
    bucket.put("key", stream.file)
    assert store.objects["key"].size == stream.size
    assert store.objects["key"].digest == stream.digest(UPLOADS.part)
    assert max(ahead) <= 5 * UPLOADS.part


@pytest.mark.parametrize("failing", [1, 7, 60])
def test_an_upload_that_fails_is_aborted(store: StrictS3, bucket: Bucket, failing: int) -> None:
    store.on_part = lambda number: 403 if number == failing else 200
    with pytest.raises(PermanentError, match="writing s3://bucket/key"):
        bucket.put("key", BytesIO(b"x" * 60 * UPLOADS.part))
    assert store.objects == {}
    assert store.aborted == ["key"]
    assert store.left_over == 0
    assert store.requests[-1] == "AbortMultipartUpload", "a part was still under way"


def test_parts_that_are_under_way_end_before_an_upload_is_aborted(store: StrictS3, bucket: Bucket) -> None:
    failed = Event()

    def on_part(number: int) -> int:
        if number == 1:
            failed.set()
            return 403
        assert failed.wait(HANG)
        return 200

    store.on_part = on_part
    with pytest.raises(PermanentError):
        bucket.put("key", BytesIO(b"x" * 60 * UPLOADS.part))
    assert store.requests[-1] == "AbortMultipartUpload"


def test_a_server_error_of_a_part_is_retried(store: StrictS3, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    failures = [500, 503]
    store.on_part = lambda number: failures.pop() if number == 3 and failures else 200
    content = b"x" * 60 * UPLOADS.part
    bucket.put("key", BytesIO(content))
    assert failures == []
    assert store.objects["key"].digest == digest_of(content, UPLOADS.part)


def test_an_abort_that_fails_does_not_hide_the_error(
    store: StrictS3, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.on_part = lambda _: 403
    monkeypatch.setattr(store, "_abort", lambda _: (403, {}, b"<Error><Code>AccessDenied</Code></Error>"))
    with pytest.raises(PermanentError, match="UploadPart"):
        bucket.put("key", b"x" * 60 * UPLOADS.part)
    assert store.left_over == 1


def test_a_process_that_is_stopped_aborts_its_upload(store: StrictS3, bucket: Bucket) -> None:
    def pieces() -> Iterator[bytes]:
        yield from [b"x" * UPLOADS.part] * 5
        raise KeyboardInterrupt

    stream = GeneratedStream(60 * UPLOADS.part, pieces())
    with pytest.raises(KeyboardInterrupt):
        bucket.put("key", stream.file)
    assert store.aborted == ["key"]
    assert store.left_over == 0


def test_a_file_that_becomes_shorter_is_not_stored(store: StrictS3, bucket: Bucket) -> None:
    stream = GeneratedStream(60 * UPLOADS.part, iter([b"x" * UPLOADS.part] * 59))
    with pytest.raises(PermanentError, match=f"{59 * UPLOADS.part} of {60 * UPLOADS.part} bytes"):
        bucket.put("key", stream.file)
    assert store.objects == {}
    assert store.aborted == ["key"]


LARGE = b"x" * 60 * UPLOADS.part


def test_a_large_object_is_stored_only_if_its_key_is_free(store: StrictS3, bucket: Bucket) -> None:
    assert bucket.put_new("key", LARGE, tag="lifetime=crawl")
    assert store.headers["key"]["x-amz-tagging"] == "lifetime=crawl"
    first = store.objects["key"]
    assert not bucket.put_new("key", LARGE + b"y")
    assert store.objects["key"] == first
    assert store.aborted == ["key"]


def test_a_large_object_that_another_process_has_stored_meanwhile_stays(store: StrictS3, bucket: Bucket) -> None:
    other = Bucket(store.s3, "bucket", limits=UPLOADS)

    def meanwhile() -> None:
        store.on_complete = lambda: None
        other.put("key", b"first")

    store.on_complete = meanwhile
    assert not bucket.put_new("key", LARGE)
    assert store.objects["key"].size == 5
    assert store.aborted == ["key"]


def test_a_large_object_is_replaced_only_if_it_is_unchanged(store: StrictS3, bucket: Bucket) -> None:
    etag = bucket.replace("key", BytesIO(LARGE), etag="")
    assert etag is not None
    assert bucket.replace("key", BytesIO(LARGE), etag="") is None
    assert bucket.replace("key", BytesIO(LARGE + b"y"), etag='"another"') is None
    newer = bucket.replace("key", BytesIO(LARGE + b"y"), etag=etag)
    assert newer is not None
    assert newer != etag
    assert store.objects["key"].size == len(LARGE) + 1
    assert bucket.replace("gone", BytesIO(LARGE), etag=etag) is None
    assert len(store.aborted) == 3


def test_the_parts_of_an_upload_are_charged() -> None:
    meter = AwsMeter()
    store = StrictS3(SMALL, meter=meter)
    Bucket(store.s3, "bucket", limits=UPLOADS).put("key", LARGE)
    assert meter.take() == Usage(puts=62.0)  # 60 parts, the start and the end
    store.on_part = lambda _: 403
    with pytest.raises(PermanentError):
        Bucket(store.s3, "bucket", limits=UPLOADS).put("key", LARGE[: UPLOADS.largest_put + 1])
    assert meter.take().puts >= 2.0


CRAWL = CrawlId(tenant="t", site="s", crawl="c")
LARGE_FILE = UploadLimits().largest_put + 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two large files, which take no space on the disk."""
    for name in ("pages.jsonl.gz", file_of(Table.PAGES), file_of(Table.URLS)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(LARGE_FILE)
    return tmp_path


def written_by_exports(s3: "S3Client", folder: Path) -> None:
    S3Exports(s3, "bucket").put(CRAWL, folder / "pages.jsonl.gz")


def written_by_parts(s3: "S3Client", folder: Path) -> None:
    catalog = cast("GlueCatalog", SimpleNamespace(add=lambda *_: None))
    (folder / file_of(Table.URLS)).unlink()
    S3Parts(Bucket(s3, "bucket"), catalog, scratch=folder).store(CRAWL, 1, folder)


def written_by_page_memories(s3: "S3Client", folder: Path) -> None:
    path = folder / file_of(Table.PAGES)
    assert S3MemoryFiles(Bucket(s3, "bucket")).replace(CRAWL, "0.parquet", path, version="")


@pytest.mark.parametrize("write", [written_by_exports, written_by_parts, written_by_page_memories])
def test_large_files_are_uploaded_in_parts(write: "Callable[[S3Client, Path], None]", folder: Path) -> None:
    store = StrictS3(Limits(largest_put=64 * MB))
    write(store.s3, folder)
    assert [stored.size for stored in store.objects.values()] == [LARGE_FILE]
    assert store.requests.count("UploadPart") == 5
    assert "PutObject" not in store.requests


def test_nothing_else_writes_objects() -> None:
    """Everything that is stored goes through the one place that knows the limits of S3.

    Uploaded lists of URLs, which are far below 5 GB, are copied within S3 in one request.
    """
    package = Path(wavecrawl.__file__).parent
    writes = re.compile(r"\.(put_object|upload_file|upload_fileobj|create_multipart_upload)\(")
    found = {path.name for path in package.rglob("*.py") if writes.search(path.read_text(encoding="utf-8"))}
    assert found == {"uploads.py"}


@long
def test_more_than_s3_takes_in_one_request_is_uploaded_with_the_real_limits() -> None:
    store, stream = StrictS3(), GeneratedStream(Limits().largest_put + 100 * MB + 1)
    ahead: list[int] = []

    def on_part(_: int) -> int:
        ahead.append(stream.tell() - store.received)
        return 200

    store.on_part = on_part
    Bucket(store.s3, "bucket").put("pages.jsonl.gz", stream.file)
    stored = store.objects["pages.jsonl.gz"]
    assert stored.size == stream.size > Limits().largest_put
    assert stored.digest == stream.digest(UploadLimits().part)
    assert max(ahead) <= 5 * UploadLimits().part
