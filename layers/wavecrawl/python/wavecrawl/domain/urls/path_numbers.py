"""Numbers by the beginning of a path, as settings have them: `/docs = 0.9`."""

from collections.abc import Iterable, Iterator
from math import nan

from wavecrawl.domain.focus.paths import place_of

MOST_PREFIXES = 100
"""Prefixes of one setting. Each is compared with each URL."""


class PathNumbers:
    """The numbers of one setting. Of several prefixes of a path, the longest counts."""

    __slots__ = ("_numbers",)

    def __init__(self, texts: Iterable[str]) -> None:
        """`texts`: in the form of `number_problems`."""
        parsed = dict(map(_parsed, texts))
        self._numbers = sorted(parsed.items(), key=lambda one: len(one[0]), reverse=True)

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self._numbers)

    def of(self, *paths: str) -> float | None:
        """Return the number of a path, None if it has none. `paths`: it with and without its language."""
        for prefix, number in self._numbers:
            folder = f"{prefix}/"
            if any(path == prefix or path.startswith(folder) for path in paths):
                return number
        return None

    def of_url(self, url: str) -> float | None:
        """Return the number of a fetch URL's path, None if it has none."""
        if not self._numbers:
            return None
        place = place_of(url)
        return self.of(place.path, place.plain)


def number_problems(name: str, texts: Iterable[str], *, low: float, high: float) -> Iterator[str]:
    """Yield what is wrong with the values of a setting: `PREFIX = NUMBER`, with a number from `low` to `high`."""
    seen: set[str] = set()
    for text in texts:
        prefix, number = _parsed(text)
        if not text.strip().startswith("/") or not low <= number <= high:
            yield f"{name} must be '/PREFIX = NUMBER' with a number from {low:,.12g} to {high:,.12g}: {text!r}"
        elif prefix in seen:
            yield f"{name} has two numbers for {prefix or '/'!r}"
        seen.add(prefix)
    if len(seen) > MOST_PREFIXES:
        yield f"{name} may have at most {MOST_PREFIXES} prefixes; it has {len(seen)}"


def _parsed(text: str) -> tuple[str, float]:
    """Return a prefix without final slash, and its number; not a number if it is none."""
    prefix, _, number = text.rpartition("=")
    try:
        return prefix.strip().rstrip("/"), float(number)
    except ValueError:
        return prefix.strip().rstrip("/"), nan
