"""The host gate: politeness towards a host, across all crawls and tenants."""

from typing import Protocol

from wavecrawl.domain.politeness.host_state import Feedback, HostState
from wavecrawl.domain.politeness.sender import PRODUCT
from wavecrawl.domain.politeness.windows import Turns, Window


class HostGate(Protocol):
    """One row per host, changed by conditional writes. Contract: tests/contract/test_host_gate.py.

    It has what the host shows to all, and what it said to `PRODUCT`. What it said to another sender is a row of that
    sender, which exists only if it said something: no success is stored in it.
    """

    def read(self, host: str, *, sender: str = PRODUCT) -> HostState:
        """Return the state of the host as a sender sees it; a new one if the host is unknown."""
        ...

    def reserve(self, host: str, turns: Turns, *, now: float) -> Window:
        """Reserve turns (`domain.politeness.windows.reserve`); reservations never overlap."""
        ...

    def give_back(self, host: str, *, holder: str, now: float) -> None:
        """Give back the holder's unused turns (`domain.politeness.windows.give_back`). Idempotent."""
        ...

    def report(self, host: str, feedback: Feedback, *, holder: str, now: float, sender: str = PRODUCT) -> HostState:
        """Adapt the host's state to its responses (`domain.politeness.adaptive_pace.adapt`) to a sender.

        Return the new state as the sender sees it.

        The holder's unused turns are given back, as its wave is over.
        """
        ...
