"""WARC 1.1 records of exchanges (ISO 28500:2017), one gzip member per record. ADR 5 explains why there is no library.

Header order, case and repeats and the content coding of the body are kept. The transfer coding is removed, as it
belongs to the connection; `Transfer-Encoding` is kept under another name.
"""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256

import msgspec

from wavecrawl.adapters.gzip_members import compressed
from wavecrawl.domain.fetching.exchange import Exchange, StoredPayload, digest_of
from wavecrawl.domain.rendering.conversion import Conversion

VERSION = "1.1"
SOFTWARE = "wavecrawl"
_NOT_MODIFIED = 304
# Profiles of revisit records for unchanged resources: WARC 1.1, 6.7.2 and 6.7.3.
SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
SERVER_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


def warcinfo(*, name: str, now: float, id_: str = "") -> bytes:
    """Return the record that opens a WARC file. `id_`: of the record; "" = a random one."""
    fields = f"software: {SOFTWARE}\r\nformat: WARC File Format {VERSION}\r\n".encode()
    return _member(
        [
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", id_ or _record_id()),
            ("WARC-Filename", name),
            ("WARC-Date", _date(now)),
            ("Content-Type", "application/warc-fields"),
        ],
        fields,
    )


class PageRecords(msgspec.Struct, frozen=True, kw_only=True):
    """The WARC records of one page."""

    data: bytes  # gzip members
    payload: StoredPayload | None = None  # of the last exchange, if its body is stored; None = it is not


def exchange_records(exchange: Exchange) -> PageRecords:
    """Return response (or revisit) and request of an exchange; no data if no status line arrived."""
    if exchange.status is None:
        return PageRecords(data=b"")
    not_modified, known = exchange.status == _NOT_MODIFIED, exchange.known
    date, id_ = _date(exchange.started_at), _record_id()
    body = b"" if not_modified else exchange.stored_body
    digest = known.digest if known is not None else ""
    if not digest and not not_modified:
        digest = digest_of(exchange.raw_body)
    place = [("WARC-IP-Address", exchange.address)] if exchange.address else []
    response = [
        ("WARC-Type", "response" if known is None and not not_modified else "revisit"),
        ("WARC-Record-ID", id_),
        ("WARC-Date", date),
        ("WARC-Target-URI", exchange.url),
        ("Content-Type", "application/http; msgtype=response"),
        *place,
    ]
    if digest:
        response.append(("WARC-Payload-Digest", digest))
    if not_modified or known is not None:
        response.append(("WARC-Profile", SERVER_NOT_MODIFIED if not_modified else SAME_PAYLOAD))
    if known is not None:
        response += _referring_to(known)
    cut = exchange.cut or ("length" if len(body) < len(exchange.raw_body) else "")
    if cut:
        response.append(("WARC-Truncated", cut))
    is_stored = known is None and not not_modified
    return PageRecords(
        data=_member(response, _response_head(exchange), body) + _request_record(exchange, date, id_, place),
        payload=StoredPayload(url=exchange.url, at=exchange.started_at, id=id_, digest=digest) if is_stored else None,
    )


def _request_record(exchange: Exchange, date: str, response: str, place: list[tuple[str, str]]) -> bytes:
    """Return the record of a request. `response`: id of the record of its response."""
    fields = [
        ("WARC-Type", "request"),
        ("WARC-Record-ID", _record_id()),
        ("WARC-Date", date),
        ("WARC-Target-URI", exchange.url),
        ("WARC-Concurrent-To", response),
        ("Content-Type", "application/http; msgtype=request"),
        *place,
    ]
    return _member(fields, _head(f"{exchange.method} {_target(exchange.url)} HTTP/1.1", exchange.request_headers))


def _referring_to(known: StoredPayload) -> list[tuple[str, str]]:
    """Return the fields of a revisit record that name the earlier response (WARC 1.1, 6.7)."""
    fields = [("WARC-Refers-To", known.id)] if known.id else []
    return [*fields, ("WARC-Refers-To-Target-URI", known.url), ("WARC-Refers-To-Date", _date(known.at))]


