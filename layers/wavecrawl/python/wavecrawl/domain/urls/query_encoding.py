"""The encoding of queries: a reference's query is in the encoding of its document, as in browsers (WHATWG URL 4.4)."""

import re
from functools import lru_cache

from wavecrawl.domain.pages.encodings import codec_of, windows_table

_AS_UTF_8 = frozenset(("", "utf-8", "utf-16le", "utf-16be", "replacement"))  # WHATWG Encoding, "output encoding"
_STATEFUL = "iso-2022-jp"
_SHIFTS = re.compile("[\x0e\x0f\x1b]")  # characters that would change the state (WHATWG Encoding, 12.2.2)
_IGNORED = re.compile("[\t\n\r]")  # in URLs (WHATWG URL, 4.4)
_AROUND = "".join(map(chr, range(0x21)))  # is left out at the end of a URL (WHATWG URL, 4.4)
_SPECIAL = {  # WHATWG Encoding 10.2.2, 12.1.2 and 12.3.2
    ("gbk", "\u20ac"): b"\x80",
    ("shift_jis", "\u00a5"): b"\\",
    ("shift_jis", "\u203e"): b"~",
    ("shift_jis", "\u2212"): b"\x81\x7c",
    ("euc-jp", "\u2212"): b"\xa1\xdd",
    ("euc-jp", "\u00a5"): b"\\",
    ("euc-jp", "\u203e"): b"~",
}
_EXTENSIONS = {"euc-jp": (0x8F,), "big5": range(0xA1), "shift_jis": range(0xF0, 0xFA)}  # first bytes
_QUERY = re.compile(r"([^?#]*\?)([^#]*)")
_QUERIES = re.compile(r"\?([^#\s,]*)")  # in a list of references


def in_encoding(reference: str, encoding: str) -> str:
    """Return a reference with its query percent-encoded in an encoding, by its lower-cased WHATWG name.

    Characters that the encoding lacks become numeric character references, percent-encoded too.
    """
    if reference.isascii() or encoding in _AS_UTF_8:
        return reference
    found = _QUERY.match(reference.rstrip(_AROUND))
    return f"{found[1]}{_encoded(found[2], encoding)}{reference[found.end() :]}" if found else reference


def all_in_encoding(references: str, encoding: str) -> str:
    """Return references that white space or commas separate as `in_encoding` does."""
    if references.isascii() or encoding in _AS_UTF_8:
        return references
    return _QUERIES.sub(lambda query: "?" + _encoded(query[1], encoding), references)


def _encoded(query: str, encoding: str) -> str:
    if encoding != _STATEFUL:
        return "".join(char if char.isascii() else _escaped(char, encoding) for char in query)
    plain = _SHIFTS.sub(_missing("\ufffd"), _IGNORED.sub("", query))
    written = "".join(char if char.isascii() or _bytes_of(char, encoding) else _missing(char) for char in plain)
    return _percent_encoded(written.encode(codec_of(encoding)))


@lru_cache(maxsize=4_096)
def _escaped(char: str, encoding: str) -> str:
    content = _bytes_of(char, encoding)
    return _missing(char) if content is None else _percent_encoded(content)


def _missing(char: str) -> str:
    return f"%26%23{ord(char)}%3B"


def _percent_encoded(content: bytes) -> str:
    """Percent-encode the bytes of the special-query percent-encode set (WHATWG URL 1.3)."""
    return "".join(chr(byte) if 0x20 < byte < 0x7F and byte not in b"\"#<>'" else f"%{byte:02X}" for byte in content)  # noqa: PLR2004 - ASCII


def _bytes_of(char: str, encoding: str) -> bytes | None:
    """Return a character in an encoding, None if the encoding of the standard lacks it."""
    special = _SPECIAL.get((encoding, char))
    if special is not None:
        return special
    if encoding.startswith("windows-"):
        byte = windows_table(encoding).find(char)
        return bytes((byte,)) if byte >= 0 and char != "\ufffd" else None
    codec = codec_of(encoding)
    try:
        content = char.encode(codec)
    except UnicodeEncodeError:
        return None
    if encoding == "shift_jis" and content[0] in (0xED, 0xEE):
        return _ibm_extensions().get(char, content)
    return None if content.decode(codec) != char or _is_extension(content, encoding) else content


@lru_cache
def _ibm_extensions() -> dict[str, bytes]:
    """Return the characters of Shift_JIS that have two codes, with the one that the standard encodes (12.3.2)."""
    codes = (bytes((lead, trail)) for lead in (0xFA, 0xFB, 0xFC) for trail in range(0x40, 0xFD))
    return {code.decode("cp932", "ignore"): code for code in codes}


def _is_extension(content: bytes, encoding: str) -> bool:
    """Return whether a character is one that the standard only decodes.

    These are the characters of GB 18030 in four bytes, of JIS X 0212 in EUC-JP, of HKSCS before those of Big5, and the
    private ones of Shift_JIS.
    """
    if encoding == "gbk":
        return len(content) > 2  # noqa: PLR2004 - bytes
    return content[0] in _EXTENSIONS.get(encoding, ())
