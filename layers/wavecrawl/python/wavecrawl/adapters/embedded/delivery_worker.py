"""Deliveries on one machine: a thread attempts due deliveries, once per second."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Thread
from typing import Protocol

from wavecrawl.application.deliver import DeliveryResult
from wavecrawl.domain.webhooks.delivery import DeliveryId

AT_ONCE = 20
"""The most deliveries per tick of the worker."""

_EXPIRE_EVERY = 3_600.0  # seconds


class DueDeliveries(Protocol):
    """The methods of `SqliteDeliveries` that are not part of a port."""

    def due(self, now: float, *, limit: int) -> list[DeliveryId]:
        """Return due deliveries, the longest waiting first."""
        ...

    def expire(self, now: float) -> int:
        """Delete deliveries that are older than they are kept; return their number."""
        ...


@dataclass(slots=True, kw_only=True)
class DeliveryWorker:
    """Attempts due deliveries. A data folder has one worker."""

    deliveries: DueDeliveries
    deliver: Callable[[DeliveryId], DeliveryResult]
    expired_at: float = 0.0  # Unix seconds: when old deliveries were last deleted

    def tick(self, now: float) -> int:
        """Attempt each delivery that is due by `now` (Unix seconds); return the number of attempts.

        Raise the errors of single deliveries together, after all attempts.
        """
        if now - self.expired_at >= _EXPIRE_EVERY:
            self.deliveries.expire(now)
            self.expired_at = now
        tried = 0
        errors: list[Exception] = []
        for id_ in self.deliveries.due(now, limit=AT_ONCE):
            try:
                tried += self.deliver(id_).attempt is not None
            except Exception as error:  # noqa: BLE001 - one delivery must not prevent the others
                errors.append(error)
        if errors:
            raise ExceptionGroup("deliveries could not be attempted", errors)
        return tried


class DeliveryThread:
    """A thread around a worker. It passes errors to `on_error` and continues."""

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
        """Stop after the current tick, and wait for it."""
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
