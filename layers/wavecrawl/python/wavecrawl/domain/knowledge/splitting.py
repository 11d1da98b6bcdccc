"""Where a text is cut into passages.

Lines are collected until the next one does not fit. Then the text is cut before the best of them: a heading if there is
one, else a block, else a row of a table or a line. So the work grows with the length of the text, and only the lines of
two passages are in memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

import msgspec

from wavecrawl.domain.knowledge.long_lines import MARKUP
from wavecrawl.domain.knowledge.markdown_lines import Cut, Line

_COSTS: Final = {
    Cut.SECTIONS: 0.0,
    Cut.BLOCKS: 0.6,
    Cut.ROWS: 0.9,
    Cut.PARTS_OF_CODE: 1.0,
    Cut.CODE: 1.1,
    Cut.LINE: 1.3,
    Cut.UNIT: 4.0,
}
_EMPTY: Final = 0.5  # cost of an empty passage, in proportion to what would still fit
_DEEPER: Final = 0.05  # cost per list around a line
_OUTER: Final = 0.02  # cost per level of a heading
_SMALL: Final = 8  # a passage is small if it has less than this part of the characters that fit
_TOO_SMALL: Final = 2.0  # cost of that
_BLANK: Final = Line(markdown="", text="", cut=Cut.UNIT)


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of a passage."""

    lines: tuple[Line, ...]
    repeated: int  # lines at the beginning that earlier passages have, too
    closing: str = ""  # the line that ends the code block that goes on in the next passage

    @property
    def new(self) -> tuple[Line, ...]:
        """The lines that no earlier passage has."""
        return self.lines[self.repeated :]

    @property
    def markdown(self) -> str:
        """The Markdown of the passage. A code block that goes on begins and ends in it."""
        code = self.new[0].code
        lines = [line.markdown for line in self.lines]
        before = next((number for number, line in enumerate(self.lines) if line.code), 0)
        if code is not None and code.opening:
            lines.insert(before, code.opening)
        return "\n".join([*lines, self.closing] if self.closing else lines).strip("\n")

    @property
    def text(self) -> str:
        """The plain text of the passage."""
        return "\n".join([line.text for line in self.lines if line.text is not None]).strip("\n")


def split(lines: Iterable[Line], *, characters: int, overlap: int) -> Iterator[Piece]:
    """Yield the pieces of a text, in order. No line has more than `characters` of text, and no piece either.

    A piece begins with up to `overlap` characters of earlier lines that it needs to be understood: the terms and the
    heads of tables above it, and the last lines before it, unless it begins with a heading.
    """
    held: Piece | None = None  # the last piece, until it is known that what follows is no heading alone
    current = _Lines()
    for line in lines:
        if line.is_blank and not current.has_new:
            continue
        current.add(line)
        while not current.fits(characters):
            end = current.best_end(characters)
            if held is not None:
                yield held
            held, current = current.cut(end, overlap=overlap)
            if not current.fits(characters):
                current = _Lines(current.new)
    last = Piece(lines=tuple(current.lines), repeated=current.repeated)
    if held is not None and last.new:
        yield from _rejoined(held, last, characters=characters, overlap=overlap)
    else:
        yield from [piece for piece in (held, last) if piece is not None and piece.new]


