"""Rate limits: how often somebody may do something."""

from dataclasses import dataclass
from typing import Protocol


def end_of_window(window: float, now: float) -> float:
    """Return when the window that `now` lies in ends: windows start at multiples of their length, in seconds."""
    return (now // window + 1.0) * window


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Whether somebody may, and when to ask again. Times are Unix seconds."""

    allowed: bool
    remaining: int  # turns left in this window
    of_all: int  # turns left to the whole group
    resets_at: float  # the window's end


class RateLimits(Protocol):
    """Counts turns in fixed windows, exactly under parallel requests. Contract: tests/contract/test_rate_limits.py."""

    def take(self, group: str, member: str, *, limit: int, of_all: int, window: float, now: float) -> Turn:
        """Take one of `limit` turns that `member` has in each window of `window` seconds, out of its group's `of_all`.

        Whoever is refused takes none of either. A member's name holds letters, digits and "_" only.
        """
        ...
