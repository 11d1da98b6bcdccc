"""URL parsing, fetch URLs and identity.

Parsing and resolving follow the WHATWG URL standard, as in browsers. The *fetch URL* is requested. The *identity* only
decides whether two URLs are the same. A slash at the end of the path belongs to it (`domain.urls.spellings`). In a
query, `+` and `%20` are the same (`domain.urls.earlier_keys`).
"""

import re
from functools import lru_cache
from hashlib import blake2b

import ada_url
from msgspec import Struct, field

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.urls.parameters import ParameterRules, kept_path, kept_query, sorted_query
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.errors import InvalidUrlError

_CRAWLED = ("http://", "https://")
_OF_FOLDER = re.compile(  # neither empty nor only a query or a fragment, also after "https:" (WHATWG URL 4.4)
    r"(?!https?:(?!/))[^\s\x00-\x1f?#&\\]", re.IGNORECASE
)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")  # RFC 3986, section 2.3

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


class Identity(Struct, frozen=True, kw_only=True):
    """The rules that make two URLs the same page."""

    parameters: ParameterRules = field(default_factory=ParameterRules)

    @classmethod
    def of(cls, settings: CrawlSettings) -> "Identity":
        """Return the rules of a crawl."""
        return cls(
            parameters=ParameterRules(
                tracking=settings.tracking_parameters,
                sessions=settings.session_parameters,
                ignored=settings.ignored_parameters,
            )
        )

    def page_url(self, absolute: str) -> PageUrl:
        """Return the fetch URL and key of an absolute http(s) URL; raise InvalidUrlError if it is not one."""
        return _page_url(_serialised(absolute), self.parameters)

    @staticmethod
    def invalid_page_url(url: str) -> PageUrl:
        """Return the same for a URL in the form of `cut_urls.invalid_url`, which cannot be requested."""
        key = blake2b(url.encode(), digest_size=16).hexdigest()
        return PageUrl(url=url, key=key, scheme="", host="", origin="", path="", query="")

    def page_url_of(self, resolved: str) -> PageUrl | None:
        """Return the same for a URL from `resolve`, without parsing it again; None if it is not http(s)."""
        return _page_url(resolved, self.parameters) if resolved.startswith(_CRAWLED) else None


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


def require_crawlable(absolute: str) -> None:
    """Raise InvalidUrlError if a text is no absolute http(s) URL. Faster than `Identity.page_url`."""
    _serialised(absolute)


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


def _page_url(serialised: str, rules: ParameterRules) -> PageUrl:
    return (_cached if len(serialised) <= MEMORABLE else _split)(serialised, rules)


def _split(serialised: str, rules: ParameterRules) -> PageUrl:
    # Splitting a serialised URL is unambiguous and several times faster than reading the parts from the parser.
    scheme, _, rest = serialised.partition("://")
    before, mark, search = rest.partition("#")[0].partition("?")
    authority, slash, segments = before.partition("/")
    host = authority.rpartition("@")[2]
    path = slash + segments
    if ";" in path:
        path = kept_path(path, rules.requested)
    query = kept_query(search, rules.requested) if search else ""
    origin = f"{scheme}://{host}"
    url = f"{origin}{path}?{query}" if query or (mark and not search) else f"{origin}{path}"
    without_slash = path.removesuffix("/") or "/"
    identity_path, identity_query = without_slash, query
    if "%" in url:
        identity_path, identity_query = _normalized(identity_path), _normalized(query)
    if query:
        identity_query = sorted_query(kept_query(as_spaces(identity_query), rules.identifying))
    key = key_of_identity(f"{origin}{identity_path}", identity_query)
    return PageUrl(
        url=url,
        key=key if without_slash == path else other_spelling(key),
        scheme=scheme,
        host=host[: host.find("]") + 1] or host.partition(":")[0],
        origin=origin,
        path=path,
        query=query,
    )


def key_of_identity(address: str, query: str) -> str:
    """Return the url key of an identity: scheme, host and path without a slash at the end, and the query."""
    return blake2b(f"{address}?{query}".encode(), digest_size=16).hexdigest()


def as_spaces(query: str) -> str:
    """Return a query with `%20` for each `+`. Forms write a space as `+`, a plus sign as `%2B` (WHATWG URL, 5.2)."""
    return query.replace("+", "%20")


def normalized_parts(address: str, query: str) -> tuple[str, str]:
    """Return the parts of a fetch URL, without `?`, as they are in its identity: the address without its last slash."""
    path_at = _path_at(address)
    path = address[path_at:].removesuffix("/") or "/"
    return f"{address[:path_at]}{_normalized(path)}", _normalized(query)


def _normalized(part: str) -> str:
    """Return a path or query with its percent-encoding in one form (RFC 3986, section 6.2.2)."""
    return _ESCAPE.sub(_normalized_escape, part)


def _normalized_escape(escape: re.Match[str]) -> str:
    char = chr(int(escape[1], 16))
    return char if char in _UNRESERVED else escape[0].upper()


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
