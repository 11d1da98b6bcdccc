"""The encoding that a page declares: in its Content-Type header, in <meta>, or in its XML declaration."""

import re
from collections.abc import Iterator

from wavecrawl.domain.pages.encodings import encoding_of

_PRESCAN = 1_024  # bytes that are searched for <meta> even after the end of the head
_IN_HEAD = frozenset(b"html head script noscript style link meta object title base".split())
_TEXT_ONLY = frozenset(b"script style title textarea xmp iframe noembed noframes plaintext".split())

_MARKUP = re.compile(rb"<(?:(!--)|(/?)([a-z][^\t\n\f\r />]*)|[!/?])", re.IGNORECASE)
_BOGUS_END = re.compile(rb"[^>]*+>")
_COMMENT_END = re.compile(rb"(?:-?>|.*?--!?>)", re.DOTALL)
_TAG_END = re.compile(rb"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+'|(?![\"'])[^\s>]*+))*+>")
_ATTRIBUTE = re.compile(rb"([^\s=>\"'/]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>][^\s>]*))")
_CHARSET = re.compile(r"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([^\"'>]*)")
_XML_IN_UTF_16 = ((b"<\0?\0x\0", "utf-16le"), (b"\0<\0?\0x", "utf-16be"))


def charset_of(content_type: str) -> str:
    """Return the WHATWG name of the encoding in a Content-Type, or "" without a known one."""
    match = _CHARSET.search(content_type)
    return encoding_of((match[1] or match[2] or match[3] or "") if match else "")


def declared_charset(content: bytes, *, everywhere: bool = False) -> str:
    """Return the encoding in <meta>, or else in the XML declaration; "" without a known one.

    As in Chromium, <meta> counts in the first 1,024 bytes and in the whole head, but not in comments, values of
    attributes, scripts and other texts. `everywhere`: also after the head, as parsers may do (WHATWG HTML, "change the
    encoding").
    """
    for beginning, encoding in _XML_IN_UTF_16:
        if content.startswith(beginning):
            return encoding
    for attributes in _metas(content, everywhere=everywhere):
        encoding = _meta_encoding(attributes)
        if encoding:
            return _readable_so_far(encoding)
    return _readable_so_far(encoding_of(xml_encoding(content[:_PRESCAN])))


def xml_encoding(content: bytes) -> str:
    """Return the encoding in the XML declaration at the start of `content` as it is written there, "" without one."""
    match = _XML.match(content)
    return match[1].decode("latin-1") if match else ""


def _metas(content: bytes, *, everywhere: bool) -> Iterator[bytes]:
    """Yield the attributes of <meta> elements."""
    in_head = True
    position = 0
    while (markup := _MARKUP.search(content, position)) is not None:
        if not (everywhere or in_head or markup.start() < _PRESCAN):
            return
        name = (markup[3] or b"").lower()
        end = (_COMMENT_END if markup[1] else _TAG_END if name else _BOGUS_END).match(content, markup.end())
        if end is None:
            return
        position = end.end()
        if not name:
            continue
        in_head = in_head and name in _IN_HEAD and (not markup[2] or name not in (b"html", b"head"))
        if markup[2]:
            continue
        if name == b"meta":
            yield end[0]
        elif name in _TEXT_ONLY:
            close = re.compile(rb"</" + name + rb"[\s/>]", re.IGNORECASE).search(content, position)
            if close is None:
                return
            position = close.start()


def _meta_encoding(attributes: bytes) -> str:
    values: dict[str, str] = {}
    for name, *alternatives in _ATTRIBUTE.findall(attributes):
        values.setdefault(name.decode("latin-1").lower(), b"".join(alternatives).decode("latin-1"))
    if "charset" in values:
        label = values["charset"]
        return "windows-1252" if label.strip().lower() == "x-user-defined" else encoding_of(label)
    if values.get("http-equiv", "").strip().lower() == "content-type":
        return charset_of(values.get("content", ""))
    return ""


def _readable_so_far(encoding: str) -> str:
    """Return UTF-8 for UTF-16: a declaration that was read as ASCII is not in UTF-16 (WHATWG HTML 13.2.3.2)."""
    return "utf-8" if encoding in ("utf-16be", "utf-16le") else encoding
