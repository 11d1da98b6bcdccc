"""XHTML documents, read by the rules of XML and written as the HTML that has the same elements.

Browsers parse `application/xhtml+xml` as XML (WHATWG HTML, section 14): `<script/>` and `<title/>` are empty elements,
CDATA sections are text, and prefixes name elements. The HTML parser knows none of these, so the page is rewritten for
it. Nothing is loaded or expanded: the document type is left out, and of the entities only those of HTML are known.

A document that is not well-formed has no XML tree. Browsers show an error, perhaps with the content before it. Here it
is read by the HTML parser, as most such pages are HTML with the wrong type.
"""

import re
from collections.abc import Mapping
from html.entities import html5
from typing import Any

MEDIA_TYPE = "application/xhtml+xml"

_XHTML = "http://www.w3.org/1999/xhtml"
_WITH_OWN_ELEMENTS = ("", _XHTML, "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML")
_ATTRIBUTES = {
    "{http://www.w3.org/XML/1998/namespace}lang": "lang",
    "{http://www.w3.org/1999/xlink}href": "xlink:href",
}
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_RAW = frozenset(("script", "style", "xmp", "iframe", "noembed", "noframes"))
_FIRST_LINE_IS_LOST = frozenset(("pre", "textarea", "listing"))
_OTHER_NAME = {"plaintext": "div", "image": "img"}  # the HTML parser reads these elements differently

_DECLARATION = re.compile(r"\A\ufeff?\s*<\?xml\s[^>]*\?>")
_DOCTYPE = re.compile(r"\A((?:\s|<!--.*?-->|<\?.*?\?>)*+)<!DOCTYPE\b[^\[>]*+(?:\[[^\]]*+\]\s*)?>", re.DOTALL)
_NOT_MARKUP = re.compile(r"(<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z))", re.DOTALL)
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{0,40});")
_OF_XML = frozenset(("amp", "lt", "gt", "quot", "apos"))
_EMPTY = re.compile(r"<(script|style|title|textarea|iframe)(\s[^<>]*)?/>", re.IGNORECASE)


def as_html(text: str) -> str:
    """Return HTML with the elements of an XHTML document. Never raises."""
    from lxml import etree  # noqa: PLC0415 - slow to load, and few pages need it

    document = _DOCTYPE.sub(r"\1", _DECLARATION.sub("", text), count=1)
    pieces = _NOT_MARKUP.split(document)
    pieces[::2] = (_ENTITY.sub(_reference, piece) for piece in pieces[::2])
    writer = _Writer()
    target: Any = writer  # the stubs of lxml want methods that are optional
    parser = etree.XMLParser(target=target, encoding="utf-8", no_network=True, load_dtd=False, huge_tree=False)
    if any("<!ENTITY" in piece for piece in pieces[::2]):  # of a document type that could not be left out
        return _EMPTY.sub(r"<\1\2></\1>", text)
    try:
        etree.fromstring("".join(pieces).encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return _EMPTY.sub(r"<\1\2></\1>", text)
    return "".join(writer.pieces)


def _reference(match: re.Match[str]) -> str:
    """Return an entity of HTML as characters that XML knows, and an unknown one as text."""
    name = match[1]
    if name in _OF_XML:
        return match[0]
    characters = html5.get(f"{name};")
    return "".join(f"&#{ord(char)};" for char in characters) if characters else f"&amp;{name};"


class _Writer:
    """The target of an XML parser: writes the elements as HTML."""

    def __init__(self) -> None:
        self.pieces = ["<!DOCTYPE html>"]
        self._open: list[str] = []  # the names of the open elements as they are written, "" for those that are not
        self._starts = False  # whether an element has just begun whose first line feed the HTML parser removes

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Write the start of an element."""
        namespace, name = _split(tag)
        if namespace not in _WITH_OWN_ELEMENTS:
            name = ""
        elif namespace in ("", _XHTML):
            name = _OTHER_NAME.get(name.lower(), name)
        self._open.append(name)
        if name:
            self.pieces.append(f"<{name}{_written(attributes)}>")
        self._starts = name in _FIRST_LINE_IS_LOST

    def end(self, tag: str) -> None:  # noqa: ARG002 - the parser's signature
        """Write the end of an element."""
        name = self._open.pop()
        if name and name not in _VOID:
            self.pieces.append(f"</{name}>")
        self._starts = False

    def data(self, text: str) -> None:
        """Write text."""
        inside = self._open[-1] if self._open else ""
        if "" in self._open and "head" in self._open:  # metadata of another language: text would end the head
            return
        if inside in _RAW:
            self.pieces.append(text.replace("</", "<\\/"))  # in scripts the same, and otherwise the end of the element
            return
        if self._starts and text.startswith("\n"):
            self.pieces.append("\n")
        self._starts = False
        self.pieces.append(_escaped(text))

    def close(self) -> None:
        """End the document."""


def _split(tag: str) -> tuple[str, str]:
    if not tag.startswith("{"):
        return "", tag
    namespace, _, name = tag[1:].partition("}")
    return namespace, name


def _written(attributes: Mapping[str, str]) -> str:
    written: dict[str, str] = {}
    for name, value in attributes.items():
        known = _ATTRIBUTES.get(name, "" if name.startswith("{") else name)
        if known and (known == name or known not in attributes):
            written[known] = value
    return "".join(f' {name}="{_escaped(value).replace(chr(34), "&quot;")}"' for name, value in written.items())


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
