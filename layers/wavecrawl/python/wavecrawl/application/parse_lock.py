"""The lock under which one process parses pages: one at a time, and no new request while a page waits.

Python runs one thread at a time anyway. Threads that interrupt each other while parsing evict each other's pages from
the processor's caches, which costs a tenth of a crawl's CPU time. Pages fetched faster than they are parsed would only
fill memory.
"""

from threading import Condition, Lock
from types import TracebackType


class ParseLock:
    """A lock that counts the pages waiting for it. A context manager, safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._changed = Condition()
        self.waiting = 0  # pages that wait for the lock

    def __enter__(self) -> None:
        """Wait for the lock."""
        with self._changed:
            self.waiting += 1
        self._lock.acquire()
        with self._changed:
            self.waiting -= 1
            if not self.waiting:
                self._changed.notify_all()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the lock."""
        self._lock.release()

    def wait_until_idle(self) -> None:
        """Return when no page waits for the lock."""
        with self._changed:
            while self.waiting:
                self._changed.wait()
