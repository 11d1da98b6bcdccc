import gzip
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pytest
from msgspec import structs

from wavecrawl.adapters.aws.archive import S3Archive
from wavecrawl.adapters.batch_objects import records_name
from wavecrawl.adapters.embedded.folder import FolderArchive
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import Hop, Link, PageRecord
from wavecrawl.domain.crawl.record_view import RecordView
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, StoredPayload
from wavecrawl.domain.pages.page import LinkKind, PageFacts, Region
from wavecrawl.domain.rendering.conversion import Conversion
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.archive import Archive

LINK = Link(url="https://example.com/b", key="b", kind=LinkKind.ANCHOR, region=Region.NAV, text="B")


def record(key: str) -> PageRecord:
    return PageRecord(
        key=key, url=f"https://example.com/{key}", depth=2, state=UrlState.FETCHED, status=200, is_html=True,
        facts=PageFacts(
            title="T\u00e4", robots=("noindex",), text="word " * 500, simhash=2**64 - 1, headings=((1, "H"),)
        ),
        links=(LINK,), hops=(Hop(url="u", status=301, location="v"),), fetched_at=1.25,
    )  # fmt: skip


def exchange(key: str) -> Exchange:
    return Exchange(
        url=f"https://example.com/{key}", status=200, reason="OK", headers=(("Content-Type", "text/html"),),
        raw_body=b"<html>" + key.encode() * 100, body=b"x", address="192.0.2.1", started_at=1_700_000_000.5,
        request_headers=(("User-Agent", "wavecrawl/0"),),
    )  # fmt: skip


@pytest.fixture(name="batch")
def a_batch(crawl: CrawlId) -> BatchId:
    return BatchId(crawl=crawl, wave=1, batch=2)


def stored(stores: Ports, batch: BatchId, *keys: str, attempt: int = 1) -> None:
    archive = stores.archive.open(batch, attempt=attempt)
    for key in keys:
        archive.add(record(key), [exchange(key)])
    archive.commit()


def without_place(one: PageRecord) -> PageRecord:
    return structs.replace(one, warc_offset=0, warc_length=0)


def test_records_come_back_whole_and_as_views(stores: Ports, batch: BatchId) -> None:
    stored(stores, batch, "a", "b")
    whole = list(stores.archive.records(batch, attempt=1, shape=PageRecord))
    assert [without_place(one) for one in whole] == [record("a"), record("b")]
    views = list(stores.archive.records(batch, attempt=1, shape=RecordView))
    assert [(view.key, view.links[0].key, view.facts is None) for view in views] == [
        ("a", "b", False),
        ("b", "b", False),
    ]


def test_what_is_not_committed_cannot_be_read(stores: Ports, batch: BatchId) -> None:
    archive = stores.archive.open(batch, attempt=1)
    archive.add(record("a"), [exchange("a")])
    archive.leave()
    with pytest.raises(CorruptDataError):
        list(stores.archive.records(batch, attempt=1, shape=RecordView))


@pytest.mark.parametrize(("cut", "keys", "problem"), [(1, ["a"], "incomplete"), (0, ["a", "b"], ""), (None, [], "")])
def test_an_incomplete_object_is_read_up_to_its_last_record(
    stores: Ports, batch: BatchId, cut: int | None, keys: list[str], problem: str
) -> None:
    stored(stores, batch, "a", "b")
    name = records_name(batch, 1)
    whole = stored_bytes(stores.archive, name)
    replace_bytes(stores.archive, name, b"" if cut is None else whole[: len(whole) - cut])
    found: list[str] = []
    with pytest.raises(CorruptDataError, match=problem) if problem else nullcontext():
        found.extend(view.key for view in stores.archive.records(batch, attempt=1, shape=RecordView))
    assert found == keys


def stored_bytes(archive: Archive, name: str) -> bytes:
    if isinstance(archive, FolderArchive):
        return (archive._root / name).read_bytes()
    assert isinstance(archive, S3Archive)
    data = archive._bucket.get(name)
    assert data is not None
    return data


def replace_bytes(archive: Archive, name: str, data: bytes) -> None:
    if isinstance(archive, FolderArchive):
        (archive._root / name).write_bytes(data)
    else:
        assert isinstance(archive, S3Archive)
        archive._bucket.put(name, data)


