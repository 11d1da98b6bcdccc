"""The character encoding of an HTML page (WHATWG HTML, "Determining the character encoding").

In this order: byte-order mark, Content-Type header, <meta> in the first 1,024 bytes, XML declaration. A page without a
declaration is UTF-8 if its bytes are valid UTF-8, else a statistical guess from a sample, else windows-1252.
"""

import codecs
import re
from functools import lru_cache

from msgspec import Struct
from webencodings import lookup
from webencodings.labels import LABELS

_PRESCAN = 1_024  # bytes that are searched for a declaration
_SAMPLE_BEFORE, _SAMPLE_AFTER = 512, 4_096  # bytes around the first non-ASCII byte: guessing is slow
_TAIL = 3  # most bytes of an incomplete UTF-8 character at the end

_UNSUPPORTED = frozenset(("replacement", "x-user-defined"))  # encodings of the standard that hold no readable text
_ENCODING_OF = {label: name for label, name in LABELS.items() if name not in _UNSUPPORTED} | {
    "latin-1": "windows-1252"  # not a label of the standard, but common
}
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
_META = re.compile(rb"<!--.*?(?:-->|$)|<meta[\s/]([^>]*)", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(rb"([^\s=>\"'/]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_CHARSET = re.compile(r"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([^\"'>]*)")


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
    declared = header or _declared(content)
    if declared and declared != "utf-8":
        return _decoded(content, declared)
    if is_utf8(content):
        return Decoded(html=content, encoding="utf-8")
    if declared:
        text = content.decode("utf-8", "replace")
        if _mostly_right(text):
            return Decoded(html=text, encoding="utf-8")
        inside = _declared(content)  # the header is wrong: often it is only the server's default
        if inside not in ("", "utf-8"):
            return _decoded(content, inside)
    return _decoded(content, _guessed(content))


def charset_of(content_type: str) -> str:
    """Return the WHATWG name of the encoding in a Content-Type, or "" without a known one."""
    match = _CHARSET.search(content_type)
    return _encoding((match[1] or match[2] or match[3] or "") if match else "")


def _encoding(label: str) -> str:
    return _ENCODING_OF.get(label.strip("\t\n\f\r ").lower(), "")


def _declared(content: bytes) -> str:
    """Return the encoding in <meta>, or else in the XML declaration; "" without a known one."""
    head = content[:_PRESCAN]
    for meta in _META.finditer(head):
        encoding = _meta_encoding(meta[1] or b"")
        if encoding:
            return _readable_so_far(encoding)
    return _readable_so_far(_encoding(xml_encoding(head)))


def xml_encoding(content: bytes) -> str:
    """Return the encoding in the XML declaration at the start of `content` as it is written there, "" without one."""
    match = _XML.match(content)
    return match[1].decode("latin-1") if match else ""


def _meta_encoding(attributes: bytes) -> str:
    values: dict[str, str] = {}
    for name, *alternatives in _ATTRIBUTE.findall(attributes):
        values.setdefault(name.decode("latin-1").lower(), b"".join(alternatives).decode("latin-1"))
    if "charset" in values:
        label = values["charset"]
        return "windows-1252" if label.strip().lower() == "x-user-defined" else _encoding(label)
    if values.get("http-equiv", "").strip().lower() == "content-type":
        return charset_of(values.get("content", ""))
    return ""


def _readable_so_far(encoding: str) -> str:
    """Return UTF-8 for UTF-16: a declaration that was read as ASCII is not in UTF-16 (WHATWG HTML 13.2.3.2)."""
    return "utf-8" if encoding in ("utf-16be", "utf-16le") else encoding


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
    """Return whether most non-ASCII characters were decoded, not replaced by U+FFFD."""
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
        return Decoded(html=codecs.charmap_decode(content, "replace", _windows_table(encoding))[0], encoding=encoding)
    return Decoded(html=content.decode(_codec(encoding), "replace"), encoding=encoding)


@lru_cache
def _codec(encoding: str) -> str:
    """Return the name of Python's codec. The standard decodes GBK as gb18030."""
    found = lookup("gb18030" if encoding == "gbk" else encoding)
    return found.codec_info.name if found else encoding


@lru_cache
def _windows_table(encoding: str) -> str:
    """Return the 256 characters of a code page. Unassigned bytes in 0x80..0x9F are C1 controls (WHATWG indexes)."""
    rows = (bytes((byte,)).decode(_codec(encoding), "replace") for byte in range(256))
    return "".join(
        chr(byte) if char == "\ufffd" and 0x80 <= byte <= 0x9F else char  # noqa: PLR2004 - the C1 range
        for byte, char in enumerate(rows)
    )
