"""The kinds of differences between two crawls."""

from enum import StrEnum


class DiffKind(StrEnum):
    """Kind of a difference between two crawls of a site.

    - `new`: page that could be read in the later crawl only
    - `gone`: page that could be read in the earlier crawl only
    - `changed`: page with a different text or title
    - `moved`: page that can no longer be read at its URL; it redirects, or a new page has its text
    - `broken_link`: link whose target could be read in the earlier crawl only
    - `mended_link`: link whose target could be read in the later crawl only
    - `deeper`: page whose depth increased
    - `nearer`: page whose depth decreased
    """

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"
    MOVED = "moved"
    BROKEN_LINK = "broken_link"
    MENDED_LINK = "mended_link"
    DEEPER = "deeper"
    NEARER = "nearer"
