"""The clock of this machine."""

import time


class SystemClock:
    """`ports.clock.Clock` by the system's time of day."""

    def now(self) -> float:
        """Return Unix seconds."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait; a negative or zero duration returns at once."""
        if seconds > 0:
            time.sleep(seconds)
