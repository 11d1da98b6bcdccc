"""The character encoding of an HTML page (WHATWG HTML, "Determining the character encoding").

In this order: byte-order mark, Content-Type header, <meta>, XML declaration. A page without a declaration, or that is
not the UTF-8 it is declared to be, is UTF-8 if most of its non-ASCII characters are. Else it is decoded as a <meta>
anywhere in it says, else as `undeclared_charset` decides.
"""

from msgspec import Struct

from wavecrawl.domain.pages.declared_charset import charset_of, declared_charset, xml_encoding
from wavecrawl.domain.pages.encodings import decode_bytes, encoding_of

_XHTML = "application/xhtml+xml"
_TAIL = 3  # most bytes of an incomplete UTF-8 character at the end

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_ALL_MARKS = tuple(mark for mark, _ in _MARKS)
_NOT_ASCII_BASED = frozenset(("utf-16be", "utf-16le", "iso-2022-jp"))


class Decoded(Struct, frozen=True, kw_only=True, gc=False):
    """A page ready for the parser."""

    html: bytes | str  # bytes are UTF-8 or ASCII, passed on without a copy
    encoding: str  # the WHATWG name, lower-cased


def decode_html(content: bytes, content_type: str, *, host: str = "") -> Decoded:
    """Decode the body of an HTML page, given its Content-Type header ("" if it has none). Never raises.

    `host`: of its URL; the top-level domain decides between encodings if nothing is declared. An XHTML document is
    returned as HTML (`xhtml`).
    """
    if content_type.partition(";")[0].strip().lower() != _XHTML:
        return _decoded_html(content, content_type, host)
    from wavecrawl.domain.pages import xhtml  # noqa: PLC0415 - few sites send XHTML

    declared = charset_of(content_type) or encoding_of(xml_encoding(content))  # <meta> declares nothing in XML
    if not declared and not content.startswith(_ALL_MARKS) and is_utf8(content):
        declared = "utf-8"
    decoded = _decoded_html(content, f"charset={declared}", host)
    text = decoded.html if isinstance(decoded.html, str) else decoded.html.decode("utf-8", "replace")
    return Decoded(html=xhtml.as_html(text), encoding=decoded.encoding)


def _decoded_html(content: bytes, content_type: str, host: str) -> Decoded:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decoded(content[len(mark) :], encoding)
    header = charset_of(content_type)
    declared = header or declared_charset(content)
    if declared and declared != "utf-8":
        return _decoded(content, declared)
    if is_utf8(content):
        return Decoded(html=content, encoding="utf-8")
    text = content.decode("utf-8", "replace")
    if _mostly_right(text):
        return Decoded(html=text, encoding="utf-8")
    inside = declared_charset(content, everywhere=True)  # a wrong header is often only the server's default
    if inside not in ("", "utf-8"):
        return _decoded(content, inside)
    from wavecrawl.domain.pages.undeclared_charset import undeclared_charset  # noqa: PLC0415 - few pages need its tables

    return _decoded(content, undeclared_charset(content, host=host))


def is_utf8(content: bytes) -> bool:
    """Return whether content is UTF-8, except for an incomplete last character."""
    if content.isascii():
        return True
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        # A size limit may have cut the last character. The rest is still UTF-8.
        return error.start >= len(content) - _TAIL and "unexpected end" in error.reason
    return True


def _mostly_right(text: str) -> bool:
    """Return whether most non-ASCII characters were decoded, not replaced by U+FFFD.

    Text in another encoding has hardly any valid characters of two or more bytes.
    """
    wrong = text.count("\ufffd")
    encoded = len(text.encode("utf-8", "surrogatepass"))  # one to three bytes more per non-ASCII character
    return encoded - len(text) - 2 * wrong >= wrong


def _decoded(content: bytes, encoding: str) -> Decoded:
    if encoding == "utf-8" and is_utf8(content):
        return Decoded(html=content, encoding=encoding)
    if encoding not in _NOT_ASCII_BASED and content.isascii():
        return Decoded(html=content, encoding=encoding)
    return Decoded(html=decode_bytes(content, encoding), encoding=encoding)
