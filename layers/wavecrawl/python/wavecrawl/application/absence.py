"""What a crawl shows of a page that an earlier crawl read, and that it did not read itself."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import msgspec

from wavecrawl.application.crawl_end import reach_of
from wavecrawl.application.pages import find_record
from wavecrawl.application.reason_texts import REASONS
from wavecrawl.application.site_rules import site_rules
from wavecrawl.domain.crawl.ledger import FoundBy, LedgerRow
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.site_changes import CLOCKS
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.graph.gaps import named_gaps
from wavecrawl.domain.recrawl.deletion import Answer, answer_of
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.results import Remembered

_OUT_OF_REACH: Final = "its settings (discovery, mode) do not let it find all pages"
_UNKNOWN: Final = "it did not find the page where earlier crawls had, which alone does not prove that it is gone"
_SECOND: Final = 1.0  # to which the time is cut
_TEMPORARY: Final = "it redirects temporarily; it is deleted if it does so in the next crawl, too"
_WITHOUT_LINKS: Final = (Reason.EMPTY, Reason.NOT_HTML)  # of pages that were read
_MOST_CRAWLS: Final = 20  # of a site that are looked at, the newest ones
_MOST_PARENTS: Final = 20


class LaterCrawl(msgspec.Struct, frozen=True, kw_only=True):
    """A later crawl of the same site that does not have the page."""

    crawl: str
    started_at: float  # Unix seconds
    absence: str  # why, as `absence_of`; "" if that is not known


def absence_of(crawl: CrawlRow, key: str, row: LedgerRow | None, status: int | None, ports: Ports) -> str:
    """Return why a page is deleted or was not seen, in one sentence without a full stop.

    `row`, `status`: the page in this crawl. Return "" if the crawl has no results or read the page, and if no earlier
    crawl read it.
    """
    if row is not None and row.state.has_content:
        return ""
    known = _remembered(crawl, key, ports)
    if known is None:
        return ""
    with suppress(NotFoundError):  # of a failed crawl
        if known.deleted:
            return f"deleted, because {_proof(crawl, known, row, status)}"
        return f"not seen in this crawl, because {_gap(crawl, key, row, status, ports)}"
    return ""


def later_crawl(crawl: CrawlRow, key: str, ports: Ports) -> LaterCrawl | None:
    """Return the later crawl that shows a page to be deleted; or else the newest one, if it did not see the page.

    Return None if the newest crawl with results read the page, or is this crawl.
    """
    later = [one for one in _crawls_of(crawl, ports) if one.started_at > crawl.started_at]
    if not later:
        return None
    known, row = _remembered(later[0], key, ports), _row(later[0], key, ports)
    if known is None or (row is not None and row.state.has_content):
        return None
    shown = later[0]
    if known.deleted:
        shown = next((one for one in later if not _is_before(known, one)), shown)
        row = _row(shown, key, ports)
    absence = absence_of(shown, key, row, _status(shown, key, ports), ports)
    return LaterCrawl(crawl=shown.id.crawl, started_at=shown.started_at, absence=absence)


def _crawls_of(crawl: CrawlRow, ports: Ports) -> Sequence[CrawlRow]:
    """Return the newest crawls of the same site that have results, the newest first."""
    rows = ports.crawls.of_site(crawl.id.tenant, crawl.id.site, limit=_MOST_CRAWLS)
    return [one for one in rows if one.has_results]


def _remembered(crawl: CrawlRow, key: str, ports: Ports) -> Remembered | None:
    """Return what the site remembered of a page at the end of a crawl; None if there is nothing."""
    if crawl.has_results:
        with suppress(NotFoundError):
            return ports.results.remembered(crawl.id, key)
    return None


def _row(crawl: CrawlRow, key: str, ports: Ports) -> LedgerRow | None:
    return ports.live.so_far(crawl.id).urls.find(crawl.id, key)


def _status(crawl: CrawlRow, key: str, ports: Ports) -> int | None:
    """Return the status code of a page in a crawl; None if there was no response."""
    with suppress(NotFoundError):
        return find_record(crawl, key, ports)[0].status
    return None


def _is_before(known: Remembered, crawl: CrawlRow) -> bool:
    """Return whether a page was known to be gone before a crawl."""
    return known.deleted_at < crawl.started_at - CLOCKS - _SECOND


def _proof(crawl: CrawlRow, known: Remembered, row: LedgerRow | None, status: int | None) -> str:
    answer = Answer.NOTHING if row is None else answer_of(row.state, row.reason, status)
    if row is not None and answer in (Answer.GONE, Answer.AWAY):
        if row.state is UrlState.ROBOTS_DENIED:
            return "robots.txt disallows it"
        if row.state is UrlState.NOT_FOUND:
            return f"its response is {status or '404 or 410'}"
        return "it redirects permanently" if answer is Answer.GONE else "it redirects in two crawls in a row"
    if _is_before(known, crawl):
        return f"an earlier crawl showed that it is gone ({known.deleted})"
    return "this crawl read all that could lead to it, and did not find it"


def _gap(crawl: CrawlRow, key: str, row: LedgerRow | None, status: int | None, ports: Ports) -> str:
    if row is None:
        gaps = named_gaps(ports.results.gaps(crawl.id))
        return gaps or (_way_to(crawl, key, ports) if reach_of(crawl).is_whole else _OUT_OF_REACH)
    if answer_of(row.state, row.reason, status) is Answer.AWAY:
        return _TEMPORARY
    return _because(row, status)


def _because(row: LedgerRow, status: int | None) -> str:
    because = REASONS.get(row.reason, row.reason.value) or row.state.value.replace("_", " ")
    return f"{because} ({status})" if row.reason is Reason.STATUS and status else because


def _way_to(crawl: CrawlRow, key: str, ports: Ports) -> str:
    """Return why a crawl without gaps did not find a page: what has become of the way on which it was found before."""
    for earlier in _crawls_of(crawl, ports):
        if earlier.started_at < crawl.started_at:
            found = _row(earlier, key, ports)
            if found is not None and found.state.has_content:
                break
    else:
        return _UNKNOWN
    if found.found_by is FoundBy.FEED:
        return "only a feed listed it, and a feed lists the newest pages only"
    if not reach_of(crawl).covers(str(reach_of(earlier))):
        return f"the crawl that read it last, {earlier.id.crawl}, had other settings, with which it may have found more"
    return _parent_of(found, crawl, earlier, ports)


def _parent_of(found: LedgerRow, crawl: CrawlRow, earlier: CrawlRow, ports: Ports) -> str:
    """Return what has become of the first page on the way to a page that the crawl found again."""
    rules = site_rules(earlier, client=None, cache=ports.robots, clock=ports.clock)
    for _ in range(_MOST_PARENTS):
        target = rules.links.target(found.parent) if found.parent else None
        if target is None:
            break
        row = _row(crawl, target.page.key, ports)
        if row is not None:
            return _what_became_of(row, _status(crawl, row.key, ports))
        before = _row(earlier, target.page.key, ports)
        if before is None:
            break
        found = before
    return _UNKNOWN


def _what_became_of(parent: LedgerRow, status: int | None) -> str:
    if not parent.state.has_content:
        return f"the page that led to it, {parent.url}, was not read, because {_because(parent, status)}"
    if parent.reason in _WITHOUT_LINKS:
        return f"the response of the page that led to it, {parent.url}, has no links any more"
    return f"all pages to which {parent.url} led vanished at once; the next crawl decides whether they are gone"
