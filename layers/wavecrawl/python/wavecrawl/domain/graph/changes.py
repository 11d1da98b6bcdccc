"""What changed on a site since the crawls before, as far as its page memory shows (spec [36])."""

from collections.abc import Iterable
from dataclasses import dataclass

from wavecrawl.domain.crawl.memory import PageMemory
from wavecrawl.domain.crawl.states import UrlState

_CLOCKS = 1.0  # seconds by which the clocks of those who start crawls and of those who fetch may differ


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteChanges:
    """How many pages differ."""

    new: int = 0  # never met before
    changed: int = 0  # their main text differs
    gone: int = 0  # they were there, and answer 404 or 410 now

    def __bool__(self) -> bool:
        """Tell whether anything differs."""
        return bool(self.new or self.changed or self.gone)


def changes_since(memories: Iterable[PageMemory], started_at: float) -> SiteChanges:
    """Count over the pages that a crawl met. Where it knew none of them before, it compares with nothing: no change.

    A page that nothing points to any more is not met, and so not counted.
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
