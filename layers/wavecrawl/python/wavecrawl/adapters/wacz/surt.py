"""Sort-friendly URI reordering: the keys that replay tools look URLs up by.

The form is that of the Wayback Machine's URL keys: http://crawler.archive.org/articles/user_manual/glossary.html#surt,
with the canonicalization that makes addresses of one page alike. Session ids in URLs are left as they are: crawls drop
those they know (spec [5]).
"""

import re
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

_WWW = re.compile(r"www\d*\.")
_SLASHES = re.compile(r"/{2,}")
_MOST_ROUNDS = 10  # of undoing escapes of escapes
_UNESCAPED = "!\"$&'()*+,/:;<=>?@[\\]^_`{|}~"
"""What stays as it is, besides letters and digits; control characters, space, '#', '%' and all beyond ASCII do not."""


def surt(url: str) -> str:
    """Return the key of an http(s) URL: host reversed, `)`, path and sorted query in lower case."""
    parts = urlsplit(url)
    host = _WWW.sub("", (parts.hostname or "").lower(), count=1) if _is_www(parts.hostname) else parts.hostname or ""
    port = f":{parts.port}" if parts.port is not None else ""
    path = _SLASHES.sub("/", _escaped(parts.path) or "/").lower()
    if len(path) > 1:
        path = path.removesuffix("/")
    query = "&".join("=".join(pair) for pair in sorted(_pairs(_escaped(parts.query).lower())))
    return f"{','.join(reversed(host.split('.')))}{port}){path}{'?' if query else ''}{query}"


def _is_www(host: str | None) -> bool:
    return host is not None and _WWW.match(host.lower()) is not None


def _pairs(query: str) -> list[tuple[str, ...]]:
    return [tuple(part.split("=", 1)) for part in query.split("&")]


def _escaped(text: str) -> str:
    """Undo every escape, then escape what has to be: so that each address has one spelling."""
    data = text.encode()
    for _ in range(_MOST_ROUNDS):
        plain = unquote_to_bytes(data)
        if plain == data:
            break
        data = plain
    return quote_from_bytes(data, safe=_UNESCAPED)
