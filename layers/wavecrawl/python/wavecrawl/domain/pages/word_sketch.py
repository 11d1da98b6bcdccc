"""Sketches of words: which words of a page are new can be seen without its text.

A sketch has the words with the smallest hashes among the distinct words at the beginning of the text. So pages with the
same words have the same sketch, and of the words of similar pages mostly the same ones are chosen (bottom-k sampling,
Broder 1997, "On the resemblance and containment of documents").
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from struct import pack, unpack

from xxhash import xxh3_64_intdigest

SIZE = 64
"""Maximum number of words of a sketch."""

POSITIONS = 4_096
"""Words are numbers below this one: even ones, or odd ones if they contain a digit."""

NUMBERS = int("10" * (POSITIONS // 2), 2)
"""The bits of words with a digit in a mask (`mask_of`)."""

_EVEN = POSITIONS - 2  # the bits of a hash that make an even position
_DIGIT = re.compile(rb"[0-9]")
_WORDS = 300
_CACHE_SIZE = 4_096
_BYTES = 2_000  # of the text, from its beginning
_SEPARATED = bytes.maketrans(b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", b" " * 32)


def sketch_of_words(words: Sequence[str]) -> bytes:
    """Return the sketch of the words of a text: at most `SIZE` unsigned 16-bit numbers in little-endian bytes."""
    start = " ".join(words[:_WORDS])[:_BYTES].encode("utf-8", "replace")
    distinct = dict.fromkeys(start.lower().translate(_SEPARATED).split())  # in fixed order, unlike a set
    by_hash = dict(zip(map(xxh3_64_intdigest, distinct), distinct, strict=True))
    numbers = [point & _EVEN | _has_digit(by_hash[point]) for point in sorted(by_hash)[:SIZE]]
    return pack(f"<{len(numbers)}H", *numbers)


def _has_digit(word: bytes) -> bool:
    return not word.isalpha() and _DIGIT.search(word) is not None


def mask_of(sketch: bytes) -> int:
    """Return the words of a sketch as a number with one bit for each."""
    mask = 0
    for position in _positions(sketch):
        mask |= 1 << position
    return mask


def mask_of_texts(texts: Iterable[str]) -> int:
    """Return all words of some texts as a number with one bit for each."""
    mask = 0
    for word in " ".join(texts).encode("utf-8", "replace").lower().translate(_SEPARATED).split():
        mask |= 1 << _position(word)
    return mask


@lru_cache(maxsize=_CACHE_SIZE)
def _position(word: bytes) -> int:
    return xxh3_64_intdigest(word) & _EVEN | _has_digit(word)


def difference(a: bytes, b: bytes) -> int:
    """Return the number of words that are in one of two sketches only."""
    return len(set(_positions(a)) ^ set(_positions(b)))


def _positions(sketch: bytes) -> tuple[int, ...]:
    return unpack(f"<{len(sketch) // 2}H", sketch)
