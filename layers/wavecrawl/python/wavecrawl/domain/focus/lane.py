"""The lanes of a crawl."""

from enum import StrEnum


class Lane(StrEnum):
    """The importance of a URL by its place on the site. With `best_first`, earlier lanes are crawled first.

    - `p0`: critical: the root and the main pages of the site, such as `/pricing`
    - `p1`: documentation
    - `p2`: blog and news
    - `p3`: everything else
    """

    P0 = "p0"
    P1 = "p1"
    P2 = "p2"
    P3 = "p3"
