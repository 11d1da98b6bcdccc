"""Markdown for passages: without the targets of links, which are no text; and its headings."""

import re
from dataclasses import dataclass

from wavecrawl.domain.pages.plain_text import plain_text

HEADING_CHARACTERS = 300
"""Maximum number of characters of a heading or title. They are repeated in each passage below them."""

_FENCE = re.compile("(```+)[^`]*$")
_CONTAINER = re.compile(r"(?: +|> |>$|- |\d{1,9}\. )*+")  # of lists and quotes
_LINK = re.compile(
    r"\\.|`[^`]*`"  # escaped characters and code stay as they are
    r"|\]\([^()\s]*\)"  # the end of a link or image
    r"|!?\[(?!\^|[ x]\] )"  # its beginning; footnotes and tasks begin with the same character
)
_HEADING = re.compile("(#{1,6}) (.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of a Markdown text."""

    start: int  # its position in the text, in characters
    level: int  # 1 to 6
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """A section of a Markdown text with the texts of links in place of links, and its headings."""

    markdown: str
    headings: tuple[Heading, ...]


class MarkdownReader:
    """Reads the sections of one text, in their order. A fenced code block may go on in the next section."""

    def __init__(self) -> None:
        self._fence = ""  # of the code block that has begun

    def read(self, section: str) -> Readable:
        """Return a section for passages. Code blocks stay, and their lines are no headings."""
        lines: list[str] = []
        headings: list[Heading] = []
        start = 0
        for line in section.split("\n"):
            text = line
            if not self._is_code(line):
                text = _LINK.sub(_kept, line) if "[" in line else line
                match = _HEADING.match(text)
                if match:
                    name = plain_text(match[2]).strip()[:HEADING_CHARACTERS]
                    headings.append(Heading(start=start, level=len(match[1]), text=name))
            lines.append(text)
            start += len(text) + 1
        return Readable(markdown="\n".join(lines), headings=tuple(headings))

    def _is_code(self, line: str) -> bool:
        """Return whether a line belongs to a fenced code block."""
        begin = _CONTAINER.match(line)
        rest = line[begin.end() if begin else 0 :]
        if self._fence:
            self._fence = "" if rest.rstrip() == self._fence else self._fence
            return True
        match = _FENCE.match(rest)
        self._fence = match[1] if match else ""
        return bool(match)


def _kept(match: re.Match[str]) -> str:
    return match[0] if match[0][0] in "\\`" else ""
