"""URL parsing, fetch URLs and identity.

Parsing and resolving follow the WHATWG URL standard, as in browsers. The *fetch URL* is requested. The *identity* only
decides whether two URLs are the same page.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import unquote_plus

import ada_url
from msgspec import Struct

from wavecrawl.domain.urls.limits import TRACKING_PARAMETERS
from wavecrawl.errors import InvalidUrlError

_CRAWLED = ("http://", "https://")
_OF_FOLDER = re.compile(  # neither empty nor only a query or a fragment, also after "https:" (WHATWG URL 4.4)
    r"(?!https?:(?!/))[^\s\x00-\x1f?#&\\]", re.IGNORECASE
)


MEMORABLE = 300
"""Maximum length of cached references and URLs. Longer ones rarely recur, and tens of thousands of them (for example
links for sharing, with the text of a page) would fill a worker's memory."""


class PageUrl(Struct, frozen=True, kw_only=True, gc=False):
    """A URL for the frontier. A struct, as it is created for each link of each page."""

    url: str  # the fetch URL
    key: str  # the url key of its identity: 32 hex digits
    scheme: str
    host: str  # without port
    origin: str  # scheme://host[:port]
    path: str
    query: str  # without "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The rules that make two URLs the same page."""

    tracking_parameters: tuple[str, ...] = TRACKING_PARAMETERS

    def page_url(self, absolute: str) -> PageUrl:
        """Return the fetch URL and key of an absolute http(s) URL; raise InvalidUrlError if it is not one."""
        return _page_url(_serialised(absolute), self.tracking_parameters)

    def page_url_of(self, resolved: str) -> PageUrl | None:
        """Return the same for a URL from `resolve`, without parsing it again; None if it is not http(s)."""
        return _page_url(resolved, self.tracking_parameters) if resolved.startswith(_CRAWLED) else None


def resolve(href: str, base: str) -> str | None:
    """Resolve `href` against the absolute URL `base`; return the serialised URL, or None if it is invalid."""
    try:
        return ada_url.join_url(base, href)
    except ValueError:
        return None


def base_for(href: str, base: str, folder: str) -> str:
    """Return `folder`, that of `base`, if a reference means the same on all pages of the folder; else `base`."""
    return folder if _OF_FOLDER.match(href) else base


def folder_of(url: str) -> str:
    """Return an absolute URL up to the last slash of its path."""
    address = url.partition("#")[0].partition("?")[0]
    return address[: address.rfind("/", _path_at(address)) + 1] or url


def origin_of(url: str) -> str:
    """Return scheme://host[:port] of an absolute URL."""
    return _origin(url[: _path_at(url)])


def host_of(url: str) -> str:
    """Return host[:port] of a serialised absolute URL."""
    return url[url.find("//") + 2 : _path_at(url)]


def names_user(absolute: str) -> bool:
    """Return whether an absolute URL contains a user name or password; raise InvalidUrlError if it is not a URL."""
    return "@" in host_of(_serialised(absolute))


def _path_at(url: str) -> int:
    end = url.find("/", url.find("//") + 2)
    return len(url) if end < 0 else end


@lru_cache(maxsize=1_024)
def _origin(beginning: str) -> str:
    scheme, _, rest = _serialised(beginning).partition("://")
    return f"{scheme}://{rest.partition('/')[0].rpartition('@')[2]}"


def _page_url(serialised: str, tracking: tuple[str, ...]) -> PageUrl:
    return (_cached if len(serialised) <= MEMORABLE else _split)(serialised, tracking)


def _split(serialised: str, tracking: tuple[str, ...]) -> PageUrl:
    # Splitting a serialised URL is unambiguous and several times faster than reading the parts from the parser.
    scheme, _, rest = serialised.partition("://")
    before, _, search = rest.partition("#")[0].partition("?")
    authority, slash, segments = before.partition("/")
    host = authority.rpartition("@")[2]
    path = _without_session_segment(slash + segments, tracking)
    query = _kept_query(search, tracking)
    origin = f"{scheme}://{host}"
    url = f"{origin}{path}?{query}" if query else f"{origin}{path}"
    identity_path = path.removesuffix("/") or "/"
    sorted_query = "&".join(sorted(query.split("&"), key=_name_and_value)) if "&" in query else query
    identity = f"{origin}{identity_path}?{sorted_query}"
    return PageUrl(
        url=url,
        key=blake2b(identity.encode(), digest_size=16).hexdigest(),
        scheme=scheme,
        host=host[: host.find("]") + 1] or host.partition(":")[0],
        origin=origin,
        path=path,
        query=query,
    )


_cached = lru_cache(maxsize=16_384)(_split)


def _serialised(absolute: str) -> str:
    """Return an absolute http(s) URL in serialised form; raise InvalidUrlError if it is not one."""
    try:
        href = str(ada_url.URL(absolute).href)
    except ValueError as error:
        message = f"not a URL: {absolute[:200]!r}. Use an absolute URL, such as https://example.com/"
        raise InvalidUrlError(message) from error
    if not href.startswith(_CRAWLED):
        raise InvalidUrlError(f"only http and https can be crawled, not {href.partition(':')[0]!r}: {absolute[:200]!r}")
    return href


def _kept_query(query: str, tracking: Iterable[str]) -> str:
    if not query:
        return ""
    return "&".join(part for part in query.split("&") if part and not _is_tracking(part.split("=", 1)[0], tracking))


def _is_tracking(name: str, tracking: Iterable[str]) -> bool:
    folded = unquote_plus(name).lower()
    for pattern in tracking:
        wanted = pattern.lower()
        if folded == wanted or (wanted.endswith("*") and folded.startswith(wanted[:-1])):
            return True
    return False


def _without_session_segment(path: str, tracking: Iterable[str]) -> str:
    """Remove path parameters such as `;jsessionid=...` that are tracking parameters."""
    if ";" not in path:
        return path
    head, *parameters = path.split(";")
    kept = [p for p in parameters if "/" in p or not _is_tracking(p.split("=", 1)[0], tracking)]
    return ";".join([head, *kept])


def _name_and_value(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return name, value
