"""What the checks of a page need besides its facts: images without text, insecure parts, policies, refresh."""

import re
from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace
from selectolax.lexbor import LexborNode
from xxhash import xxh3_64_intdigest

from wavecrawl.domain.fetching.policies import Policy, csp_policies, referrer_policy
from wavecrawl.domain.pages.extraction.links import cleaned, refresh_target
from wavecrawl.domain.pages.extraction.survey import Attributes, Survey
from wavecrawl.domain.pages.extraction.tags import FORM, FRAMES, IMG, LINK, NOSCRIPT
from wavecrawl.domain.pages.page import PageFacts
from wavecrawl.domain.urls.url import resolve

_EXAMPLES = 5  # images without alternative text that are named
_PICTURES = 200  # images whose URLs are hashed
_PARTS = 20  # insecure parts that are named
_URL_LIMIT = 300  # characters of a URL that is named
_LOADED = frozenset(("stylesheet", "icon", "apple-touch-icon", "preload", "modulepreload", "manifest"))
_NAMED_BY = ("title", "aria-label", "aria-labelledby")
_SOURCES = ("src", "data", "poster")
_BEFORE_URL = re.compile(rb"""(?:(?:src|srcset|data|poster|action)\s*=|,)\s*["']?\s*$""")
_NEAR = 40  # bytes before a URL that are searched for the name of its attribute


def with_checks(facts: PageFacts, page: Survey, base: str, url: str) -> PageFacts:
    """Return the facts with what the checks of the page at `url` need; `base` is the base URL for references."""
    nameless = [node for node in page.images if node.tag_id == IMG and "alt" not in node.attrs and _needs_text(node)]
    insecure = dict.fromkeys(islice(_insecure(page), _PARTS)) if url[:6].lower() == "https:" else ()
    return replace(
        facts,
        pictures=_hash_of(_pictures(page)),
        images_without_alt=len(nameless),
        example_images=tuple((node.attributes.get("src") or "")[:_URL_LIMIT] for node in nameless[:_EXAMPLES]),
        insecure=tuple(insecure),
        policies=_policies(page),
        refresh=_refresh(page, base)[:_URL_LIMIT],
    )


def _pictures(page: Survey) -> Iterator[str]:
    """Yield the URLs of the images that are shown, as written. Those in the data of the page have none."""
    for node in page.images:
        attributes: Attributes = node.attributes
        source = (attributes.get("src") or attributes.get("data-src") or "").strip()
        if node.tag_id == IMG and source and source[:5].lower() != "data:" and _is_shown(node, attributes):
            yield source


def _hash_of(urls: Iterator[str]) -> int:
    """Return the hash of a set of URLs; 0 if there are none."""
    found = sorted(set(islice(urls, _PICTURES)))
    return xxh3_64_intdigest("\n".join(found).encode("utf-8", "replace")) if found else 0


def _is_shown(node: LexborNode, attributes: Attributes) -> bool:
    """Return whether an image is shown: those that count visits are in <noscript>, hidden, or have a width of 1."""
    if attributes.get("width") in ("0", "1") or "display:none" in (attributes.get("style") or "").replace(" ", ""):
        return False
    parent = node.parent
    return parent is None or parent.tag_id != NOSCRIPT


def _needs_text(node: LexborNode) -> bool:
    """Return whether an image without alt has no other name, and is neither hidden nor decoration.

    The rule is that of WCAG technique F65.
    """
    attributes = node.attributes
    if any((attributes.get(name) or "").strip() for name in _NAMED_BY) or attributes.get("aria-hidden") == "true":
        return False
    if (attributes.get("role") or "").strip().lower() in ("none", "presentation"):
        return False
    return _is_shown(node, attributes)


def _insecure(page: Survey) -> Iterator[tuple[str, str]]:
    """Yield element and URL of each part that an HTTPS page loads over HTTP, and of forms that send there."""
    for node in (*page.images, *page.scripts, *page.noise) if _may_load_over_http(page.tree.raw_html) else ():
        attributes: Attributes = node.attributes
        for reference in (*map(attributes.get, _SOURCES), *_candidates(attributes.get("srcset"))):
            yield from _over_http(node.tag or "", reference)
        yield from _over_http("form", attributes.get("formaction"))
    for node in page.links:
        if node.tag_id == LINK and not _LOADED.isdisjoint((node.attributes.get("rel") or "").lower().split()):
            yield from _over_http("link", node.attributes.get("href"))
        elif node.tag_id in FRAMES:
            yield from _over_http("iframe", node.attributes.get("src"))
    for node, attributes in page.boxes:
        if node.tag_id == FORM:
            yield from _over_http("form", attributes.get("action"))


def _may_load_over_http(html: bytes) -> bool:
    """Return whether any attribute but href can have an HTTP URL. To read all elements would take much longer."""
    pieces = html.lower().split(b"http:")[:-1]
    return any(_BEFORE_URL.search(piece[-_NEAR:]) for piece in pieces)


def _candidates(srcset: str | None) -> list[str]:
    return [part.split()[0] for part in (srcset or "").split(",") if part.strip()]


def _over_http(element: str, reference: str | None) -> Iterator[tuple[str, str]]:
    if reference and (address := cleaned(reference))[:5].lower() == "http:":
        yield element, address[:_URL_LIMIT]


def _policies(page: Survey) -> tuple[str, ...]:
    found: set[Policy] = set()
    for _, attributes in page.metas:
        content = attributes.get("content") or ""
        if (attributes.get("http-equiv") or "").strip().lower() == "content-security-policy":
            found.update(csp_policies(content, in_header=False))
        elif (attributes.get("name") or "").strip().lower() == "referrer":
            found.update(referrer_policy(content))
    return tuple(sorted(found))


def _refresh(page: Survey, base: str) -> str:
    """Return the absolute URL that the first meta refresh with a URL leads to."""
    for _, attributes in page.metas:
        if (attributes.get("http-equiv") or "").strip().lower() == "refresh":
            target = cleaned(refresh_target(attributes.get("content") or ""))
            if target:
                return resolve(target, base) or ""
    return ""
