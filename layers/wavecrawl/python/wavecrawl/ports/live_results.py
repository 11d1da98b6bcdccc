"""Results of crawls at any time, and queries over all URLs of a crawl."""

from typing import Protocol

import msgspec

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import LedgerRow
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.ports.results import Mark, Part, Results


class UrlFilter(msgspec.Struct, frozen=True, kw_only=True):
    """A filter of URLs. None and "" match any value."""

    state: UrlState | None = None
    reason: Reason | None = None
    depth: int | None = None
    lane: Lane | None = None
    text: str = ""  # part of the URL, ignoring case


class Suppression(msgspec.Struct, frozen=True, kw_only=True):
    """URLs that were not requested for the same reason, and with the same evidence if it is a trap."""

    reason: Reason
    evidence: str  # of a trap; "" otherwise
    urls: int
    examples: tuple[str, ...]  # the first URLs, in order of discovery


class Urls(Protocol):
    """Queries over all URLs of a crawl, in any state. Depths are those of the plan. Hidden pages are never included."""

    def list(self, crawl: CrawlId, filter_: UrlFilter, *, limit: int, after: Mark | None = None) -> Part[LedgerRow]:
        """Return URLs in order of discovery."""
        ...

    def totals(self, crawl: CrawlId) -> dict[str, int]:
        """Return the number of URLs in each state."""
        ...

    def suppressions(
        self, crawl: CrawlId, *, examples: int, limit: int, after: Mark | None = None
    ) -> Part[Suppression]:
        """Return why URLs were not requested: traps first, then by number.

        They are in state `skipped` or `robots_denied`, or `failed` if their host cannot be reached.
        """
        ...

    def find(self, crawl: CrawlId, key: str) -> LedgerRow | None:
        """Return the URL with this key, or None if the crawl has not found it."""
        ...


class SoFar(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a crawl as of a wave."""

    as_of_wave: int | None  # the last wave that they cover, 0 = none; None = they cover the whole crawl
    results: Results
    urls: Urls


class LiveResults(Protocol):
    """Queries over the parts of a crawl, whether it runs or has ended. Contract: tests/adapters/analytics.

    Depths and parents are those of the plan. There is no PageRank and no search for duplicates.
    """

    def so_far(self, crawl: CrawlId, *, up_to: int | None = None) -> SoFar:
        """Return the results as of the last part, or as of part `up_to`."""
        ...
