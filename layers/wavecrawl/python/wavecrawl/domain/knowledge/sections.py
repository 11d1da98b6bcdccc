"""Sections of a Markdown text, which bound the work of the chunker.

The time of a chunker grows with the square of a text in which no sentence or paragraph ends. A section has a largest
size, so the time of all sections together grows with the length of the text.
"""

from collections.abc import Iterator

_HEADINGS = tuple(f"\n{'#' * level} " for level in range(1, 7))
_ENDS = (*_HEADINGS, "\n\n", "\n", "。", " ")
"""Where a section may end, the best place first: before a heading of level 1 to 6, after a paragraph, a line, a Chinese
or Japanese sentence, or a word."""


def sections(markdown: str, *, characters: int) -> Iterator[str]:
    """Yield the sections of a text, each when it is asked for. Together, they are the text.

    A section has at most `characters`, and at least half of them unless it is the last one.
    """
    start = 0
    while len(markdown) - start > characters:
        end = _end(markdown, start + (characters + 1) // 2, start + characters)
        yield markdown[start:end]
        start = end
    if start < len(markdown):
        yield markdown[start:]


def _end(markdown: str, first: int, last: int) -> int:
    """Return the best end of a section from `first` to `last`: the latest one of the best kind.

    A text without any ends between two characters, but not between a backslash and the character that it escapes.
    """
    for text in _ENDS:
        found = markdown.rfind(text, first - 1, last)
        if found >= first - 1:
            return found + (1 if text in _HEADINGS else len(text))
    backslashes = last - first - len(markdown[first:last].rstrip("\\"))
    return last - backslashes % 2
