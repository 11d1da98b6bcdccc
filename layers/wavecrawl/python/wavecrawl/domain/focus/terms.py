"""The terms of a topic, as words."""

import re

from wavecrawl.domain.focus.words import NUMBER, words_of

MOST_TERMS = 50
"""Terms of one crawl. Each is compared with the words of every URL."""

_SEPARATORS = re.compile(r"[,;\n]+")
_LONGEST_PHRASE = 3  # words; a longer term is a query, whose words count one by one


def terms_of(given: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the words of each term, each term once. The words of a long query are terms of their own."""
    found: dict[tuple[str, ...], None] = {}
    for written in given:
        for part in _SEPARATORS.split(written):
            words = tuple(word for word in words_of(part) if word != NUMBER)
            phrases = [words] if len(words) <= _LONGEST_PHRASE else [(word,) for word in words]
            found.update((phrase, None) for phrase in phrases if phrase)
    return list(found)
