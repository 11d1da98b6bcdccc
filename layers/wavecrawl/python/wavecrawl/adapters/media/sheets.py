"""XLSX files, by openpyxl: each sheet is a table, read row by row."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from typing import Final

from openpyxl import load_workbook

from wavecrawl.adapters.media.document_html import MOST_HTML, Cell, markdown_of, row_of
from wavecrawl.adapters.media.reading import Reading
from wavecrawl.adapters.media.zip_parts import zip_parts

MOST_EMPTY: Final = 10_000
"""Empty rows in a row after which the rest of a sheet is not read: a file of a few bytes can claim a million."""

_TYPES = "[Content_Types].xml"
_MAIN = (b"spreadsheetml.sheet.main+xml", b"application/vnd.ms-excel.sheet.macroEnabled.main+xml")


def read_xlsx(path: str, reading: Reading) -> None:
    """Read an XLSX file. Raise UnusableAssetError for other ZIP files. Hidden sheets are left out."""
    with (
        zip_parts(path, needed=_TYPES, contains=_MAIN, what="workbook"),
        open(path, "rb") as file,  # noqa: PTH123 - openpyxl would look at the extension of a path
    ):
        book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        reading.title, reading.author = book.properties.title or "", book.properties.creator or ""
        sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        reading.pages = len(sheets)
        for sheet in sheets:
            try:
                add_sheet(reading, sheet.title, sheet.iter_rows(values_only=True))
            except (KeyError, ValueError, TypeError, SyntaxError) as error:
                reading.missed(f"sheet {sheet.title!r} cannot be read: {error!r}")
        if reading.is_empty:
            reading.missed("there is no text; the sheets are empty")


def add_sheet(reading: Reading, title: str, rows: Iterator[Sequence[object]]) -> None:
    """Add a sheet as a heading and a table whose first row is its head. A long one is several tables."""
    html = f"<h2>{escape(title)}</h2>"
    written: list[str] = []
    size = empty = 0
    is_head = True
    for row in rows:
        cells = [Cell(escape(shown(value))) for value in row]
        while cells and not cells[-1].html:
            cells.pop()
        empty = 0 if cells else empty + 1
        if empty > MOST_EMPTY:
            reading.missed(f"sheet {title!r}: rows after {MOST_EMPTY:,} empty ones are not read")
            break
        if not cells:
            continue
        written.append(row_of(cells, is_head=is_head))
        size += len(written[-1])
        is_head = False
        if size > MOST_HTML:
            reading.add_markdown(markdown_of(f"{html}<table>{''.join(written)}</table>"))
            html, size = "", 0
            written.clear()
    if written:
        reading.add_markdown(markdown_of(f"{html}<table>{''.join(written)}</table>"))


def shown(value: object) -> str:
    """Return the value of a cell as text: whole numbers without a fraction, dates as in ISO 8601."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds").removesuffix(" 00:00:00")
    return str(value).strip()
