"""Schedules that start crawls of sites."""

from typing import Protocol

from wavecrawl.domain.sites.schedule import Schedule


class Schedules(Protocol):
    """At most one schedule per site. Contract: tests/contract/test_schedules.py."""

    def put(self, tenant: str, site: str, schedule: Schedule) -> None:
        """Replace the site's schedule; a manual one removes it. Takes effect immediately."""
        ...

    def remove(self, tenant: str, site: str) -> None:
        """Remove the site's schedule, if it has one."""
        ...
