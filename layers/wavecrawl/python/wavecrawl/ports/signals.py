"""Signals: telling the state machine that a wave is over."""

from typing import Protocol


class Signals(Protocol):
    """Wakes the task that waits with a token."""

    def succeed(self, token: str) -> None:
        """Wake the task. A token that is used or expired is not an error."""
        ...
