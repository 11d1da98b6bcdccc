"""A bounded read-ahead and a bounded cache of objects."""

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")

_AT_ONCE = 8
_AHEAD = 8  # objects read but not yet requested; an object of 100 pages has one megabyte or more


class ReadAhead:
    """Reads expected objects ahead, with a few threads."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._lock = Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._expected: deque[str] = deque()
        self._read_ahead: OrderedDict[str, Future[bytes | None]] = OrderedDict()

    def expect(self, names: Sequence[str]) -> None:
        """Replace the expected objects and start to read them in this order."""
        with self._lock:
            self._forget()
            self._expected.extend(names)
            self._fill()

    def get(self, name: str) -> bytes | None:
        """Return the result of `read`, which may already be available. Unexpected objects are read at once."""
        with self._lock:
            future = self._read_ahead.pop(name, None)
            if future is None and name in self._expected:  # objects before it were skipped
                while self._expected.popleft() != name:
                    pass
                self._drop()
            self._fill()
        return self._read(name) if future is None else future.result()

    def _fill(self) -> None:
        while self._expected and len(self._read_ahead) < _AHEAD:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="read-ahead")
            name = self._expected.popleft()
            self._read_ahead[name] = self._pool.submit(self._read, name)
        if self._pool is not None and not self._expected:
            self._pool.shutdown(wait=False)  # its threads end with the last read
            self._pool = None

    def _drop(self) -> None:
        for future in self._read_ahead.values():
            future.cancel()
        self._read_ahead.clear()

    def _forget(self) -> None:
        self._expected.clear()
        self._drop()


class Cache(Generic[Value]):
    """A cache of the most recent values. Concurrent threads load a value only once."""

    def __init__(self, load: Callable[[str], Value], *, size: int) -> None:
        self._load = load
        self._size = size
        self._lock = Lock()
        self._values: OrderedDict[str, Future[Value]] = OrderedDict()

    def get(self, name: str) -> Value:
        """Return the value of a name; errors of `load` are raised and not cached."""
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
