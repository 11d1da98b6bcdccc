"""Verdicts on orphan pages.

A page that is listed in a sitemap but not linked by a crawled page is certainly an orphan only if the crawl has read
all pages. A URL of the site whose content is missing may contain the link. It is a *blocker*; if there is one, the
verdict is `inconclusive`.
"""

from enum import StrEnum

from wavecrawl.domain.crawl.record import TRAPS, Reason
from wavecrawl.domain.crawl.states import UrlState


class Verdict(StrEnum):
    """Verdict on a sitemap page that no crawled page links to."""

    ORPHAN = "orphan"
    INCONCLUSIVE = "inconclusive"


_MISSING = (UrlState.FAILED, UrlState.FORBIDDEN, UrlState.ROBOTS_DENIED, UrlState.PENDING, UrlState.DEFERRED)
_NOT_OF_THE_SITE = (Reason.OUT_OF_SCOPE, Reason.EXCLUDED, Reason.NOT_INCLUDED, Reason.ASSET)
_NOT_MISSING = (*_NOT_OF_THE_SITE, *TRAPS)  # what a rule against traps suppresses has, by its evidence, nothing new
_TEMPORARY = (408, 421, 425, 429)  # as are all 5xx
_SERVER_ERRORS = 500


def is_blocker(state: UrlState, reason: Reason, status: int | None, *, cut: bool = False, shell: bool = False) -> bool:
    """Return whether a URL's content is missing and may contain links.

    `cut`: its page was read in part. `shell`: scripts fill its page, and it was not rendered.
    """
    if state in _MISSING:
        return True
    if state is UrlState.SKIPPED:
        return reason not in _NOT_MISSING
    if state is UrlState.HTTP_ERROR:
        return status is None or status >= _SERVER_ERRORS or status in _TEMPORARY
    return (cut or shell) and state.has_content
