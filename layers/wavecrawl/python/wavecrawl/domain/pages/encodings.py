"""The encodings of the WHATWG Encoding standard, by Python's codecs."""

import codecs
from functools import lru_cache

from webencodings import lookup
from webencodings.labels import LABELS

_UNSUPPORTED = frozenset(("replacement", "x-user-defined"))  # encodings of the standard that hold no readable text
_ENCODING_OF = {label: name for label, name in LABELS.items() if name not in _UNSUPPORTED} | {
    "latin-1": "windows-1252"  # not a label of the standard, but common
}


def encoding_of(label: str) -> str:
    """Return the lower-cased WHATWG name of the encoding with this label, "" if there is none."""
    return _ENCODING_OF.get(label.strip("\t\n\f\r ").lower(), "")


@lru_cache
def codec_of(encoding: str) -> str:
    """Return the name of Python's codec for decoding. The standard decodes GBK as gb18030."""
    found = lookup("gb18030" if encoding == "gbk" else encoding)
    return found.codec_info.name if found else encoding


@lru_cache
def windows_table(encoding: str) -> str:
    """Return the 256 characters of a code page. Unassigned bytes in 0x80..0x9F are C1 controls (WHATWG indexes)."""
    rows = (bytes((byte,)).decode(codec_of(encoding), "replace") for byte in range(256))
    return "".join(
        chr(byte) if char == "\ufffd" and 0x80 <= byte <= 0x9F else char  # noqa: PLR2004 - the C1 range
        for byte, char in enumerate(rows)
    )


def decode_bytes(content: bytes, encoding: str) -> str:
    """Return bytes as text by the tables of the standard, with U+FFFD for bytes that are wrong."""
    if encoding.startswith("windows-"):
        return codecs.charmap_decode(content, "replace", windows_table(encoding))[0]
    return content.decode(codec_of(encoding), "replace")
