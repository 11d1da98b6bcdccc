"""WARC 1.1 records (ISO 28500:2017), read by warcio."""

import hashlib
import io
from base64 import b32encode
from typing import Any

import pytest
from msgspec import structs
from warcio.archiveiterator import ArchiveIterator

from wavecrawl.adapters.warc import conversion_record, exchange_records, page_records, screenshot_record, warcinfo
from wavecrawl.domain.fetching.exchange import Exchange, StoredPayload, TransportFault, digest_of
from wavecrawl.domain.rendering.conversion import Conversion

EXCHANGE = Exchange(
    url="https://example.com/a?b=1",
    status=200,
    reason="OK",
    headers=(("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")),
    raw_body=b"<p>text",
    address="192.0.2.1",
    started_at=1_767_225_600.5,
    request_headers=(("User-Agent", "x"),),
)
ORIGINAL = StoredPayload(
    url="https://example.com/a",
    at=1_767_139_200.25,
    id="<urn:uuid:00000000-0000-4000-8000-000000000001>",
    digest="sha1:AIKLJM2V2EOKR4WOIWUWRQTEMUN57P4D",
)


def sha1(data: bytes) -> str:
    return f"sha1:{b32encode(hashlib.sha1(data).digest()).decode()}"


def read(data: bytes) -> list[tuple[dict[str, str], bytes]]:
    """Return fields and block of each record."""
    records = ArchiveIterator(io.BytesIO(data), no_record_parse=True)
    return [(dict(record.rec_headers.headers), record.raw_stream.read()) for record in records]


def response_of(exchange: Exchange) -> dict[str, Any]:
    return read(exchange_records(exchange).data)[0][0]


def test_every_record_has_the_digest_of_its_block() -> None:
    data = (
        warcinfo(name="a.warc.gz", now=1.0)
        + exchange_records(EXCHANGE).data
        + conversion_record(Conversion(url="https://example.com/", html=b"<p>", refers_to=ORIGINAL.id, made_at=1.0))
        + screenshot_record("https://example.com/", b"jpeg", made_at=1.0, is_whole=True)
    )
    records = read(data)
    assert [fields["WARC-Type"] for fields, _ in records] == [
        "warcinfo", "response", "request", "conversion", "resource",
    ]  # fmt: skip
    for fields, block in records:
        assert fields["WARC-Block-Digest"] == sha1(block)


def test_the_payload_digest_is_that_of_the_body_as_received() -> None:
    """6.3.2: the payload is the entity-body."""
    assert response_of(EXCHANGE)["WARC-Payload-Digest"] == sha1(b"<p>text")


def test_digests_are_written_in_base32() -> None:
    bodies = [bytes([number]) for number in range(256)]
    assert [digest_of(body) for body in bodies] == [sha1(body) for body in bodies]
    assert digest_of(b"<p>", b"", b"text") == sha1(b"<p>text")


@pytest.mark.parametrize(
    ("started_at", "date"),
    [
        (0.0, "1970-01-01T00:00:00.000000Z"),
        (1_767_225_599.0, "2025-12-31T23:59:59.000000Z"),
        (1_767_225_600.000001, "2026-01-01T00:00:00.000001Z"),
    ],
)
def test_dates_always_have_microseconds(started_at: float, date: str) -> None:
    assert response_of(structs.replace(EXCHANGE, started_at=started_at))["WARC-Date"] == date


def test_both_records_name_the_address_that_was_contacted() -> None:
    """6.3.2 and 6.5.2."""
    assert [fields["WARC-IP-Address"] for fields, _ in read(exchange_records(EXCHANGE).data)] == ["192.0.2.1"] * 2


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (TransportFault.TIMEOUT, "time"),
        (TransportFault.RESET, "disconnect"),
        (TransportFault.TLS, "disconnect"),
        (TransportFault.PROTOCOL, "unspecified"),
        (TransportFault.DECODING, None),
        (None, None),
    ],
)
def test_a_body_whose_end_is_missing_says_why(fault: TransportFault | None, reason: str | None) -> None:
    """5.13, WARC-Truncated."""
    assert response_of(structs.replace(EXCHANGE, fault=fault)).get("WARC-Truncated") == reason


def test_a_body_cut_at_the_size_limit_says_so() -> None:
    """5.13, WARC-Truncated."""
    assert response_of(structs.replace(EXCHANGE, truncated=True))["WARC-Truncated"] == "length"


def test_an_identical_payload_refers_to_the_response_that_has_it() -> None:
    """6.7.2; the block is cut, which WARC-Truncated must say."""
    (fields, block), _ = read(exchange_records(structs.replace(EXCHANGE, known=ORIGINAL)).data)
    assert {name: fields.get(name) for name in fields if name.startswith("WARC-")} == {
        "WARC-Type": "revisit",
        "WARC-Record-ID": fields["WARC-Record-ID"],
        "WARC-Date": "2026-01-01T00:00:00.500000Z",
        "WARC-Target-URI": "https://example.com/a?b=1",
        "WARC-IP-Address": "192.0.2.1",
        "WARC-Payload-Digest": "sha1:AIKLJM2V2EOKR4WOIWUWRQTEMUN57P4D",
        "WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        "WARC-Refers-To": "<urn:uuid:00000000-0000-4000-8000-000000000001>",
        "WARC-Refers-To-Target-URI": "https://example.com/a",
        "WARC-Refers-To-Date": "2025-12-31T00:00:00.250000Z",
        "WARC-Truncated": "length",
        "WARC-Block-Digest": sha1(block),
    }
    assert block == b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n\r\n"


def test_a_304_response_refers_to_the_response_that_it_confirms() -> None:
    """6.7.3: the payload is that of the original response."""
    exchange = structs.replace(EXCHANGE, status=304, reason="Not Modified", raw_body=b"", known=ORIGINAL)
    fields = response_of(exchange)
    assert fields["WARC-Profile"] == "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    assert fields["WARC-Payload-Digest"] == ORIGINAL.digest
    assert fields["WARC-Refers-To"] == ORIGINAL.id
    assert fields["WARC-Refers-To-Date"] == "2025-12-31T00:00:00.250000Z"
    assert "WARC-Truncated" not in fields


def test_an_original_that_an_earlier_version_stored_is_named_without_its_id() -> None:
    known = StoredPayload(url="https://example.com/a", at=1_767_139_200.25)
    fields = response_of(structs.replace(EXCHANGE, known=known))
    assert "WARC-Refers-To" not in fields
    assert fields["WARC-Refers-To-Target-URI"] == "https://example.com/a"
    assert fields["WARC-Payload-Digest"] == sha1(b"<p>text")


def test_a_304_response_without_an_original_is_a_revisit_that_names_none() -> None:
    fields = response_of(structs.replace(EXCHANGE, status=304, raw_body=b""))
    assert (fields["WARC-Type"], "WARC-Payload-Digest" in fields) == ("revisit", False)


def test_the_last_response_of_a_page_is_the_one_that_later_records_can_refer_to() -> None:
    redirect = structs.replace(EXCHANGE, status=302, raw_body=b"")
    records = page_records([redirect, EXCHANGE], None)
    fields = [fields for fields, _ in read(records.data) if fields["WARC-Type"] == "response"][-1]
    assert records.payload == StoredPayload(
        url="https://example.com/a?b=1", at=1_767_225_600.5, id=fields["WARC-Record-ID"], digest=sha1(b"<p>text")
    )
    assert page_records([structs.replace(EXCHANGE, known=ORIGINAL)], None).payload is None
    assert page_records([structs.replace(EXCHANGE, status=None)], None).payload is None
    assert page_records([], None).payload is None
