"""OpenDocument files: texts, spreadsheets and presentations (ISO 26300-1, OpenDocument 1.2)."""

from collections.abc import Callable, Iterator
from html import escape
from itertools import chain, repeat
from typing import Final, TypeAlias

from lxml import etree

from wavecrawl.adapters.media.document_html import Cell, link, markdown_of, table
from wavecrawl.adapters.media.reading import Reading
from wavecrawl.adapters.media.sheets import add_sheet
from wavecrawl.adapters.media.zip_parts import read_properties, zip_parts

MOST_REPEATED: Final = 1_000
"""Copies of a cell or row that are written: a file of a few bytes can claim a million."""

_NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:"
_OFFICE, _TEXT, _TABLE, _DRAW = (f"{{{_NAMESPACE}{name}:1.0}}" for name in ("office", "text", "table", "drawing"))
_PRESENTATION, _STYLE = (f"{{{_NAMESPACE}{name}:1.0}}" for name in ("presentation", "style"))
_HREF = "{http://www.w3.org/1999/xlink}href"
_NAME = f"{_STYLE}name"
_KINDS = (b"opendocument.text", b"opendocument.spreadsheet", b"opendocument.presentation")
_LEFT_OUT = frozenset(
    (
        *(f"{_OFFICE}{name}" for name in ("annotation", "annotation-end", "forms", "event-listeners", "binary-data")),
        *(f"{_TEXT}{name}" for name in ("tracked-changes", "table-of-content", "note-citation", "sequence-decls")),
        *("{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}" + name for name in ("title", "desc")),
        f"{_TABLE}covered-table-cell",
    )
)
_NOT_TEXT = ("date-time", "footer", "header", "page-number")  # classes of frames on slides
_Element: TypeAlias = etree._Element  # noqa: SLF001 - the stubs have no other name


def read_open_document(path: str, reading: Reading) -> None:
    """Read a text, spreadsheet or presentation. Raise UnusableAssetError for other ZIP files."""
    with zip_parts(path, needed="mimetype", contains=_KINDS, what="OpenDocument file") as parts:
        if _is_encrypted(parts.xml_or_none("META-INF/manifest.xml")):
            reading.missed("encrypted with a password")
            return
        read_properties(parts.xml_or_none("meta.xml"), reading)
        root = parts.xml("content.xml")
        body = root.find(f"{_OFFICE}body")
        content = None if body is None else next(body.iterchildren(), None)
        if content is None:
            reading.missed("there is no content")
            return
        writer = _Writer(root)
        if content.tag == f"{_OFFICE}spreadsheet":
            sheets = content.findall(f"{_TABLE}table")
            reading.pages = len(sheets)
            for sheet in sheets:
                add_sheet(reading, sheet.get(f"{_TABLE}name", ""), _rows(sheet))
        elif content.tag == f"{_OFFICE}presentation":
            slides = content.findall(f"{_DRAW}page")
            reading.pages = len(slides)
            for slide in slides:
                reading.add_markdown(markdown_of(writer.inside(slide)))
        else:
            reading.add_markdown(markdown_of(writer.inside(content)))
        if reading.is_empty:
            reading.missed("there is no text")


def _is_encrypted(manifest: _Element | None) -> bool:
    name = f"{{{_NAMESPACE}manifest:1.0}}encryption-data"
    return manifest is not None and next(manifest.iter(name), None) is not None


def _rows(sheet: _Element) -> Iterator[list[object]]:
    """Yield the rows of a sheet as the texts of their cells."""
    for row in sheet.iter(f"{_TABLE}table-row"):
        values: list[object] = []
        for cell in row.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            lines = ["".join(_plain(one)) for one in cell.iterchildren(f"{_TEXT}p")]
            values += repeat(" ".join(lines), _count(cell, f"{_TABLE}number-columns-repeated"))
        yield from repeat(values, _count(row, f"{_TABLE}number-rows-repeated") if any(values) else 1)


def _count(element: _Element, name: str) -> int:
    count = element.get(name, "1")
    return min(int(count), MOST_REPEATED) if count.isdecimal() else 1


