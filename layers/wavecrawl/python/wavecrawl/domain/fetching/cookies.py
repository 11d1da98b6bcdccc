"""Cookies that responses set on the way through a chain of redirects (RFC 6265).

They live as long as their chain. Their lifetime matters only where a response deletes a cookie.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.fetching.retries import http_date

MOST_COOKIES: Final = 50
"""Cookies of a chain; further ones are ignored, as browsers do with those of one domain."""
MOST_BYTES: Final = 4_096
"""Bytes of the cookies of a chain; a cookie that does not fit is ignored."""

_UNSENDABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_ADDRESS = re.compile(r"\[.*\]|[0-9.]+")
_SECURE = "https"


class Cookie(Struct, frozen=True, array_like=True, gc=False):
    """A cookie, and the requests that carry it."""

    name: str
    value: str
    host: str  # without port
    path: str
    subdomains: bool = False  # whether the hosts below `host` receive it too
    secure: bool = False  # whether only https does

    @property
    def size(self) -> int:
        """The bytes of the cookie as it is stored, at most."""
        return 2 * len(f"{self.name}{self.value}{self.host}{self.path}".encode()) + 32


Cookies = tuple[Cookie, ...]


def cookies_after(cookies: Cookies, exchange: Exchange) -> Cookies:
    """Return the cookies of a chain after a response: with those that it set, without those that it deleted.

    A cookie that is set again keeps its place (RFC 6265 section 5.3, step 11). So a chain that goes round in a circle
    comes back with the same cookies.
    """
    kept = {(cookie.name, cookie.host, cookie.path): cookie for cookie in cookies}
    for cookie, is_gone in _set_by(exchange):
        identity = (cookie.name, cookie.host, cookie.path)
        others = [other for key, other in kept.items() if key != identity]
        size = sum(other.size for other in others)
        if is_gone or len(others) >= MOST_COOKIES or size + cookie.size > MOST_BYTES:
            kept.pop(identity, None)
        else:
            kept[identity] = cookie
    return tuple(kept.values())


def cookie_header(cookies: Cookies, url: str) -> str:
    """Return the Cookie header of a request to an absolute URL, "" if no cookie is for it (RFC 6265 section 5.4)."""
    sent = [cookie for cookie in cookies if _is_for(cookie, *_parts(url))]
    sent.sort(key=lambda cookie: -len(cookie.path))
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in sent)


def cookie_headers(cookies: Cookies, url: str) -> tuple[tuple[str, str], ...]:
    """Return the Cookie header as the headers of a request."""
    value = cookie_header(cookies, url) if cookies else ""
    return (("Cookie", value),) if value else ()


def _set_by(exchange: Exchange) -> Iterator[tuple[Cookie, bool]]:
    """Yield the cookies that a response sets, and whether it deletes them (RFC 6265 sections 5.2 and 5.3)."""
    scheme, host, path = _parts(exchange.url)
    for name, value in exchange.headers:
        if name.lower() != "set-cookie":
            continue
        pair, _, rest = value.partition(";")
        key, equals, content = (part.strip() for part in pair.partition("="))
        if not (equals and key) or _UNSENDABLE.search(pair):
            continue
        attributes = dict(_attributes(rest))
        domain = attributes.get("domain", "").lstrip(".").lower()
        given = attributes.get("path", "")
        cookie = Cookie(
            name=key,
            value=content,
            host=domain or host,
            path=given if given.startswith("/") else path[: path.rfind("/")] or "/",
            subdomains=bool(domain) and not _ADDRESS.fullmatch(host),
            secure="secure" in attributes,
        )
        is_own = not domain or domain == host or ("." in domain and _is_below(host, domain))
        if is_own and (scheme == _SECURE or not cookie.secure):
            yield cookie, _is_gone(attributes, exchange)


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split(";"):
        name, _, value = part.partition("=")
        yield name.strip().lower(), value.strip()


def _is_gone(attributes: dict[str, str], exchange: Exchange) -> bool:
    """Return whether a cookie is set so that it is over already. Max-Age is stronger than Expires."""
    age = attributes.get("max-age", "")
    if re.fullmatch(r"-?[0-9]+", age):
        return int(age[:9]) <= 0
    expires = http_date(attributes.get("expires", ""))
    return expires is not None and expires <= exchange.started_at


def _is_for(cookie: Cookie, scheme: str, host: str, path: str) -> bool:
    if cookie.secure and scheme != _SECURE:
        return False
    if host != cookie.host and not (cookie.subdomains and _is_below(host, cookie.host)):
        return False
    return path == cookie.path or path.startswith(cookie.path.rstrip("/") + "/")


def _is_below(host: str, domain: str) -> bool:
    return host.endswith(f".{domain}") and not _ADDRESS.fullmatch(host)


def _parts(url: str) -> tuple[str, str, str]:
    """Return scheme, host without port, and path of a serialised absolute URL."""
    scheme, _, rest = url.partition("://")
    before = re.split(r"[?#]", rest, maxsplit=1)[0]
    authority, _, path = before.partition("/")
    host = authority.rpartition("@")[2]
    return scheme, host[: host.find("]") + 1] or host.partition(":")[0], f"/{path}"
