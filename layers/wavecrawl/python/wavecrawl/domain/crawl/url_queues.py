"""Queues of URLs in crawl order: rank, then order of discovery. The rank is the depth, or that of lane and score.

An entry is the position of a URL in crawl order as one number, which sorts quickly and takes little memory.
"""

from collections.abc import Callable
from heapq import heappop, heappush

_INDEX_BITS = 40


def entry_of(rank: int, index: int) -> int:
    """Return the entry of the URL with this index and rank."""
    return rank << _INDEX_BITS | index


def rank_and_index(entry: int) -> tuple[int, int]:
    """Return the rank and the index of an entry."""
    return entry >> _INDEX_BITS, entry & ((1 << _INDEX_BITS) - 1)


class UrlQueues:
    """Queues with a name. Entries are not removed if their URL changes; `is_valid` tells which ones still count."""

    __slots__ = ("_heaps", "_is_valid")

    def __init__(self, is_valid: Callable[[int], bool]) -> None:
        self._is_valid = is_valid
        self._heaps: dict[str, list[int]] = {}

    def push(self, name: str, entry: int) -> None:
        """Add an entry to a queue. It may be there already."""
        heap = self._heaps.get(name)
        if heap is None:
            self._heaps[name] = [entry]
        else:
            heappush(heap, entry)

    def first(self, name: str) -> int | None:
        """Return the first valid entry of a queue, or None."""
        heap = self._heaps.get(name)
        while heap:
            if self._is_valid(heap[0]):
                return heap[0]
            heappop(heap)
        return None

    def pop(self, name: str) -> int | None:
        """Remove and return the first valid entry of a queue, or None."""
        entry = self.first(name)
        heap = self._heaps.get(name)
        while heap and heap[0] == entry:  # more than once if it was pushed again
            heappop(heap)
        return entry

    def names(self) -> list[str]:
        """Return the names of the queues that have valid entries, in the order of their first entries."""
        firsts = {name: self.first(name) for name in self._heaps}
        self._heaps = {name: self._heaps[name] for name, first in firsts.items() if first is not None}
        return sorted(self._heaps, key=lambda name: self._heaps[name][0])

    def drain(self) -> list[int]:
        """Remove all entries; return the valid ones of all queues, each once, in order."""
        entries = {entry for heap in self._heaps.values() for entry in heap}
        self._heaps.clear()
        return sorted(filter(self._is_valid, entries))
