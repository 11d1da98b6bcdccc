"""What a crawl shows of a page that an earlier crawl read, and that it did not read itself."""

from contextlib import suppress
from typing import Final

from wavecrawl.application.crawl_end import reach_of
from wavecrawl.application.reason_texts import REASONS
from wavecrawl.domain.crawl.ledger import LedgerRow
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
_BELOW: Final = (
    "the page that led to it was not read, or all that it led to vanished at once, or only a feed listed it, or other "
    "settings found it, so it may still exist"
)
_SECOND: Final = 1.0  # to which the time is cut
_TEMPORARY: Final = "it redirects temporarily; it is deleted if it does so in the next crawl, too"


def absence_of(crawl: CrawlRow, key: str, row: LedgerRow | None, status: int | None, ports: Ports) -> str:
    """Return why a page is deleted or was not seen, in one sentence without a full stop.

    `row`, `status`: the page in this crawl. Return "" if the crawl has no results or read the page, and if no earlier
    crawl read it.
    """
    if not crawl.has_results or (row is not None and row.state.has_content):
        return ""
    with suppress(NotFoundError):  # of a failed crawl
        known = ports.results.remembered(crawl.id, key)
        if known is None:
            return ""
        if known.deleted:
            return f"deleted, because {_proof(crawl, known, row, status)}"
        return f"not seen in this crawl, because {_gap(crawl, row, status, ports)}"
    return ""


def _proof(crawl: CrawlRow, known: Remembered, row: LedgerRow | None, status: int | None) -> str:
    answer = Answer.NOTHING if row is None else answer_of(row.state, row.reason, status)
    if row is not None and answer in (Answer.GONE, Answer.AWAY):
        if row.state is UrlState.ROBOTS_DENIED:
            return "robots.txt disallows it"
        if row.state is UrlState.NOT_FOUND:
            return f"its response is {status or '404 or 410'}"
        return "it redirects permanently" if answer is Answer.GONE else "it redirects in two crawls in a row"
    if known.deleted_at < crawl.started_at - CLOCKS - _SECOND:
        return f"an earlier crawl showed that it is gone ({known.deleted})"
    return "this crawl read all that could lead to it, and did not find it"


def _gap(crawl: CrawlRow, row: LedgerRow | None, status: int | None, ports: Ports) -> str:
    if row is None:
        gaps = named_gaps(ports.results.gaps(crawl.id))
        return gaps or (_BELOW if reach_of(crawl).is_whole else _OUT_OF_REACH)
    if answer_of(row.state, row.reason, status) is Answer.AWAY:
        return _TEMPORARY
    because = REASONS.get(row.reason, row.reason.value) or row.state.value.replace("_", " ")
    return f"{because} ({status})" if row.reason is Reason.STATUS and status else because