def test_a_discarded_attempt_leaves_nothing(stores: Ports, batch: BatchId) -> None:
    archive = stores.archive.open(batch, attempt=1)
    archive.add(record("a"), [exchange("a")])
    archive.discard()
    heir = stores.archive.open(batch, attempt=2)
    assert list(heir.salvaged()) == []
    heir.discard()


@pytest.mark.parametrize("end", ["leave", "commit"])
def test_what_an_earlier_attempt_left_is_part_of_the_next(stores: Ports, batch: BatchId, end: str) -> None:
    first = stores.archive.open(batch, attempt=1)
    first.add(record("a"), [exchange("a")])
    first.leave() if end == "leave" else first.commit()
    heir = stores.archive.open(batch, attempt=2)
    assert [without_place(one) for one in heir.salvaged()] == [record("a")]
    heir.add(record("b"), [exchange("b")])
    heir.commit()
    assert [one.key for one in stores.archive.records(batch, attempt=2, shape=RecordView)] == ["a", "b"]


def test_what_was_announced_can_be_read_in_any_order(stores: Ports, crawl: CrawlId) -> None:
    batches = [BatchId(crawl=crawl, wave=1, batch=number) for number in range(5)]
    for one in batches:
        stored(stores, one, f"k{one.batch}")
    stores.archive.prefetch([(one, 1) for one in batches])
    for number in (0, 3, 1, 1, 4):
        (view,) = stores.archive.records(batches[number], attempt=1, shape=RecordView)
        assert view.key == f"k{number}"


def test_attempts_do_not_touch_each_other(stores: Ports, batch: BatchId) -> None:
    zombie = stores.archive.open(batch, attempt=1)
    stored(stores, batch, "a", attempt=2)
    zombie.add(record("z"), [exchange("z")])
    zombie.commit()
    assert [one.key for one in stores.archive.records(batch, attempt=2, shape=RecordView)] == ["a"]
    assert [one.key for one in stores.archive.records(batch, attempt=1, shape=RecordView)] == ["z"]


def test_a_record_is_found_at_its_place(stores: Ports, batch: BatchId) -> None:
    stored(stores, batch, "a", "b")
    place = stores.archive.place(batch, attempt=1, key="b")
    found = stores.archive.record_at(place)
    assert found is not None
    assert without_place(found) == record("b")
    assert stores.archive.record_at(stores.archive.place(batch, attempt=1, key="c")) is None
    assert stores.archive.record_at(stores.archive.place(batch, attempt=9, key="b")) is None


def test_the_answer_of_a_record_comes_back_decoded(stores: Ports, batch: BatchId) -> None:
    packed = structs.replace(record("b"), hops=())
    first = structs.replace(exchange("b"), status=302, headers=(("Location", "/b/"),), raw_body=b"")
    last = structs.replace(
        exchange("b"), headers=(("Content-Type", "text/html"), ("content-encoding", "gzip"), ("X-A", "\u00e4:b")),
        raw_body=gzip.compress(b"<html>" + b"b" * 1_000),
    )  # fmt: skip
    archive = stores.archive.open(batch, attempt=1)
    archive.add(record("a"), [exchange("a")])
    archive.add(packed, [first, last])
    archive.add(record("silent"), [structs.replace(exchange("silent"), status=None)])
    archive.commit()
    places = {key: stores.archive.place(batch, attempt=1, key=key) for key in ("a", "b", "silent", "unknown")}
    plain = stores.archive.response_at(places["a"], limit=1_000)
    assert plain is not None
    assert (plain.status, plain.body, plain.truncated) == (200, b"<html>" + b"a" * 100, False)
    found = stores.archive.response_at(places["b"], limit=1_006)
    assert found is not None
    assert (found.crawl, found.url, found.status) == (batch.crawl, "https://example.com/b", 200)
    assert found.headers == (("Content-Type", "text/html"), ("content-encoding", "gzip"), ("X-A", "\u00e4:b"))
    assert (found.body, found.truncated) == (b"<html>" + b"b" * 1_000, False)
    part = stores.archive.response_at(places["b"], limit=10)
    assert part is not None
    assert (part.body, part.truncated) == (b"<html>bbbb", True)
    assert stores.archive.response_at(places["silent"], limit=10) is None
    assert stores.archive.response_at(places["unknown"], limit=10) is None


