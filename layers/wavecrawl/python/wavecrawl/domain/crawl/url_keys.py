"""The url keys of a crawl, searchable, in about 30 bytes per key. A dict of strings needs more than 160."""

from array import array
from struct import iter_unpack

_BYTES = 16  # a url key: 128 bits, written as 32 hex digits
_LEAST_SLOTS = 1_024


class UrlKeys:
    """Url keys in the order in which they were added.

    The search is a hash table with linear probing. A slot has the number of a key, from 1, or 0. At most half of the
    slots are used.
    """

    __slots__ = ("_keys", "_slots")

    def __init__(self) -> None:
        self._keys = bytearray(_BYTES)  # key 0 does not exist
        self._slots = array("I", [0]) * _LEAST_SLOTS

    def __len__(self) -> int:
        return len(self._keys) // _BYTES - 1

    def __getitem__(self, position: int) -> str:
        return self._keys[(position + 1) * _BYTES : (position + 2) * _BYTES].hex()

    @property
    def size(self) -> int:
        """Bytes of memory, without room for further keys."""
        return len(self._keys) + self._slots.itemsize * len(self._slots)

    def append(self, key: str) -> None:
        """Add a key that is not in the table."""
        raw = bytes.fromhex(key)
        self._keys += raw
        if 2 * len(self) > len(self._slots):
            self._make_slots()
        else:
            self._place(raw, len(self))

    def find(self, key: str) -> int | None:
        """Return the position of a key, or None."""
        keys, slots = self._keys, self._slots
        raw = bytes.fromhex(key)
        last = len(slots) - 1
        slot = hash(raw) & last
        while number := slots[slot]:
            if keys.startswith(raw, number * _BYTES):
                return number - 1
            slot = (slot + 1) & last
        return None

    def part(self, first: int, last: int) -> bytes:
        """Return the keys from `first` to before `last`."""
        return bytes(self._keys[(first + 1) * _BYTES : (last + 1) * _BYTES])

    def extend(self, part: bytes) -> None:
        """Add keys that are not in the table: a `part` of another table."""
        before = len(self)
        self._keys += part
        if 2 * len(self) > len(self._slots):
            self._make_slots()
        else:
            self._place_from(before + 1)

    def _make_slots(self) -> None:
        slots = 2 * len(self._slots)
        while slots < 2 * len(self):
            slots *= 2
        self._slots = array("I", [0]) * slots
        self._place_from(1)

    def _place_from(self, first: int) -> None:
        keys = iter_unpack(f"{_BYTES}s", memoryview(self._keys)[first * _BYTES :])
        for number, (raw,) in enumerate(keys, first):
            self._place(raw, number)

    def _place(self, raw: bytes, number: int) -> None:
        slots = self._slots
        last = len(slots) - 1
        slot = hash(raw) & last
        while slots[slot]:
            slot = (slot + 1) & last
        slots[slot] = number
