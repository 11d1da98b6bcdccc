"""The words of link texts and URLs, also in languages without spaces between words."""

import re
from functools import lru_cache

from wavecrawl.domain.pages import words as whole_texts

_WORDS = re.compile(r"[^\W\d_]+|\d+")
_EXTENSION = re.compile(r"\.[a-zA-Z]{2,5}$")
_MOST_WORDS = 16  # of one text
_LONGEST_WORD = 32
_CACHE_SIZE = 1_024
_MEMORABLE = 100  # characters

NUMBER = "#"
"""The word in place of every number. So numbered pages share their words."""


def words_of(text: str) -> tuple[str, ...]:
    """Return the first words of a text in lower case, each once, in order."""
    return _cached(text) if len(text) <= _MEMORABLE else _words(text)


@lru_cache(maxsize=_CACHE_SIZE)  # a link is learned, then scored
def link_words(url: str, text: str) -> tuple[str, ...]:
    """Return the words of a link text and of the last segment of the URL's path, each once."""
    address = url.partition("?")[0]
    path = address[address.find("/", address.find("//") + 2) :]
    slug = path.rstrip("/").rpartition("/")[2]
    return tuple(dict.fromkeys((*words_of(text), *_words(_EXTENSION.sub("", slug)))))


def path_words(path: str) -> tuple[str, ...]:
    """Return the words of a whole path, without the file extension."""
    return _words(_EXTENSION.sub("", path.rstrip("/")))


def _words(text: str) -> tuple[str, ...]:
    folded = text.casefold()
    found = _words_without_spaces(folded) if whole_texts.has_words_without_spaces(folded) else _WORDS.findall(folded)
    words = [NUMBER if word.isdecimal() else word[:_LONGEST_WORD] for word in found]
    return tuple(dict.fromkeys(words))[:_MOST_WORDS]


def _words_without_spaces(text: str) -> list[str]:
    """Return the words of a text in a language without spaces between words; of Chinese, pairs of characters."""
    found: list[str] = []
    for word in whole_texts.words_of(text).found:
        found += [word] if whole_texts.has_words_without_spaces(word) else _WORDS.findall(word)
    return found


_cached = lru_cache(maxsize=_CACHE_SIZE)(_words)
