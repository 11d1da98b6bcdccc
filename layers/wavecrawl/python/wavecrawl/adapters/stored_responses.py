"""Responses of servers, read from the WARC records of `adapters.warc`."""

from wavecrawl.adapters.gzip_members import whole_members
from wavecrawl.adapters.http.content_codings import codings_of
from wavecrawl.adapters.http.decoding import decode
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.archive import StoredResponse

_RESPONSES = ("response", "revisit")


def last_response(members: bytes, *, crawl: CrawlId, limit: int) -> StoredResponse | None:
    """Return the last response of WARC records, each a gzip member; redirects come before it."""
    found = None
    for member in whole_members(members):
        head, _, rest = member.partition(b"\r\n\r\n")
        fields = dict(_headers(head))
        if fields.get("WARC-Type") in _RESPONSES:
            found = fields, rest
    if found is None:
        return None
    fields, rest = found
    try:
        return _response(fields, rest[: int(fields["Content-Length"])], crawl=crawl, limit=limit)
    except (LookupError, ValueError) as error:
        raise CorruptDataError(f"a WARC record of crawl {crawl} cannot be read: {error!r}") from error


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
