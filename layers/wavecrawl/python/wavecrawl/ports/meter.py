"""The meter: what this process uses of AWS."""

from typing import Protocol

from wavecrawl.domain.crawl.bill import Usage


class Meter(Protocol):
    """Adds up usage, over all threads. Contract: tests/contract/test_meter.py."""

    def take(self) -> Usage:
        """Return what was used since the last take; what is returned is counted by the caller from now on."""
        ...


class NoMeter:
    """The meter of a machine of one's own: nothing is billed."""

    def take(self) -> Usage:
        """Return nothing."""
        return Usage()
