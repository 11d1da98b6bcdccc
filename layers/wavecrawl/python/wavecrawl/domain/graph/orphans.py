"""Orphans with a verdict (spec [12]).

A page that a sitemap names and no crawled page links to is an orphan only where the crawl is complete as far as links
can show. Every URL of the site whose content is missing might hold the link that is not seen: it is a *blocker*, and
while there is one the verdict is `inconclusive`.
"""

from enum import StrEnum

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState


class Verdict(StrEnum):
    """What is said of a sitemap page that no crawled page links to."""

    ORPHAN = "orphan"
    INCONCLUSIVE = "inconclusive"


_MISSING = (UrlState.FAILED, UrlState.FORBIDDEN, UrlState.ROBOTS_DENIED, UrlState.PENDING, UrlState.DEFERRED)
_NOT_OF_THE_SITE = (Reason.OUT_OF_SCOPE, Reason.EXCLUDED, Reason.NOT_INCLUDED, Reason.ASSET)
_PASSING = (408, 421, 425, 429)  # statuses that say "later", as does every 5xx
_SERVER_ERRORS = 500


def is_blocker(state: UrlState, reason: Reason, status: int | None, *, cut: bool = False) -> bool:
    """Tell whether content is missing at a URL that may hold links; `cut`: its page was not read to the end."""
    if state in _MISSING:
        return True
    if state is UrlState.SKIPPED:
        return reason not in _NOT_OF_THE_SITE
    if state is UrlState.HTTP_ERROR:
        return status is None or status >= _SERVER_ERRORS or status in _PASSING
    return cut and state in (UrlState.FETCHED, UrlState.UNCHANGED)
