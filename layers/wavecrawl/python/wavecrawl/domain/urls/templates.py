"""Path templates: the URLs that a site makes from one pattern have the same template.

`/blog/2026-03-01/a-walk-along-the-coast?page=2&utm=x` has the template `/blog/{date}/{slug}?page&utm`. Templates group
pages for traps, duplication risk and change rates.
"""

import re
from functools import lru_cache

_LONG_SLUG = 4  # words
_LONG_NAME = 40  # characters
_CACHE_SIZE = 16_384
MEMORABLE = 100  # characters: longer segments rarely recur

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_DATE = r"(?:19|20)\d\d[-_.](?:0?[1-9]|1[0-2])(?:[-_.](?:0?[1-9]|[12]\d|3[01]))?(?!\d)"
_SHORT_DATE = r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)"
_MIXED = r"(?=[a-zA-Z]*\d)(?=\d*[a-zA-Z])"  # letters and digits
_HEX = rf"(?<![0-9a-zA-Z]){_MIXED}(?:[0-9a-f]{{8,}}|[0-9A-F]{{8,}})(?![0-9a-zA-Z])"
_TOKEN = rf"(?<![0-9a-zA-Z]){_MIXED}[0-9a-zA-Z]{{16,}}(?![0-9a-zA-Z])"
_VARIABLE = re.compile(
    rf"(?P<uuid>{_UUID})|(?P<hex>{_HEX})|(?P<token>{_TOKEN})|(?<!\d)(?P<date>{_DATE}|{_SHORT_DATE})|(?P<n>\d+)"
)
_DIGITS = re.compile(r"(?P<n>\d+)")
_DASHED_OR_LONG = re.compile(r"\d[-_.]\d|[0-9a-zA-Z]{8}")  # what only `_VARIABLE` can replace has one of these
_LETTER = re.compile(r"[^\W\d_]")
_WORDS = re.compile(r"[-_]|%20|\+")
_EXTENSION = re.compile(r"\.[a-zA-Z]{2,5}$")


@lru_cache(maxsize=_CACHE_SIZE)
def template_of(url: str) -> str:
    """Return the template of a fetch URL.

    Runs of digits become `{n}`, dates `{date}`, UUIDs `{uuid}`, hexadecimal tokens `{hex}`, other tokens `{token}`, and
    names of four or more words, or of 40 or more characters, `{slug}`. Of a query only the sorted parameter names stay.
    """
    address, mark, query = url.partition("?")
    path = template_of_path(address)
    return f"{path}?{'&'.join(parameter_names(query))}" if mark else path


def template_of_path(address: str) -> str:
    """Return the template of a URL without its query; the scheme and host stay as they are."""
    start = address.find("/", address.find("//") + 2)
    if start < 0:
        return address
    return address[:start] + "/".join(map(template_of_segment, address[start:].split("/")))


def template_of_segment(segment: str) -> str:
    """Return the template of one path segment."""
    return _cached(segment) if len(segment) <= MEMORABLE else _template(segment)


def parameter_names(query: str) -> list[str]:
    """Return the sorted names of the parameters of a query, each once."""
    return sorted({part.partition("=")[0] for part in query.split("&")})


def _template(segment: str) -> str:
    extension = _EXTENSION.search(segment)
    name = segment[: extension.start()] if extension else segment
    tail = segment[len(name) :]
    if name.isascii() and name.isalpha() and len(name) < _LONG_NAME:
        return segment
    replaced = (_VARIABLE if _DASHED_OR_LONG.search(name) else _DIGITS).sub(_placeholder, name)
    if "{uuid}" in replaced:
        return replaced + tail
    words = [word for word in _WORDS.split(name) if _LETTER.search(word)]
    if len(words) >= _LONG_SLUG or (len(name) >= _LONG_NAME and "{" not in replaced):
        return "{slug}" + tail
    return replaced + tail


_cached = lru_cache(maxsize=_CACHE_SIZE)(_template)


def _placeholder(found: re.Match[str]) -> str:
    return f"{{{found.lastgroup}}}"
