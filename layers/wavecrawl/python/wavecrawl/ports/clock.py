"""The clock: time as the application sees it."""

from typing import Protocol


class Clock(Protocol):
    """The time of day, and waiting."""

    def now(self) -> float:
        """Return Unix seconds."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait; return at once if the duration is zero or negative."""
        ...
