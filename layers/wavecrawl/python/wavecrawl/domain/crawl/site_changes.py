"""Changes of a site since its earlier crawls, derived from the page memory."""

from collections.abc import Iterable
from dataclasses import dataclass

from wavecrawl.domain.crawl.memory import PageMemory
from wavecrawl.domain.crawl.states import UrlState

_CLOCKS = 1.0  # seconds by which the clocks of starters and workers may differ


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteChanges:
    """Numbers of changed pages."""

    new: int = 0  # not known before
    changed: int = 0  # with a different main text
    gone: int = 0  # fetched before, now 404 or 410

    def __bool__(self) -> bool:
        """Return whether there is any change."""
        return bool(self.new or self.changed or self.gone)


def changes_since(memories: Iterable[PageMemory], started_at: float) -> SiteChanges:
    """Count the changes among the pages of a crawl; all counts are 0 in a site's first crawl.

    A page that nothing links to any more is not part of the crawl and not counted.
    """
    since = started_at - _CLOCKS
    new = changed = gone = 0
    known = False
    for memory in memories:
        there = memory.state in (UrlState.FETCHED, UrlState.UNCHANGED)
        before = memory.first_seen < since
        known = known or before
        new += there and not before
        changed += there and before and memory.last_changed >= since
        was_there = before and memory.last_changed > 0
        gone += memory.state is UrlState.NOT_FOUND and was_there and memory.last_seen >= since
    return SiteChanges(new=new, changed=changed, gone=gone) if known else SiteChanges()