def test_an_answer_without_a_reason_phrase_comes_back(stores: Ports, batch: BatchId) -> None:
    """RFC 9112, section 4: the phrase may be empty."""
    archive = stores.archive.open(batch, attempt=1)
    archive.add(record("a"), [structs.replace(exchange("a"), reason="")])
    archive.commit()
    found = stores.archive.response_at(stores.archive.place(batch, attempt=1, key="a"), limit=1_000)
    assert found is not None
    assert (found.status, found.body) == (200, b"<html>" + b"a" * 100)


def test_the_answer_of_a_rendered_page_is_that_of_its_document(stores: Ports, batch: BatchId, crawl: CrawlId) -> None:
    fetched = stores.archive.open(batch, attempt=1)
    fetched.add(record("a"), [exchange("a")])
    fetched.commit()
    document = stores.archive.place(batch, attempt=1, key="a")
    response = stores.archive.response_at(document, limit=1_000)
    assert response is not None
    assert response.id.startswith("<urn:uuid:")
    later = BatchId(crawl=crawl, wave=2, batch=0)
    html = Conversion(url="https://example.com/a", html=b"<p>rendered", refers_to=response.id, made_at=1.0)
    rendered = stores.archive.open(later, attempt=1)
    rendered.add(structs.replace(record("a"), rendered=True, exchange_at=document), [], html)
    rendered.commit()
    place = stores.archive.place(later, attempt=1, key="a")
    assert stores.archive.response_at(place, limit=1_000) == response
    assert stores.archive.rendered_at(place) == html
    assert stores.archive.rendered_at(document) is None
    assert stores.archive.rendered_at(stores.archive.place(later, attempt=1, key="unknown")) is None
    (warc,) = (gzip.decompress(path.read_bytes()) for path in stores.archive.exchange_files([(later, 1)]))
    assert b"WARC-Type: conversion\r\n" in warc
    assert f"WARC-Refers-To: {response.id}\r\n".encode() in warc
    assert b"\r\n\r\n<p>rendered\r\n\r\n" in warc


def test_an_answer_that_was_cut_says_so(stores: Ports, batch: BatchId) -> None:
    archive = stores.archive.open(batch, attempt=1)
    archive.add(record("a"), [structs.replace(exchange("a"), truncated=True)])
    archive.commit()
    found = stores.archive.response_at(stores.archive.place(batch, attempt=1, key="a"), limit=1_000)
    assert found is not None
    assert found.truncated


def test_raw_exchanges_come_as_files_in_the_order_asked_for(stores: Ports, crawl: CrawlId) -> None:
    batches = [(BatchId(crawl=crawl, wave=1, batch=number), 1) for number in range(12)]
    for batch, _ in batches:
        stored(stores, batch, f"k{batch.batch}")
    asked = batches[::-1]
    seen: list[bytes] = []
    sizes = 0
    for path in stores.archive.exchange_files(asked):
        data = gzip.decompress(path.read_bytes())
        sizes += path.stat().st_size
        seen.append(data)
    for (batch, _), data in zip(asked, seen, strict=True):
        assert f"https://example.com/k{batch.batch}\r\n".encode() in data
    assert stores.archive.exchanges_size(batches) == sizes
    assert stores.archive.exchanges_size([]) == 0


def test_raw_exchanges_that_are_missing_are_called_corrupt(stores: Ports, batch: BatchId) -> None:
    files = stores.archive.exchange_files([(batch, 1)])
    with pytest.raises(CorruptDataError):
        next(files)


def test_who_stops_reading_raw_exchanges_early_leaves_nothing_behind(stores: Ports, crawl: CrawlId) -> None:
    batches = [(BatchId(crawl=crawl, wave=1, batch=number), 1) for number in range(3)]
    for batch, _ in batches:
        stored(stores, batch, "a")
    files = stores.archive.exchange_files(batches)
    assert next(files).is_file()
    files.close()


