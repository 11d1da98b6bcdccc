"""The rows of tables, as plain text and as Markdown."""

import re
from abc import ABC, abstractmethod

from wavecrawl.domain.pages.extraction.outline import Outline

# A table with one of these in a cell is there for the layout.
_NO_CELLS = frozenset(
    "table ul ol dl pre blockquote h1 h2 h3 h4 h5 h6 article section form aside header footer".split()
)
_MOST_CELLS = 100_000  # of a table whose rows are filled with empty cells
_DASHES = re.compile("-+")


def has_data(page: Outline, table: int) -> bool:
    """Return whether a table has data in rows and columns; others are there for the layout."""
    boxes = page.boxes
    widths: dict[int, int] = {}
    for index in range(table + 1, boxes[table].after):
        box = boxes[index]
        if box.tag in _NO_CELLS:
            return False
        if box.tag in ("td", "th"):
            widths[box.parent] = widths.get(box.parent, 0) + 1
    return len(widths) > 1 and max(widths.values()) > 1


class TableRows(ABC):
    """The rows of the open table. Tables without data have no rows: their cells are blocks."""

    def __init__(self, tables: list[bool]) -> None:
        """`tables` says of each table, in document order, whether it has data."""
        self._tables = iter(tables)
        self._open: list[bool] = []
        self._rows: list[list[str]] = []
        self._cell: list[str] | None = None

    def open_table(self) -> None:
        """Begin a table. Raw text, such as that of `<plaintext>`, can have its tag inside a cell."""
        self.close_cell()
        self._open.append(next(self._tables, False))
        if self._open[-1]:
            self._rows = []

    def open_row(self) -> None:
        """Begin a row."""
        if self._open and self._open[-1]:
            self._rows.append([])

    def open_cell(self) -> None:
        """Begin a cell."""
        if self._open and self._open[-1] and self._rows:
            self._cell = []

    def add(self, text: str) -> bool:
        """Add text to the open cell; return whether a cell is open."""
        if self._cell is None:
            return False
        self._cell.append(text)
        return True

    def close_cell(self) -> None:
        """End a cell."""
        if self._cell is not None:
            self._rows[-1].append(self._written(" ".join(self._cell)))
            self._cell = None

    def close_table(self) -> list[str]:
        """End a table and its open cell; return its lines."""
        self.close_cell()
        if not self._open or not self._open.pop():
            return []
        rows = [row for row in self._rows if any(row)]
        self._rows = []
        return self._lines(rows) if rows else []

    @abstractmethod
    def _written(self, text: str) -> str:
        """Return the text of a cell as it is written."""
        ...

    @abstractmethod
    def _lines(self, rows: list[list[str]]) -> list[str]:
        """Return the lines of a table."""
        ...


class TextRows(TableRows):
    """Tables as plain text: a line per row, with tabs between the cells."""

    def _written(self, text: str) -> str:
        return text.replace("\n", " ")

    def _lines(self, rows: list[list[str]]) -> list[str]:
        return ["\t".join(row).strip() for row in rows]


class MarkdownRows(TableRows):
    """Tables as Markdown (GitHub Flavored Markdown, section 4.10). The first row is the head."""

    def _written(self, text: str) -> str:
        text = text.replace("\\\n", " ").replace("|", "\\|")
        return f"\\{text}" if _DASHES.fullmatch(text) else text

    def _lines(self, rows: list[list[str]]) -> list[str]:
        width = max(map(len, rows))
        if width * len(rows) > _MOST_CELLS:  # few rows are that long: readers of Markdown add the missing cells
            rows[0] += [""] * (width - len(rows[0]))
            width = 0
        rows.insert(1, ["---"] * (width or len(rows[0])))
        return [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
