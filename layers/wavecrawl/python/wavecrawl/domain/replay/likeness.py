"""How much a replayed page is like the page of the crawl: the shares of equal pixels and of equal text.

The measures are those of browsertrix-crawler's quality assurance
(https://crawler.docs.browsertrix.com/user-guide/qa/), with two differences: anti-aliased pixels are compared like all
others, and a picture of another size is not equal where the other picture has no pixels.
"""

from itertools import takewhile
from operator import eq, sub
from typing import Final

from msgspec import Struct

THRESHOLD: Final = 0.1
"""How different the colours of equal pixels may be, from 0 to 1."""

MOST_CHARACTERS: Final = 100_000
"""Characters of each text that are compared, after what both begin and end with. Further ones count as different."""

_MOST_DELTA: Final = 35_215.0 * THRESHOLD**2
"""The largest squared distance of equal colours in YIQ. That of black and white is 35,215.

Kotsarenko and Ramos, "Measuring perceived color difference using YIQ NTSC transmission color space" (2010).
"""


class Picture(Struct, frozen=True, kw_only=True, gc=False):
    """An image as pixels."""

    width: int
    height: int
    rgb: bytes  # three bytes for each pixel, row by row


def equal_pixels(one: Picture, other: Picture) -> float:
    """Return the share of equal pixels, from 0 to 1."""
    total = max(one.width, other.width) * max(one.height, other.height)
    if not total:
        return 1.0
    width = min(one.width, other.width)
    equal = 0
    for row in range(min(one.height, other.height)):
        left, right = _row(one, row, width), _row(other, row, width)
        equal += width if left == right else _equal_in_row(left, right)
    return equal / total


def equal_text(one: str, other: str) -> float:
    """Return 1 minus the Levenshtein distance per character of the longer text, from 0 to 1."""
    longest = max(len(one), len(other))
    return (longest - _distance(one, other)) / longest if longest else 1.0


def _row(picture: Picture, row: int, width: int) -> bytes:
    """Return the first pixels of a row."""
    start = row * picture.width * 3
    return picture.rgb[start : start + width * 3]


def _equal_in_row(left: bytes, right: bytes) -> int:
    differences = map(sub, left, right)
    return sum(_is_equal(red, green, blue) for red, green, blue in zip(*[differences] * 3, strict=True))


def _is_equal(red: int, green: int, blue: int) -> bool:
    """Return whether two colours look the same, given the differences of their components."""
    if not (red or green or blue):
        return True
    y = 0.29889531 * red + 0.58662247 * green + 0.11448223 * blue
    i = 0.59597799 * red - 0.27417610 * green - 0.32180189 * blue
    q = 0.21147017 * red - 0.52261711 * green + 0.31114694 * blue
    return 0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q <= _MOST_DELTA


def _distance(one: str, other: str) -> int:
    """Return the Levenshtein distance (https://doi.org/10.1145/316542.316550: with the bits of an integer)."""
    start = sum(1 for _ in takewhile(bool, map(eq, one, other)))
    one, other = one[start:], other[start:]
    end = sum(1 for _ in takewhile(bool, map(eq, reversed(one), reversed(other))))
    one, other = one[: len(one) - end], other[: len(other) - end]
    beyond = max(0, max(len(one), len(other)) - MOST_CHARACTERS)
    columns, rows = sorted((one[:MOST_CHARACTERS], other[:MOST_CHARACTERS]), key=len)
    return beyond + _distance_of(columns, rows)


def _distance_of(columns: str, rows: str) -> int:
    """Return the distance of two texts. Each bit stands for a row: whether a value is larger or smaller than before."""
    if not columns:
        return len(rows)
    places: dict[str, int] = {}
    for row, character in enumerate(rows):
        places[character] = places.get(character, 0) | 1 << row
    every = (1 << len(rows)) - 1
    last = 1 << (len(rows) - 1)
    larger, smaller, distance = every, 0, len(rows)
    for character in columns:
        equal = places.get(character, 0)
        diagonal = (((equal & larger) + larger) ^ larger) | equal
        grows = smaller | (every & ~(diagonal | larger))
        shrinks = larger & diagonal
        distance += bool(grows & last) - bool(shrinks & last)
        grows, shrinks, across = (grows << 1) | 1, shrinks << 1, equal | smaller
        larger = every & (shrinks | ~(across | grows))
        smaller = every & grows & across
    return distance
