"""The cache of robots.txt files, kept between crawls."""

from typing import Protocol

from wavecrawl.domain.politeness.robots import RobotsFile


class RobotsCache(Protocol):
    """One file per origin. Contract: tests/contract/test_robots_cache.py."""

    def read(self, origin: str) -> RobotsFile | None:
        """Return the file last stored for scheme://host[:port], or None."""
        ...

    def write(self, file: RobotsFile) -> None:
        """Store a file under its origin."""
        ...
