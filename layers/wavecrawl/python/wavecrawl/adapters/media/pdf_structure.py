"""The structure of tagged PDF files: headings, lists, tables and links (ISO 32000-1, section 14.8).

The content of a page is marked with numbers, and a tree of elements says what each number is a part of. What is not in
the tree, such as page numbers, is no text of the document.
"""

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final

from pypdf.generic import DictionaryObject

LEAST_COVERED: Final = 0.9
"""Part of the characters of the pages that must be in the tree, so that it is believed."""

_ELEMENTS: Final = 500_000  # that are read
_DEEPEST: Final = 100  # elements inside each other
_ROLES: Final = 10  # names that stand for others
_BLOCKS: Final = {
    "Title": "h1", "H": "h2", **{f"H{level}": f"h{level}" for level in range(1, 7)}, "P": "p", "LI": "li", "TOCI": "li",
    "TOC": "ul", "BlockQuote": "blockquote", "Caption": "p", "Table": "table", "TR": "tr", "Sect": "div", "Div": "div",
    "Part": "div", "Art": "div", "Document": "div", "Note": "p", "FENote": "p", "Figure": "div",
}  # fmt: skip
_CELLS: Final = {"TH": "th", "TD": "td"}
_NUMBER = re.compile(r"\s*\(?(?:\d+|[A-Za-z])[.)]")
_WEB: Final = ("http://", "https://")
_MARKS: Final = (b"BDC", b"BMC")

Texts = dict[tuple[int, int], list[str]]
"""Texts of marked content, by the number of the page and that of the mark."""


class MarkedTexts:
    """Collects the texts of pages by their marks."""

    def __init__(self) -> None:
        self.found: Texts = {}
        self._page = 0
        self._marks: list[int | None] = []

    def begin_page(self, page: int) -> None:
        """Begin the page with this number, from 0."""
        self._page = page
        self._marks.clear()

    def operator(self, name: bytes, operands: Any, _matrix: object, _text_matrix: object) -> None:
        """Note the begin or end of marked content. For `visitor_operand_before` of pypdf."""
        if name in _MARKS:
            properties = operands[1] if len(operands) > 1 else None
            number = properties.get("/MCID") if isinstance(properties, DictionaryObject) else None
            self._marks.append(int(number) if isinstance(number, int) else None)
        elif name == b"EMC" and self._marks:
            self._marks.pop()

    def add(self, text: str) -> None:
        """Add a text that is shown on the page."""
        number = next((mark for mark in reversed(self._marks) if mark is not None), None)
        if number is not None:
            self.found.setdefault((self._page, number), []).append(text)


def structured_html(root: Any, page_numbers: Mapping[int, int], texts: Texts, *, characters: int) -> str:
    """Return a tagged file as HTML; "" if too little of its text is in the tree.

    `root`: the structure tree; `page_numbers`: of pages, by the numbers of their objects; `texts`: of the marked
    content; `characters`: of all pages, without white space.
    """
    tree = _Tree(root, page_numbers, texts)
    html = tree.html()
    return html if tree.characters >= LEAST_COVERED * characters else ""


class _Tree:
    def __init__(self, root: Any, page_numbers: Mapping[int, int], texts: Texts) -> None:
        self._root = root
        self._page_numbers = page_numbers
        self._texts = texts
        self._roles = _resolved(root.get("/RoleMap")) or {}
        self._left = _ELEMENTS
        self._labels: list[str] = []  # the first one of each open list
        self.characters = 0  # of the texts that were found in it

    def html(self) -> str:
        return "".join(self._inside(self._root, -1, 0))

    def _inside(self, element: Any, page: int, depth: int) -> Iterator[str]:
        """Yield the parts of an element. `page`: number of the page that it is on."""
        if depth > _DEEPEST:
            return
        parts = _resolved(element.get("/K"))
        for part in parts if isinstance(parts, list) else [parts]:
            self._left -= 1
            if self._left < 0:
                return
            kid = _resolved(part)
            if isinstance(kid, int):
                yield self._text(page, kid)
            elif isinstance(kid, DictionaryObject):
                if "/MCID" in kid:
                    yield self._text(self._page_of(kid, page), int(str(kid["/MCID"])))
                elif "/S" in kid:
                    yield self._element(kid, self._page_of(kid, page), depth)

    def _text(self, page: int, number: int) -> str:
        text = "".join(self._texts.pop((page, number), ()))  # it is shown once, whatever the tree says
        self.characters += len("".join(text.split()))
        return f"{escape(text)} " if text.strip() else ""

    def _page_of(self, element: Any, page: int) -> int:
        reference = element.raw_get("/Pg") if "/Pg" in element else None
        return self._page_numbers.get(getattr(reference, "idnum", -1), page)

    def _element(self, element: Any, page: int, depth: int) -> str:
        kind = self._kind(element)
        if kind == "L":
            self._labels.append("")
        html = "".join(self._inside(element, page, depth + 1))
        if kind in _CELLS:
            spans = "".join(_span(element, name) for name in ("ColSpan", "RowSpan"))
            return f"<{_CELLS[kind]}{spans}>{html}</{_CELLS[kind]}>"
        if kind == "L":
            name = "ol" if _NUMBER.match(self._labels.pop()) else "ul"
            return f"<{name}>{html}</{name}>"
        if kind == "Lbl" and self._labels:
            self._labels[-1] = self._labels[-1] or html
            return ""
        if kind == "Link":
            url = _url_of(element)
            return f'<a href="{escape(url)}">{html}</a>' if html.strip() and url.startswith(_WEB) else html
        name = _BLOCKS.get(kind, "")
        return f"<{name}>{html}</{name}>" if name else html

    def _kind(self, element: Any) -> str:
        kind = str(element.get("/S"))
        for _ in range(_ROLES):
            if kind[1:] in _KNOWN or kind not in self._roles:
                break
            kind = str(self._roles[kind])
        return kind[1:]


def _span(element: Any, name: str) -> str:
    attributes = _resolved(element.get("/A"))
    for one in attributes if isinstance(attributes, list) else [attributes]:
        found = _resolved(one)
        count = found.get(f"/{name}") if isinstance(found, DictionaryObject) else None
        if isinstance(count, int) and count > 1:
            return f' {name.lower()}="{count}"'
    return ""


def _url_of(element: Any) -> str:
    """Return the web address of a link element, from its annotation; "" if it leads elsewhere."""
    parts = _resolved(element.get("/K"))
    for part in parts if isinstance(parts, list) else [parts]:
        kid = _resolved(part)
        annotation = _resolved(kid.get("/Obj")) if isinstance(kid, DictionaryObject) else None
        action = _resolved(annotation.get("/A")) if isinstance(annotation, DictionaryObject) else None
        if isinstance(action, DictionaryObject) and "/URI" in action:
            return str(action["/URI"])
    return ""


def _resolved(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value


_KNOWN: Final = frozenset((*_BLOCKS, *_CELLS, "L", "Lbl", "LBody", "Link", "Span"))
