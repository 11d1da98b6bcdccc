from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from threading import Barrier, Lock
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError
from msgspec import structs
from tests.adapters.aws.conftest import Cloud

from wavecrawl.adapters.aws import archive as archive_module
from wavecrawl.adapters.aws.archive import S3Archive
from wavecrawl.adapters.aws.objects import Bucket, S3Objects
from wavecrawl.adapters.aws.read_ahead import ReadAhead
from wavecrawl.adapters.batch_objects import warc_name
from wavecrawl.adapters.cache import Cache
from wavecrawl.adapters.gzip_members import compressed, decompressed
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.errors import CorruptDataError, StoreBusyError


def record(key: str) -> PageRecord:
    return PageRecord(key=key, url=f"https://example.com/{key}", depth=1, state=UrlState.FETCHED, status=200)


def exchange(key: str, size: int = 100) -> Exchange:
    return Exchange(url=f"https://example.com/{key}", status=200, raw_body=f"<{key}>".encode() * size)


@pytest.fixture(name="archive")
def an_archive(cloud: Cloud, tmp_path: Path) -> S3Archive:
    return S3Archive(cloud.clients.s3, cloud.bucket, scratch=tmp_path / "scratch")


def written(archive: S3Archive, batch: BatchId, *keys: str, attempt: int, end: str) -> None:
    one = archive.open(batch, attempt=attempt)
    for key in keys:
        one.add(record(key), [exchange(key)])
    getattr(one, end)()


def members(cloud: Cloud, batch: BatchId, attempt: int, one: PageRecord) -> bytes:
    name = warc_name(batch, attempt)
    stored = Bucket(cloud.clients.s3, cloud.bucket).get(name, first=one.warc_offset, length=one.warc_length)
    assert stored is not None
    return stored


@pytest.mark.parametrize("end", ["leave", "commit"])
def test_what_an_earlier_attempt_wrote_is_taken_over_with_its_exchanges(
    cloud: Cloud, archive: S3Archive, batch: BatchId, end: str
) -> None:
    written(archive, batch, "a", "b", attempt=1, end=end)
    heir = archive.open(batch, attempt=3)
    assert [one.key for one in heir.salvaged()] == ["a", "b"]
    heir.add(record("c"), [exchange("c")])
    heir.commit()
    found = list(archive.records(batch, attempt=3, shape=PageRecord))
    assert [one.key for one in found] == ["a", "b", "c"]
    for one in found:
        assert f"<{one.key}>".encode() in decompressed(members(cloud, batch, 3, one))


def test_of_two_earlier_attempts_at_a_page_the_first_counts(archive: S3Archive, batch: BatchId) -> None:
    written(archive, batch, "a", attempt=1, end="leave")
    two = archive.open(batch, attempt=2)
    two.add(structs.replace(record("a"), status=404), [])
    two.add(record("b"), [])
    two.leave()
    heir = archive.open(batch, attempt=3)
    heir.discard()
    assert [(one.key, one.status) for one in heir.salvaged()] == [("a", 200), ("b", 200)]


def test_a_first_attempt_asks_for_nothing(cloud: Cloud, archive: S3Archive, batch: BatchId) -> None:
    cloud.meter.take()
    archive.open(batch, attempt=1).leave()
    assert cloud.meter.take() == Usage()


def test_exchanges_beyond_memory_go_to_disk(
    cloud: Cloud, archive: S3Archive, batch: BatchId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_module, "_IN_MEMORY", 1_000)
    one = archive.open(batch, attempt=1)
    one.add(record("a"), [exchange("a", 200_000)])
    one.commit()
    (stored,) = archive.records(batch, attempt=1, shape=PageRecord)
    assert decompressed(members(cloud, batch, 1, stored)).count(b"<a>") == 200_000


def test_what_an_attempt_left_is_taken_over_piece_by_piece(cloud: Cloud, archive: S3Archive, batch: BatchId) -> None:
    """The exchanges of a batch may be larger than a function's memory."""
    written(archive, batch, "a", "b", attempt=1, end="leave")
    asked: list[tuple[str, str]] = []

    def record_range(params: dict[str, str], **_: object) -> None:
        asked.append((params["Key"], params.get("Range", "")))

    events = cloud.clients.s3.meta.events
    events.register("before-parameter-build.s3.GetObject", record_range)
    try:
        heir = archive.open(batch, attempt=2)
    finally:
        events.unregister("before-parameter-build.s3.GetObject", record_range)
    assert [one.key for one in heir.salvaged()] == ["a", "b"]
    heir.discard()
    ranges = [part for key, part in asked if "/warc/" in key]
    assert len(ranges) == 2
    assert all(part.startswith("bytes=") for part in ranges)


def test_trouble_with_s3_does_not_hide_why_a_worker_leaves(batch: BatchId, tmp_path: Path) -> None:
    s3 = Silent()
    one = S3Archive(s3, "b", scratch=tmp_path).open(batch, attempt=1)  # type: ignore[arg-type]  # the part that is used
    one.add(record("a"), [])
    one.leave()
    assert s3.calls >= 1


class Silent:
    calls = 0

    def put_object(self, **_: object) -> object:
        self.calls += 1
        raise ReadTimeoutError(endpoint_url="https://s3.example")


def test_what_is_prefetched_is_read_once(cloud: Cloud, archive: S3Archive, batch: BatchId) -> None:
    batches = [(structs_replaced(batch, number), 1) for number in range(40)]
    for id_, attempt in batches:
        written(archive, id_, f"k{id_.batch}", attempt=attempt, end="commit")
    cloud.meter.take()
    archive.prefetch(batches)
    found = [next(archive.records(id_, attempt=attempt, shape=PageRecord)).key for id_, attempt in batches]
    assert found == [f"k{number}" for number in range(40)]
    assert cloud.meter.take() == Usage(gets=40.0)


