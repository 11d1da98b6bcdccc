"""Deliveries on one machine: what is due gets its turn, by a thread that looks every second."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Thread
from typing import Protocol

from wavecrawl.application.deliver import Delivered
from wavecrawl.domain.webhooks.delivery import DeliveryId

AT_ONCE = 20
"""Deliveries of one turn of the worker."""

_EXPIRE_EVERY = 3_600.0  # seconds


class DueDeliveries(Protocol):
    """What `SqliteDeliveries` is besides a port."""

    def due(self, now: float, *, limit: int) -> list[DeliveryId]:
        """Return deliveries that are due, those that wait longest first."""
        ...

    def expire(self, now: float) -> int:
        """Delete what is older than deliveries are kept; return how many."""
        ...


@dataclass(slots=True, kw_only=True)
class DeliveryWorker:
    """Gives what is due its turn. One of them works on a data folder."""

    deliveries: DueDeliveries
    deliver: Callable[[DeliveryId], Delivered]
    expired_at: float = 0.0  # Unix seconds: when old deliveries were last deleted

    def tick(self, now: float) -> int:
        """Give each delivery that is due by `now` (Unix seconds) its turn; return how many were tried.

        Raise what went wrong with some of them once all have had theirs.
        """
        if now - self.expired_at >= _EXPIRE_EVERY:
            self.deliveries.expire(now)
            self.expired_at = now
        tried = 0
        errors: list[Exception] = []
        for id_ in self.deliveries.due(now, limit=AT_ONCE):
            try:
                tried += self.deliver(id_).attempt is not None
            except Exception as error:  # noqa: BLE001 - whatever one delivery brings, the others must be made
                errors.append(error)
        if errors:
            raise ExceptionGroup("deliveries had no turn", errors)
        return tried


class DeliveryThread:
    """A thread around a worker. `on_error` is told of what goes wrong, and the thread goes on."""

    def __init__(
        self,
        worker: DeliveryWorker,
        *,
        now: Callable[[], float],
        on_error: Callable[[Exception], None],
        every: float = 1.0,
    ) -> None:
        self._worker = worker
        self._now = now
        self._on_error = on_error
        self._every = every  # seconds
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="deliveries", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the turn under way; return when that is over."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                self._worker.tick(self._now())
            except Exception as error:  # noqa: BLE001 - whatever a turn brings, there is a next one
                self._on_error(error)
            if self._stopped.wait(self._every):
                return
