"""What the results of a crawl say about checked URLs."""

import msgspec

from wavecrawl.domain.checks.kinds import CheckKind, Verdict
from wavecrawl.domain.crawl.states import UrlState


class CheckedUrl(msgspec.Struct, frozen=True, kw_only=True):
    """A checked URL of a crawl."""

    key: str
    url: str
    kind: CheckKind  # what the page that names it first uses it as
    state: UrlState
    reason: str
    detail: str
    status: int | None  # of the last response; None if there was none
    broken: bool  # whether visitors cannot load it either: the verdict is `broken`
    verdict: Verdict
    evidence: str  # the response or problem that the verdict is based on
    final_url: str  # end of its redirects; "" if there were none
    redirects: int
    moved: bool  # whether all its redirects are permanent
    response_ms: int | None  # milliseconds to the headers of the last response; None if unknown
    pages: int  # pages that name it
    page: str  # the first of them in crawl order; "" if no page that was fetched names it
