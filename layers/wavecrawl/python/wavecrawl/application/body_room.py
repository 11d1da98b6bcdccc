"""The memory of one process for response bodies: requested, decoded, parsed and not yet stored.

A page reserves the most that a response may take before its body is read, and again before it is decoded. It keeps
what the body really takes until it is stored. The page that waits or holds memory for the longest time never waits, so
that there is no deadlock. Together the bodies take at most `capacity` bytes, and in addition what one page may take.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from time import monotonic


class BodyRoom:
    """Memory that the pages of one process share. Safe to share between threads."""

    def __init__(self, capacity: int) -> None:
        """`capacity`: bytes."""
        self._capacity = capacity
        self._changed = Condition()
        self._held: dict[PageShare, int] = {}  # bytes, of the pages that hold or wait for memory, oldest first

    @property
    def held(self) -> int:
        """The bytes that are reserved or taken."""
        with self._changed:
            return sum(self._held.values())

    @contextmanager
    def page(self) -> Iterator["PageShare"]:
        """Give a page its share, which ends with the block."""
        share = PageShare(self)
        try:
            yield share
        finally:
            with self._changed:
                if self._held.pop(share, None) is not None:  # with 0 bytes too: the next one is now the oldest
                    self._changed.notify_all()

    def add(self, share: "PageShare", count: int) -> None:
        """Add to a share when there is room, or when no share is older."""
        with self._changed:
            self._held.setdefault(share, 0)
            while sum(self._held.values()) + count > self._capacity and next(iter(self._held)) is not share:
                self._changed.wait()
            self._held[share] += count

    def give_back(self, share: "PageShare", count: int) -> None:
        """Reduce a share."""
        with self._changed:
            self._held[share] -= count
            self._changed.notify_all()


class PageShare:
    """The memory of one page. Used from one thread."""

    def __init__(self, room: BodyRoom) -> None:
        self._room = room
        self._reserved = 0

    def reserve(self, most: int) -> float:
        """Wait until a response of at most `most` bytes may be read. Return the seconds waited."""
        start = monotonic()
        self._room.add(self, most)
        self._reserved += most
        return monotonic() - start

    def settle(self, size: int) -> None:
        """Replace what was reserved for the last response by its real size in bytes."""
        reserved, self._reserved = self._reserved, 0
        if reserved > size:
            self._room.give_back(self, reserved - size)
