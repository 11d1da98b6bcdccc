"""URL parsing, fetch URL and identity (design 4).

Parsing and resolving follow the WHATWG URL standard, because browsers do. The *fetch URL* is what is requested;
the *identity* only decides whether two URLs are the same page. Identity never changes what is fetched.
"""

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


MEMORABLE = 300
"""Characters of a reference or URL up to which its meaning is remembered: longer ones are seldom met again, and tens of
thousands of them (links that share a page, with its text) would fill a worker's memory."""


class PageUrl(Struct, frozen=True, kw_only=True, gc=False):
    """A URL ready for the frontier. Made for every URL that any page names, so a struct: they are cheap to make."""

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
        """Return the fetch URL and key of an absolute http(s) URL; raise InvalidUrlError where it is none."""
        return _page_url(_serialised(absolute), self.tracking_parameters)

    def page_url_of(self, resolved: str) -> PageUrl | None:
        """Return the same for what `resolve` returned, which need not be parsed again; None where it is not http(s)."""
        return _page_url(resolved, self.tracking_parameters) if resolved.startswith(_CRAWLED) else None


def resolve(href: str, base: str) -> str | None:
    """Resolve `href` against the absolute URL `base`; return the serialised URL, or None where it does not parse."""
    try:
        return str(ada_url.URL(href, base).href)
    except ValueError:
        return None


def origin_of(url: str) -> str:
    """Return scheme://host[:port] of an absolute URL."""
    return _origin(url[: _path_at(url)])


def host_of(url: str) -> str:
    """Return host[:port] of an absolute URL, as it is serialised: what politeness is kept towards."""
    return url[url.find("//") + 2 : _path_at(url)]


def names_user(absolute: str) -> bool:
    """Tell whether an absolute URL has a user's name or password in it; raise InvalidUrlError where it is none."""
    return "@" in host_of(_serialised(absolute))


def _path_at(url: str) -> int:
    end = url.find("/", url.find("//") + 2)
    return len(url) if end < 0 else end


@lru_cache(maxsize=1_024)
def _origin(beginning: str) -> str:
    scheme, _, rest = _serialised(beginning).partition("://")
    return f"{scheme}://{rest.partition('/')[0].rpartition('@')[2]}"


def _page_url(serialised: str, tracking: tuple[str, ...]) -> PageUrl:
    return (_remembered if len(serialised) <= MEMORABLE else _parsed)(serialised, tracking)


def _parsed(serialised: str, tracking: tuple[str, ...]) -> PageUrl:
    # What the parser has serialised leaves no doubt where its parts begin. Asking the parser for each of them costs
    # several times as much as parsing.
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


_remembered = lru_cache(maxsize=16_384)(_parsed)


def _serialised(absolute: str) -> str:
    """Return an absolute http(s) URL as the parser writes it; raise InvalidUrlError where it is none."""
    try:
        href = str(ada_url.URL(absolute).href)
    except ValueError as error:
        message = f"not a URL: {absolute[:200]!r}. Give an absolute one, such as https://example.com/"
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
    """Drop `;jsessionid=...` path parameters, where the tracking list names them."""
    if ";" not in path:
        return path
    head, *parameters = path.split(";")
    kept = [p for p in parameters if "/" in p or not _is_tracking(p.split("=", 1)[0], tracking)]
    return ";".join([head, *kept])


def _name_and_value(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return name, value
