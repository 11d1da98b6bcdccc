"""Texts as lines of a file, in pieces."""

from collections.abc import Iterable, Iterator
from itertools import islice

_LINES = 10_000  # per piece


def lines_of(texts: Iterable[str]) -> Iterator[bytes]:
    """Yield texts as lines, some thousands at a time. The texts contain no line ends."""
    rest = iter(texts)
    while some := list(islice(rest, _LINES)):
        yield "".join(f"{text}\n" for text in some).encode()
