"""SimHash of a text: similar texts have fingerprints that differ in few bits (Charikar 2002; spec [18]).

The features are the words of the text, each weighing as many points as its count has binary digits: once 1, twice 2,
4 times 3, 8 times 4. Plain counts let "the" and "of" decide, and unrelated pages of one site then pass for duplicates;
sets of words, or of word triples, react too much to small edits.

Summing 64 bit positions word by word is slow in Python, so each word is spread once into a big integer that holds
every bit of its hash in a lane of its own; one addition then adds all 64 positions.
"""

from collections import Counter
from collections.abc import Sequence
from operator import mul
from struct import Struct

from xxhash import xxh3_64_intdigest

_BITS = 64
_LANES = Struct("<64H")  # 16 bits a lane
_LANE_MAX = 0xFFFF  # points that fit into a lane
_SLICE = 1_000  # words whose points surely fit, each being below 64
_CACHED_WORDS = 32_768  # about 8 MB
_CACHED_LENGTH = 40  # characters; longer words are too rare to be worth their memory
_SPREAD_BYTE = tuple(
    sum(1 << 16 * bit for bit in range(8) if byte >> bit & 1).to_bytes(16, "little") for byte in range(256)
)


class _Spreads(dict[str, int]):
    """The spread hash of every word met lately."""

    def __missing__(self, word: str) -> int:
        # bytes.lower knows ASCII alone: str.lower would follow the Unicode version of the interpreter.
        digest = xxh3_64_intdigest(word.encode("utf-8", "surrogatepass").lower()).to_bytes(8, "little")
        spread = int.from_bytes(b"".join(map(_SPREAD_BYTE.__getitem__, digest)), "little")
        if len(word) <= _CACHED_LENGTH:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[word] = spread
        return spread


_SPREADS = _Spreads()


def simhash(text: str) -> int:
    """Return the 64-bit SimHash of a text; 0 where it has no words.

    The same in every process and on every Python version; ASCII case and white space do not matter.
    """
    return simhash_of_words(text.split())


def simhash_of_words(words: Sequence[str]) -> int:
    """Return the SimHash of a text that is already split into words."""
    counts = Counter(words)
    features = list(counts)
    points = list(map(int.bit_length, counts.values()))
    total = sum(points)
    step = _SLICE if total > _LANE_MAX else max(1, len(features))
    lanes = [0] * _BITS
    for start in range(0, len(features), step):
        spreads = map(_SPREADS.__getitem__, features[start : start + step])
        summed = sum(map(mul, spreads, points[start : start + step]))
        lanes = [lane + more for lane, more in zip(lanes, _LANES.unpack(summed.to_bytes(128, "little")), strict=True)]
    return sum(1 << bit for bit, lane in enumerate(lanes) if 2 * lane > total)


def similarity(a: int, b: int) -> float:
    """Return how alike two fingerprints are: 1 - Hamming distance / 64 (spec [18])."""
    return 1.0 - (a ^ b).bit_count() / _BITS