def _response_head(exchange: Exchange) -> bytes:
    return _head(
        f"{exchange.http_version} {exchange.status} {exchange.reason}".rstrip(),
        (
            (f"X-Archive-Orig-{name}" if name.lower() == "transfer-encoding" else name, value)
            for name, value in exchange.headers
        ),
    )


def conversion_record(conversion: Conversion) -> bytes:
    """Return the record of a rendered page as a gzip member (WARC 1.1, section 6.9)."""
    fields = [
        ("WARC-Type", "conversion"),
        ("WARC-Record-ID", _record_id()),
        ("WARC-Date", _date(conversion.made_at)),
        ("WARC-Target-URI", conversion.url),
        ("WARC-Payload-Digest", digest_of(conversion.html)),
        ("Content-Type", "text/html; charset=utf-8"),
    ]
    if conversion.refers_to:
        fields.append(("WARC-Refers-To", conversion.refers_to))
    return _member(fields, conversion.html)


def screenshot_record(url: str, jpeg: bytes, *, made_at: float, is_whole: bool) -> bytes:
    """Return the record of a page's screenshot as a gzip member. The same screenshot always gives the same record.

    Replay tools find screenshots as resources named `urn:view:URL`, and those of whole pages as `urn:fullPage:URL`:
    https://github.com/webrecorder/browsertrix-crawler/blob/main/src/util/screenshots.ts
    """
    target = f"urn:{'fullPage' if is_whole else 'view'}:{url}"
    return resource_record(target, jpeg, media_type="image/jpeg", made_at=made_at)


def resource_record(target: str, body: bytes, *, media_type: str, made_at: float) -> bytes:
    """Return the record of a file without its HTTP exchange as a gzip member (WARC 1.1, section 6.4).

    The same file always gives the same record.
    """
    fields = [
        ("WARC-Type", "resource"),
        ("WARC-Record-ID", derived_id(f"{target} {made_at}".encode() + body)),
        ("WARC-Date", _date(made_at)),
        ("WARC-Target-URI", target),
        ("WARC-Payload-Digest", digest_of(body)),
        ("Content-Type", media_type),
    ]
    return _member(fields, body)


def derived_id(seed: bytes) -> str:
    """Return a record id that depends on `seed` alone (RFC 9562, version 8)."""
    digits = sha256(seed).hexdigest()
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}>"


def page_records(exchanges: Iterable[Exchange], conversion: Conversion | None) -> PageRecords:
    """Return the records of one page: its exchanges in order, then the rendered page."""
    parts = [exchange_records(exchange) for exchange in exchanges]
    rendered = b"" if conversion is None else conversion_record(conversion)
    data = b"".join((*(part.data for part in parts), rendered))
    return PageRecords(data=data, payload=parts[-1].payload if parts else None)


def _member(fields: list[tuple[str, str]], *block: bytes) -> bytes:
    """Return a record as a gzip member. Its block comes in parts, so that a long body is copied once."""
    digest, length = digest_of(*block), sum(map(len, block))
    lines = [f"{name}: {value}" for name, value in (*fields, ("WARC-Block-Digest", digest))]
    head = "\r\n".join((f"WARC/{VERSION}", *lines, f"Content-Length: {length}", "\r\n"))
    return compressed(b"".join((head.encode(), *block, b"\r\n\r\n")))


def _head(first: str, headers: Iterable[tuple[str, str]]) -> bytes:
    """Return an HTTP head as bytes. Received heads are ISO 8859-1; configured headers may not be."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
    return f"{first}\r\n{lines}\r\n".encode("iso-8859-1", "backslashreplace")


def _record_id() -> str:
    """Return a random UUID (RFC 9562, version 4) as a URN; many times faster than module uuid."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}>"


def _target(url: str) -> str:
    path_at = url.find("/", url.find("//") + 2)
    return url[path_at:] if path_at >= 0 else "/"


def _date(seconds: float) -> str:
    """Return a time with microseconds. Unlike strftime, isoformat reads no time zone of the system."""
    return f"{datetime.fromtimestamp(seconds, tz=UTC).isoformat(timespec='microseconds').removesuffix('+00:00')}Z"
