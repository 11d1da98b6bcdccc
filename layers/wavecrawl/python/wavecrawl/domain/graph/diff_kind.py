"""The kinds of differences between two crawls."""

from enum import StrEnum


class DiffKind(StrEnum):
    """Kind of a difference between two crawls of a site.

    - `new`: page in the later crawl only
    - `gone`: page in the earlier crawl only
    - `changed`: page with a different text or title
    - `moved`: page that is gone and redirects to another page, or whose text is on a new page
    - `broken_link`: link whose target could be read in the earlier crawl only
    - `mended_link`: link whose target could be read in the later crawl only
    - `deeper`: page with more links from the root than before
    - `nearer`: page with fewer links from the root than before
    """

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"
    MOVED = "moved"
    BROKEN_LINK = "broken_link"
    MENDED_LINK = "mended_link"
    DEEPER = "deeper"
    NEARER = "nearer"
