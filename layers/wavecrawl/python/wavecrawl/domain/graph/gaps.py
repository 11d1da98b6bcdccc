"""The gaps of a crawl in plain words: why it does not show that a page is gone."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.record import UNREACHABLE, Reason
from wavecrawl.domain.graph.completeness import Way

_STOPS: Final[Mapping[Reason, str]] = MappingProxyType(
    {
        Reason.CANCELLED: "the crawl was cancelled",
        Reason.MAX_PAGES: "the crawl stopped at max_pages",
        Reason.MAX_TRIES: "the crawl stopped at max_tries",
        Reason.MAX_REQUESTS: "the crawl stopped at max_requests",
        Reason.TIME_LIMIT: "the crawl stopped at its time limit (max_seconds)",
        Reason.BUDGET: "the crawl stopped at its budget (budget_usd)",
        Reason.FRONTIER_CAP: "the crawl stopped at max_frontier",
        Reason.MAX_DEPTH: "the crawl stopped at max_depth",
        Reason.REDIRECT_LIMIT: "the crawl stopped at max_redirects",
        Reason.LINKS_NOT_FOLLOWED: "the crawl followed no links",
        Reason.REDIRECTS_NOT_FOLLOWED: "the crawl followed no redirects",
        Reason.ROBOTS_UNREACHABLE: "robots.txt could not be read",
    }
)
"""Gaps that concern all URLs in the same way; the first ones matter most."""

_FAILURES: Final[Mapping[Reason, str]] = MappingProxyType(
    {
        Reason.STATUS: "",
        Reason.TIMEOUT: "no complete response in time",
        Reason.RESET: "the connection ended",
        Reason.PROTOCOL: "no valid HTTP",
        Reason.DECODING: "the content could not be decoded",
        Reason.HOST_UNAVAILABLE: "the host stopped responding",
        Reason.POISON: "the batch failed",
        Reason.TOO_EXPENSIVE: "too expensive to read",
        Reason.RECORDS_LOST: "the record was lost",
        Reason.WORKER_OUT_OF_TIME: "the worker ran out of time",
        **UNREACHABLE,
    }
)
_WAYS: Final = ("sitemaps not read", "start page not read")
_NOT_READ: Final = "not read ("


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """Pages or sitemaps that a crawl did not see for the same reason, which is a gap of its own."""

    why: str  # of the blocker (`domain.graph.completeness`)
    reason: Reason  # of the state of the pages; NONE: see `why`
    way: Way
    urls: int

    def __str__(self) -> str:
        """Return a clause: the crawl stopped at max_pages; 3 pages failed (HTTP 503); 1 sitemap was read in part."""
        if self.reason in _STOPS:
            return _STOPS[self.reason]
        if self.why.startswith(_WAYS):
            noun, _, rest = self.why.partition(" not read ")
            return f"the {noun} {'were' if noun.endswith('s') else 'was'} not read {rest}"
        if self.reason in _FAILURES:
            cause = _FAILURES[self.reason] or self.why.removeprefix(_NOT_READ).removesuffix(")")
            return f"{counted(self.urls, 'page')} failed ({cause})"
        noun = "sitemap" if self.way is Way.SITEMAP else "page"
        return f"{counted(self.urls, f'{noun} was', f'{noun}s were')} {self.why}"


def named_gaps(gaps: Iterable[Gap], *, most: int = 2) -> str:
    """Return the first gaps as a text: what stopped the crawl, then the most frequent ones. "" if there are none."""
    order = [*_STOPS]
    ordered = sorted(gaps, key=lambda gap: (order.index(gap.reason) if gap.reason in _STOPS else len(order), -gap.urls))
    texts = [*dict.fromkeys(map(str, ordered))]
    if len(texts) > most:
        return f"{', '.join(texts[:most])}, and for {counted(len(texts) - most, 'more reason')}"
    return " and ".join(texts)
