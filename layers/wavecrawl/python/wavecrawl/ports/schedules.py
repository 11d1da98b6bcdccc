"""Schedules: what starts the crawls of sites by themselves."""

from typing import Protocol

from wavecrawl.domain.sites.schedule import Schedule


class Schedules(Protocol):
    """One schedule a site, at most. Contract: tests/contract/test_schedules.py."""

    def put(self, tenant: str, site: str, schedule: Schedule) -> None:
        """Replace the site's schedule, at once; a manual one removes it."""
        ...

    def remove(self, tenant: str, site: str) -> None:
        """Remove the site's schedule, if it has one."""
        ...
