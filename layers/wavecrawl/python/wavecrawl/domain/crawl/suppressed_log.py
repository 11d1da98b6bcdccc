"""Lines of the log about URLs that the planner decided not to request. They have the message of other URLs' lines.

A module of its own, as workers load `url_log` and need no rows of the frontier.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from wavecrawl.domain.crawl.frontier_rows import REASON_CODE, REASONS, Row, detail_of, state_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.record import TRAPS, Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.url_log import is_logged

SUPPRESSED: Final = (
    *TRAPS,
    Reason.NOT_DUE,
    Reason.QUARANTINED,
    Reason.MAX_DEPTH,
    Reason.MAX_PAGES,
    Reason.MAX_TRIES,
    Reason.MAX_REQUESTS,
    Reason.FRONTIER_CAP,
    Reason.MAX_CHECKS,
    Reason.MAX_ASSETS,
    Reason.MAX_RESOURCES,
    Reason.ARCHIVE_FULL,
    Reason.TIME_LIMIT,
    Reason.BUDGET,
    Reason.MONTHLY_BUDGET,
    Reason.PLANNER_MEMORY,
    Reason.CANCELLED,
)
"""The reasons of such URLs: rules against traps, the mode of a recrawl, and limits.

URLs that are out of scope, excluded or denied by robots.txt have no line. The scope and the site decide about them, and
there are many.
"""

_CODES = frozenset(REASON_CODE[reason] for reason in SUPPRESSED)


def suppressed_urls(rows: Iterable[Row], crawl: CrawlId, wave: int, *, share: float) -> Iterator[dict[str, object]]:
    """Yield the fields of a line for each logged URL among the rows that a wave changed and that is suppressed now.

    `share`: of all URLs, from 0 to 1. The lines have no fields about a request. `detail` is the evidence of a rule
    against traps, or explains another reason; "" if there is nothing to explain.
    """
    for row in rows:
        if row.reason not in _CODES or not is_logged(row.key, share) or state_of(row.state) is not UrlState.SKIPPED:
            continue
        yield {
            "crawl": str(crawl),
            "wave": wave,
            "url": row.url,
            "state": UrlState.SKIPPED.value,
            "reason": REASONS[row.reason].value,
            "detail": detail_of(row.state, row.detail, score=row.score),
            "tries": row.tries,
            "depth": row.depth,
        }
