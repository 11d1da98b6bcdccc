"""Where one process reads its pages: one at a time, and nothing new is asked for while one lies there unread.

Python computes in one thread at a time anyway. Threads that relieve each other in the middle of their pages push each
other's pages out of the processor's caches, which takes a tenth of a crawl's CPU time; and pages that are fetched
sooner than they can be read only fill memory.
"""

from threading import Condition, Lock
from types import TracebackType


class Desk:
    """A context manager: its block has the desk to itself. Safe to share between threads."""

    def __init__(self) -> None:
        self._desk = Lock()
        self._changed = Condition()
        self.unread = 0  # pages that wait for the desk

    def __enter__(self) -> None:
        """Wait for the desk."""
        with self._changed:
            self.unread += 1
        self._desk.acquire()
        with self._changed:
            self.unread -= 1
            if not self.unread:
                self._changed.notify_all()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the desk to the next."""
        self._desk.release()

    def wait_for_room(self) -> None:
        """Wait while a page lies unread: what was asked for now would only join it."""
        with self._changed:
            while self.unread:
                self._changed.wait()
