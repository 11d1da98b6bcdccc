"""The part of a passage that shows why it was found."""

import re

from wavecrawl.domain.pages.control_characters import without_controls

LENGTH = 240
"""Characters of a snippet."""

_WORD = re.compile(r"[^\W_]+")
_LEAST = 3  # letters of a word that counts: shorter ones are in every text
_STEM = 4  # letters by which two forms of a word are taken for the same


def snippet(text: str, question: str, *, length: int = LENGTH) -> str:
    """Return the part of a text with the most different words of a question, in one line without control characters.

    It has at most `length` characters, and an ellipsis where the text was cut.
    """
    line = " ".join(without_controls(text).split())
    if len(line) <= length:
        return line
    wanted = {_stem(word) for word in _WORD.findall(question) if len(word) >= _LEAST}
    places = [(match.start(), _stem(match[0])) for match in _WORD.finditer(line) if _stem(match[0]) in wanted]
    best, most = 0, 0
    for start, _ in places:
        count = len({stem for place, stem in places if start <= place < start + length - 2})
        if count > most:
            best, most = start, count
    if most == 0 or best == 0:
        return line[: length - 1].rstrip() + "…"
    if best + length > len(line):
        return "…" + line[1 - length :].lstrip()
    return f"…{line[best : best + length - 2].rstrip()}…"


def marks(text: str, question: str) -> list[tuple[int, int]]:
    """Return the places of the words in a text that the question has too, as (start, end)."""
    wanted = {_stem(word) for word in _WORD.findall(question) if len(word) >= _LEAST}
    return [match.span() for match in _WORD.finditer(text) if _stem(match[0]) in wanted]


def _stem(word: str) -> str:
    return word.casefold()[:_STEM]
