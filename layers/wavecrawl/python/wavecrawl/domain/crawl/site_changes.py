"""Changes of a site since its earlier crawls, derived from the page memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field

CLOCKS = 1.0
"""Seconds by which the clocks of starters and workers may differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteChanges:
    """Numbers of changed pages; all are 0 in a site's first crawl.

    A page that nothing links to any more is not part of the crawl and not counted.
    """

    new: int = 0  # not known before
    changed: int = 0  # with a different main text
    gone: int = 0  # fetched before, now 404 or 410
    seen_at: float | None = field(default=None, compare=False)  # mean Unix seconds of the last requests; None: unknown
    changed_on: Mapping[str, str] = field(default_factory=dict)  # W3C date of the last change, by url key, if known

    def __bool__(self) -> bool:
        """Return whether there is any change."""
        return bool(self.new or self.changed or self.gone)