def test_what_is_stored_of_a_page_can_be_copied(stores: Ports, batch: BatchId, crawl: CrawlId) -> None:
    archive = stores.archive.open(batch, attempt=1)
    for key in ("a", "b", "c"):
        archive.add(structs.replace(record(key), body_hash="h"), [exchange(key)])
    archive.commit()
    places = {key: stores.archive.place(batch, attempt=1, key=key) for key in ("a", "b", "c", "unknown")}
    later = BatchId(crawl=crawl, wave=2, batch=0)
    rendered = stores.archive.open(later, attempt=1)
    html = Conversion(url="https://example.com/b", html=b"<p>rendered", refers_to="", made_at=1.0)
    payload = StoredPayload(url="https://example.com/b", at=1_700_000_000.5)
    rendered.add(structs.replace(record("b"), rendered=True, exchange_at=places["b"], payload=payload), [], html)
    rendered.add(record("silent"), [])
    rendered.commit()
    at = [stores.archive.place(later, attempt=1, key=key) for key in ("silent", "b")]
    lost = stores.archive.place(BatchId(crawl=crawl, wave=9, batch=0), attempt=1, key="a")
    copies = list(stores.archive.copies([*at, lost, places["unknown"], places["c"], places["a"]]))
    assert [(copy.place, copy.at) for copy in copies] == [
        (places["a"], 1_700_000_000.5),
        (at[1], 1_700_000_000.5),
        (places["c"], 1_700_000_000.5),
        (at[1], 1_700_000_000.5),
    ]
    texts = [gzip.decompress(copy.data) for copy in copies]
    assert [text.count(b"WARC/1.1\r\n") for text in texts] == [2, 2, 2, 1]  # a response and its request
    for text, body in zip(texts, (b"aaa", b"bbb", b"ccc", b"<p>rendered"), strict=True):
        assert body in text
    assert list(stores.archive.copies([])) == []


def test_many_threads_may_add(stores: Ports, batch: BatchId) -> None:
    archive = stores.archive.open(batch, attempt=1)
    keys = [f"{n:032x}" for n in range(200)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: archive.add(record(key), [exchange(key)]), keys))
    archive.commit()
    assert sorted(one.key for one in stores.archive.records(batch, attempt=1, shape=RecordView)) == keys


def test_an_empty_batch_can_be_committed(stores: Ports, batch: BatchId) -> None:
    stored(stores, batch)
    assert list(stores.archive.records(batch, attempt=1, shape=RecordView)) == []


def test_local_files_hold_the_records(stores: Ports, batch: BatchId) -> None:
    stored(stores, batch, "a")
    (path,) = stores.archive.files([(batch, 1)])
    assert isinstance(path, Path)
    assert path.stat().st_size > 0


def test_a_record_of_an_unchanged_page_has_the_content_of_the_earlier_one(
    stores: Ports, batch: BatchId, crawl: CrawlId
) -> None:
    stored(stores, batch, "a")
    later = BatchId(crawl=crawl, wave=7, batch=0)
    place = stores.archive.place(batch, attempt=1, key="a")
    same = PageRecord(key="a", url="https://example.com/a", depth=0, state=UrlState.UNCHANGED, body_at=place)
    gone = structs.replace(same, key="d", body_at=place.replace("#a", "#d"))
    deleted = structs.replace(same, key="c", body_at=place.replace("000001-", "000009-"))
    archive = stores.archive.open(later, attempt=1)
    for one in (same, gone, deleted):
        archive.add(
            one, [structs.replace(exchange("a"), known=StoredPayload(url="https://example.com/a", at=1_767_225_600.0))]
        )
    archive.commit()
    (whole,) = stores.archive.records(later, attempt=1, shape=PageRecord)
    assert (whole.facts, whole.links, whole.depth) == (record("a").facts, (LINK,), 0)
    (view,) = stores.archive.records(later, attempt=1, shape=RecordView)
    assert [link.key for link in view.links] == ["b"]
    small = stores.archive.record_at(stores.archive.place(later, attempt=1, key="a"))
    assert small is not None
    assert (small.facts, small.links, small.body_at) == (None, (), place)
    response = stores.archive.response_at(small.body_at, limit=10_000)
    assert response is not None
    assert response.body == exchange("a").raw_body
    heir = stores.archive.open(later, attempt=2)  # committed without completing the batch
    assert [one.key for one in heir.salvaged()] == ["a", "d", "c"]
    heir.discard()
