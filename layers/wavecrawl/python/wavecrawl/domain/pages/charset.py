"""The character encoding of an HTML page (WHATWG HTML, "determining the character encoding").

The first of these counts: byte-order mark, Content-Type header, <meta> in the first 1,024 bytes, XML declaration,
UTF-8 if the bytes are valid UTF-8, a statistical guess over a sample, windows-1252.
"""

import codecs
import re
from functools import lru_cache
from types import MappingProxyType

from msgspec import Struct

_PRESCAN = 1_024  # bytes that are searched for a declaration
_SAMPLE_BEFORE, _SAMPLE_AFTER = 512, 4_096  # bytes around the first non-ASCII byte; guessing is slow
_TAIL = 3  # bytes of a UTF-8 character that a size limit may have cut

_CODECS = MappingProxyType(
    {
        "utf-8": "utf-8",
        "ibm866": "cp866",
        "macintosh": "mac_roman",
        "x-mac-cyrillic": "mac_cyrillic",
        "windows-874": "cp874",
        "gbk": "gb18030",
        "gb18030": "gb18030",
        "big5": "big5hkscs",
        "euc-jp": "euc_jp",
        "iso-2022-jp": "iso2022_jp",
        "shift_jis": "cp932",
        "euc-kr": "cp949",
        "utf-16be": "utf-16-be",
        "utf-16le": "utf-16-le",
        "koi8-r": "koi8_r",
        "koi8-u": "koi8_u",
        "iso-8859-8-i": "iso8859_8",
    }
    | {f"iso-8859-{n}": f"iso8859_{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)}
    | {f"windows-{n}": f"cp{n}" for n in range(1250, 1259)}
)
"""Python's codec for each encoding of the WHATWG Encoding standard (GBK decodes as gb18030, as it says)."""

_LABELS_OF = MappingProxyType(
    {
        "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
        "ibm866": "866 cp866 csibm866 ibm866",
        "iso-8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
        "iso-8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
        "iso-8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
        "iso-8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
        "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
        "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
        "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 "
        "iso_8859-7 iso_8859-7:1987 sun_eu_greek",
        "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
        "iso_8859-8 iso_8859-8:1988 visual",
        "iso-8859-8-i": "csiso88598i iso-8859-8-i logical",
        "iso-8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
        "iso-8859-13": "iso-8859-13 iso8859-13 iso885913",
        "iso-8859-14": "iso-8859-14 iso8859-14 iso885914",
        "iso-8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
        "iso-8859-16": "iso-8859-16",
        "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
        "koi8-u": "koi8-ru koi8-u",
        "macintosh": "csmacintosh mac macintosh x-mac-roman",
        "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
        "windows-1250": "cp1250 windows-1250 x-cp1250",
        "windows-1251": "cp1251 windows-1251 x-cp1251",
        "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
        "iso_8859-1 iso_8859-1:1987 l1 latin1 latin-1 us-ascii windows-1252 x-cp1252",  # latin-1 is our addition
        "windows-1253": "cp1253 windows-1253 x-cp1253",
        "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 "
        "latin5 windows-1254 x-cp1254",
        "windows-1255": "cp1255 windows-1255 x-cp1255",
        "windows-1256": "cp1256 windows-1256 x-cp1256",
        "windows-1257": "cp1257 windows-1257 x-cp1257",
        "windows-1258": "cp1258 windows-1258 x-cp1258",
        "x-mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
        "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
        "gb18030": "gb18030",
        "big5": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
        "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
        "iso-2022-jp": "csiso2022jp iso-2022-jp",
        "shift_jis": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
        "euc-kr": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 "
        "windows-949",
        "utf-16be": "unicodefffe utf-16be",
        "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    }
)
_ENCODING_OF = MappingProxyType({label: name for name, labels in _LABELS_OF.items() for label in labels.split()})

_GUESSED = MappingProxyType(
    {
        codec: name
        for name, codec in _CODECS.items()
        if name.startswith("windows-125") or name in ("koi8-r", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr")
    }
)
"""Encodings that can be guessed for a page without a declaration."""

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_NOT_ASCII_BASED = frozenset(("utf-16be", "utf-16le", "iso-2022-jp"))
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_META = re.compile(rb"<!--.*?(?:-->|$)|<meta[\s/]([^>]*)", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(rb"([^\s=>\"'/]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_CHARSET = re.compile(r"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([^\"'>]*)")


class Decoded(Struct, frozen=True, kw_only=True, gc=False):
    """A decoded page."""

    html: bytes | str  # bytes are UTF-8 (or ASCII) and not copied
    encoding: str  # the WHATWG name, lower-cased


def decode_html(content: bytes, content_type: str) -> Decoded:
    """Decode the body of an HTML page with its Content-Type header ("" = none). Never raises."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decoded(content[len(mark) :], encoding)
    header = charset_of(content_type)
    declared = header or _declared(content)
    if declared and declared != "utf-8":
        return _decoded(content, declared)
    if _is_utf8(content):
        return Decoded(html=content, encoding="utf-8")
    if declared:
        text = content.decode("utf-8", "replace")
        if _mostly_right(text):
            return Decoded(html=text, encoding="utf-8")
        inside = _declared(content)  # the header is wrong, often a server's default
        if inside not in ("", "utf-8"):
            return _decoded(content, inside)
    return _decoded(content, _guessed(content))


def charset_of(content_type: str) -> str:
    """Return the WHATWG name of a Content-Type's encoding, or "" if it has no known one."""
    match = _CHARSET.search(content_type)
    return _encoding((match[1] or match[2] or match[3] or "") if match else "")


def _encoding(label: str) -> str:
    return _ENCODING_OF.get(label.strip("\t\n\f\r ").lower(), "")


def _declared(content: bytes) -> str:
    """Return the encoding that a <meta> or the XML declaration names, or "" if there is no known one."""
    head = content[:_PRESCAN]
    for meta in _META.finditer(head):
        encoding = _meta_encoding(meta[1] or b"")
        if encoding:
            return _readable_so_far(encoding)
    match = _XML.match(head)
    return _readable_so_far(_encoding(match[1].decode("latin-1"))) if match else ""


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
    """Return UTF-8 for UTF-16: a declaration readable as ASCII is not in UTF-16 (WHATWG HTML 13.2.3.2)."""
    return "utf-8" if encoding in ("utf-16be", "utf-16le") else encoding


def _is_utf8(content: bytes) -> bool:
    if content.isascii():
        return True
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        # A size limit may have cut the last character.
        return error.start >= len(content) - _TAIL and "unexpected end" in error.reason
    return True


def _mostly_right(text: str) -> bool:
    """Return whether most non-ASCII characters were decoded, not replaced by U+FFFD."""
    wrong = text.count("\ufffd")
    encoded = len(text.encode("utf-8", "surrogatepass"))  # a non-ASCII character adds one to three bytes
    return encoded - len(text) - 2 * wrong >= wrong


def _guessed(content: bytes) -> str:
    """Guess the encoding of content that is not UTF-8 from the bytes around the first non-ASCII one."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - slow to import, and few pages need it

    first = _NOT_ASCII.search(content)
    middle = first.start() if first else 0
    sample = content[max(0, middle - _SAMPLE_BEFORE) : middle + _SAMPLE_AFTER]
    best = from_bytes(sample, cp_isolation=list(_GUESSED), enable_fallback=False).best()
    guess = _GUESSED.get(best.encoding, "windows-1252") if best else "windows-1252"
    # Western text is the same in several code pages; prefer the one that browsers fall back to.
    return "windows-1252" if _decoded(sample, guess).html == _decoded(sample, "windows-1252").html else guess


def _decoded(content: bytes, encoding: str) -> Decoded:
    if encoding == "utf-8" and _is_utf8(content):
        return Decoded(html=content, encoding=encoding)
    if encoding not in _NOT_ASCII_BASED and content.isascii():
        return Decoded(html=content, encoding=encoding)
    if encoding.startswith("windows-"):
        return Decoded(html=codecs.charmap_decode(content, "replace", _windows_table(encoding))[0], encoding=encoding)
    return Decoded(html=content.decode(_CODECS[encoding], "replace"), encoding=encoding)


@lru_cache
def _windows_table(encoding: str) -> str:
    """Return the 256 characters of a code page; gaps in 0x80..0x9F are C1 controls, as in the WHATWG indexes."""
    rows = (bytes((byte,)).decode(_CODECS[encoding], "replace") for byte in range(256))
    return "".join(
        chr(byte) if char == "\ufffd" and 0x80 <= byte <= 0x9F else char  # noqa: PLR2004 - the C1 range
        for byte, char in enumerate(rows)
    )
