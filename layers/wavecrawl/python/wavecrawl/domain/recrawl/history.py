"""What a site knows of a page from earlier crawls, and what follows from it: change rate, interval, next request."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.recrawl.change_rate import Gap, GapSum, change_rate, interval_of
from wavecrawl.domain.recrawl.settings import Mode, RecrawlSettings
from wavecrawl.domain.urls.path_numbers import PathNumbers
from wavecrawl.domain.urls.templates import template_of

OBSERVATIONS = 16
"""Requests that a page's history keeps, the latest ones."""

TEMPLATES = 10_000
"""Path templates whose change rate is known. Pages of others have the rate of the site."""

BY_MODE: Final = frozenset((Reason.NOT_DUE, Reason.QUARANTINED))
"""Why a crawl does not request known URLs because of its mode."""

_ASSUMED_DATES = 20  # dates in sitemaps, half of them right, that count in addition


class Observation(Struct, frozen=True, gc=False):
    """A request that returned the page, or that it is unchanged."""

    at: float  # Unix seconds
    text: bool  # whether the main text differs from the observation before
    links: bool  # whether other pages are linked than before


class PageHistory(Struct, frozen=True, kw_only=True, gc=False):
    """What a site knows of a page."""

    key: str
    url: str
    depth: int
    last_seen: float  # Unix seconds of the latest request, as all times
    observations: tuple[Observation, ...] = ()  # in order; the first has nothing to be compared with
    lastmod: str = ""  # of the sitemap or feed when the page was requested last
    failures: int = 0  # crawls in a row in which it failed
    first_seen: float = 0.0
    last_changed: float = 0.0  # the first request with the present main text; 0 = there is none
    deleted_at: float = 0.0  # since when it is known to be gone; 0 = it is not

    @property
    def gaps(self) -> list[Gap]:
        """The times between its observations."""
        return [Gap(b.at - a.at, b.text or b.links) for a, b in pairwise(self.observations) if b.at > a.at]


class LastmodTrust(msgspec.Struct, frozen=True, kw_only=True):
    """How often a newer date in a sitemap or feed came with a changed page."""

    dates: int = 0  # newer ones whose page was requested
    right: int = 0

    @property
    def share(self) -> float:
        """The share of right dates, 0..1. Unknown sites have 0.5."""
        return (self.right + _ASSUMED_DATES / 2) / (self.dates + _ASSUMED_DATES)


@dataclass(kw_only=True)
class ChangeRates:
    """The change rates of a site's path templates, the expectation for their pages."""

    settings: RecrawlSettings
    templates: dict[str, GapSum] = field(default_factory=dict)
    site: GapSum = field(default_factory=GapSum)

    def add(self, pages: Iterable[PageHistory]) -> None:
        """Add pages that are not deleted, in a fixed order: of more than TEMPLATES templates, the first count."""
        for page in pages:
            gaps = page.gaps
            if not gaps or page.deleted_at:
                continue
            self.site = self.site.plus(gaps)
            template = template_of(page.url)
            known = self.templates.get(template)
            if known is not None or len(self.templates) < TEMPLATES:
                self.templates[template] = (known or GapSum()).plus(gaps)

    @cached_property
    def site_rate(self) -> float:
        """The mean changes per second of the site's pages; call `add` before."""
        return self.site.rate(1 / self.settings.interval)

    def rate(self, page: PageHistory) -> float:
        """Return the changes per second of a page."""
        return change_rate(page.gaps, self.expected(page.url))

    def expected(self, url: str) -> float:
        """Return the changes per second of pages with the template of a URL."""
        return self.templates.get(template_of(url), GapSum()).rate(self.site_rate)

    def interval(self, page: PageHistory) -> float:
        """Return the seconds after which a page is due."""
        settings = self.settings
        return interval_of(
            self.rate(page),
            base=self._intervals.of_url(page.url) or settings.interval,
            usual=settings.interval,
            least=settings.min_interval,
            most=settings.max_interval,
        )

    @cached_property
    def _intervals(self) -> PathNumbers:
        return PathNumbers(self.settings.intervals)

    def next_due(self, page: PageHistory) -> float:
        """Return when a page is due, in Unix seconds."""
        return page.last_seen + self.interval(page)


class Skip(NamedTuple):
    """Why a known page is not requested in a crawl."""

    reason: Reason = Reason.NONE  # NONE: it is requested
    detail: str = ""  # the day on which it is due


def skip_of(page: PageHistory, rates: ChangeRates, mode: Mode, *, now: float, lastmods: Mapping[str, str]) -> Skip:
    """Return whether a known page is skipped in a crawl, and why.

    `lastmods`: the dates of sitemaps and feeds by url key; empty if they are not to be trusted.
    """
    settings = rates.settings
    if settings.quarantine_after and page.failures >= settings.quarantine_after:
        reason, due = Reason.QUARANTINED, page.last_seen + settings.quarantine_interval
    elif mode is Mode.CHANGED_ONLY and is_newer(lastmods.get(page.key, ""), page):
        return Skip()
    else:
        reason, due = Reason.NOT_DUE, rates.next_due(page)
    return Skip() if due <= now else Skip(reason, f"due on {datetime.fromtimestamp(due, UTC):%Y-%m-%d}")


def is_outage(failing: int, *, pages: int) -> bool:
    """Return whether so many of a site's known pages fail that the site is the cause, not the pages: more than half."""
    return failing * 2 > pages


def skipped_by_mode(reasons: Mapping[str, int]) -> int:
    """Return the number of known URLs that a crawl did not request because of its mode, given its URLs per reason."""
    return sum(reasons.get(reason, 0) for reason in BY_MODE)


def is_newer(lastmod: str, page: PageHistory) -> bool:
    """Return whether a sitemap's date says that a page has changed since its last request.

    A date without a time is newer from its day on, if it is another one than at the last request.
    """
    if not lastmod or lastmod == page.lastmod:
        return False
    at = _seconds(lastmod)
    return at is not None and at > page.last_seen


def _seconds(lastmod: str) -> float | None:
    """Return the last second that a W3C date can mean, None if it is none. Dates without an offset are in UTC."""
    try:
        date = datetime.fromisoformat(lastmod)
    except ValueError:
        return None
    end = 86_400.0 if len(lastmod) == len("2026-01-01") else 0.0
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() + end
