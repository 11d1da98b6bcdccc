"""The host gate: politeness towards one host, across all crawls and tenants."""

from typing import Protocol

from wavecrawl.domain.crawl.settings import PoliteSettings
from wavecrawl.domain.politeness.pace import Feedback, HostState, Window


class HostGate(Protocol):
    """One row per host, changed by conditional writes. Contract: tests/contract/test_host_gate.py."""

    def read(self, host: str) -> HostState:
        """Return what is known of the host; a fresh state where nothing is."""
        ...

    def reserve(self, host: str, *, holder: str, count: int, interval: float, now: float) -> Window:
        """Reserve `count` request starts (`domain.politeness.reserve`); two callers never get the same ones."""
        ...

    def report(self, host: str, feedback: Feedback, settings: PoliteSettings) -> HostState:
        """Let the host's state follow from how it answered (`domain.politeness.adapt`); return the new one."""
        ...
