"""PPTX files: the text of slides, with titles, lists, tables and notes (ECMA-376 part 1, sections 13, 19 and 21)."""

from collections.abc import Iterator
from html import escape

from lxml import etree

from wavecrawl.adapters.media.document_html import Cell, ListItem, link, markdown_of, nested_list, table
from wavecrawl.adapters.media.reading import Reading
from wavecrawl.adapters.media.zip_parts import ZipParts, read_properties, zip_parts

_TYPES = "[Content_Types].xml"
_MAIN = (b"presentationml.presentation.main+xml", b"presentationml.slideshow.main+xml")
_PRESENTATION = "ppt/presentation.xml"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_TITLES = ("title", "ctrTitle")
_LISTS = ("", "body", "obj")  # types of placeholders whose paragraphs are list items; "" is the default
_NOT_TEXT = ("dt", "ftr", "hdr", "sldNum", "sldImg")
_MOST_DIGITS = 4  # of a level or span
_NO_RELATIONS: dict[str, tuple[str, str]] = {}


def read_pptx(path: str, reading: Reading) -> None:
    """Read a PPTX file. Raise UnusableAssetError for other ZIP files. A slide that cannot be read is left out."""
    with zip_parts(path, needed=_TYPES, contains=_MAIN, what="presentation") as parts:
        read_properties(parts.xml_or_none("docProps/core.xml"), reading)
        targets = parts.relations(_PRESENTATION)
        listed = parts.xml(_PRESENTATION).iterfind(f"{_P}sldIdLst/{_P}sldId")
        slides = [targets[slide.get(_ID, "")][1] for slide in listed if slide.get(_ID) in targets]
        reading.pages = len(slides)
        for number, name in enumerate(slides, 1):
            slide = parts.xml_or_none(name)
            if slide is None:
                reading.missed(f"slide {number} cannot be read")
            else:
                reading.add_markdown(markdown_of("".join(_slide(parts, name, slide))))
        if reading.is_empty:
            reading.missed("there is no text; the slides may be images")


def _slide(parts: ZipParts, name: str, slide: etree._Element) -> Iterator[str]:
    relations = parts.relations(name)
    shapes = [shape for shape in slide.iter(f"{_P}sp", f"{_A}tbl") if _placeholder(shape) not in _NOT_TEXT]
    shapes.sort(key=lambda shape: _placeholder(shape) not in _TITLES)  # the title first, wherever it is drawn
    for shape in shapes:
        yield _table(shape, relations) if shape.tag == f"{_A}tbl" else _shape(shape, relations)
    for kind, target in relations.values():
        notes = parts.xml_or_none(target) if kind == "notesSlide" else None
        for shape in () if notes is None else notes.iter(f"{_P}sp"):
            if _placeholder(shape) == "body":
                yield f"<blockquote>{_paragraphs(shape, _NO_RELATIONS)}</blockquote>"


def _placeholder(shape: etree._Element) -> str | None:
    """Return the type of a shape's placeholder; None if it has none."""
    found = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
    return None if found is None else found.get("type", "")


def _shape(shape: etree._Element, relations: dict[str, tuple[str, str]]) -> str:
    kind = _placeholder(shape)
    if kind in _TITLES:
        lines = [_text(one, relations) for one in shape.iter(f"{_A}p")]
        return f"<h2>{'<br>'.join(filter(None, lines))}</h2>"
    return _list(shape, relations) if kind in _LISTS else _paragraphs(shape, relations)


def _paragraphs(shape: etree._Element, relations: dict[str, tuple[str, str]]) -> str:
    return "".join(f"<p>{_text(one, relations)}</p>" for one in shape.iter(f"{_A}p"))


def _list(shape: etree._Element, relations: dict[str, tuple[str, str]]) -> str:
    """Return the paragraphs of a placeholder as a list. One alone, or one whose bullet is off, is a paragraph."""
    paragraphs = [(one, text) for one in shape.iter(f"{_A}p") if (text := _text(one, relations))]
    out: list[str] = []
    items: list[ListItem] = []
    for paragraph, text in paragraphs:
        properties = paragraph.find(f"{_A}pPr")
        has_bullet = len(paragraphs) > 1
        level, is_numbered = 0, False
        if properties is not None:
            has_bullet = has_bullet and properties.find(f"{_A}buNone") is None
            is_numbered = properties.find(f"{_A}buAutoNum") is not None
            level = _number(properties.get("lvl", ""), default=0)
        if has_bullet:
            items.append(ListItem(text, level, is_numbered))
        else:
            out += [nested_list(items), f"<p>{text}</p>"]
            items.clear()
    return "".join([*out, nested_list(items)])


def _table(found: etree._Element, relations: dict[str, tuple[str, str]]) -> str:
    properties = found.find(f"{_A}tblPr")
    has_head = properties is not None and properties.get("firstRow") in ("1", "true")
    rows = [
        [
            Cell(
                _paragraphs(cell, relations),
                _number(cell.get("gridSpan", ""), default=1),
                _number(cell.get("rowSpan", ""), default=1),
            )
            for cell in row.iterfind(f"{_A}tc")
            if "1" not in (cell.get("hMerge"), cell.get("vMerge"))
        ]
        for row in found.iterfind(f"{_A}tr")
    ]
    return table(rows, heads=int(has_head))


def _number(written: str, *, default: int) -> int:
    """Return the number in an attribute, or the default if there is none of at most four digits."""
    return int(written) if written.isdecimal() and len(written) <= _MOST_DIGITS else default


def _text(paragraph: etree._Element, relations: dict[str, tuple[str, str]]) -> str:
    """Return the runs of a paragraph as HTML."""
    pieces = []
    for run in paragraph.iterchildren(f"{_A}r", f"{_A}fld", f"{_A}br"):
        if run.tag == f"{_A}br":
            pieces.append("<br>")
            continue
        text = escape(run.findtext(f"{_A}t") or "")
        clicked = run.find(f"{_A}rPr/{_A}hlinkClick")
        _, url = relations.get("" if clicked is None else clicked.get(_ID, ""), ("", ""))
        pieces.append(link(text, url))
    return "".join(pieces)
