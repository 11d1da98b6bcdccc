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

from wavecrawl.errors import InvalidUrlError

TRACKING_PARAMETERS: tuple[str, ...] = (
    "utm_*",
    "fbclid",
    "gclid",
    "msclkid",
    "mc_cid",
    "mc_eid",
    "ref",
    "_ga",
    "_gl",
    "sessionid",
    "sid",
    "PHPSESSID",
    "jsessionid",
)
"""Query parameters that never change the page (spec [5]); a trailing `*` matches any ending; case does not matter."""

MAX_URL_LENGTH = 2083  # characters; longer ones are nearly always traps


@dataclass(frozen=True, slots=True, kw_only=True)
class PageUrl:
    """A URL ready for the frontier."""

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
        return _page_url(absolute, self.tracking_parameters)


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


def _path_at(url: str) -> int:
    end = url.find("/", url.find("//") + 2)
    return len(url) if end < 0 else end


@lru_cache(maxsize=1_024)
def _origin(beginning: str) -> str:
    return _parse(beginning).origin


@lru_cache(maxsize=65_536)
def _page_url(absolute: str, tracking: tuple[str, ...]) -> PageUrl:
    parsed = _parse(absolute)
    path = _without_session_segment(parsed.pathname, tracking)
    query = _kept_query(parsed.search[1:], tracking)
    credentials_free = f"{parsed.protocol}//{parsed.host}"
    url = f"{credentials_free}{path}?{query}" if query else f"{credentials_free}{path}"
    identity_path = path.removesuffix("/") or "/"
    sorted_query = "&".join(sorted(query.split("&"), key=_name_and_value)) if "&" in query else query
    identity = f"{credentials_free}{identity_path}?{sorted_query}"
    return PageUrl(
        url=url,
        key=blake2b(identity.encode(), digest_size=16).hexdigest(),
        scheme=parsed.protocol[:-1],
        host=parsed.hostname,
        origin=credentials_free,
        path=path,
        query=query,
    )


def _parse(absolute: str) -> ada_url.URL:
    try:
        parsed = ada_url.URL(absolute)
    except ValueError as error:
        message = f"not a URL: {absolute[:200]!r}. Give an absolute one, such as https://example.com/"
        raise InvalidUrlError(message) from error
    if parsed.protocol not in ("http:", "https:"):
        raise InvalidUrlError(f"only http and https can be crawled, not {parsed.protocol[:-1]!r}: {absolute[:200]!r}")
    return parsed


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
