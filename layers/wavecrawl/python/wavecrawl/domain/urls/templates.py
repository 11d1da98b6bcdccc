"""Path templates: the URLs that a site makes from one pattern have the same template.

`/blog/2026-03-01/a-walk-along-the-coast?page=2&utm=x` has the template `/blog/{date}/{slug}?page&utm`. Templates group
pages for traps, duplication risk and change rates.
"""

import re
from functools import lru_cache

_LONG_SLUG = 4  # words
_LONG_NAME = 40  # characters
_CACHE_SIZE = 16_384  # a URL's template is needed several times in one wave
_FOLDERS = 1_024
_LEAST_SLASHES = 3  # of a URL with a path

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_DATE = r"(?:19|20)\d\d[-_.](?:0?[1-9]|1[0-2])(?:[-_.](?:0?[1-9]|[12]\d|3[01]))?(?!\d)"
_SHORT_DATE = r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)"
_MIXED = r"(?=[a-zA-Z]*\d)(?=\d*[a-zA-Z])"  # letters and digits
_HEX = rf"(?<![0-9a-zA-Z]){_MIXED}(?:[0-9a-f]{{8,}}|[0-9A-F]{{8,}})(?![0-9a-zA-Z])"
_TOKEN = rf"(?<![0-9a-zA-Z]){_MIXED}[0-9a-zA-Z]{{16,}}(?![0-9a-zA-Z])"
_VARIABLE = re.compile(
    rf"(?P<uuid>{_UUID})|(?P<hex>{_HEX})|(?P<token>{_TOKEN})|(?<!\d)(?P<date>{_DATE}|{_SHORT_DATE})|(?P<n>\d+)"
)
_DIGITS = re.compile(r"\d+")
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
    if address.count("/") < _LEAST_SLASHES:
        return address
    folder, _, name = address.rpartition("/")
    return f"{_template_of_folder(folder)}/{_template_of_segment(name)}"


@lru_cache(maxsize=_FOLDERS)
def _template_of_folder(folder: str) -> str:
    scheme, _, host, *segments = folder.split("/")
    return "/".join((scheme, "", host, *map(_template_of_segment, segments)))


def parameter_names(query: str) -> list[str]:
    """Return the sorted names of the parameters of a query, each once."""
    return sorted({part.partition("=")[0] for part in query.split("&")})


def _template_of_segment(segment: str) -> str:
    extension = _EXTENSION.search(segment)
    name = segment[: extension.start()] if extension else segment
    tail = segment[len(name) :]
    if name.isascii() and name.isalpha() and len(name) < _LONG_NAME:
        return segment
    replaced = _VARIABLE.sub(_placeholder, name) if _DASHED_OR_LONG.search(name) else _DIGITS.sub("{n}", name)
    if "{uuid}" in replaced:
        return replaced + tail
    if _is_slug(name) or (len(name) >= _LONG_NAME and "{" not in replaced):
        return "{slug}" + tail
    return replaced + tail


def _is_slug(name: str) -> bool:
    words = _WORDS.split(name)
    return len(words) >= _LONG_SLUG and sum(map(bool, map(_LETTER.search, words))) >= _LONG_SLUG


def _placeholder(found: re.Match[str]) -> str:
    return f"{{{found.lastgroup}}}"
