"""The rows of tables, as plain text and as Markdown."""

import re
from abc import ABC, abstractmethod
from typing import Final

from msgspec import Struct

from wavecrawl.domain.pages.extraction.outline import Box, Outline

# A table with one of these in a cell is there for the layout.
_SECTIONS = frozenset("article section form aside header footer nav main h1".split())
_BLOCKS = frozenset("ul ol dl pre blockquote h2 h3 h4 h5 h6".split())  # in cells of a table that says what it is
_HEADS = frozenset("th thead caption".split())  # a table with one of these says so
_HEADINGS = frozenset("h2 h3 h4 h5 h6".split())
_LONG_CELL = 2_000  # characters; cells with blocks that are longer are pages of their own
_LONG_BARE_CELL = 500  # the same, in a table without heads
_MOST_CELLS = 100_000  # of a table whose rows are filled with empty cells
_MOST_COLUMNS = 1_000  # of a cell (HTML, section 4.9.11)
_MOST_ROWS = 65_534
_NESTED = 8  # tables around a text whose cells it counts for
_DASHES = re.compile("-+")
_SPAN = re.compile(r'(?:^| )(col|row)span="\s*(\d{1,5})')
_LAYOUT = re.compile(r'(?:^| )role="\s*(?:presentation|none)\b', re.IGNORECASE)

NESTED_CELL: Final = " &vert; "
"""Between the cells of a table inside a cell."""


class _Grid(Struct, gc=False):
    """What is known of a table whose boxes are read."""

    number: int  # of the tables of the page
    after: int  # index of the first box that is not inside
    is_layout: bool  # by its role, or by what its cells contain
    widths: dict[int, int]  # cells by row
    has_head: bool = False
    has_blocks: bool = False
    has_headings: bool = False
    has_layout: bool = False  # whether a table inside is there for the layout
    has_spans: bool = False
    cell_after: int = 0  # index of the first box that is not in the current cell
    cell: int = 0  # characters of it
    longest: int = 0

    def add(self, box: Box) -> None:
        """Add a box of the table itself."""
        tag = box.tag
        if tag in ("td", "th"):
            self.widths[box.parent] = self.widths.get(box.parent, 0) + 1
            self.cell_after, self.cell = box.after, 0
            self.has_spans = self.has_spans or "span=" in box.attributes
        if tag in _HEADS:
            self.has_head = True
        elif tag in _BLOCKS:
            self.has_blocks = True
            self.has_headings = self.has_headings or tag in _HEADINGS
        elif tag in _SECTIONS:
            self.is_layout = True

    def add_text(self, index: int, characters: int) -> None:
        """Add the text of a box, given its index."""
        if index < self.cell_after:
            self.cell += characters
            self.longest = max(self.longest, self.cell)

    def has_data(self) -> bool:
        """Return whether the table has data in rows and columns."""
        if self.is_layout or len(self.widths) < 2 or max(self.widths.values()) < 2:  # noqa: PLR2004 - a grid
            return False
        if not self.has_blocks:
            return True
        if self.has_head:
            return self.longest <= _LONG_CELL
        is_even = self.has_spans or len(set(self.widths.values())) == 1
        return is_even and not self.has_headings and not self.has_layout and self.longest <= _LONG_BARE_CELL


def tables_with_data(page: Outline, content: int) -> list[bool]:
    """Return of each table in a box, in document order, whether it has data; others are there for the layout.

    Lists, code, quotes and headings in cells are data if the table has heads or a caption. Without, the cells must be
    short and the rows equal. Dropped boxes do not count.
    """
    boxes = page.boxes
    found: list[bool] = []
    grids: list[_Grid] = []
    index, after = content + 1, boxes[content].after
    while index < after:
        box = boxes[index]
        while grids and index >= grids[-1].after:
            _close(grids, found)
        if box.dropped:
            index = box.after
            continue
        if box.tag == "table":
            if grids:
                grids[-1].has_blocks = True
            grids.append(_Grid(len(found), box.after, _LAYOUT.search(box.attributes) is not None, {}))
            found.append(False)
        elif grids:
            grids[-1].add(box)
        if grids and box.own:
            for grid in grids[-_NESTED:]:
                grid.add_text(index, box.own)
        index += 1
    while grids:
        _close(grids, found)
    return found


def _close(grids: list[_Grid], found: list[bool]) -> None:
    grid = grids.pop()
    found[grid.number] = grid.has_data()
    if grids and not found[grid.number]:
        grids[-1].has_layout = True


class _Table(Struct, gc=False):
    """An open table with data."""

    rows: list[list[str]]
    bodies: list[bool]  # of each row, whether it belongs to the body of the table
    spans: dict[int, int]  # rows that a cell above still covers, by column
    in_head: bool = False
    cell: list[str] | None = None  # the texts of the open cell
    depth: int = 0  # of the lists and quotes around the open cell
    columns: int = 1  # of the open cell
    covered: int = 1  # rows of the open cell
    filled: int = 0  # cells that are empty because another one covers them


