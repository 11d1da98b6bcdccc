"""The cache of robots.txt files, kept between crawls."""

from typing import Protocol

from wavecrawl.domain.politeness.robots import RobotsFile


class RobotsCache(Protocol):
    """One file per origin, for all crawls, so only results that no crawl's settings influence are stored.

    Contract: tests/contract/test_robots_cache.py.
    """

    def read(self, origin: str) -> RobotsFile | None:
        """Return the file last stored for scheme://host[:port], or None. It may be deleted after `kept_until`."""
        ...

    def write(self, file: RobotsFile) -> None:
        """Store a file under its origin."""
        ...