def _plain(element: _Element) -> Iterator[str]:
    yield element.text or ""
    for inner in element:
        if inner.tag in (f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"):
            yield " "
        elif isinstance(inner.tag, str) and inner.tag not in _LEFT_OUT:
            yield from _plain(inner)
        yield inner.tail or ""


class _Writer:
    """Writes elements as HTML."""

    def __init__(self, root: _Element) -> None:
        numbered = f"{_TEXT}list-level-style-number"
        self._numbered = {
            (style.get(_NAME, ""), level.get(f"{_TEXT}level", ""))
            for style in root.iter(f"{_TEXT}list-style")
            for level in style.iterchildren(numbered)
        }
        self._parents = {
            style.get(_NAME, ""): style.get(f"{_STYLE}parent-style-name", "") for style in root.iter(f"{_STYLE}style")
        }
        self._lists: list[str] = []  # names of the styles of open lists

    def inside(self, element: _Element) -> str:
        """Return the content of an element."""
        pieces = [escape(element.text or "") if element.tag in _WITH_TEXT else ""]
        for inner in element:
            if isinstance(inner.tag, str) and inner.tag not in _LEFT_OUT:
                write = _WRITERS.get(inner.tag)
                pieces.append(write(self, inner) if write else self.inside(inner))
            if element.tag in _WITH_TEXT:
                pieces.append(escape(inner.tail or ""))
        return "".join(pieces)

    def heading(self, element: _Element) -> str:
        level = element.get(f"{_TEXT}outline-level", "1")
        name = f"h{level}" if level in "123456" and len(level) == 1 else "h6"
        return f"<{name}>{self.inside(element)}</{name}>"

    def paragraph(self, element: _Element) -> str:
        style = element.get(f"{_TEXT}style-name", "")
        name = _NAMED.get(self._parents.get(style) or style, "p")
        return f"<{name}>{self.inside(element)}</{name}>"

    def list(self, element: _Element) -> str:
        style = element.get(f"{_TEXT}style-name") or (self._lists[-1] if self._lists else "")
        self._lists.append(style)
        name = "ol" if (style, str(len(self._lists))) in self._numbered else "ul"
        inside = self.inside(element)
        self._lists.pop()
        return f"<{name}>{inside}</{name}>"

    def item(self, element: _Element) -> str:
        return f"<li>{self.inside(element)}</li>"

    def link(self, element: _Element) -> str:
        return link(self.inside(element), element.get(_HREF, ""))

    def spaces(self, element: _Element) -> str:
        return " " * _count(element, f"{_TEXT}c")

    def note(self, element: _Element) -> str:
        """Return a footnote, in parentheses where it is referred to."""
        return f" ({' '.join(''.join(_plain(element)).split())})"

    def frame(self, element: _Element) -> str:
        kind = element.get(f"{_PRESENTATION}class", "")
        if kind in _NOT_TEXT:
            return ""
        inside = self.inside(element)
        if kind == "title":
            lines = ["".join(_plain(one)).strip() for one in element.iter(f"{_TEXT}p")]
            return f"<h2>{'<br>'.join(map(escape, filter(None, lines)))}</h2>"
        return f"<div>{inside}</div>"

    def notes(self, element: _Element) -> str:
        return f"<blockquote>{self.inside(element)}</blockquote>"

    def table(self, element: _Element) -> str:
        heads = [row for rows in element.iterchildren(f"{_TABLE}table-header-rows") for row in rows]
        inner = (f"{_TABLE}table-row", f"{_TABLE}table-rows", f"{_TABLE}table-row-group")
        others = chain.from_iterable([rows] if rows.tag == inner[0] else rows for rows in element.iterchildren(*inner))
        return table([[*self._cells(row)] for row in (*heads, *others)], heads=len(heads))

    def _cells(self, row: _Element) -> Iterator[Cell]:
        for cell in row.iterchildren(f"{_TABLE}table-cell"):
            columns, rows = (_count(cell, f"{_TABLE}number-{side}-spanned") for side in ("columns", "rows"))
            written = Cell(self.inside(cell), columns, rows)
            yield from repeat(written, _count(cell, f"{_TABLE}number-columns-repeated"))


_NAMED = {"Title": "h1", "Preformatted_20_Text": "pre"}  # styles of paragraphs
_WITH_TEXT = frozenset(f"{_TEXT}{name}" for name in ("p", "h", "span", "a", "ruby-base", "meta", "bookmark-ref"))
_WRITERS: dict[str, Callable[[_Writer, _Element], str]] = {
    f"{_TEXT}h": _Writer.heading,
    f"{_TEXT}p": _Writer.paragraph,
    f"{_TEXT}list": _Writer.list,
    f"{_TEXT}list-item": _Writer.item,
    f"{_TEXT}list-header": _Writer.item,
    f"{_TEXT}a": _Writer.link,
    f"{_TEXT}s": _Writer.spaces,
    f"{_TEXT}tab": lambda _, __: " ",
    f"{_TEXT}line-break": lambda _, __: "<br>",
    f"{_TEXT}note": _Writer.note,
    f"{_TABLE}table": _Writer.table,
    f"{_DRAW}frame": _Writer.frame,
    f"{_PRESENTATION}notes": _Writer.notes,
}
