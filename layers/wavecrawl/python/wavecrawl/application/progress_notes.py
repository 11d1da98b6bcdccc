"""The number of records of a batch so far, stored from time to time so that progress can be displayed."""

from contextlib import suppress
from threading import Lock

from wavecrawl.errors import TransientError
from wavecrawl.ports.batches import Batches, Lease
from wavecrawl.ports.clock import Clock

NOTE_EVERY = 2.0
"""Seconds between two notes of a batch. A note costs a write unit, so that a batch costs at most 0.5 per second."""


class ProgressNotes:
    """The notes of one attempt at a batch. Safe to share between threads."""

    def __init__(self, lease: Lease, batches: Batches, clock: Clock, *, records: int) -> None:
        """`records`: number of records of earlier attempts."""
        self._lease = lease
        self._batches = batches
        self._clock = clock
        self._lock = Lock()
        self._noted = records
        self._noted_at = clock.now()

    def update(self, records: int) -> None:
        """Store the number of records so far if it is time. An error of the store is ignored."""
        with self._lock:
            now = self._clock.now()
            if records == self._noted or now - self._noted_at < NOTE_EVERY:
                return
            self._noted, self._noted_at = records, now
        with suppress(TransientError):
            self._batches.note_records(self._lease, records)
