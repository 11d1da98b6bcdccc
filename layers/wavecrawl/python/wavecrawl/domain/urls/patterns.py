"""Patterns of URLs, as people type them: `*` matches any text, `[a-c]` one character of a range.

A pattern matches a URL however its characters are percent-encoded, and an internationalized host in both of its forms:
`/straße/*` matches `/stra%C3%9Fe/x`, and `*://bücher.example/*` matches `https://xn--bcher-kva.example/`. One text may
list several patterns, as in `/admin/*,*.pdf`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlsplit

import ada_url

_ESCAPES: Final = re.compile("(?:%[0-9A-Fa-f]{2})+")
_SEPARATORS: Final = frozenset(b"/?#&=+%")
"""Characters that mean something else when they are encoded (RFC 3986, section 2.2)."""

_RANGES: Final = re.compile(r"(\[!?(?:[0-9A-Za-z]-[0-9A-Za-z])+\])")
"""Brackets with ranges alone. Others are literal: frameworks name routes `/[id]`."""

_COMMA: Final = re.compile(r",\s*(?=/|\*.|[A-Za-z]+://)")
"""A comma before something that begins as a pattern does. Other commas belong to the path; `%2C` always does."""

_ORIGIN: Final = re.compile(r"^([A-Za-z*]+://)([^/?#]*)")


class Patterns:
    """A set of patterns. Linear time for any number of stars."""

    __slots__ = ("_exact", "_others", "_starts", "_with_ranges", "_within")

    def __init__(self, patterns: Iterable[str]) -> None:
        exact: list[str] = []
        starts: list[str] = []
        self._within: list[str] = []
        self._others: list[tuple[str, ...]] = []
        self._with_ranges: list[re.Pattern[str]] = []
        for pieces in map(_pieces, separated(patterns)):
            if any(map(_RANGES.search, pieces)):
                self._with_ranges.append(_expression(pieces))
            elif len(pieces) == 1:
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
        """Return whether a pattern matches the whole of one of the texts: URLs, or parts of them."""
        for text in texts:
            if "%" in text:
                return self._match_any([readable(one) for one in texts])
        return self._match_any(texts)

    def _match_any(self, texts: Sequence[str]) -> bool:
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
        return any(expression.fullmatch(text) for expression in self._with_ranges for text in texts)


def separated(patterns: Iterable[str]) -> list[str]:
    """Return patterns one by one, without spaces around them; a text may list several."""
    return [one.strip() for text in patterns for one in _COMMA.split(text)]


def texts_of(url: str) -> tuple[str, ...]:
    """Return what patterns are matched with: a URL, its path, and its path with the query."""
    parts = urlsplit(url)
    return (url, parts.path, f"{parts.path}?{parts.query}") if parts.query else (url, parts.path)


def readable(text: str) -> str:
    """Return a URL or a part of it with its percent-encoded characters, but for those that separate its parts.

    Bytes that are no UTF-8 become lone surrogates, so that different bytes stay different.
    """
    return _ESCAPES.sub(_decoded, text)


def _decoded(escapes: re.Match[str]) -> str:
    codes = bytes.fromhex(escapes[0].replace("%", ""))
    kept = b"".join(b"%%%02X" % code if code in _SEPARATORS else bytes((code,)) for code in codes)
    return kept.decode("utf-8", "surrogateescape")


def _pieces(pattern: str) -> tuple[str, ...]:
    """Return what stands between the stars of a pattern, as it stands in a readable URL."""
    in_ascii = _ORIGIN.sub(lambda found: found[1].lower() + _ascii_host(found[2].lower()), pattern)
    return tuple(map(readable, in_ascii.split("*")))


def _ascii_host(address: str) -> str:
    """Return a host, and the port behind it, as they stand in URLs. Labels with a star stay as they are."""
    host, colon, port = address.partition(":")
    labels = (label if label.isascii() or "*" in label else _ascii_label(label) for label in host.split("."))
    return ".".join(labels) + colon + port


def _ascii_label(label: str) -> str:
    try:
        return ada_url.URL(f"http://{label}").hostname
    except ValueError:
        return label


def _expression(pieces: tuple[str, ...]) -> re.Pattern[str]:
    """Return the expression for a pattern with ranges. Its atomic groups keep it linear: no star is tried twice."""
    first, *middle, last = map(_with_classes, pieces) if len(pieces) > 1 else (_with_classes(pieces[0]), "")
    stars = "".join(f"(?>.*?{piece})" for piece in middle) + (".*" if len(pieces) > 1 else "")
    return re.compile(first + stars + last, re.DOTALL)


def _with_classes(piece: str) -> str:
    return "".join(_class(part) if _RANGES.fullmatch(part) else re.escape(part) for part in _RANGES.split(piece))


def _class(brackets: str) -> str:
    """Return the class of characters for ranges; those of a range that ends before it begins are none."""
    ranges = [brackets[at : at + 3] for at in range(2 if brackets[1] == "!" else 1, len(brackets) - 1, 3)]
    valid = "".join(one for one in ranges if one[0] <= one[2])
    if brackets[1] == "!":
        return f"[^/{valid}]"
    return f"[{valid}]" if valid else "(?!)"


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
