"""Reading objects ahead of their use, and caching them. Both are bounded."""

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")

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


class Cache(Generic[Value]):
    """The last few values. Threads that need a value at the same time load it once."""

    def __init__(self, load: Callable[[str], Value], *, size: int) -> None:
        self._load = load
        self._size = size
        self._lock = Lock()
        self._values: OrderedDict[str, Future[Value]] = OrderedDict()

    def get(self, name: str) -> Value:
        """Return the value of a name. Errors of `load` are raised and not cached."""
        with self._lock:
            future = self._values.get(name)
            is_mine = future is None
            if future is None:
                future = self._values[name] = Future()
                if len(self._values) > self._size:
                    self._values.popitem(last=False)
            self._values.move_to_end(name)
        if is_mine:
            self._fill(name, future)
        return future.result()

    def _fill(self, name: str, future: "Future[Value]") -> None:
        try:
            future.set_result(self._load(name))
        except BaseException as error:
            future.set_exception(error)
            with self._lock:
                self._values.pop(name, None)
            raise
