"""The kinds of differences between two crawls."""

from enum import StrEnum


class DiffKind(StrEnum):
    """Kind of a difference between two crawls of a site."""

    NEW = "new"  # page in the later crawl only
    GONE = "gone"  # page in the earlier crawl only
    CHANGED = "changed"  # different text or title
    MOVED = "moved"  # gone, and redirects to another page or has its text on a new page
    BROKEN_LINK = "broken_link"  # leads to a page that cannot be read any more
    MENDED_LINK = "mended_link"  # led to a page that could not be read
    DEEPER = "deeper"  # more links away from the root
    NEARER = "nearer"
