"""The result of comparing the replay of archived pages with the crawl."""

from collections.abc import Sequence
from typing import Final, TypeVar

from msgspec import Struct

GOAL: Final = 0.99
"""The share of equal pixels and of equal text that a good replay has at least."""

T = TypeVar("T")


class PageMatch(Struct, frozen=True, kw_only=True, gc=False):
    """How much the replay of one page is like the page of the crawl."""

    url: str
    time: str  # of the capture: 14 digits, UTC
    pixels: float | None = None  # share of equal pixels, from 0 to 1; None if the crawl made no screenshot
    text: float | None = None  # share of equal text, from 0 to 1; None if the archive has no HTML of the page
    missing: tuple[str, ...] = ()  # URLs that the replay requests and the archive does not have
    problem: str = ""  # one line if the page cannot be replayed

    def is_good(self, goal: float) -> bool:
        """Return whether the page was replayed, and each share that is known is at least `goal`."""
        return not self.problem and all(share is None or share >= goal for share in (self.pixels, self.text))


def mean(shares: Sequence[float | None]) -> float | None:
    """Return the mean of the shares that are known, None if none is."""
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else None


def spread(items: Sequence[T], most: int) -> list[T]:
    """Return at most `most` items, the first one and others at equal distances; 0 = all."""
    if not most or most >= len(items):
        return list(items)
    return [items[number * len(items) // most] for number in range(most)]