class TableRows(ABC):
    """The rows of the open tables. Tables without data have no rows: their cells are blocks."""

    def __init__(self, tables: list[bool]) -> None:
        """`tables` says of each table, in document order, whether it has data."""
        self._tables = iter(tables)
        self._open: list[_Table | None] = []

    def open_table(self) -> None:
        """Begin a table. Raw text, such as that of `<plaintext>`, can have its tag anywhere."""
        self._open.append(_Table([], [], {}) if next(self._tables, False) else None)

    def open_head(self) -> None:
        """Begin the head of a table."""
        if self._open and self._open[-1]:
            self._open[-1].in_head = True

    def close_head(self) -> None:
        """End the head of a table."""
        if self._open and self._open[-1]:
            self._open[-1].in_head = False

    def open_row(self) -> None:
        """Begin a row."""
        table = self._open[-1] if self._open else None
        if table:
            self._end_row(table)
            table.rows.append([])
            table.bodies.append(False)

    def open_cell(self, attributes: str, *, is_head: bool, depth: int) -> None:
        """Begin a cell, given its serialized attributes. `depth`: of the lists and quotes around it."""
        table = self._open[-1] if self._open else None
        if not table or not table.rows:
            return
        table.cell, table.depth = [], depth
        table.columns = table.covered = 1
        if not is_head and not table.in_head:
            table.bodies[-1] = True
        if "span=" in attributes:
            for direction, number in _SPAN.findall(attributes):
                if direction == "col":
                    table.columns = min(max(int(number), 1), _MOST_COLUMNS)
                else:
                    table.covered = min(int(number) or _MOST_ROWS, _MOST_ROWS)

    @property
    def has_open_table(self) -> bool:
        """Return whether a table is open."""
        return bool(self._open)

    @property
    def depth(self) -> int | None:
        """Return the number of lists and quotes around the innermost open cell; None if no cell is open."""
        for table in reversed(self._open):
            if table is not None and table.cell is not None:
                return table.depth
        return None

    def add(self, text: str) -> bool:
        """Add a block of text to the innermost open cell; return whether there is one."""
        for table in reversed(self._open):
            if table is not None and table.cell is not None:
                table.cell.append(text)
                return True
        return False

    def close_cell(self) -> None:
        """End a cell."""
        table = self._open[-1] if self._open else None
        if not table or table.cell is None:
            return
        row = table.rows[-1]
        self._skip_covered(table, row)
        begin = len(row)
        row.append(self._joined(table.cell))
        table.cell = None
        if table.filled <= _MOST_CELLS:
            row += [""] * (table.columns - 1)
            table.filled += table.columns - 1
            if table.covered > 1:
                table.spans.update(dict.fromkeys(range(begin, begin + table.columns), table.covered - 1))

    def _skip_covered(self, table: _Table, row: list[str]) -> None:
        """Add empty cells where cells above cover the row."""
        while table.spans and table.filled <= _MOST_CELLS:
            left = table.spans.pop(len(row), 0)
            if not left:
                break
            if left > 1:
                table.spans[len(row)] = left - 1
            row.append("")
            table.filled += 1

    def _end_row(self, table: _Table) -> None:
        """End a row: cells above that cover columns after its last cell cover one row less."""
        if not table.spans or not table.rows:
            return
        table.filled += len(table.spans)
        if table.filled > _MOST_CELLS:
            table.spans.clear()
        width = len(table.rows[-1])
        table.spans = {
            column: left - (column >= width) for column, left in table.spans.items() if left > 1 or column < width
        }

    def close_table(self) -> list[str]:
        """End a table and its open cell; return its lines. A table in a cell becomes part of the cell."""
        self.close_cell()
        table = self._open.pop() if self._open else None
        if not table:
            return []
        kept = [number for number, row in enumerate(table.rows) if any(row)]
        if not kept:
            return []
        rows = [table.rows[number] for number in kept]
        if self.depth is not None:
            for row in rows:
                self.add(self._nested(row))
            return []
        return self._lines(rows, has_head=not table.bodies[kept[0]])

    @abstractmethod
    def _joined(self, texts: list[str]) -> str:
        """Return the texts of a cell as it is written."""
        ...

    @abstractmethod
    def _nested(self, row: list[str]) -> str:
        """Return a row of a table in a cell as one text of the cell."""
        ...

    @abstractmethod
    def _lines(self, rows: list[list[str]], *, has_head: bool) -> list[str]:
        """Return the lines of a table; `has_head`: whether the first row is its head."""
        ...


class TextRows(TableRows):
    """Tables as plain text: a line per row, with tabs between the cells."""

    def _joined(self, texts: list[str]) -> str:
        return " ".join(texts).replace("\n", " ")

    def _nested(self, row: list[str]) -> str:
        return " ".join(filter(None, row))

    def _lines(self, rows: list[list[str]], *, has_head: bool) -> list[str]:  # noqa: ARG002 - the text has no heads
        return ["\t".join(row).strip() for row in rows]


class MarkdownRows(TableRows):
    """Tables as Markdown (GitHub Flavored Markdown, section 4.10). A table without a head has an empty one."""

    def _joined(self, texts: list[str]) -> str:
        text = "<br>".join(texts).replace("\\\n", "<br>")
        return f"\\{text}" if _DASHES.fullmatch(text) else text

    def _nested(self, row: list[str]) -> str:
        return NESTED_CELL.join(filter(None, row))

    def _lines(self, rows: list[list[str]], *, has_head: bool) -> list[str]:
        rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
        width = max(map(len, rows))
        if not has_head:
            rows.insert(0, [""])
        if width * len(rows) > _MOST_CELLS:  # few rows are that long: readers of Markdown add the missing cells
            rows[0] += [""] * (width - len(rows[0]))
            width = 0
        rows.insert(1, ["---"] * (width or len(rows[0])))
        return [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
