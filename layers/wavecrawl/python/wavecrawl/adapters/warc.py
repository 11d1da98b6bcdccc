"""WARC 1.1 records of exchanges (ISO 28500:2017), one gzip member per record. ADR 5 explains why there is no library.

Header order, case and repeats and the content coding of the body are kept. The transfer coding is removed, as it
belongs to the connection; `Transfer-Encoding` is kept under another name.
"""

import os
from base64 import b32encode
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha1, sha256

from wavecrawl.adapters.gzip_members import compressed
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.rendering.conversion import Conversion

VERSION = "1.1"
SOFTWARE = "wavecrawl"
# Profiles of revisit records for unchanged resources: WARC 1.1, 6.7.2 and 6.7.3.
SAME_BODY = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


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


def exchange_records(exchange: Exchange) -> bytes:
    """Return response (or revisit) and request of an exchange as gzip members; b"" if no status line arrived."""
    if exchange.status is None:
        return b""
    not_modified = exchange.status == 304  # noqa: PLR2004 - Not Modified
    date, id_ = _date(exchange.started_at), _record_id()
    known_since = exchange.known_since
    body = b"" if not_modified else exchange.stored_body
    head = _head(
        f"{exchange.http_version} {exchange.status} {exchange.reason}".rstrip(),
        (
            (f"X-Archive-Orig-{name}" if name.lower() == "transfer-encoding" else name, value)
            for name, value in exchange.headers
        ),
    )
    response = [
        ("WARC-Type", "response" if known_since is None and not not_modified else "revisit"),
        ("WARC-Record-ID", id_),
        ("WARC-Date", date),
        ("WARC-Target-URI", exchange.url),
        ("Content-Type", "application/http; msgtype=response"),
    ]
    if not_modified:
        response.append(("WARC-Profile", NOT_MODIFIED))
    else:
        response.append(("WARC-Payload-Digest", _digest(exchange.raw_body)))
        if known_since is not None:
            response.append(("WARC-Profile", SAME_BODY))
    if known_since is not None:
        response += [("WARC-Refers-To-Target-URI", exchange.url), ("WARC-Refers-To-Date", _date(known_since))]
    if exchange.address:
        response.append(("WARC-IP-Address", exchange.address))
    if exchange.truncated or len(body) < len(exchange.raw_body):
        response.append(("WARC-Truncated", "length"))
    request = [
        ("WARC-Type", "request"),
        ("WARC-Record-ID", _record_id()),
        ("WARC-Date", date),
        ("WARC-Target-URI", exchange.url),
        ("WARC-Concurrent-To", id_),
        ("Content-Type", "application/http; msgtype=request"),
    ]
    request_head = _head(f"{exchange.method} {_target(exchange.url)} HTTP/1.1", exchange.request_headers)
    return _member(response, head + body) + _member(request, request_head)


def conversion_record(conversion: Conversion) -> bytes:
    """Return the record of a rendered page as a gzip member (WARC 1.1, section 6.9)."""
    fields = [
        ("WARC-Type", "conversion"),
        ("WARC-Record-ID", _record_id()),
        ("WARC-Date", _date(conversion.made_at)),
        ("WARC-Target-URI", conversion.url),
        ("WARC-Payload-Digest", _digest(conversion.html)),
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
    fields = [
        ("WARC-Type", "resource"),
        ("WARC-Record-ID", derived_id(f"{target} {made_at}".encode() + jpeg)),
        ("WARC-Date", _date(made_at)),
        ("WARC-Target-URI", target),
        ("WARC-Payload-Digest", _digest(jpeg)),
        ("Content-Type", "image/jpeg"),
    ]
    return _member(fields, jpeg)


def derived_id(seed: bytes) -> str:
    """Return a record id that depends on `seed` alone (RFC 9562, version 8)."""
    digits = sha256(seed).hexdigest()
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}>"


def batch_records(exchanges: Iterable[Exchange], conversion: Conversion | None) -> bytes:
    """Return the records of one page: its exchanges in order, then the rendered page."""
    parts = [exchange_records(exchange) for exchange in exchanges]
    return b"".join(parts if conversion is None else [*parts, conversion_record(conversion)])


def _member(fields: list[tuple[str, str]], block: bytes) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    head = f"WARC/{VERSION}\r\n{lines}Content-Length: {len(block)}\r\n\r\n"
    return compressed(b"".join((head.encode(), block, b"\r\n\r\n")))


def _head(first: str, headers: Iterable[tuple[str, str]]) -> bytes:
    """Return an HTTP head as bytes. Received heads are ISO 8859-1; configured headers may not be."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"{first}\r\n{lines}\r\n".encode("iso-8859-1", "backslashreplace")


def _digest(body: bytes) -> str:
    return f"sha1:{b32encode(sha1(body, usedforsecurity=False).digest()).decode()}"


def _record_id() -> str:
    """Return a random UUID (RFC 9562, version 4) as a URN; many times faster than module uuid."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}>"


def _target(url: str) -> str:
    path_at = url.find("/", url.find("//") + 2)
    return url[path_at:] if path_at >= 0 else "/"


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
