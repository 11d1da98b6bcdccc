"""Facts in response headers: robots directives, canonical link."""

from collections.abc import Iterator

from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.fetching.link_header import header_links
from wavecrawl.domain.pages.robots_directives import directives_for
from wavecrawl.domain.urls.url import resolve


def robots_directives(exchange: Exchange, product: str) -> tuple[str, ...]:
    """Return the X-Robots-Tag directives for all crawlers or for `product`, lower-cased, sorted and unique."""
    values = _all(exchange, "x-robots-tag")
    return tuple(sorted({found for value in values for found in directives_for(value, product.lower())}))


def canonical_link(exchange: Exchange) -> str:
    """Return the absolute URL of `Link: <...>; rel="canonical"` (RFC 8288, RFC 6596), or "" if there is none.

    If it cannot be parsed as a URL, return it as written. A link with another context (`anchor`) says nothing about
    this page.
    """
    for value in _all(exchange, "link"):
        for link in header_links(value):
            if "canonical" in link.relations and _is_here(link.anchor, exchange.url):
                return resolve(link.target, exchange.url) or link.target
    return ""


def _is_here(anchor: str | None, url: str) -> bool:
    return anchor is None or (resolve(anchor, url) or "").partition("#")[0] == url.partition("#")[0]


def _all(exchange: Exchange, name: str) -> Iterator[str]:
    return (value for key, value in exchange.headers if key.lower() == name)
