"""The difference of two main texts as a unified diff that people can read.

A line of the diff is a line of the text; long lines are divided into sentences, and long sentences between words.
Control characters, which could command a terminal, are replaced.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from itertools import islice, takewhile

import msgspec

from wavecrawl.domain.pages.control_characters import without_controls

LONGEST_LINE = 160
"""Characters of a line of the diff, without its sign. Longer lines of the text are divided."""

_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+(?=\S)|(?<=[\u3002\uff01\uff1f])\s*(?=\S)")


class DiffLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What bounds the time and size of a diff."""

    context: int = 1  # unchanged lines around each change
    compared: int = 2_000  # lines of each text, after the lines that both texts begin and end with
    shown: int = 500  # lines of the diff


class TextDiff(msgspec.Struct, frozen=True, kw_only=True):
    """A unified diff."""

    lines: tuple[str, ...]  # without a header; each begins with "@@", " ", "-" or "+"
    added: int  # words
    removed: int  # words
    truncated: bool  # whether a limit cut it

    @property
    def text(self) -> str:
        """The diff as one text."""
        return "".join(f"{line}\n" for line in self.lines)


def text_diff(before: str, now: str, limits: DiffLimits) -> TextDiff:
    """Return the unified diff of two texts."""
    old, new = list(text_lines(before)), list(text_lines(now))
    start = _equal(old, new)
    end = min(_equal(reversed(old), reversed(new)), min(len(old), len(new)) - start)
    first = max(0, start - limits.context)
    last = max(0, end - limits.context)  # lines of both ends that are not compared
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    cut = max(len(old), len(new)) > limits.compared
    found = unified_diff(old[: limits.compared], new[: limits.compared], n=limits.context, lineterm="")
    lines = [_moved(line, first) for line in islice(found, 2, None)]  # the header names files
    return TextDiff(
        lines=tuple(lines[: limits.shown]),
        added=_words(lines, "+"),
        removed=_words(lines, "-"),
        truncated=cut or len(lines) > limits.shown,
    )


def text_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text, the long ones divided."""
    for line in map(without_controls, text.splitlines()):
        if len(line) <= LONGEST_LINE:
            yield line
        else:
            for sentence in _SENTENCE_END.split(line):
                yield from textwrap.wrap(sentence, LONGEST_LINE, break_on_hyphens=False)


def _equal(one: Iterable[str], other: Iterable[str]) -> int:
    """Return the number of lines with which both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _moved(line: str, first: int) -> str:
    """Return a line of the diff; its line numbers count the lines that were not compared."""
    if not line.startswith("@@"):
        return line
    return re.sub(r"([-+])(\d+)", lambda found: f"{found[1]}{int(found[2]) + first}", line)


def _words(lines: Iterable[str], sign: str) -> int:
    return sum(len(line[1:].split()) for line in lines if line.startswith(sign))
