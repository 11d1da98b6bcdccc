"""Sort-friendly URI reordering (SURT): the keys by which replay tools look up URLs.

The form is that of the Wayback Machine (http://crawler.archive.org/articles/user_manual/glossary.html#surt), with its
canonicalization. Session ids in URLs stay; the crawl has already removed those it knows.
"""

import re
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

_WWW = re.compile(r"www\d*\.")
_SLASHES = re.compile(r"/{2,}")
_MAX_ROUNDS = 10  # of unescaping, as escapes can be nested
_UNESCAPED = "!\"$&'()*+,/:;<=>?@[\\]^_`{|}~"
"""Characters besides letters and digits that are not escaped."""


def surt(url: str) -> str:
    """Return the key of a URL, in lower case: of an http(s) URL, reversed host, `)`, path and sorted query.

    Of a URN, such as that of a screenshot (`urn:view:https://example.com/`), the URN with a sorted query.
    """
    if url.startswith("urn:"):
        name, _, values = url.partition("?")
        return f"{_escaped(name).lower().removesuffix('/')}{_query(values)}"
    parts = urlsplit(url)
    host = _WWW.sub("", (parts.hostname or "").lower(), count=1) if _is_www(parts.hostname) else parts.hostname or ""
    port = f":{parts.port}" if parts.port is not None else ""
    path = _SLASHES.sub("/", _escaped(parts.path) or "/").lower()
    if len(path) > 1:
        path = path.removesuffix("/")
    return f"{','.join(reversed(host.split('.')))}{port}){path}{_query(parts.query)}"


def _query(text: str) -> str:
    query = "&".join("=".join(pair) for pair in sorted(_pairs(_escaped(text).lower())))
    return f"?{query}" if query else ""


def _is_www(host: str | None) -> bool:
    return host is not None and _WWW.match(host.lower()) is not None


def _pairs(query: str) -> list[tuple[str, ...]]:
    return [tuple(part.split("=", 1)) for part in query.split("&")]


def _escaped(text: str) -> str:
    """Unescape the text completely, then escape it once, so that each address has one spelling."""
    data = text.encode()
    for _ in range(_MAX_ROUNDS):
        plain = unquote_to_bytes(data)
        if plain == data:
            break
        data = plain
    return quote_from_bytes(data, safe=_UNESCAPED)
