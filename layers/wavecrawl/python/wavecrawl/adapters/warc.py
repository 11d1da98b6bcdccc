"""WARC 1.1 records of exchanges (ISO 28500:2017), written through warcio; one gzip member a record.

What arrived is kept as it arrived: header order, case and repeats, and the body with its content coding.
The transfer coding is undone, as it belongs to the connection; `Transfer-Encoding` is kept under another name.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO

from warcio.recordbuilder import RecordBuilder
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from wavecrawl.adapters.gzip_members import compressed
from wavecrawl.domain.exchange import Exchange

VERSION = "1.1"
SOFTWARE = "wavecrawl"
# A server's record of an unchanged resource: WARC 1.1, 6.7.3.
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


def warcinfo(*, name: str) -> bytes:
    """Return the record that opens a WARC file."""
    builder = RecordBuilder(warc_version=VERSION)
    record = builder.create_warcinfo_record(name, {"software": SOFTWARE, "format": f"WARC File Format {VERSION}"})
    return _written([record])


def exchange_records(exchange: Exchange) -> bytes:
    """Return response (or revisit) and request of one exchange as gzip members; b"" where no status line arrived."""
    if exchange.status is None:
        return b""
    builder = RecordBuilder(warc_version=VERSION)
    named = {"WARC-Date": _date(exchange.started_at)}
    if exchange.address:
        named["WARC-IP-Address"] = exchange.address
    if exchange.truncated:
        named["WARC-Truncated"] = "length"
    headers = StatusAndHeaders(
        f"{exchange.status} {exchange.reason}".rstrip(), _storable(exchange.headers), protocol=exchange.http_version
    )
    if exchange.status == 304:  # noqa: PLR2004 - Not Modified
        named["WARC-Profile"] = NOT_MODIFIED
        response = builder.create_warc_record(
            exchange.url, "revisit", http_headers=headers, warc_headers_dict=named, payload=BytesIO(), length=0
        )
    else:
        body = exchange.raw_body
        response = builder.create_warc_record(
            exchange.url,
            "response",
            payload=BytesIO(body),
            length=len(body),
            http_headers=headers,
            warc_headers_dict=named,
        )
    request = builder.create_warc_record(
        exchange.url,
        "request",
        http_headers=StatusAndHeaders(
            f"{exchange.method} {_target(exchange.url)} HTTP/1.1", list(exchange.request_headers), is_http_request=True
        ),
        warc_headers_dict={
            "WARC-Date": named["WARC-Date"],
            "WARC-Concurrent-To": response.rec_headers.get_header("WARC-Record-ID"),
        },
    )
    return _written([response, request])


def _written(records: Sequence[object]) -> bytes:
    members: list[bytes] = []
    for record in records:
        plain = BytesIO()
        WARCWriter(plain, gzip=False, warc_version=VERSION).write_record(record)
        members.append(compressed(plain.getvalue()))
    return b"".join(members)


def _storable(headers: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [
        (f"X-Archive-Orig-{name}" if name.lower() == "transfer-encoding" else name, value) for name, value in headers
    ]


def _target(url: str) -> str:
    path_at = url.find("/", url.find("//") + 2)
    return url[path_at:] if path_at >= 0 else "/"


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
