"""The character encoding of an HTML page (WHATWG HTML, "Determining the character encoding").

In this order: byte-order mark, Content-Type header, <meta>, XML declaration. A page without a declaration, or that is
not the UTF-8 it is declared to be, is UTF-8 if most of its non-ASCII characters are. Else it is decoded as a <meta>
anywhere in it says, else by a statistical guess from a sample, else as windows-1252.
"""

import codecs
import re

from msgspec import Struct

from wavecrawl.domain.pages.declared_charset import charset_of, declared_charset
from wavecrawl.domain.pages.encodings import codec_of, windows_table

_SAMPLE_BEFORE, _SAMPLE_AFTER = 512, 4_096  # bytes around the first non-ASCII byte: guessing is slow
_TAIL = 3  # most bytes of an incomplete UTF-8 character at the end

_GUESSED = {f"cp{n}": f"windows-{n}" for n in range(1250, 1259)} | {
    "koi8_r": "koi8-r",
    "cp932": "shift_jis",
    "euc_jp": "euc-jp",
    "gb18030": "gb18030",
    "big5hkscs": "big5",
    "cp949": "euc-kr",
}
"""Encodings that a page without a declaration may be guessed to have, by Python's codec."""

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_NOT_ASCII_BASED = frozenset(("utf-16be", "utf-16le", "iso-2022-jp"))
_NOT_ASCII = re.compile(rb"[\x80-\xff]")


class Decoded(Struct, frozen=True, kw_only=True, gc=False):
    """A page ready for the parser."""

    html: bytes | str  # bytes are UTF-8 or ASCII, passed on without a copy
    encoding: str  # the WHATWG name, lower-cased


def decode_html(content: bytes, content_type: str) -> Decoded:
    """Decode the body of an HTML page, given its Content-Type header ("" if it has none). Never raises."""
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
    return _decoded(content, _guessed(content))


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


def _guessed(content: bytes) -> str:
    """Guess the encoding from the bytes around the first non-ASCII byte. The content must not be UTF-8."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - slow to import, and few pages need it

    first = _NOT_ASCII.search(content)
    middle = first.start() if first else 0
    sample = content[max(0, middle - _SAMPLE_BEFORE) : middle + _SAMPLE_AFTER]
    best = from_bytes(sample, cp_isolation=list(_GUESSED), enable_fallback=False).best()
    guess = _GUESSED.get(best.encoding, "windows-1252") if best else "windows-1252"
    # Western text is the same in several code pages. Then return the one that browsers use by default.
    return "windows-1252" if _decoded(sample, guess).html == _decoded(sample, "windows-1252").html else guess


def _decoded(content: bytes, encoding: str) -> Decoded:
    if encoding == "utf-8" and is_utf8(content):
        return Decoded(html=content, encoding=encoding)
    if encoding not in _NOT_ASCII_BASED and content.isascii():
        return Decoded(html=content, encoding=encoding)
    if encoding.startswith("windows-"):
        return Decoded(html=codecs.charmap_decode(content, "replace", windows_table(encoding))[0], encoding=encoding)
    return Decoded(html=content.decode(codec_of(encoding), "replace"), encoding=encoding)