def structs_replaced(batch: BatchId, number: int) -> BatchId:
    return BatchId(crawl=batch.crawl, wave=batch.wave, batch=number)


def test_files_come_in_the_order_asked_for_and_are_kept(cloud: Cloud, archive: S3Archive, batch: BatchId) -> None:
    batches = [(structs_replaced(batch, number), 1) for number in (3, 1, 2)]
    for id_, attempt in batches:
        written(archive, id_, f"k{id_.batch}", attempt=attempt, end="commit")
    cloud.meter.take()
    contents = [decompressed(path.read_bytes()) for path in archive.files(batches)]
    assert [f'"key":"k{n}"'.encode() in content for n, content in zip((3, 1, 2), contents, strict=True)] == [True] * 3
    archive.files(batches)
    assert cloud.meter.take() == Usage(gets=3.0)
    (absent,) = archive.files([(batch, 9)])
    assert not absent.exists()


def test_the_records_of_one_object_are_found_with_one_request(cloud: Cloud, archive: S3Archive, batch: BatchId) -> None:
    keys = [f"{n:032x}" for n in range(25)]
    written(archive, batch, *keys, attempt=1, end="commit")
    cloud.meter.take()
    places = [archive.place(batch, attempt=1, key=key) for key in keys]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(archive.record_at, places))
    assert [one.key for one in found if one] == keys
    assert cloud.meter.take() == Usage(gets=1.0)


@pytest.mark.parametrize("content", [b"no gzip", compressed(b"{}\n" * 100)[:-9]])
def test_what_was_damaged_is_said_to_be(cloud: Cloud, archive: S3Archive, batch: BatchId, content: bytes) -> None:
    place = archive.place(batch, attempt=1, key="a")
    cloud.clients.s3.put_object(Bucket=cloud.bucket, Key=place.partition("#")[0], Body=content)
    name = f"tenants/default/sites/{batch.crawl.site}/crawls/{batch.crawl.crawl}/state"
    cloud.clients.s3.put_object(Bucket=cloud.bucket, Key=name, Body=content)
    with pytest.raises(CorruptDataError, match="000012-0034-1"):
        list(archive.records(batch, attempt=1, shape=PageRecord))
    with pytest.raises(CorruptDataError, match="state"):
        S3Objects(cloud.clients.s3, cloud.bucket).get(batch.crawl, "state")
    assert archive.record_at(place) is None


def test_exchanges_that_are_gone_are_named(archive: S3Archive, batch: BatchId) -> None:
    with pytest.raises(CorruptDataError, match=r"000012-0034-1\.warc\.gz"):
        next(archive.exchange_files([(batch, 1)]))


class Body:
    def __init__(self, content: bytes | None) -> None:
        self.content = content

    def read(self) -> bytes:
        if self.content is None:
            raise ReadTimeoutError(endpoint_url="https://s3.example")
        return self.content


class Breaking:
    """An S3 client whose response bodies break off a number of times."""

    def __init__(self, times: int) -> None:
        self.times = times

    def get_object(self, **_: object) -> dict[str, Any]:
        self.times -= 1
        return {"Body": Body(b"whole" if self.times < 0 else None)}


def test_a_body_that_breaks_off_is_read_again() -> None:
    naps: list[float] = []
    assert Bucket(Breaking(3), "b", sleep=naps.append).get("k") == b"whole"  # type: ignore[arg-type]  # the part that is used
    assert len(naps) == 3
    with pytest.raises(StoreBusyError, match="broke off"):
        Bucket(Breaking(1_000), "b", sleep=naps.append).get("k")  # type: ignore[arg-type]  # the part that is used


class Reader:
    """A reader that records the names it has read."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.read: list[str] = []

    def __call__(self, name: str) -> bytes:
        with self.lock:
            self.read.append(name)
        return name.encode()


def settled(ahead: ReadAhead, reader: Reader) -> int:
    """Return how much was read once every read that was begun is over."""
    wait(ahead._read_ahead.values())
    return len(reader.read)


def test_reading_ahead_is_bounded() -> None:
    reader = Reader()
    ahead = ReadAhead(reader)
    ahead.expect([str(n) for n in range(1_000)])
    assert settled(ahead, reader) == 8
    assert ahead.get("0") == b"0"
    assert settled(ahead, reader) == 9


def test_what_is_skipped_does_not_stop_reading_ahead() -> None:
    reader = Reader()
    ahead = ReadAhead(reader)
    ahead.expect([str(n) for n in range(100)])
    assert [ahead.get(str(n)) for n in (50, 51, 99, 3)] == [b"50", b"51", b"99", b"3"]
    ahead.expect(["x"])
    assert ahead.get("x") == b"x"
    assert reader.read.count("x") == 1


def test_a_cache_loads_once_for_all_and_forgets_the_oldest() -> None:
    loads: list[str] = []
    together = Barrier(4)

    def load(name: str) -> str:
        loads.append(name)
        return name.upper()

    cache = Cache(load, size=2)

    def ask(_: int) -> str:
        together.wait()
        return cache.get("a")

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == ["A"] * 4
    assert [cache.get(name) for name in "bacab"] == ["B", "A", "C", "A", "B"]
    assert loads == ["a", "b", "c", "b"]


def test_a_cache_does_not_keep_errors() -> None:
    answers = iter([OSError("once"), "fine"])

    def load(_: str) -> str:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return str(answer)

    cache = Cache(load, size=2)
    with pytest.raises(OSError, match="once"):
        cache.get("a")
    assert cache.get("a") == "fine"
