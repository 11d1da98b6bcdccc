"""The delivery worker of one machine: a thread that makes due deliveries every second."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Thread
from typing import Protocol

from wavecrawl.application.deliver import Delivered
from wavecrawl.domain.webhooks.delivery import DeliveryId

AT_ONCE = 20
"""Maximum deliveries per run of the worker."""

_EXPIRE_EVERY = 3_600.0  # seconds


class DueDeliveries(Protocol):
    """Methods of `SqliteDeliveries` that are not part of its port."""

    def due(self, now: float, *, limit: int) -> list[DeliveryId]:
        """Return due deliveries, oldest due time first."""
        ...

    def expire(self, now: float) -> int:
        """Delete expired deliveries; return how many."""
        ...


@dataclass(slots=True, kw_only=True)
class DeliveryWorker:
    """Makes due deliveries. Only one worker may run per data folder."""

    deliveries: DueDeliveries
    deliver: Callable[[DeliveryId], Delivered]
    expired_at: float = 0.0  # Unix seconds; last deletion of expired deliveries

    def tick(self, now: float) -> int:
        """Try each delivery due by `now` (Unix seconds); return how many were tried.

        Raise an ExceptionGroup with all errors after the last delivery.
        """
        if now - self.expired_at >= _EXPIRE_EVERY:
            self.deliveries.expire(now)
            self.expired_at = now
        tried = 0
        errors: list[Exception] = []
        for id_ in self.deliveries.due(now, limit=AT_ONCE):
            try:
                tried += self.deliver(id_).attempt is not None
            except Exception as error:  # noqa: BLE001 - one delivery must not stop the others
                errors.append(error)
        if errors:
            raise ExceptionGroup("deliveries could not be tried", errors)
        return tried


class DeliveryThread:
    """A thread that runs a worker. It passes errors to `on_error` and continues."""

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
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current run, and wait for it."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                self._worker.tick(self._now())
            except Exception as error:  # noqa: BLE001 - an error must not end the thread
                self._on_error(error)
            if self._stopped.wait(self._every):
                return
