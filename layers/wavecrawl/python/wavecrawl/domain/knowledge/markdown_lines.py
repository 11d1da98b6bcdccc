"""The lines of a text, each with what decides where the text may be cut."""

import re
from collections.abc import Iterator
from enum import IntEnum
from itertools import chain

from msgspec import Struct

from wavecrawl.domain.knowledge.long_lines import MARKUP, pieces, plain_pieces
from wavecrawl.domain.pages.plain_text import LineReader, prefix_of, without_markup

HEADING_CHARACTERS = 300
"""Maximum number of characters of a heading or title. They are repeated in each passage below them."""

_HEADING = re.compile("(#{1,6}) (.*)")
_INDENT = re.compile("(?: |> |>$)*+")  # without the marker of an item
_MARKER = re.compile(r"(?:- |\d{1,9}\. )(?:\[[ x]\] )?|\[\^[^\]]+\]: ")  # of an item or a footnote
_DEEPEST = 8  # items around a line that are known
_LONGEST_FENCE = 200  # characters of the line that begins code, if it is to be repeated


class Cut(IntEnum):
    """What a cut before a line divides, the best first."""

    SECTIONS = 0
    BLOCKS = 1  # paragraphs, items, tables
    ROWS = 2  # the rows of a table, or the lines of a paragraph
    PARTS_OF_CODE = 3  # a blank line is between them
    CODE = 4
    LINE = 5
    UNIT = 6  # what belongs together: a heading or a term and its text, a fence and its code


class Heading(Struct, frozen=True, kw_only=True, gc=False):
    """A heading of a Markdown text."""

    line: int  # its position in the text, in lines from 0
    level: int  # 1 to 6
    text: str


class Code(Struct, frozen=True, eq=False, kw_only=True, gc=False):
    """The lines that begin and end fenced code, without a very long language; empty if the fence itself is too long."""

    opening: str
    closing: str


class Line(Struct, frozen=True, eq=False, kw_only=True):
    """A line of a text, or a piece of a long one."""

    markdown: str
    text: str | None  # None: it is markup alone
    cut: Cut  # what a cut before it divides
    heading: Heading | None = None
    code: Code | None = None  # the block that goes on with this line, or ends
    items: tuple["Line", ...] = ()  # the first lines of the list items around it, from the outside inwards
    table: tuple["Line", ...] = ()  # the head of the table that goes on with this line

    @property
    def is_blank(self) -> bool:
        """Whether the line only separates blocks."""
        return self.text == "" and self.code is None


def lines_of(markdown: str, *, most: int) -> Iterator[Line]:
    """Yield the lines of a Markdown text, each when it is asked for, without blank ones that follow another.

    A line is divided if its text has more than `most` characters.
    """
    reader = _Reader(most)
    return chain.from_iterable(reader.read(line, number) for number, line in enumerate(_split(markdown)))


def plain_lines_of(text: str, *, most: int) -> Iterator[Line]:
    """Yield the lines of a plain text with the Markdown that shows them. Nothing in it is markup."""
    is_after_blank = True
    for line in _split(text):
        is_blank = not line.strip()
        cut = Cut.BLOCKS if is_after_blank else Cut.ROWS
        if is_blank and not is_after_blank:
            yield Line(markdown="", text="", cut=Cut.UNIT)
        for piece in () if is_blank else plain_pieces(line.rstrip(), most=most):
            yield Line(markdown=piece.markdown, text=piece.text, cut=cut)
            cut = Cut.LINE
        is_after_blank = is_blank


