"""Changes of a site since its earlier crawls, derived from the page memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

CLOCKS = 1.0
"""Seconds by which the clocks of starters and workers may differ."""


def requests_since(started_at: float, last_ended_at: float) -> float:
    """Return the time from which on requests may belong to a crawl that started at `started_at`, in Unix seconds.

    `last_ended_at`: when the crawl before ended, 0 if there was none. Its requests are older, however soon this crawl
    followed it.
    """
    return max(started_at - CLOCKS, min(last_ended_at, started_at))


class TextDates(NamedTuple):
    """What a site remembers of the age of a page's main text. Dates are W3C dates in UTC."""

    changed_on: str  # the first day on which a request returned the present text
    changed: bool  # whether another text was seen before; if not, the present one may be older
    before: str = ""  # the last day on which the text before was seen, if it has changed in this crawl


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteChanges:
    """Numbers of changed pages; all are 0 in a site's first crawl.

    A page that the crawl did not find is gone if that proves it; otherwise it is not counted.
    """

    new: int = 0  # neither read before, nor known to the crawl before
    changed: int = 0  # with a different main text
    gone: int = 0  # read before, and shown to be deleted (`domain.recrawl.deletion`)
    again: int = field(default=0, compare=False)  # pages that were read before and requested in this crawl
    limits: tuple[str, ...] = field(default=(), compare=False)  # at which the crawl before stopped
    seen_at: float | None = field(default=None, compare=False)  # mean Unix seconds of the last requests; None: unknown
    texts: Mapping[str, TextDates] = field(default_factory=dict)  # by url key; only pages that were known before

    def __bool__(self) -> bool:
        """Return whether there is any change."""
        return bool(self.new or self.changed or self.gone)
