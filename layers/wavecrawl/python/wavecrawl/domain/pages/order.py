"""The orders in which pages can be listed."""

from enum import StrEnum


class PageOrder(StrEnum):
    """Sort key of pages. Pages with equal keys are in crawl order.

    `crawl` orders by phase, depth and time of discovery. `status` puts pages without a response first.
    """

    CRAWL = "crawl"
    URL = "url"
    TITLE = "title"
    STATUS = "status"
    DEPTH = "depth"
    WORDS = "words"
    BYTES = "bytes"
    ELAPSED = "elapsed"
    IN_LINKS = "in_links"
    OUT_LINKS = "out_links"
    PAGERANK = "pagerank"
    SCORE = "score"
