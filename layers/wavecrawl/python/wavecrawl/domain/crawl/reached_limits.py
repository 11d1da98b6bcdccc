"""The limits that kept a crawl from requesting known URLs, and which setting to change."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from wavecrawl.domain.crawl.record import Reason

STOPS: Final = frozenset(
    (
        *(Reason.MAX_PAGES, Reason.MAX_TRIES, Reason.TIME_LIMIT, Reason.BUDGET, Reason.MONTHLY_BUDGET),
        *(Reason.FRONTIER_CAP, Reason.CANCELLED, Reason.PLANNER_MEMORY, Reason.MAX_REQUESTS),
    )
)
"""Limits that keep a crawl from reading all that it would find without them.

`max_depth` is not one of them: two crawls with the same limit of depth have the same reach.
"""


class ReachedLimit(msgspec.Struct, frozen=True, kw_only=True):
    """A limit that a crawl reached."""

    reason: Reason
    urls: int  # known URLs that were not read because of it
    cause: str  # part of a sentence: "the crawl reached its limit of pages"
    advice: str  # a sentence that says what to do


_LIMITS: Final = MappingProxyType(
    {
        Reason.MAX_PAGES: (
            "the crawl reached its limit of pages",
            "Raise the setting max_pages (option --max-pages).",
        ),
        Reason.MAX_DEPTH: (
            "they are deeper than the limit of depth",
            "Raise the setting max_depth (option --max-depth).",
        ),
        Reason.BUDGET: ("the crawl reached its budget", "Raise the setting budget_usd."),
        Reason.MONTHLY_BUDGET: (
            "the crawls of this month cost as much as they may",
            "Resume the crawl next month, or let the operator raise the limit budget_usd_a_month.",
        ),
        Reason.TIME_LIMIT: (
            "the crawl reached its limit of time",
            "Raise the setting max_seconds (option --max-seconds).",
        ),
        Reason.MAX_REQUESTS: (
            "the crawl reached its limit of requests",
            "Raise the setting max_requests.",
        ),
        Reason.MAX_TRIES: (
            "the crawl reached its limit of attempts",
            "Raise the setting max_tries (option --max-tries).",
        ),
        Reason.FRONTIER_CAP: (
            "more URLs were waiting than the limit",
            "Raise the setting max_frontier (option --max-frontier).",
        ),
        Reason.CANCELLED: ("the crawl was cancelled", "Resume it to read them."),
        Reason.PLANNER_MEMORY: (
            "the URLs that the crawl found need more memory than its planner has",
            "Deploy with large_crawls or with more planner_memory, or crawl the site by section (scope.path_prefix).",
        ),
        Reason.MAX_ASSETS: ("the crawl reached its limit of media", "Raise the setting media.max_assets."),
    }
)


def stops(reasons: Mapping[str, int]) -> tuple[str, ...]:
    """Return the limits in `STOPS` that a crawl reached, sorted, given the number of its URLs per reason."""
    return tuple(sorted(reason.value for reason in STOPS if reasons.get(reason)))


def reached_limits(reasons: Mapping[str, int]) -> tuple[ReachedLimit, ...]:
    """Return the limits that a crawl reached, given the number of its URLs per reason."""
    return tuple(
        ReachedLimit(reason=reason, urls=reasons[reason], cause=cause, advice=advice)
        for reason, (cause, advice) in _LIMITS.items()
        if reasons.get(reason)
    )
