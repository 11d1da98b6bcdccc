"""Reading objects ahead of their use, a few at a time."""

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

_THREADS = 8
_AHEAD = 8  # objects read but not used yet; one of 100 pages has 1 MB, or more if pages have many links


class ReadAhead:
    """Reads expected objects with a few threads, a few objects ahead of their use."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._lock = Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._expected: deque[str] = deque()
        self._read_ahead: OrderedDict[str, Future[bytes | None]] = OrderedDict()

    def expect(self, names: Sequence[str]) -> None:
        """Start to read these objects, in this order, instead of those expected before."""
        with self._lock:
            self._forget()
            self._expected.extend(names)
            self._fill()

    def get(self, name: str) -> bytes | None:
        """Return the result of `read`. An object that was not expected is read now."""
        with self._lock:
            future = self._read_ahead.pop(name, None)
            if future is None and name in self._expected:  # the caller skipped those before it
                while self._expected.popleft() != name:
                    pass
                self._drop()
            self._fill()
        return self._read(name) if future is None else future.result()

    def _fill(self) -> None:
        while self._expected and len(self._read_ahead) < _AHEAD:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="read-ahead")
            name = self._expected.popleft()
            self._read_ahead[name] = self._pool.submit(self._read, name)
        if self._pool is not None and not self._expected:
            self._pool.shutdown(wait=False)  # the threads end after the last read
            self._pool = None

    def _drop(self) -> None:
        for future in self._read_ahead.values():
            future.cancel()
        self._read_ahead.clear()

    def _forget(self) -> None:
        self._expected.clear()
        self._drop()
