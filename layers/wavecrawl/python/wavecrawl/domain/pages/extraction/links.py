"""The links of a page: each reference once, not resolved."""

import re
from itertools import islice

from msgspec import Struct
from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.survey import Attributes, Nearest, Survey
from wavecrawl.domain.pages.extraction.tags import AREA, FRAMES, IMG, LINK, SVG, A
from wavecrawl.domain.pages.extraction.texts import folded, text_of
from wavecrawl.domain.pages.page import LinkKind, RawLink, Region, common_rel

_TEXT_LIMIT = 200  # characters of anchor text
_IMAGE_SEARCH = 50  # nodes of an anchor without text that are searched for an image
_OUTER = "".join(map(chr, range(0x21)))  # C0 controls and space: URL parsers strip them at both ends
_INNER = dict.fromkeys(map(ord, "\t\n\r"))  # URL parsers remove them everywhere (WHATWG URL 4.4)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*:)", re.IGNORECASE | re.ASCII)
_CRAWLED = ("http:", "https:")
_NOFOLLOW = "nofollow"
_QUALIFIERS = ("ugc", "sponsored")  # of links that are followed
_PAGE_TYPES = ("", "text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_FEED_TYPES = frozenset(
    (
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
        "application/xml",
        "application/rss",
        "text/xml",
    )
)
_REFRESH = re.compile(
    r"""[\t\n\f\r ]*+[0-9.]++(?:[\t\n\f\r ]*+[;,]|[\t\n\f\r ])[\t\n\f\r ]*+
        (?:url[\t\n\f\r ]*+=[\t\n\f\r ]*+)?+(?:"([^"]*)|'([^']*)|(.*))""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_REFRESH_LENGTH = 8_192  # characters of a refresh that are read
_ANCHOR = LinkKind.ANCHOR  # a lookup of the enum member per link would be slow
_KINDS = (  # of <link>, by precedence
    ("canonical", LinkKind.CANONICAL),
    ("alternate", LinkKind.ALTERNATE),
    ("amphtml", LinkKind.ALTERNATE),
    ("feed", LinkKind.FEED),
    ("next", LinkKind.NEXT),
    ("prev", LinkKind.PREV),
)
_NOT_PAGES = (LinkKind.FEED, LinkKind.DATA)
_DECLARED = (LinkKind.CANONICAL, LinkKind.ALTERNATE)
"""These say what the page's own URL is. They do not stand for a link that leads to the same reference."""


class _Found(Struct, gc=False):
    """The first occurrence of a reference."""

    node: LexborNode
    attributes: Attributes
    kind: LinkKind
    nofollow: bool = False
    rel: str = ""


def without_white_space(reference: str) -> str:
    """Return a reference without the white space that URL parsers remove."""
    return reference.strip(_OUTER).translate(_INNER)


def cleaned(href: str | None) -> str:
    """Return a reference as a URL parser reads it, without its fragment; "" if it cannot be crawled."""
    if not href:
        return ""
    if not href.isprintable() or href[0] == " " or href[-1] == " ":
        href = without_white_space(href)
    if "#" in href:
        href = href[: href.index("#")]
        if href and href[-1] in _OUTER:
            # White space before the fragment belongs to the path; escape it, as it would be stripped at the end.
            kept = href.rstrip(_OUTER)
            href = kept + "".join(f"%{ord(char):02X}" for char in href[len(kept) :])
    if ":" in href and not href.startswith(_CRAWLED):
        scheme = _SCHEME.match(href)
        if scheme and scheme[1].lower() not in _CRAWLED:
            return ""
    return href


def refresh_target(content: str) -> str:
    """Return the URL in the content of <meta http-equiv=refresh> (HTML 4.2.5.3); "" if it is the page itself."""
    match = _REFRESH.match(content[:_REFRESH_LENGTH])
    return (match[1] or match[2] or match[3] or "") if match else ""


def links(page: Survey, regions: Nearest[Region], *, most: int) -> tuple[RawLink, ...]:
    """Return the first `most` links of the page: elements in document order, then meta refresh."""
    found: dict[tuple[str, bool], _Found] = {}
    followed = set[str]()  # beginnings of references that are known and followed
    for node, named in zip(page.links, page.references, strict=True):
        tag, reference = node.tag_id, named
        if reference is None and page.has_svg and page.languages.of(node) == SVG:
            reference = node.attrs.get("xlink:href")
        if not reference or reference[0] == "#":
            continue
        # The part after the first "#" does not matter. Most repeated references are skipped here, before all
        # attributes of their elements are read, which is slow.
        beginning = reference[: reference.find("#") + 1] or reference
        if beginning in followed:
            continue
        attributes: Attributes = node.attributes
        kind = _ANCHOR if tag == A else _kind_of(tag, attributes)
        if kind is None:
            continue
        here = _Found(node, attributes, kind)
        if "rel" in attributes:
            here.nofollow, here.rel = _qualified((attributes["rel"] or "").lower().split())
        if not (here.nofollow or here.rel or kind in _NOT_PAGES or kind in _DECLARED):
            followed.add(beginning)
        _keep(found, reference, here, most)
    for node, attributes in page.metas:
        if "http-equiv" in attributes and (attributes["http-equiv"] or "").strip().lower() == "refresh":
            reference = refresh_target(attributes.get("content") or "")
            _keep(found, reference, _Found(node, attributes, LinkKind.REFRESH), most)
    return tuple(_link(href, first, regions) for (href, _), first in found.items())


def _keep(found: dict[tuple[str, bool], _Found], reference: str, here: _Found, most: int) -> None:
    href = cleaned(reference)
    key = href, here.kind in _DECLARED
    known = found.get(key)
    if known is not None:
        known.nofollow = known.nofollow and here.nofollow
        known.rel = common_rel(known.rel, here.rel)
        if known.kind in _NOT_PAGES and here.kind not in _NOT_PAGES:
            known.kind = here.kind
    elif href and len(found) < most:
        found[key] = here


def _qualified(values: list[str]) -> tuple[bool, str]:
    """Return whether a link is nofollow, and its qualifiers."""
    return _NOFOLLOW in values, " ".join(value for value in _QUALIFIERS if value in values)


def _link(href: str, first: _Found, regions: Nearest[Region]) -> RawLink:
    attributes = first.attributes
    return RawLink(
        href=href,
        kind=first.kind,
        region=regions.above(first.node),
        text=(text_of(first.node, _TEXT_LIMIT) if first.kind is _ANCHOR else "") or _alternative_text(first),
        nofollow=first.nofollow,
        rel=first.rel,
        hreflang=(attributes["hreflang"] or "").strip().lower() if "hreflang" in attributes else "",
    )


def _kind_of(tag: int, attributes: Attributes) -> LinkKind | None:
    if tag == LINK:
        return kind_of_link(attributes.get("rel"), attributes.get("type"))
    if tag in FRAMES:
        return LinkKind.FRAME
    return LinkKind.AREA if tag == AREA else _ANCHOR  # of MathML


def kind_of_link(rel: str | None, media_type: str | None) -> LinkKind | None:
    """Return the kind of a `<link>`, or of a link in a header; None if it is no page and no feed."""
    tokens = (rel or "").lower().split()
    if "stylesheet" in tokens:
        return None  # rel="alternate stylesheet" is not a page
    kind = next((kind for token, kind in _KINDS if token in tokens), None)
    if kind is not LinkKind.ALTERNATE:
        return kind
    kind_of_content = (media_type or "").partition(";")[0].strip().lower()
    if kind_of_content in _FEED_TYPES:
        return LinkKind.FEED
    return kind if kind_of_content in _PAGE_TYPES else LinkKind.DATA


def _alternative_text(link: _Found) -> str:
    """Return the alternative text of a link without text."""
    attributes = link.attributes
    candidates = (
        _image_text(link.node) if link.kind is _ANCHOR else attributes.get("alt"),
        attributes.get("aria-label"),
        attributes.get("title"),
    )
    return next(filter(None, (folded(candidate, _TEXT_LIMIT) for candidate in candidates)), "")


def _image_text(anchor: LexborNode) -> str:
    inside = islice(anchor.traverse(), _IMAGE_SEARCH)
    return next((alt for node in inside if node.tag_id == IMG and (alt := node.attributes.get("alt"))), "")
