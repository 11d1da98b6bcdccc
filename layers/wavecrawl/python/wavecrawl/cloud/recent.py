"""A cache of the crawls that a warm process worked for last."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """Keeps the values of the last `most` keys used; calls `on_end` with each value that it drops."""

    def __init__(self, most: int, *, on_end: Callable[[Value], object] = lambda _: None) -> None:
        self._most = most
        self._on_end = on_end
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, build: Callable[[Key], Value]) -> Value:
        """Return the value of a key; build it if it is not kept."""
        if key not in self._values:
            self._values[key] = build(key)
        self._values.move_to_end(key)
        while len(self._values) > self._most:
            self._on_end(self._values.popitem(last=False)[1])
        return self._values[key]

    def others(self, key: Key) -> dict[Key, Value]:
        """Return the other values that are kept, by key."""
        return {one: value for one, value in self._values.items() if one != key}

    def forget(self, key: Key) -> None:
        """Drop the value of a key."""
        if key in self._values:
            self._on_end(self._values.pop(key))