def _split(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


class _Reader:
    """Reads the lines of one Markdown text, in their order."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._reader = LineReader()
        self._code: Code | None = None  # the open block
        self._items: list[tuple[int, Line]] = []  # around the last line, with their indentation
        self._table: tuple[Line, ...] = ()  # the head of the table of the last line
        self._last: Line | None = None  # that is not blank
        self._is_after_blank = True
        self._unit = 0  # characters of the last lines, if the next one belongs to them

    def read(self, markdown: str, number: int) -> Iterator[Line]:
        """Yield a line, or its pieces. `number`: its position in the text."""
        if self._code is None and not markdown.strip(" >"):
            if not self._is_after_blank:
                yield Line(markdown=markdown, text="", cut=Cut.UNIT)
            self._is_after_blank, self._table = True, ()
            return
        is_after_blank, self._is_after_blank = self._is_after_blank, False
        if self._code is not None:
            yield from self._in_code(markdown, self._code, is_after_blank=is_after_blank)
        else:
            yield from self._outside(markdown, number, is_after_blank=is_after_blank)

    def _in_code(self, markdown: str, code: Code, *, is_after_blank: bool) -> Iterator[Line]:
        text = self._reader.read(markdown)
        items = tuple(item for _, item in self._items)
        if text is None:
            self._code = None
            self._last = Line(markdown=code.closing, text=None, cut=Cut.UNIT, code=code, items=items)
            yield self._last
            return
        is_first = self._last is not None and self._last.text is None
        cut = Cut.UNIT if is_first else Cut.PARTS_OF_CODE if is_after_blank else Cut.CODE
        indent = markdown[: len(markdown) - len(text)]
        for start in range(0, max(1, len(text)), self._most):
            piece = text[start : start + self._most]
            self._last = Line(markdown=indent + piece, text=piece, cut=cut, code=code, items=items)
            yield self._last
            cut = Cut.LINE
        self._is_after_blank = not text.strip()

    def _outside(self, markdown: str, number: int, *, is_after_blank: bool) -> Iterator[Line]:
        indent = _indent_of(markdown)
        while self._items and indent <= self._items[-1][0]:
            self._items.pop()
        begin = prefix_of(markdown)
        if begin > self._most // 2:  # no text has so many lists and quotes
            markdown, indent, begin = markdown[begin:], 0, 0
        items = tuple(item for _, item in self._items)
        is_row = markdown.startswith("| ", begin)
        table = self._table if is_row else ()
        heading = _heading(markdown, number)
        is_new = is_after_blank or begin > indent
        cut = self._cut(items, table, is_heading=heading is not None, is_new=is_new)
        first: Line | None = None
        self._unit = self._unit if cut is Cut.UNIT else 0
        for piece, text in self._pieces(markdown, begin):
            line = Line(markdown=piece, text=text, cut=cut, heading=heading, items=items, table=table)
            first = first or line
            yield line
            cut, heading = Cut.LINE, None
        if self._reader.fence:
            self._code = _code(markdown, begin, self._reader.fence)
        elif first is not None and begin > indent and len(self._items) < _DEEPEST:
            self._items.append((indent, first))
        self._last = first or self._last
        self._unit += len(first.text or "") + 2 if first else 0
        self._table = (*table, first)[:2] if is_row and first is not None else ()

    def _cut(self, items: tuple[Line, ...], table: tuple[Line, ...], *, is_heading: bool, is_new: bool) -> Cut:
        """Return what a cut before a line divides. `is_new`: whether a block begins."""
        last = self._last
        if last is not None and last.heading:
            return Cut.UNIT
        if is_heading:
            return Cut.SECTIONS
        if last is not None and items and last is items[-1] and len(last.text or "") <= self._most // 2:
            return Cut.UNIT
        if table and (len(table) == 1 or last is table[-1]):
            return Cut.UNIT
        return Cut.BLOCKS if is_new else Cut.ROWS

    def _pieces(self, markdown: str, begin: int) -> Iterator[tuple[str, str | None]]:
        """Yield a line with its text, in pieces if it is too long, alone or with the lines that it belongs to."""
        most = self._most - self._unit if self._unit <= self._most // 2 else self._most
        if len(markdown) <= MARKUP * self._most or markdown.startswith("```", begin):
            text = self._reader.read(markdown)
            if self._reader.fence:
                yield _code(markdown, begin, self._reader.fence).opening, None
                return
            if text is None or len(text) <= most:
                yield markdown, text
                return
        sign = _HEADING.match(markdown, begin)
        before = begin + (len(sign[1]) + 1 if sign else 0)
        prefix = markdown[:before]
        for piece in pieces(markdown[before:], most=most):
            yield prefix + piece.markdown, piece.text
            prefix = _MARKER.sub(lambda marker: " " * len(marker[0]), markdown[:begin])


def _indent_of(markdown: str) -> int:
    """Return the number of characters before the text or the marker of an item that a line begins with."""
    match = _INDENT.match(markdown)
    return match.end() if match else 0


def _heading(markdown: str, number: int) -> Heading | None:
    match = _HEADING.match(markdown[: 2 * HEADING_CHARACTERS])
    if match is None:
        return None
    name = without_markup(match[2]).strip()[:HEADING_CHARACTERS]
    return Heading(line=number, level=len(match[1]), text=name)


def _code(markdown: str, begin: int, fence: str) -> Code:
    if begin + len(fence) > _LONGEST_FENCE:
        return Code(opening="", closing="")
    opening = markdown if len(markdown) <= _LONGEST_FENCE else markdown[:begin] + fence
    return Code(opening=opening, closing=_MARKER.sub(lambda marker: " " * len(marker[0]), markdown[:begin]) + fence)
