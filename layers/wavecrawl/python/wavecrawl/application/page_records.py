"""Page details and list rows made from page records, for crawls that have no results yet."""

from msgspec import Struct

from wavecrawl.domain.crawl.record import Link, PageRecord
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.page import PageFacts
from wavecrawl.ports.results import PageDetail, PageLink, PageLinks, PageRow


class _FactsOfPage(Struct, frozen=True, kw_only=True, gc=False):
    title: str = ""
    word_count: int = 0


class RecordLine(Struct, frozen=True, kw_only=True, gc=False):
    """The fields of a page record that a list needs. Decodes much faster than the whole record."""

    key: str
    url: str
    depth: int
    state: UrlState
    reason: str = ""
    status: int | None = None
    content_type: str = ""
    redirect_to: str = ""
    bytes: int = 0
    elapsed: float = 0.0
    fetched_at: float = 0.0
    facts: _FactsOfPage | None = None


def page_in_record(record: PageRecord, *, links: int) -> PageDetail:
    """Return the details of a page, with at most `links` of its links. Inbound links are not known yet."""
    facts = record.facts or PageFacts()
    shown = tuple(_link(link) for link in record.links[:links])
    return PageDetail(
        page=row_of(record),
        detail=record.detail,
        full_title=facts.title,
        description=facts.description,
        keywords=facts.keywords,
        language=facts.language,
        canonical=record.header_canonical or facts.canonical,
        robots=tuple(sorted({*record.header_robots, *facts.robots})),
        charset=record.charset,
        headings=facts.headings,
        hreflang=facts.hreflang,
        open_graph=facts.open_graph,
        json_ld_types=facts.json_ld_types,
        text=facts.text,
        text_hash=facts.text_hash,
        simhash=facts.simhash,
        etag=record.etag,
        last_modified=record.last_modified,
        final_url=record.final_url,
        tries=record.tries,
        decoded_bytes=record.decoded_bytes,
        truncated=record.truncated,
        response_time=record.response_time,
        links=PageLinks(total=len(record.links), shown=shown),
        linked_from=None,
    )


def row_of(record: PageRecord | RecordLine) -> PageRow:
    """Return the list row of a record."""
    facts = record.facts
    return PageRow(
        key=record.key,
        url=record.url,
        state=record.state,
        reason=str(record.reason),
        status=record.status,
        depth=record.depth,
        title=facts.title if facts else "",
        content_type=record.content_type,
        words=facts.word_count if facts else 0,
        bytes=record.bytes,
        elapsed=record.elapsed,
        fetched_at=record.fetched_at,
        redirect_to=record.redirect_to,
    )


def _link(link: Link) -> PageLink:
    return PageLink(
        url=link.url,
        key=link.key,
        kind=link.kind.value,
        text=link.text,
        region=link.region.value,
        nofollow=link.nofollow,
        reason=link.skip.value,
    )
