"""Similar texts: the kept texts whose fingerprints differ from a given one in few bits, without comparing all pairs.

The 64 bits are 8 blocks of 8. If at most 6 bits differ, at least 2 blocks are equal, so it suffices to compare texts
that share a pair of blocks: 28 tables, one per pair (Manku, Jain and Das Sarma 2007). Pairs of texts that differ in 7
bits are found with a probability of 0.97, in 8 of 0.91, in 9 of 0.79.
"""

from array import array
from collections.abc import Sequence
from itertools import combinations

EXACT = 6
"""The most bits in which two fingerprints may differ so that they are always found."""

_BYTES = 8
_PAIRS = tuple(combinations(range(_BYTES), 2))
_TABLES = len(_PAIRS)
_BITS = 16  # of two blocks
_ALL = 64  # bits


class SimilarTexts:
    """Fingerprints, numbered from 0 in the order in which they are added."""

    def __init__(self, *, most_bits: int) -> None:
        """Find fingerprints that differ in at most `most_bits` bits."""
        self._most_bits = most_bits
        self._prints = array("Q")
        self._buckets: list[array[int] | None] = [None] * (_TABLES << _BITS)  # numbers; arrays need least memory

    def add(self, print_: int) -> None:
        """Add a fingerprint."""
        number = len(self._prints)
        self._prints.append(print_)
        for place in _places(print_):
            bucket = self._buckets[place]
            if bucket is None:
                self._buckets[place] = array("i", (number,))
            else:
                bucket.append(number)

    def nearest(self, print_: int) -> tuple[int, int] | None:
        """Return the number of the most similar fingerprint, the first of several, and in how many bits it differs.

        None if none is similar.
        """
        prints, buckets = self._prints, self._buckets
        candidates = set[int]().union(*filter(None, (buckets[place] for place in _places(print_))))
        differing = [(prints[number] ^ print_).bit_count() for number in candidates]
        least = min(differing, default=_ALL)
        if least > self._most_bits:
            return None
        return min(number for number, bits in zip(candidates, differing, strict=True) if bits == least), least

    def within(self, print_: int, bits: int) -> list[tuple[int, int]]:
        """Return all fingerprints that differ in at most `bits` bits: in how many, and their numbers; in any order."""
        prints, buckets = self._prints, self._buckets
        candidates = set[int]().union(*filter(None, (buckets[place] for place in _places(print_))))
        return [(few, one) for one in candidates if (few := (prints[one] ^ print_).bit_count()) <= bits]


def mutually_nearest(ones: Sequence[int], others: Sequence[int], *, most_bits: int) -> list[tuple[int, int]]:
    """Return the positions of fingerprints in two lists of which each is the most similar one of the other list."""
    there, back = _nearest(ones, others, most_bits), _nearest(others, ones, most_bits)
    return [(one, other) for one, other in there.items() if back[other] == one]


def _nearest(prints: Sequence[int], among: Sequence[int], most_bits: int) -> dict[int, int]:
    """Return the position of the most similar fingerprint of `among` for each position of `prints` that has one."""
    similar = SimilarTexts(most_bits=most_bits)
    for print_ in among:
        similar.add(print_)
    found = {position: similar.nearest(print_) for position, print_ in enumerate(prints)}
    return {position: nearest[0] for position, nearest in found.items() if nearest}


def _places(print_: int) -> list[int]:
    blocks = print_.to_bytes(_BYTES, "little")
    return [table << _BITS | blocks[one] << 8 | blocks[other] for table, (one, other) in enumerate(_PAIRS)]
