"""One page of a crawl: find its record, get its content, hide it."""

import msgspec

from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.unchanged import needs_content, with_content
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.urls.earlier_keys import present_key
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.errors import ConflictError, NotFoundError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.archive import StoredResponse
from wavecrawl.ports.crawls import CrawlRow


class PageContent(msgspec.Struct, frozen=True, kw_only=True):
    """A page's record and response. If the page was unchanged, `response.crawl` is the crawl that fetched it."""

    record: PageRecord
    response: StoredResponse


def find_record(crawl: CrawlRow, key: str, ports: Ports) -> tuple[PageRecord, str]:
    """Return a page's record and its place in the archive; raise NotFoundError if there is none.

    The results of a crawl say which batch has the page. Before there are results, the page's claim does, as soon as
    that batch is done. A page that waits for a retry has no record yet.
    """
    missing = NotFoundError(f"crawl {crawl.id.crawl} has no page {key}")
    if key in ports.hidden.of(crawl.id):
        raise missing
    if crawl.has_results:
        batch = ports.results.batch_of(crawl.id, key)
    else:  # a redirect to the other spelling was followed with the claim of the redirecting one
        batch = _batch_of_claim(crawl, key, ports) or _batch_of_claim(crawl, other_spelling(key), ports)
    if batch is None:
        raise missing
    place = ports.archive.place(batch[0], attempt=batch[1], key=key)
    record = ports.archive.record_at(place)
    if record is None or record.key != key or not record.state.terminal:
        raise missing
    earlier = needs_content(record)
    before = ports.archive.record_at(earlier) if earlier else None
    return record if before is None else with_content(record, before), place


def page_content(crawl: CrawlRow, key: str, ports: Ports, *, limit: int) -> PageContent:
    """Return at most `limit` bytes of a page's content, from the crawl's WARC; raise NotFoundError if there is none."""
    record, place = find_record(crawl, key, ports)
    response = ports.archive.response_at(record.body_at or place, limit=limit)
    if response is None and record.body_at:
        raise NotFoundError(f"page {key} was unchanged, and the earlier crawl that fetched it is deleted")
    if response is None:
        raise NotFoundError(f"nothing was stored of page {key}: {record.detail or record.reason.value}")
    if response.crawl != crawl.id and key in ports.hidden.of(response.crawl):
        raise NotFoundError(
            f"page {key} was unchanged, and was deleted from crawl {response.crawl.crawl}, which fetched it"
        )
    return PageContent(record=record, response=response)


def hide_page(crawl: CrawlRow, key: str, ports: Ports) -> None:
    """Hide a page of a crawl that has ended, and make the site forget it: the next crawl fetches it without conditions.

    The other spelling of its URL is hidden, too, if it has the same content. The passages of the page are removed from
    the knowledge index. The screenshot that this crawl made of it is deleted; pages of later crawls that refer to it
    have none then, as they have no content. Its record, its WARC record and the exported files stay until the crawl is
    deleted. Raise NotFoundError if there is no such page, ConflictError while the crawl runs: it would remember the
    page again.
    """
    if not crawl.status.has_ended:
        raise ConflictError(
            f"crawl {crawl.id.crawl} is {crawl.status.value}; its pages can be deleted when it has ended"
        )
    record, _ = find_record(crawl, key, ports)
    keys = [*_repeated(crawl, key, ports), key]
    remembered = {*keys, *(present_key(one, record.url) for one in keys)}  # the crawl may be one of an earlier version
    # First what a repeat can do again: it does not find a hidden page.
    for one in keys:
        ports.screenshots.delete(crawl.id, one)
    if ports.index_removals is not None:
        ports.index_removals.remove_pages(SiteId(tenant=crawl.id.tenant, site=crawl.id.site), sorted(remembered))
    for one in keys:
        ports.hidden.hide(crawl.id, one, now=ports.clock.now())
    for one in sorted(remembered):
        ports.memories.forget(crawl.id, one, now=ports.clock.now())


def _repeated(crawl: CrawlRow, key: str, ports: Ports) -> list[str]:
    """Return the url key of the other spelling of a page, if the results count it as the same page."""
    other = other_spelling(key)
    if not crawl.has_results or ports.results.batch_of(crawl.id, other) is not None:
        return []
    return [other] if _batch_of_claim(crawl, other, ports) is not None else []


def _batch_of_claim(crawl: CrawlRow, key: str, ports: Ports) -> tuple[BatchId, int] | None:
    holder = ports.claims.holder(crawl.id, key)
    if holder is None:
        return None
    for row in ports.batches.of_wave(crawl.id, holder.wave):
        if row.id.batch == holder.batch and row.done_attempt:
            return row.id, row.done_attempt
    return None
