"""The kinds of differences between two crawls."""

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class DiffKind(StrEnum):
    """Kind of a difference between two crawls of a site.

    - `new`: page that could be read in the later crawl only, and that did not exist before, as far as is known
    - `gone`: page that could be read in the earlier crawl only, and that the later crawl shows to be gone
    - `not_seen`: page that could be read in one of the crawls only, although it may have existed in both: the other
      crawl failed to read it, or could not find it because it has gaps
    - `changed`: page with a different main text, title, description, H1, canonical URL or robots directives, or that is
      indexable in one of the crawls only; file without a text that has a different size
    - `moved`: page that is gone from its URL; it redirects, or a new page has its text or nearly its text
    - `redirect_changed`: URL that redirects in both crawls, with a different target or status code
    - `broken_link`: link whose target could be read in the earlier crawl only, or checked URL that is broken in the
      later crawl only
    - `mended_link`: link whose target could be read in the later crawl only, or broken link that its page no longer
      has, or checked URL that was broken in the earlier crawl only
    - `deeper`: page whose depth increased
    - `nearer`: page whose depth decreased
    - `more_links`: page that more pages link to, largest change first
    - `fewer_links`: page that fewer pages link to, largest change first
    - `rank_up`: page whose PageRank, as a multiple of the average of its crawl, grew by a fifth or more, largest change
      first
    - `rank_down`: page whose PageRank shrank by as much, largest change first
    - `new_orphan`: orphan that was no orphan in the earlier crawl
    - `ended_orphan`: page that was an orphan in the earlier crawl only
    """

    NEW = "new"
    GONE = "gone"
    NOT_SEEN = "not_seen"
    CHANGED = "changed"
    MOVED = "moved"
    REDIRECT_CHANGED = "redirect_changed"
    BROKEN_LINK = "broken_link"
    MENDED_LINK = "mended_link"
    DEEPER = "deeper"
    NEARER = "nearer"
    MORE_LINKS = "more_links"
    FEWER_LINKS = "fewer_links"
    RANK_UP = "rank_up"
    RANK_DOWN = "rank_down"
    NEW_ORPHAN = "new_orphan"
    ENDED_ORPHAN = "ended_orphan"


DIFF_TITLES: Final = MappingProxyType(
    {
        DiffKind.NEW: "new pages",
        DiffKind.GONE: "removed pages",
        DiffKind.NOT_SEEN: "pages that one crawl did not see",
        DiffKind.CHANGED: "changed pages",
        DiffKind.MOVED: "moved pages",
        DiffKind.REDIRECT_CHANGED: "changed redirects",
        DiffKind.BROKEN_LINK: "newly broken links",
        DiffKind.MENDED_LINK: "repaired links",
        DiffKind.DEEPER: "pages further from the root",
        DiffKind.NEARER: "pages nearer to the root",
        DiffKind.MORE_LINKS: "pages with more links to them",
        DiffKind.FEWER_LINKS: "pages with fewer links to them",
        DiffKind.RANK_UP: "pages with a higher PageRank",
        DiffKind.RANK_DOWN: "pages with a lower PageRank",
        DiffKind.NEW_ORPHAN: "new orphans",
        DiffKind.ENDED_ORPHAN: "former orphans",
    }
)
"""What people call the differences of each kind."""
