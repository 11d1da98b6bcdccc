"""Facts in response headers: robots directives, canonical link, alternates, where a refresh leads."""

from collections.abc import Iterator

from msgspec import Struct

from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.fetching.link_header import header_links
from wavecrawl.domain.pages.extraction.links import cleaned, kind_of_link, refresh_target
from wavecrawl.domain.pages.page import LinkKind
from wavecrawl.domain.pages.robots_directives import directives_for
from wavecrawl.domain.urls.cut_urls import cut_url
from wavecrawl.domain.urls.url import resolve

MOST_ALTERNATES = 1_000
"""Alternates of a response; further ones are left out."""


def robots_directives(exchange: Exchange, product: str) -> tuple[str, ...]:
    """Return the X-Robots-Tag directives for all crawlers or for `product`, lower-cased, sorted and unique."""
    values = _all(exchange, "x-robots-tag")
    return tuple(sorted({found for value in values for found in directives_for(value, product.lower())}))


def refresh_url(exchange: Exchange, *, longest: int) -> str:
    """Return the absolute URL that a Refresh header leads to, cut to `longest` characters; "" without one.

    Browsers follow it like `<meta http-equiv=refresh>`, in whose form it is (HTML 4.2.5.3, "shared declarative refresh
    steps").
    """
    target = cleaned(refresh_target(next(_all(exchange, "refresh"), "")))
    return cut_url(resolve(target, exchange.url) or "", most=longest) if target else ""


class DeclaredLinks(Struct, frozen=True, kw_only=True, gc=False):
    """What the Link headers of a response declare of its page (RFC 8288)."""

    canonical: str = ""  # absolute, or as written if it is no URL (RFC 6596); "" = there is none
    alternates: tuple[tuple[str, str], ...] = ()  # (language or "", absolute URL) of other versions of the page


def declared_links(exchange: Exchange, *, longest: int) -> DeclaredLinks:
    """Return the canonical link and the alternates; longer URLs than `longest` characters are cut.

    Search engines take `rel="alternate"` with `hreflang` in a header like that of an element
    (https://developers.google.com/search/docs/specialty/international/localized-versions). Feeds and other formats are
    left out. A link with another context (`anchor`) says nothing about this page.
    """
    canonical, alternates = "", dict[tuple[str, str], None]()
    for value in _all(exchange, "link"):
        for link in header_links(value):
            if not _is_here(link.anchor, exchange.url):
                continue
            target = resolve(link.target, exchange.url)
            if "canonical" in link.relations:
                canonical = canonical or cut_url(target or link.target, most=longest)
            if target and "alternate" in link.relations and _is_page(link.media_type):
                for language in link.languages or ("",):
                    alternates[language, cut_url(target, most=longest)] = None
    return DeclaredLinks(canonical=canonical, alternates=tuple(alternates)[:MOST_ALTERNATES])


def _is_page(media_type: str) -> bool:
    return kind_of_link("alternate", media_type) is LinkKind.ALTERNATE


def _is_here(anchor: str | None, url: str) -> bool:
    return anchor is None or (resolve(anchor, url) or "").partition("#")[0] == url.partition("#")[0]


def _all(exchange: Exchange, name: str) -> Iterator[str]:
    return (value for key, value in exchange.headers if key.lower() == name)
