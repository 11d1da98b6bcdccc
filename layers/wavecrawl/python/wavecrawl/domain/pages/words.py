"""The words of a text, also in languages without spaces between words.

White space parts words. In a part with Han, Kana, Thai, Lao, Khmer or Burmese characters:

- Thai, Lao, Khmer and Burmese are split by dictionaries.
- Katakana between other characters is one word, as most are loanwords.
- Of other Chinese and Japanese text, each pair of neighbouring characters is taken, as search engines without a
  dictionary do. Two characters count as one word: words have 1.6 characters on average in Chinese, and 2 in Japanese.
- Punctuation of these scripts is no word.

Korean has spaces.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from wavecrawl.domain.pages.dictionaries import SCRIPTS, dictionary

_HAN_AND_HIRAGANA: Final = (
    "[\u3041-\u309f\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_KATAKANA: Final = "[\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f]+"
_PUNCTUATION: Final = (
    "[\u3000-\u3004\u3008-\u3020\u302a-\u3030\u303d\u303f\u30a0\u30fb\ufe10-\ufe1f\ufe30-\ufe4f\uff01-\uff0f\uff1a-\uff20"
    "\uff3b-\uff40\uff5b-\uff65\u0e4f\u0e5a\u0e5b\u0eaf\u104a-\u104f\u17d4-\u17d6\u17d8-\u17da]+"
)
_NAMES: Final = tuple(SCRIPTS)
_RUNS = re.compile(
    "|".join(f"({run})" for run in (*SCRIPTS.values(), _HAN_AND_HIRAGANA, _KATAKANA)) + f"|{_PUNCTUATION}"
)
_PUNCTUATION_SIGNS = re.compile(_PUNCTUATION)
_PAIRED = len(_NAMES) + 1  # the group of Han and Hiragana
_WITHOUT_SPACES = re.compile(
    "[\u0e01-\u0edf\u1000-\u109d\u1780-\u17dd\u2e80-\u2fdf\u3005\u3007\u3021-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua9e0-\ua9e6\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


class Part(Struct, frozen=True, gc=False):
    """A part of a text that is written without spaces: a word, or Han and Hiragana, whose words are not known."""

    begin: int
    end: int
    is_paired: bool  # whether it is Han and Hiragana
    is_katakana: bool


class Words(Struct, frozen=True, gc=False):
    """The words of a text."""

    found: list[str]  # in their order; pairs of characters where words are not known
    count: int


def words_of(text: str) -> Words:
    """Return the words of a text."""
    words = text.split()
    lines = [] if text.isascii() else [line for line in text.split("\n") if not line.isascii()]
    if not any(map(_WITHOUT_SPACES.search, lines)):
        return Words(words, len(words))
    found: list[str] = []
    uncounted = 0  # pairs
    for word in words:
        if word.isascii() or not _WITHOUT_SPACES.search(word):
            found.append(word)
            continue
        for part, is_paired in _parts(word):
            if is_paired and len(part) > 1:
                found += [part[place : place + 2] for place in range(len(part) - 1)]
                uncounted += len(part) - 1 - (len(part) + 1) // 2
            else:
                found.append(part)
    return Words(found, len(found) - uncounted)


def has_words_without_spaces(text: str) -> bool:
    """Return whether a text has characters of languages without spaces between words."""
    return not text.isascii() and _WITHOUT_SPACES.search(text) is not None


def parts_without_spaces(text: str) -> Iterator[Part]:
    """Yield the parts of a text that are written without spaces, in their order. What is between them is not."""
    for run in _RUNS.finditer(text):
        group = run.lastindex
        if group is None:
            continue  # punctuation
        if group > len(_NAMES):
            yield Part(run.start(), run.end(), group == _PAIRED, group > _PAIRED)
            continue
        begin = run.start()
        for word in dictionary(_NAMES[group - 1]).split(run[0]):
            yield Part(begin, begin + len(word), is_paired=False, is_katakana=False)
            begin += len(word)


def _parts(word: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text without white space, and whether one is Han or Hiragana."""
    begin = 0
    for part in parts_without_spaces(word):
        if part.begin > begin:
            yield from _with_spaces(word[begin : part.begin])
        yield word[part.begin : part.end], part.is_paired
        begin = part.end
    if begin < len(word):
        yield from _with_spaces(word[begin:])


def _with_spaces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield what punctuation divides in a text of other languages, like `_parts`."""
    return ((part, False) for part in _PUNCTUATION_SIGNS.split(text) if part)
