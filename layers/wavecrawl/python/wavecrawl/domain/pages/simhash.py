"""SimHash: fingerprints of similar texts differ in few bits (Charikar 2002).

The features are words. The weight of a word is the bit length of its count: 1 for one occurrence, 2 for two, 3 for
four, 4 for eight. With plain counts, frequent words such as "the" dominate and unrelated pages look like duplicates.
Sets of words or of word triples are too sensitive to small edits.
"""

from collections import Counter
from collections.abc import Sequence
from operator import mul

from xxhash import xxh3_64_digest

_BYTES = 8  # per fingerprint
_BITS = 8 * _BYTES


def simhash(text: str) -> int:
    """Return the 64-bit SimHash of a text; 0 if it has no words.

    The result does not depend on the process, the Python version or white space.
    """
    return simhash_of_words(text.encode("utf-8", "replace").decode("utf-8").split())


def simhash_of_words(words: Sequence[str]) -> int:
    """Return the SimHash of words; they must not contain lone surrogates."""
    counts = Counter(words)
    # Repeat each word's hash by its weight, then count all bits of one position at once in a big integer.
    hashes = b"".join(map(mul, map(xxh3_64_digest, map(str.encode, counts)), map(int.bit_length, counts.values())))
    points = len(hashes) // _BYTES
    ones = int.from_bytes(b"\x01" * points, "little")
    masks = [ones << bit for bit in range(8)]
    fingerprint = 0
    for byte in range(_BYTES):
        column = int.from_bytes(hashes[byte::_BYTES], "little")
        for bit, mask in enumerate(masks):
            if 2 * (column & mask).bit_count() > points:
                fingerprint |= 1 << 8 * byte + bit
    return fingerprint


def similarity(a: int, b: int) -> float:
    """Return the similarity of two fingerprints: 1 - Hamming distance / 64."""
    return 1.0 - (a ^ b).bit_count() / _BITS
