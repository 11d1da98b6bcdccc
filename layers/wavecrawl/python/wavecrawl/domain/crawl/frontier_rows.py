"""Values of the frontier: found URLs, codes of states, and URLs as stored in deltas."""

from msgspec import Struct

from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState

NO_PARENT = -1  # the parent of the root and of URLs from sitemaps and lists

STATES = tuple(UrlState)
REASONS = tuple(Reason)
FOUND_BYS = tuple(FoundBy)
PHASES = tuple(Phase)
STATE_CODE = {state: code for code, state in enumerate(STATES)}
REASON_CODE = {reason: code for code, reason in enumerate(REASONS)}
FOUND_BY_CODE = {found: code for code, found in enumerate(FOUND_BYS)}
PHASE_CODE = {phase: code for code, phase in enumerate(PHASES)}

PENDING = STATE_CODE[UrlState.PENDING]
DEFERRED = STATE_CODE[UrlState.DEFERRED]
WAITING = (PENDING, DEFERRED)
EVICTED = 254  # found when too many URLs were waiting; reported as SKIPPED
PLANNED = 255  # in a batch of the current wave; reported as PENDING


class FoundUrl(Struct, frozen=True, kw_only=True, gc=False):
    """A URL as a link, a redirect, a sitemap or a list refers to it."""

    url: str
    key: str
    depth: int
    parent: int  # index of the page with the link, or NO_PARENT
    found_by: FoundBy
    phase: Phase
    wave: int
    chain: int = 0  # redirects in a row that led here
    skip: Reason = Reason.NONE  # why this reference must not be followed
    detail: str = ""  # explanation of `skip`


class Row(Struct, frozen=True, gc=False, array_like=True):
    """One URL in a delta. Codes are positions in enumerations, so new members must be added at the end of those."""

    index: int
    url: str
    key: str
    depth: int
    parent: int
    state: int
    reason: int
    found_by: int
    phase: int
    wave: int
    tries: int
    chain: int
    batch: int
    due: float
    not_before: float
    detail: str
    losses: int  # records of the URL that were lost
