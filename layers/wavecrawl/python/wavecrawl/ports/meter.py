"""The meter: the AWS usage of this process."""

from typing import Protocol

from wavecrawl.domain.crawl.bill import Usage


class Meter(Protocol):
    """A sum of usage over all threads. Contract: tests/contract/test_meter.py."""

    def take(self) -> Usage:
        """Return the usage since the last call and reset the meter."""
        ...


class NoMeter:
    """A meter for one machine, where nothing is billed."""

    def take(self) -> Usage:
        """Return an empty usage."""
        return Usage()
