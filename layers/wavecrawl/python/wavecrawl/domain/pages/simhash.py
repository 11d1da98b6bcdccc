"""SimHash of a text: similar texts have fingerprints that differ in few bits (Charikar 2002; spec [18]).

The features are the words of the text, each weighing as many points as its count has binary digits: once 1, twice 2,
4 times 3, 8 times 4. Plain counts let "the" and "of" decide, and unrelated pages of one site then pass for duplicates;
sets of words, or of word triples, react too much to small edits.
"""

from collections import Counter
from collections.abc import Sequence
from operator import mul

from xxhash import xxh3_64_digest

_BYTES = 8  # of a fingerprint
_BITS = 8 * _BYTES


def simhash(text: str) -> int:
    """Return the 64-bit SimHash of a text; 0 where it has no words.

    The same in every process and on every Python version; white space does not matter.
    """
    return simhash_of_words(text.encode("utf-8", "replace").decode("utf-8").split())


def simhash_of_words(words: Sequence[str]) -> int:
    """Return the SimHash of a text that is already split into words, none of which holds half a surrogate pair."""
    counts = Counter(words)
    # Each word's hash once for every point; then all bits of one position are counted at once, in one big integer.
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
    """Return how alike two fingerprints are: 1 - Hamming distance / 64 (spec [18])."""
    return 1.0 - (a ^ b).bit_count() / _BITS
