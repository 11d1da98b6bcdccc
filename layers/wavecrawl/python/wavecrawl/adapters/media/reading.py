"""The text of a document, as far as it could be read."""

import re

from wavecrawl.adapters.media.messages import one_line
from wavecrawl.domain.media.asset import DocumentFacts

_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
# Glyphs for several letters, which people do not type in searches (Unicode, Alphabetic Presentation Forms).
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_BLANK_LINES = re.compile(r"[ \t]*\n(?:[ \t]*\n)+")
_REPLACED = {**_CONTROLS, **_LIGATURES}


class EnoughTextError(Exception):
    """The text has as many characters as are kept."""


class Reading:
    """Collects what was read, so that a reader that is stopped leaves what it has found."""

    def __init__(self, *, max_text: int) -> None:
        self._left = max_text
        self._texts: list[str] = []
        self._problems: list[str] = []
        self.title = ""
        self.author = ""
        self.pages: int | None = None

    def add(self, text: str) -> None:
        """Add the text of a page. Raise EnoughTextError at the limit."""
        clean = text.replace("\r\n", "\n").replace("\r", "\n").translate(_REPLACED)
        clean = clean.encode("utf-8", "replace").decode()  # broken fonts give lone surrogates
        clean = _BLANK_LINES.sub("\n\n", clean).strip()[: self._left]
        if clean:
            self._texts.append(clean)
        self._left -= len(clean)
        if self._left <= 0:
            raise EnoughTextError

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
        return DocumentFacts(
            title=one_line(self.title.encode("utf-8", "replace").decode()),
            author=one_line(self.author.encode("utf-8", "replace").decode()),
            pages=self.pages,
            text="\n\n".join(self._texts),
            problem="; ".join(shown),
        )