class _Lines:
    """The lines that are collected for the next piece."""

    def __init__(self, lines: Sequence[Line] = (), *, repeated: int = 0) -> None:
        self.lines: list[Line] = []
        self.repeated = repeated
        self._text = 0  # characters
        self._markdown = 0
        for line in lines:
            self.add(line)

    @property
    def new(self) -> list[Line]:
        return self.lines[self.repeated :]

    @property
    def has_new(self) -> bool:
        return len(self.lines) > self.repeated

    def add(self, line: Line) -> None:
        self.lines.append(line)
        self._text += _size(line)
        self._markdown += len(line.markdown) + 1

    def fits(self, characters: int) -> bool:
        """Return whether the lines are one piece, or cannot be divided."""
        is_short = self._text <= characters + 1 and self._markdown <= MARKUP * characters
        return is_short or len(self.lines) == 1

    def best_end(self, characters: int) -> int:
        """Return before which line the piece ends; there are at least two new lines."""
        best, least, size = self.repeated + 1, float("inf"), 0
        for number, line in enumerate(self.lines):
            if number > self.repeated and size <= characters + 1:
                cost = _cost(line, size / characters)
                if cost <= least:
                    best, least = number, cost
            size += _size(line)
        return best

    def cut(self, end: int, *, overlap: int) -> tuple[Piece, "_Lines"]:
        """Return the piece before a line, and the lines from there on with those that are repeated."""
        before, rest = self.lines[:end], self.lines[end:]
        is_after_blank = before[-1].is_blank
        if is_after_blank and end > self.repeated + 1:
            before.pop()
        code = rest[0].code
        piece = Piece(lines=tuple(before), repeated=self.repeated, closing=code.closing if code else "")
        repeated = _repeated(before[self.repeated :], rest[0], overlap)
        if repeated and (is_after_blank or (rest[0].items and repeated[-1] is rest[0].items[-1])):
            repeated.append(_BLANK)
        return piece, _Lines([*repeated, *rest], repeated=len(repeated))


def _size(line: Line) -> int:
    return 0 if line.text is None else len(line.text) + 1


def _cost(line: Line, fullness: float) -> float:
    """Return the cost of a cut before a line, after a piece that fills this part of its size."""
    cost = _COSTS[line.cut] + _DEEPER * len(line.items) + _EMPTY * (1 - fullness)
    if line.heading:
        cost += _OUTER * line.heading.level
    return cost + _TOO_SMALL if fullness * _SMALL < 1 else cost


def _repeated(before: Sequence[Line], line: Line, overlap: int) -> list[Line]:
    """Return the lines that a piece repeats which begins with a line after some others."""
    if line.cut is Cut.SECTIONS:
        return []
    found: list[Line] = []
    room = overlap
    for needed in (*line.items, *line.table):
        size = _size(needed)
        if size > room or needed.markdown.endswith("\\"):  # or its text goes on in the next line
            return found
        found.append(needed)
        room -= size
    last: list[Line] = []
    for one in takewhile(lambda one: one.heading is None and one not in found, reversed(before)):
        room -= _size(one)
        is_beside = one.code is line.code and one.items == line.items and one.table == line.table
        if room < 0 or one.text is None or one.cut is Cut.LINE or not is_beside:
            break
        last.append(one)
    while last and last[-1].is_blank:
        last.pop()
    if last and line.items and found[-1:] == [line.items[-1]]:
        found.append(_BLANK)
    return [*found, *reversed(last)]


def _rejoined(held: Piece, last: Piece, *, characters: int, overlap: int) -> Iterator[Piece]:
    """Yield the last two pieces of a text, cut at another place if the last one is a heading alone or very small."""
    if _is_alone(last, characters):
        lines = [*held.lines, *([] if held.closing else [_BLANK]), *last.new]
        filled = [number for number, line in enumerate(lines) if line.text and not line.heading]
        needed = filled[-1] if filled else 0  # a line that the last piece must have
        end = _Lines(lines[: needed + 1], repeated=held.repeated).best_end(characters)
        if held.repeated < end <= needed:
            first, rest = _Lines(lines, repeated=held.repeated).cut(end, overlap=overlap)
            second = Piece(lines=tuple(rest.lines), repeated=rest.repeated)
            if rest.fits(characters) and not _is_alone(second, characters):
                held, last = first, second
    yield held
    yield last


def _is_alone(piece: Piece, characters: int) -> bool:
    """Return whether a piece is headings alone, or so short that it is no passage of its own."""
    new = [line for line in piece.new if not line.is_blank]
    if all(line.heading for line in new):
        return True
    return new[0].cut is not Cut.SECTIONS and len(piece.text) * _SMALL < characters
