"""The encoding of a sitemap: what its bytes are, where the declaration is wrong or missing."""

from webencodings import lookup

from wavecrawl.domain.pages.charset import decode_html, is_utf8
from wavecrawl.domain.pages.declared_charset import xml_encoding

_UTF_16_STARTS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
"""The start of a file in UTF-16, with or without a byte-order mark (XML 1.0, appendix F.1), and Python's codec."""

_UTF_16 = ("utf-16le", "utf-16be")


def as_utf8(data: bytes) -> tuple[bytes, str]:
    """Return a file of any encoding as UTF-8, with a description of what was wrong with its encoding, or "".

    Sitemaps must be UTF-8 (sitemaps.org, "Entity escaping"). Bytes that are valid UTF-8 are taken for it whatever is
    declared, because text in another encoding hardly ever is. Other bytes are decoded like a page.
    """
    for start, encoding in _UTF_16_STARTS.items():
        if data.startswith(start):
            return data.decode(encoding, "replace").encode(), ""
    declared = xml_encoding(data)
    known = lookup(declared)
    name = known.name if known else ""
    if is_utf8(data):
        is_right = name == "utf-8" or not declared or (data.isascii() and known and name not in _UTF_16)
        return data, "" if is_right else _problem(declared, "utf-8")
    decoded = decode_html(data, "charset=utf-8")
    text = decoded.html if isinstance(decoded.html, bytes) else decoded.html.encode("utf-8", "replace")
    if decoded.encoding == "utf-8":
        return text, "bytes that are not UTF-8; read as U+FFFD"
    return text, "" if name == decoded.encoding else _problem(declared, decoded.encoding)


def _problem(declared: str, actual: str) -> str:
    return f"declared as {declared[:40]}; read as {actual}" if declared else f"not UTF-8; read as {actual}"
