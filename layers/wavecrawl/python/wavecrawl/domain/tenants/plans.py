"""Plans and their limits."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec

from wavecrawl.domain.urls.limits import MAX_LINKS


class Plan(StrEnum):
    """Plan of a tenant. `unlimited` is for the crawls of the operator."""

    FREE = "free"
    STARTER = "starter"
    PRO = "pro"
    ADVANCED = "advanced"
    PREMIUM = "premium"
    UNLIMITED = "unlimited"


class Ceilings(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a plan. None = no limit."""

    max_pages: int | None  # per crawl
    max_tries: int | None  # per crawl
    max_requests: int | None  # per crawl, of every kind
    budget_usd: float | None  # per crawl; much more than a normal crawl costs
    crawls_a_month: int | None  # per calendar month, UTC
    max_sites: int | None  # saved sites
    max_list_urls: int | None  # URLs of an uploaded list


REQUESTS_PER_PAGE = 10
"""Attempts to fetch pages, and requests of every kind, that a plan allows for each page of a crawl."""

RENDER_BYTES: Final = "render.max_crawl_bytes"

RENDER_BYTES_PER_PAGE = 10_000_000
"""Bytes that rendered pages may receive, for each page of a crawl."""

_URLS_PER_PAGE = 20  # that wait in the frontier, that sitemaps list, or that are uploaded as a list


def _ceilings(pages: int, *, budget_usd: float, crawls_a_month: int | None, max_sites: int) -> Ceilings:
    return Ceilings(
        max_pages=pages,
        max_tries=REQUESTS_PER_PAGE * pages,
        max_requests=REQUESTS_PER_PAGE * pages,
        budget_usd=budget_usd,
        crawls_a_month=crawls_a_month,
        max_sites=max_sites,
        max_list_urls=_URLS_PER_PAGE * pages,
    )


CEILINGS: Mapping[Plan, Ceilings] = MappingProxyType(
    {
        Plan.FREE: _ceilings(50, budget_usd=0.05, crawls_a_month=5, max_sites=5),
        Plan.STARTER: _ceilings(200, budget_usd=0.2, crawls_a_month=20, max_sites=20),
        Plan.PRO: _ceilings(1_000, budget_usd=1.0, crawls_a_month=None, max_sites=100),
        Plan.ADVANCED: _ceilings(5_000, budget_usd=5.0, crawls_a_month=None, max_sites=500),
        Plan.PREMIUM: _ceilings(25_000, budget_usd=25.0, crawls_a_month=None, max_sites=2_500),
        Plan.UNLIMITED: Ceilings(
            max_pages=None,
            max_tries=None,
            max_requests=None,
            budget_usd=None,
            crawls_a_month=None,
            max_sites=None,
            max_list_urls=None,
        ),
    }
)

_MIB = 1024 * 1024
_LEAST_URLS = 50_000  # of a sitemap file, by the protocol
_LEAST_FRONTIER = 100_000  # as without a setting
_SITEMAP_FILES = 1_000  # as without a setting

MAXIMUMS: Mapping[str, float] = MappingProxyType(
    {
        "polite.in_flight": 10,
        "limits.max_bytes": 10 * _MIB,
        "limits.max_decoded_bytes": 20 * _MIB,
        "max_links": MAX_LINKS,
    }
)
"""Maximums of settings in all plans but `unlimited`, unless a tenant has its own; `_of_crawl` has more.

A worker with 512 MB holds 10 bodies of 10 MiB and their decoded forms of 20 MiB in 300 MiB, and parses one at a time.
"""


def maximums_of(plan: Plan, own: Mapping[str, float]) -> dict[str, float]:
    """Return the maximums of settings for a tenant. `own` are those that the operator set for it."""
    pages, requests = CEILINGS[plan].max_pages, CEILINGS[plan].max_requests
    if pages is None or requests is None:
        return dict(own)
    return dict(MAXIMUMS) | _of_crawl(pages, requests) | dict(own)


def _of_crawl(pages: int, requests: int) -> dict[str, float]:
    """Return the maximums of what costs memory or requests, for crawls of so many pages and requests."""
    urls = max(_LEAST_URLS, _URLS_PER_PAGE * pages)
    return {
        RENDER_BYTES: RENDER_BYTES_PER_PAGE * pages,
        "max_frontier": max(_LEAST_FRONTIER, urls),
        "sitemaps.max_files": min(_SITEMAP_FILES, requests),
        "sitemaps.max_listed": urls,
        "checks.max_urls": requests,
        "media.max_assets": requests,
        "archive.max_resources": requests,
    }
