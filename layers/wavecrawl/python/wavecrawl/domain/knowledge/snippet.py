"""The part of a passage that shows why it was found."""

from typing import Final

from wavecrawl.domain.knowledge.search_words import Place, boundaries, is_grammar, places
from wavecrawl.domain.pages.control_characters import without_controls
from wavecrawl.domain.pages.words import has_words_without_spaces

LENGTH = 240
"""Characters of a snippet."""

_LEAST = 3  # letters of a word that counts: shorter ones are in every text; not in languages without spaces
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

    It has at most `length` characters, begins and ends at words, unless one is very long, and has an ellipsis where the
    text was cut. The words of Chinese and Japanese are not known: there, it begins and ends at punctuation or another
    script if there is some near, else at any character.
    """
    line = " ".join(without_controls(text).split())
    if len(line) <= length:
        return line
    wanted = _wanted(question)
    found = [(place.begin, _stem(place)) for place in places(line) if _is_in(wanted, place)]
    best, most = 0, 0
    for start, _ in found:
        count = len({stem for begin, stem in found if start <= begin < start + length - 2})
        if count > most:
            best, most = start, count
    if has_words_without_spaces(line):
        return _cut_without_spaces(line, best, length)
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
    found: list[tuple[int, int]] = []
    for place in places(text):
        if _is_in(wanted, place):
            begin, end = found[-1] if found else (0, -1)
            if place.begin <= end and not place.has_spaces:  # pairs of characters, side by side
                found[-1] = begin, place.end
            else:
                found.append((place.begin, place.end))
    return found


def _wanted(question: str) -> set[str]:
    return {_stem(place) for place in places(question) if _is_told(place)}


def _is_in(wanted: set[str], place: Place) -> bool:
    return _stem(place) in wanted and _is_told(place)


def _is_told(place: Place) -> bool:
    """Return whether a word says something about the subject."""
    if not place.has_spaces:
        return not is_grammar(place.word)
    return len(place.word) >= _LEAST and place.word.casefold() not in _STOP_WORDS


def _stem(place: Place) -> str:
    word = place.word.casefold()
    return word[:_STEM] if place.has_spaces else word


def _cut_without_spaces(line: str, best: int, length: int) -> str:
    """Return the part of a line around a place, for languages without spaces."""
    ends = [0, *boundaries(line), len(line)]
    begins = [0, *(end for end in ends if line[end : end + 1].isalnum())]  # not before punctuation
    begin = max(place for place in begins if place <= best)
    if best - begin > _LONGEST:
        begin = best
    last = begin + length - (2 if begin else 1)
    if last >= len(line):
        earliest = len(line) - length + 1
        begin = min((place for place in begins if earliest <= place <= max(best, earliest)), default=earliest)
        return f"…{line[begin:]}"
    end = max(end for end in ends if end <= last)
    return f"{'…' if begin else ''}{line[begin : end if end > max(begin, last - _LONGEST) else last].rstrip()}…"
