"""The host gate: politeness towards a host, across all crawls and tenants."""

from typing import Protocol

from wavecrawl.domain.politeness.host_state import Feedback, HostState
from wavecrawl.domain.politeness.windows import Turns, Window


class HostGate(Protocol):
    """One row per host, changed by conditional writes. Contract: tests/contract/test_host_gate.py."""

    def read(self, host: str) -> HostState:
        """Return the state of the host; a new one if the host is unknown."""
        ...

    def reserve(self, host: str, turns: Turns, *, now: float) -> Window:
        """Reserve turns (`domain.politeness.windows.reserve`); reservations never overlap."""
        ...

    def give_back(self, host: str, *, holder: str, now: float) -> None:
        """Give back the holder's unused turns (`domain.politeness.windows.give_back`). Idempotent."""
        ...

    def report(self, host: str, feedback: Feedback, *, holder: str, now: float) -> HostState:
        """Adapt the host's state to its responses (`domain.politeness.adaptive_pace.adapt`); return the new state.

        The holder's unused turns are given back, as its wave is over.
        """
        ...
