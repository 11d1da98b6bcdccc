"""The clock of tests: time passes only if a test sets it or the code under test sleeps."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class StillClock:
    """A clock that stands still."""

    time: float = 1_700_000_000.0  # Unix seconds
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        """Return the time."""
        return self.time

    def sleep(self, seconds: float) -> None:
        """Advance the time. A negative duration counts as zero."""
        self.slept.append(seconds)
        self.time += max(0.0, seconds)
