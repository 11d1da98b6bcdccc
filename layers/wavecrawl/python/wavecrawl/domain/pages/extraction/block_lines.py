"""The lines of blocks inside nested lists and quotes, as in Markdown (CommonMark, section 5)."""

import re
from itertools import takewhile

from msgspec import Struct

_DEEPEST = 8  # nested lists and quotes that are shown; deeper ones are not indented further
_MOST_FRAMES = 12  # nested lists and quotes that are told apart
_START = re.compile(r'(?:^| )start="(\d{1,8})"')
_VALUE = re.compile(r'(?:^| )value="(\d{1,8})"')
_NO_LIST = -1  # the number of an item outside any list


class _Frame(Struct, gc=False):
    """A quote or list item around the current block."""

    marker: str  # of an item that has no text yet, or ""
    indent: str  # of its other lines
    list_number: int  # 0 for a quote


class _List(Struct, gc=False):
    """An open list."""

    number: int  # of all lists of the page, from 1
    next_item: int | None  # None if it is not ordered
    depth: int  # of the items and quotes around it
    goes_on: bool  # whether it is directly in another list, and continues the last item of that
    has_items: bool = False
    indent: str = "  "  # of the lines of the last item


class BlockLines:
    """The lines of all blocks so far, and the lists and quotes around the next one."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.size = 0  # characters, without blank lines
        self._frames: list[_Frame] = []
        self._around_last: list[_Frame] = []
        self._lists: list[_List] = []
        self._list_count = 0
        self._deeper = 0  # open lists and quotes inside the last of the frames

    def add(self, block: list[str]) -> None:
        """Add the lines of a block. A blank line comes before it, except between the items of a list."""
        frames = self._frames
        if not frames and not self._around_last:
            if self.lines:
                self.lines.append("")
            self.lines += block
            self.size += sum(map(len, block)) + len(block)
            return
        if self.lines and not self._continues_list():
            self.lines.append(self._separator())
        written = self._indented(block)
        for frame in frames:
            frame.marker = ""
        self._around_last = frames.copy()
        self.lines += written
        self.size += sum(map(len, written)) + len(written)

    def _separator(self) -> str:
        """Return the blank line between the last block and the next one, which are in the same quotes."""
        pairs = takewhile(lambda pair: pair[0] is pair[1], zip(self._frames, self._around_last, strict=False))
        return "".join([frame.indent for frame, _ in pairs]).rstrip()

    def _indented(self, block: list[str]) -> list[str]:
        """Return the lines of a block with the markers and the indentation of the lists and quotes around it."""
        first = "".join([frame.marker or frame.indent for frame in self._frames])
        rest = "".join([frame.indent for frame in self._frames])
        return [first + block[0], *[rest + line if line else rest.rstrip() for line in block[1:]]]

    def _continues_list(self) -> bool:
        """Return whether the next block is an item, and the last block is in the same list or around it."""
        items = [frame for frame in self._frames if frame.marker.strip("> ")]
        last = [frame.list_number for frame in self._around_last if frame.list_number]
        if not items or not last or last[0] != next(frame.list_number for frame in self._frames if frame.list_number):
            return False
        # A list that begins with another number does not end a paragraph (CommonMark, section 5.3).
        return items[0].list_number in last or items[0].marker in ("- ", "1. ")

    def open_quote(self) -> None:
        """Begin a quote."""
        self._open("> ", "> ", 0)

    def open_list(self, attributes: str, *, ordered: bool) -> None:
        """Begin a list, given its serialized attributes."""
        self._list_count += 1
        start = _START.search(attributes) if ordered else None
        first = int(start[1]) if start else 1
        outer = self._lists[-1] if self._lists else None
        goes_on = outer is not None and outer.has_items and outer.depth == self.depth
        if outer is not None and goes_on:
            self._open("", outer.indent, outer.number)
        self._lists.append(_List(self._list_count, first if ordered else None, self.depth, goes_on))

    def close_list(self) -> None:
        """End a list."""
        if self._lists and self._lists.pop().goes_on:
            self.close()

    @property
    def depth(self) -> int:
        """Return the number of open items and quotes."""
        return len(self._frames) + self._deeper

    def take_marker(self, depth: int) -> str:
        """Return the marker of an open item without text, and remove it. `depth`: of the items to leave alone."""
        for frame in reversed(self._frames[depth:]):
            if frame.marker and frame.list_number:
                marker, frame.marker = frame.marker, ""
                return marker
        return ""

    def open_item(self, attributes: str = "") -> None:
        """Begin a list item, given its serialized attributes, or a term of a definition list."""
        if not self._lists:
            self._open("- ", "  ", _NO_LIST)
            return
        inside = self._lists[-1]
        inside.has_items = True
        marker = "- "
        if inside.next_item is not None:
            value = _VALUE.search(attributes) if attributes else None
            if value:
                inside.next_item = int(value[1])
            marker = f"{inside.next_item}. "
            inside.next_item += 1
        inside.indent = " " * len(marker)
        self._open(marker, inside.indent, inside.number)

    def open_note(self, marker: str) -> None:
        """Begin a footnote, which is an item of no list."""
        self._open(marker, "    ", _NO_LIST)

    def mark_task(self, *, done: bool) -> None:
        """Mark the open item as a task, unless it has text already."""
        if self._frames and self._frames[-1].marker.strip("> "):
            self._frames[-1].marker += "[x] " if done else "[ ] "

    def open_definition(self) -> None:
        """Begin a definition. It continues the item of its term."""
        if self._lists and self._lists[-1].has_items:
            self._open("", "  ", self._lists[-1].number)
        else:
            self.open_item()

    def close(self) -> None:
        """End a quote, list item, term or definition."""
        if self._deeper:
            self._deeper -= 1
        elif self._frames:
            self._frames.pop()

    def _open(self, marker: str, indent: str, list_number: int) -> None:
        if len(self._frames) < _DEEPEST:
            self._frames.append(_Frame(marker, indent, list_number))
        elif len(self._frames) >= _MOST_FRAMES or self._deeper:
            self._deeper += 1
        else:
            self._frames.append(_Frame("", "", list_number))


class TextLines(BlockLines):
    """The same as plain text: without markers and indentation."""

    def _separator(self) -> str:
        return ""

    def _indented(self, block: list[str]) -> list[str]:
        return block
