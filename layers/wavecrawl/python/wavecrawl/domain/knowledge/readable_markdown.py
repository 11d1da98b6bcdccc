"""Markdown for passages: without the targets of links, which are no text; and its headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wavecrawl.domain.pages.plain_text import plain_text

_FENCE = re.compile("(```+)[^`]*$")
_CONTAINER = re.compile(r"(?: +|> |>$|- |\d{1,9}\. )*+")  # of lists and quotes
_LINK = re.compile(
    r"\\.|`[^`]*`"  # escaped characters and code stay as they are
    r"|\]\([^()\s]*\)|!?\["  # the end and the beginning of a link or image
)
_HEADING = re.compile("(#{1,6}) (.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of a Markdown text."""

    start: int  # its position in the text, in characters
    level: int  # 1 to 6
    text: str


def without_links(markdown: str) -> str:
    """Return the Markdown with the texts of links in place of links. Code blocks stay."""
    return "\n".join(
        line if in_code or "[" not in line else _LINK.sub(_kept, line) for line, in_code in _lines(markdown)
    )


def headings_of(markdown: str) -> list[Heading]:
    """Return the headings in the order of the text. Lines of code blocks are none."""
    found: list[Heading] = []
    start = 0
    for line, in_code in _lines(markdown):
        match = None if in_code else _HEADING.match(line)
        if match:
            found.append(Heading(start=start, level=len(match[1]), text=plain_text(match[2]).strip()))
        start += len(line) + 1
    return found


def _kept(match: re.Match[str]) -> str:
    return match[0] if match[0][0] in "\\`" else ""


def _lines(markdown: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it belongs to a fenced code block."""
    fence = ""
    for line in markdown.split("\n"):
        begin = _CONTAINER.match(line)
        rest = line[begin.end() if begin else 0 :]
        match = _FENCE.match(rest)
        if fence:
            yield line, True
            fence = "" if rest.rstrip() == fence else fence
        else:
            fence = match[1] if match else ""
            yield line, bool(match)
