"""Responses of servers and rendered pages, read from the WARC records of `adapters.warc`."""

from collections.abc import Sequence
from datetime import datetime

from wavecrawl.adapters.gzip_members import whole_members
from wavecrawl.adapters.http.content_codings import codings_of
from wavecrawl.adapters.http.decoding import decode
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.rendering.conversion import Conversion
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.archive import StoredResponse

_RESPONSES = ("response", "revisit")


def last_response(members: bytes, *, crawl: CrawlId, limit: int) -> StoredResponse | None:
    """Return the last response of WARC records, each a gzip member; redirects come before it."""
    found = _last(members, _RESPONSES)
    if found is None:
        return None
    fields, rest = found
    try:
        return _response(fields, rest[: int(fields["Content-Length"])], crawl=crawl, limit=limit)
    except (LookupError, ValueError) as error:
        raise _unreadable(crawl, error) from error


def last_conversion(members: bytes, *, crawl: CrawlId) -> Conversion | None:
    """Return the rendered page in WARC records, each a gzip member."""
    found = _last(members, ("conversion",))
    if found is None:
        return None
    fields, rest = found
    try:
        return Conversion(
            url=fields["WARC-Target-URI"],
            html=rest[: int(fields["Content-Length"])],
            refers_to=fields.get("WARC-Refers-To", ""),
            made_at=datetime.fromisoformat(fields["WARC-Date"]).timestamp(),
        )
    except (LookupError, ValueError) as error:
        raise _unreadable(crawl, error) from error


def _last(members: bytes, types: Sequence[str]) -> tuple[dict[str, str], bytes] | None:
    """Return the fields of the last record of one of these types, and the bytes after them."""
    found = None
    for member in whole_members(members):
        head, _, rest = member.partition(b"\r\n\r\n")
        fields = dict(_headers(head))
        if fields.get("WARC-Type") in types:
            found = fields, rest
    return found


def _unreadable(crawl: CrawlId, error: Exception) -> CorruptDataError:
    return CorruptDataError(f"a WARC record of crawl {crawl} cannot be read: {error!r}")


def _response(fields: dict[str, str], block: bytes, *, crawl: CrawlId, limit: int) -> StoredResponse:
    head, _, body = block.partition(b"\r\n\r\n")
    headers = tuple(_headers(head))
    cut = "WARC-Truncated" in fields
    codings = codings_of([value for name, value in headers if name.lower() == "content-encoding"])
    decoded = decode(body, codings, limit=limit, whole=not cut)
    return StoredResponse(
        crawl=crawl,
        url=fields["WARC-Target-URI"],
        status=int(head.split(None, 2)[1]),
        headers=headers,
        body=decoded.body,
        truncated=cut or decoded.truncated,
        id=fields.get("WARC-Record-ID", ""),
    )


def _headers(head: bytes) -> list[tuple[str, str]]:
    """Return the header fields after the first line."""
    lines = head.decode("iso-8859-1").split("\r\n")[1:]
    return [(name, value.lstrip(" ")) for name, _, value in (line.partition(":") for line in lines if line)]
