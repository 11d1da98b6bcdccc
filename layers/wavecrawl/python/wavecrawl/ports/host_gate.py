"""The host gate: politeness towards a host, across all crawls and tenants."""

from typing import Protocol

from wavecrawl.domain.crawl.settings import PoliteSettings
from wavecrawl.domain.politeness.host_state import Feedback, HostState
from wavecrawl.domain.politeness.windows import Window


class HostGate(Protocol):
    """One row per host, changed by conditional writes. Contract: tests/contract/test_host_gate.py."""

    def read(self, host: str) -> HostState:
        """Return the state of the host; a new one if the host is unknown."""
        ...

    def reserve(self, host: str, *, holder: str, count: int, interval: float, now: float) -> Window:
        """Reserve `count` request starts (`domain.politeness.windows.reserve`); reservations never overlap."""
        ...

    def report(self, host: str, feedback: Feedback, settings: PoliteSettings) -> HostState:
        """Adapt the host's state to its responses (`domain.politeness.adaptive_pace.adapt`); return the new state."""
        ...
