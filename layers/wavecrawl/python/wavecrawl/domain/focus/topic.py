"""The topic of a crawl: how much words have in common with the focus terms."""

from functools import lru_cache

from wavecrawl.domain.focus.score import STEPS
from wavecrawl.domain.focus.terms import terms_of

_LEAST_PREFIX = 4  # letters
_SHARE = 0.7  # of the longer word that two forms of one word share
_SAME, _FORM, _PART = 100, 80, 60  # percent
_SOURCE = (90, 90, 40)  # percent: link text, path, title of the linking page
_CACHE_SIZE = 8_192


class Topic:
    """The focus terms of a crawl."""

    def __init__(self, terms: tuple[str, ...]) -> None:
        self._terms = tuple(terms_of(terms))
        self._match = lru_cache(maxsize=_CACHE_SIZE)(self._matches)

    def __bool__(self) -> bool:
        return bool(self._terms)

    def similarity(self, *sources: tuple[str, ...]) -> int:
        """Return how close words are to the topic, in steps from 0 to 200.

        `sources`: the words of the link text, of the path, and of the title of the linking page, which counts less.
        A term of several words counts by the share of its words that are found. Each term or source that matches
        reduces the distance to 200 by a part.
        """
        missing = STEPS * 100
        for words, weight in zip(sources, _SOURCE, strict=True):
            matched = [self._match(word) for word in words]
            for position, term in enumerate(self._terms):
                best = sum(max((found[position][i] for found in matched), default=0) for i in range(len(term)))
                missing -= missing * best * weight // (len(term) * 10_000)
        return STEPS - missing // 100

    def _matches(self, word: str) -> tuple[tuple[int, ...], ...]:
        """Return how much a word is like each word of each term, in percent."""
        return tuple(tuple(_likeness(word, wanted) for wanted in term) for term in self._terms)


def _likeness(word: str, wanted: str) -> int:
    """Return how much two words are alike, in percent.

    Two forms of a word share most of their letters from the start. A compound has the wanted word inside. This holds
    for languages with endings, and needs no list of words.
    """
    if word == wanted:
        return _SAME
    shared = 0
    for one, other in zip(word, wanted, strict=False):
        if one != other:
            break
        shared += 1
    if shared >= _LEAST_PREFIX and shared >= _SHARE * max(len(word), len(wanted)):
        return _FORM
    inside = wanted in word and (len(wanted) >= _LEAST_PREFIX or not wanted.isascii())
    return _PART if inside else 0
