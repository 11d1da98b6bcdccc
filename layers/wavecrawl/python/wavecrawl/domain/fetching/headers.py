"""Facts in response headers: robots directives, canonical link, cookies."""

import re
from collections.abc import Iterator

from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.urls.url import resolve

_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_CANONICAL = re.compile(r""";\s*rel\s*=\s*(?:"[^"]*\bcanonical\b[^"]*"|canonical\b)""", re.IGNORECASE)


def robots_directives(exchange: Exchange, product: str) -> tuple[str, ...]:
    """Return the X-Robots-Tag directives for all crawlers or for `product`, lower-cased, sorted and unique.

    A list of directives may start with the name of a crawler, as in `otherbot: noindex`
    (Google Search Central, "X-Robots-Tag").
    """
    found: set[str] = set()
    for value in _all(exchange, "x-robots-tag"):
        applies = True
        for part in value.lower().split(","):
            name, colon, rest = part.strip().partition(":")
            if colon and name not in ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"):
                applies = name.strip() in (product.lower(), "*")
                part = rest  # noqa: PLW2901 - the directive follows the name
            if applies and part.strip():
                found.add(part.strip())
    return tuple(sorted(found))


def canonical_link(exchange: Exchange) -> str:
    """Return the absolute URL of `Link: <...>; rel="canonical"` (RFC 8288, RFC 6596), or ""."""
    for value in _all(exchange, "link"):
        for target, parameters in _LINK.findall(value):
            if _CANONICAL.search(parameters):
                return resolve(target.strip(), exchange.url) or ""
    return ""


def cookies_set(exchange: Exchange) -> dict[str, str]:
    """Return the cookies that a response sets, by name; the next hop of the redirect chain sends them."""
    found: dict[str, str] = {}
    for value in _all(exchange, "set-cookie"):
        name, equals, rest = value.partition(";")[0].partition("=")
        if equals and name.strip():
            found[name.strip()] = rest.strip()
    return found


def _all(exchange: Exchange, name: str) -> Iterator[str]:
    return (value for key, value in exchange.headers if key.lower() == name)
