"""A site that pauses at its n-th request, so that a test acts at the same point on every machine."""

from collections.abc import Callable
from threading import Condition
from typing import Any

from tests.support.patience import eventually

from wavecrawl.demo.reply import Reply
from wavecrawl.demo.server import SiteServer

_HANG = 120.0  # seconds a request is held at most, if the test never continues


class PausedSite(SiteServer):
    """A server of a site that holds its responses from a chosen request on, until the test continues.

    `held`: seconds after which a response is sent although the test has not continued. If that is less than the
    client's timeout, the client takes the site for a slow one.
    """

    def __init__(self, *arguments: Any, held: float = _HANG, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._held = held
        self._change = Condition()
        self._left = 0  # requests until the pause; 0 = no pause

    def pause_at(self, number: int) -> None:
        """Hold the response to the `number`-th request from now (counted from 1) and all later ones."""
        with self._change:
            self._left = number

    @property
    def is_paused(self) -> bool:
        """Whether a response is being held."""
        with self._change:
            return self._left < 0

    def go_on(self) -> None:
        """Send the held responses and hold no more."""
        with self._change:
            self._left = 0
            self._change.notify_all()

    def wait_for_disconnects(self) -> None:
        """Wait until all clients are gone; only then has every request been counted."""
        eventually(lambda: not self._connections)

    def _finder(self) -> Callable[[str], Reply | None]:
        find = super()._finder()

        def find_when_allowed(path: str) -> Reply | None:
            with self._change:
                if self._left > 0:
                    self._left = self._left - 1 or -1
                self._change.wait_for(lambda: self._left >= 0, timeout=self._held)
            return find(path)

        return find_when_allowed
