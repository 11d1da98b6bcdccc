"""A bounded cache whose values several threads can load."""

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


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
