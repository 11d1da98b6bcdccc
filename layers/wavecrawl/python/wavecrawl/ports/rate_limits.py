"""Rate limits: fixed windows for members of a group, such as the API keys of a tenant."""

from typing import Protocol

import msgspec


def end_of_window(window: float, now: float) -> float:
    """Return the end of the current window; windows start at multiples of their length in seconds."""
    return (now // window + 1.0) * window


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one check. Times are Unix seconds."""

    allowed: bool
    remaining: int  # left for the member in this window
    of_all: int  # left for the whole group
    resets_at: float  # end of the window


class RateLimits(Protocol):
    """Counters in fixed windows, exact under parallel requests. Contract: tests/contract/test_rate_limits.py."""

    def take(self, group: str, member: str, *, limit: int, of_all: int, window: float, now: float) -> Turn:
        """Count one request against the `limit` of `member` and the limit `of_all` of its group, per `window` seconds.

        A rejected request does not count. A member's name may contain only letters, digits and "_".
        """
        ...
