"""The words by which passages are found, also in languages without spaces between words.

A full-text index knows words by what is between them. So in an indexed text, a mark is put between the words of these
languages: those of Thai, Lao, Khmer and Burmese, and each character of Chinese and Japanese. A question for Chinese or
Japanese asks for pairs of neighbouring characters, and for each whole part in Katakana. So words are found inside of
longer ones. A text without these languages stays as it is.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from msgspec import Struct

from wavecrawl.domain.pages.words import Part, has_words_without_spaces, parts_without_spaces

MARK: Final = "\x1f"
"""Between words: the unit separator of ASCII, which texts do not have. It has one byte; SQLite parts words there."""

_WORD = re.compile(r"[^\W_]+")
_SPACE = re.compile(r"\s+")
_HIRAGANA = re.compile("[\u3041-\u309f]{1,2}")
_ENDING = re.compile("[\u3041-\u309f](?![\u3041-\u309f])")  # the end of Hiragana


class Place(Struct, frozen=True, gc=False):
    """A word in a text."""

    begin: int
    end: int
    word: str
    has_spaces: bool  # whether its language has spaces between words


def marked(text: str) -> str:
    """Return a text with marks between the words of languages without spaces; other texts as they are."""
    if not has_words_without_spaces(text):
        return text
    found: list[str] = []
    end = 0
    for part in parts_without_spaces(text):
        word = text[part.begin : part.end]
        found += text[end : part.begin], MARK, MARK.join(word) if _is_divided(part) else word, MARK
        end = part.end
    return "".join((*found, text[end:]))


def unmarked(text: str) -> str:
    """Return a text without marks."""
    return text.replace(MARK, "")


def places(text: str) -> Iterator[Place]:
    """Yield the words of a text or question: in Chinese and Japanese pairs of characters, which overlap."""
    if not has_words_without_spaces(text):
        yield from (Place(*match.span(), match[0], has_spaces=True) for match in _WORD.finditer(text))
        return
    end = 0
    for part in chain(parts_without_spaces(text), (Part(len(text), len(text), is_paired=False, is_katakana=False),)):
        for match in _WORD.finditer(text, end, part.begin):
            yield Place(*match.span(), match[0], has_spaces=True)
        end = part.end
        size = 2 if part.is_paired and part.end - part.begin > 1 else part.end - part.begin
        for begin in range(part.begin, part.end - size + 1) if size else ():
            yield Place(begin, begin + size, text[begin : begin + size], has_spaces=False)


def words_of_question(question: str) -> list[str]:
    """Return the words to search for, each once, as they are in a marked text: with marks in them.

    Particles and endings (`is_grammar`) are left out, unless the question consists of them.
    """
    found = dict.fromkeys(place.word for place in places(question))
    subjects = [word for word in found if not is_grammar(word)]
    return [marked(word).strip(MARK) for word in subjects or found]


def is_grammar(word: str) -> bool:
    """Return whether a word is one or two characters of Hiragana: most are particles and endings of Japanese."""
    return _HIRAGANA.fullmatch(word) is not None


def boundaries(text: str) -> list[int]:
    """Return the places at which a text can be cut between words, ascending.

    Inside of Chinese, no word is known to end; inside of Japanese, one begins where Hiragana ends.
    """
    found = {place for match in _SPACE.finditer(text) for place in match.span()}
    for part in parts_without_spaces(text):
        found |= {part.begin, part.end}
        if part.is_paired:
            found.update(match.end() for match in _ENDING.finditer(text, part.begin, part.end))
    return sorted(found)


def _is_divided(part: Part) -> bool:
    return part.is_paired or part.is_katakana
