"""Scripts of a page that may add links to it, although its HTML is complete.

The rule errs on the side of scripts: a script of an unknown kind may add links. Scripts of known analytics, data, and
inline scripts without any means to change a page cannot.
"""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit
from zlib import crc32

from wavecrawl.domain.pages.extraction.survey import Attributes, Survey
from wavecrawl.domain.rendering.page_site import is_host_of
from wavecrawl.domain.urls.url import resolve

_TYPES: Final = frozenset(
    ("", "module", "text/javascript", "application/javascript", "text/ecmascript", "application/ecmascript", "text/jsx")
)
"""Types of scripts that run. All others are data (HTML, section 4.12.1)."""

_ANALYTICS_FILES: Final = re.compile(
    r"/(?:matomo|piwik|gtag|gtm|ga|plausible|umami|fathom|beacon\.min|hotjar[\w.-]*|analytics(?:\.min)?)\.js$"
)
"""Files of analytics that sites serve from their own host."""

_ANALYTICS: Final = re.compile(
    r"googletagmanager|google-analytics|\b(?:dataLayer|gtag|_gaq|_paq|_mtm|fbq|_hsq|_linkedin_partner_id|clarity|hj|"
    r"plausible|umami|_vwo_code)\b|\bga\("
)
"""Names in the snippets of analytics."""

_WRITES_LINKS: Final = re.compile(r"<a[\s>]|\bhref\b|innerHTML|outerHTML|insertAdjacent|\bfetch\(|XMLHttpRequest")
"""What a snippet of analytics does not have: ways to write links, or to load data for them."""

_CHANGES_PAGES: Final = re.compile(
    r"innerHTML|outerHTML|insertAdjacent|createElement|createContextualFragment|parseFromString|append|prepend|"
    r"insertBefore|replaceWith|replaceChild|document\s*\.\s*write|\bfetch\b|XMLHttpRequest|\bimport\b|\beval\b|"
    r"\bFunction\b|\batob\b|setAttribute|\.\s*href\b|\blocation\s*[=.\[]|cloneNode|customElements|attachShadow|\$|jQuery|"
    r"\.\s*(?:html|load|render|mount|hydrate)\b|\]\s*\("
)
"""What an inline script needs to add elements to a page, to load other scripts, or to lead elsewhere."""


_CHANGES_IDS: Final = re.compile(_CHANGES_PAGES.pattern + r"|\bid\b[\"']?\s*[:=,]")
"""What an inline script needs to add ids: that, or to give ids to elements that the page has."""


def may_add_links(page: Survey, *, trackers: tuple[str, ...]) -> bool:
    """Return whether scripts of a page may add links to it. `trackers`: hosts whose scripts cannot."""
    return any(_may(node.attributes, node.text, trackers) for node in page.scripts)


def id_scripts(page: Survey, base: str, *, trackers: tuple[str, ...]) -> int:
    """Return a hash of the scripts of a page that may add ids to it, 31 bits: the same for the same scripts; 0 = none.

    `base`: the URL that their addresses are relative to. `trackers`: hosts whose scripts add none.
    """
    found = set[str]()
    for node in page.scripts:
        attributes = node.attributes
        if _may(attributes, node.text, trackers, _CHANGES_IDS):
            address = (attributes.get("src") or "").strip()
            found.add((resolve(address, base) or address) if address else node.text())
    return crc32("\n".join(sorted(found)).encode("utf-8", "replace")) & 0x7FFFFFFF or 1 if found else 0


def _runs(attributes: Attributes) -> bool:
    kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
    return kind in _TYPES and "nomodule" not in attributes


def _may(
    attributes: Attributes, text: object, trackers: tuple[str, ...], changes: re.Pattern[str] = _CHANGES_PAGES
) -> bool:
    if not _runs(attributes):
        return False
    if "src" in attributes:
        return _may_from((attributes["src"] or "").strip(), trackers)
    code = text() if callable(text) else ""
    if _ANALYTICS.search(code) and not _WRITES_LINKS.search(code):
        return False
    return changes.search(code) is not None


@lru_cache(maxsize=1_000)  # pages of a site have many scripts in common
def _may_from(address: str, trackers: tuple[str, ...]) -> bool:
    if not address:
        return False  # such a script does not run
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return False  # a browser does not request it
    return not (is_host_of(host, trackers) or _ANALYTICS_FILES.search(parts.path))
