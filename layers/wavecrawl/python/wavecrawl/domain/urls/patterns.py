"""Patterns of URLs, in which `*` matches any text."""

from collections.abc import Iterable, Sequence


class Patterns:
    """A set of patterns. Linear time for any number of stars."""

    __slots__ = ("_exact", "_others", "_starts", "_within")

    def __init__(self, patterns: Iterable[str]) -> None:
        exact: list[str] = []
        starts: list[str] = []
        self._within: list[str] = []
        self._others: list[tuple[str, ...]] = []
        for pieces in (tuple(pattern.strip().split("*")) for pattern in patterns):
            if len(pieces) == 1:
                exact.append(pieces[0])
            elif len(pieces) == 2 and not pieces[1]:  # noqa: PLR2004 - one star
                starts.append(pieces[0])
            elif len(pieces) == 3 and not pieces[0] and not pieces[2]:  # noqa: PLR2004 - two stars
                self._within.append(pieces[1])
            else:
                self._others.append(pieces)
        self._exact = frozenset(exact)
        self._starts = tuple(starts)

    def match_any(self, texts: Sequence[str]) -> bool:
        """Return whether a pattern matches the whole of one of the texts."""
        for text in texts:
            if text in self._exact or text.startswith(self._starts):
                return True
        for piece in self._within:
            for text in texts:
                if piece in text:
                    return True
        for pieces in self._others:
            for text in texts:
                if _matches_whole(pieces, text):
                    return True
        return False


def _matches_whole(pieces: tuple[str, ...], text: str) -> bool:
    """Return whether a pattern, split at its stars, matches the whole text."""
    first, *middle, last = pieces
    if not text.startswith(first) or len(text) < len(first) + len(last):
        return False
    position, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, position, end)
        if found < 0:
            return False
        position = found + len(piece)
    return text.endswith(last)
