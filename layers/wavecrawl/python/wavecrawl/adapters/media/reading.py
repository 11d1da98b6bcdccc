"""The text of a document, as far as it could be read."""

import re

from wavecrawl.adapters.media.messages import one_line
from wavecrawl.domain.media.asset import DocumentFacts
from wavecrawl.domain.pages.plain_text import plain_text

_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
# Glyphs for several letters, which people do not type in searches (Unicode, Alphabetic Presentation Forms).
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_BLANK_LINES = re.compile(r"[ \t]*\n(?:[ \t]*\n)+")
_REPLACED = {**_CONTROLS, **_LIGATURES}


def readable(text: str) -> str:
    """Return text without control characters, ligatures and the lone surrogates that broken fonts give."""
    return text.translate(_REPLACED).encode("utf-8", "replace").decode()


class EnoughTextError(Exception):
    """The text has as many characters as are kept."""


class UnreadableError(Exception):
    """A document cannot be read; the message says why."""


class Reading:
    """Collects what was read, so that a reader that is stopped leaves what it has found."""

    def __init__(self, *, max_text: int) -> None:
        self._left = max_text
        self._texts: list[str] = []
        self._markdown: list[str] = []  # the same texts, of formats with structure
        self._problems: list[str] = []
        self.title = ""
        self.author = ""
        self.pages: int | None = None

    def add(self, text: str) -> None:
        """Add the text of a page. Raise EnoughTextError at the limit."""
        clean = readable(text.replace("\r\n", "\n").replace("\r", "\n"))
        clean = _BLANK_LINES.sub("\n\n", clean).strip()[: self._left]
        if clean:
            self._texts.append(clean)
        self._left -= len(clean)
        if self._left <= 0:
            raise EnoughTextError

    def add_markdown(self, markdown: str) -> None:
        """Add a part of a document whose structure is known. Raise EnoughTextError at the limit."""
        text = plain_text(markdown)
        is_cut = len(text) > self._left
        if is_cut:
            markdown = markdown[: self._left]
            text = plain_text(markdown)
        if text.strip():
            self._texts.append(text)
            self._markdown.append(markdown)
        self._left -= len(text)
        if is_cut or self._left <= 0:
            raise EnoughTextError

    def replace(self, markdown: str) -> None:
        """Replace what was added by the same text with structure."""
        self._left += sum(map(len, self._texts))
        self._texts.clear()
        self._markdown.clear()
        self.add_markdown(markdown)

    @property
    def is_empty(self) -> bool:
        """Whether there is neither text nor a reason for that."""
        return not self._texts and not self._problems

    def missed(self, problem: object) -> None:
        """Note a problem; the first ones are shown."""
        self._problems.append(one_line(problem))

    def facts(self) -> DocumentFacts:
        """Return what was read."""
        more = len(self._problems) - 3
        shown = [*self._problems[:3], *([f"and {more} more"] if more > 0 else [])]
        text, markdown = "\n\n".join(self._texts), "\n\n".join(self._markdown)
        return DocumentFacts(
            title=one_line(self.title.encode("utf-8", "replace").decode()),
            author=one_line(self.author.encode("utf-8", "replace").decode()),
            pages=self.pages,
            text=text,
            markdown="" if markdown == text else markdown,
            problem="; ".join(shown),
        )
