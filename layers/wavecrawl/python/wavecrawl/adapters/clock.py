"""The system clock."""

import time


class SystemClock:
    """`ports.clock.Clock` on the system's clock."""

    def now(self) -> float:
        """Return Unix seconds."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait; return at once if the duration is zero or negative."""
        if seconds > 0:
            time.sleep(seconds)
