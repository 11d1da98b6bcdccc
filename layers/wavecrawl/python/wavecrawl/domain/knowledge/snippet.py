"""The part of a passage that shows why it was found."""

import re
from typing import Final

from wavecrawl.domain.pages.control_characters import without_controls

LENGTH = 240
"""Characters of a snippet."""

_WORD = re.compile(r"[^\W_]+")
_LEAST = 3  # letters of a word that counts: shorter ones are in every text
_STEM = 4  # letters by which two forms of a word are taken for the same
_LONGEST = 30  # characters of a word with signs, such as a path, that is shown whole
_STOP_WORDS: Final = frozenset(
    "about after again all also and any are because been before being but can cannot could did does doing don each few "
    "for from further get got had has have having her here hers him his how into its itself just let like may me might "
    "more most much must nor not now off only other our out over own per same shall she should some such than that the "
    "their theirs them then there these they this those through too under until upon use used using very via was were "
    "what when where which while who whom whose why will with within without would you your yours".split()
)
"""Words that say nothing about the subject of a question in English."""


def snippet(text: str, question: str, *, length: int = LENGTH) -> str:
    """Return the part of a text with the most different words of a question, in one line without control characters.

    It has at most `length` characters, begins and ends at words, unless one is very long or the language has no spaces,
    and has an ellipsis where the text was cut.
    """
    line = " ".join(without_controls(text).split())
    if len(line) <= length:
        return line
    wanted = _wanted(question)
    places = [(match.start(), _stem(match[0])) for match in _WORD.finditer(line) if _is_in(wanted, match[0])]
    best, most = 0, 0
    for start, _ in places:
        count = len({stem for place, stem in places if start <= place < start + length - 2})
        if count > most:
            best, most = start, count
    begin = line.rfind(" ", 0, best) + 1
    if best - begin > _LONGEST:
        begin = best
    if begin + length > len(line):
        earliest = len(line) - length + 1
        begin = line.find(" ", earliest - 1) + 1
        return f"…{line[begin if 0 < begin <= min(best, earliest + _LONGEST) else earliest :]}"
    last = begin + length - (2 if begin else 1)
    end = line.rfind(" ", begin, last + 1)
    return f"{'…' if begin else ''}{line[begin : end if end > max(begin, last - _LONGEST) else last]}…"


def marks(text: str, question: str) -> list[tuple[int, int]]:
    """Return the places of the words in a text that the question has too, as (start, end), without stop words."""
    wanted = _wanted(question)
    return [match.span() for match in _WORD.finditer(text) if _is_in(wanted, match[0])]


def _wanted(question: str) -> set[str]:
    words = [word for word in _WORD.findall(question) if len(word) >= _LEAST]
    return {_stem(word) for word in words if word.casefold() not in _STOP_WORDS}


def _is_in(wanted: set[str], word: str) -> bool:
    return _stem(word) in wanted and word.casefold() not in _STOP_WORDS


def _stem(word: str) -> str:
    return word.casefold()[:_STEM]
