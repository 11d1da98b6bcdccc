"""What the classes and ids of an element suggest. They are weak evidence: other rules decide what to make of it."""

import re
from enum import IntEnum
from functools import lru_cache


class Hint(IntEnum):
    """What a name suggests about its element."""

    NOTHING = 0
    MINOR = 1  # beside the content or part of it: tags, a table of contents
    BYLINE = 2  # author and date: content of a discussion, beside the content of an article
    COMMENT = 3  # a comment: content of a discussion, but not of an article
    SIGNATURE = 4  # what a member of a forum has below each post; elsewhere, the signature of a function
    POSTER = 5  # the description of a member of a forum, beside each post
    CHROME = 6  # not the content: navigation, advertisements, related pages


_BY_GROUP = (Hint.NOTHING, Hint.POSTER, Hint.MINOR, Hint.BYLINE, Hint.COMMENT, Hint.SIGNATURE, Hint.CHROME)


# Whole words of a name; "-", "_" and a change of case separate them. Each group is a hint.
_HINTS = re.compile(
    # Of phpBB, Simple Machines Forum, XenForo, vBulletin, FluxBB, MyBB and Invision Community:
    r"\b(?:(postprofile|user ?info|user ?(?:extras|title|banners?|stats)|postdetails|postleft|author information"
    r"|author (?:pane|column|stats))"
    r"|(footer|banner|crumbs?|shares?|socials|follow|replies|recommend|paginator|widgets?|tags|taglist|teasers?"
    r"|skip|print|readmore|more|jump|copyright|legal|rss|feed|utility|tools|registration)"
    r"|(byline|author|meta)"
    r"|(comments?|respond)"
    r"|(signature|signaturecontainer|sig text)"
    r"|(nav|navi|navbar|navigation|menus?|breadcrumbs?|[a-z]*sidebars?|masthead|topbar|toolbar|linenos?|gutter"
    r"|cookies?|consent|cookieconsent|gdpr|ads?|adv|advert|advertisement|advertising|sponsor|sponsored|promos?"
    r"|promotion|promoted|sharedaddy|sharing|social|related|recommended|recommendations|recirc|recirculation|popular"
    r"|trending|newsletter|subscribe|subscription|signup|login|disqus|pagination|pager|popup|modal"
    r"|overlay|outbrain|taboola|agegate|paywall|toc|table ?of ?contents|on this page|edit (?:this )?page"
    r"|feedback|helpful|doc footer"
    # Filters of lists, as of Magento (layered navigation), and reviews by customers, also by services for Shopify.
    r"|filters?(?! (?:results?|content|grid|items?|container))|facet (?:controls?|list|bar)|refinements?|layered nav"
    r"|(?:customer|product|user) reviews|reviews? (?:list|widget|container)|bv (?:content|reviews?)|jdgm [a-z]*"
    r"|stamped [a-z]*|yotpo|okendo|loox"
    r"|similar ?(?:content|threads|topics)|expand ?link))\b"  # of forums
)
_CONSENT = re.compile(
    r"\b(?:cookies?|consent|gdpr) (?:\w+ )*(?:banner|notice|bar|consent|sdk|dialog|popup|modal|overlay|message|alert"
    r"|info|layer|manager|preferences?|prompt|warning|root|disclaimer|box|window|container)\b"
    r"|\b(?:cookie(?:consent|notice|banner|bar|law)|eu cookie|cc (?:banner|window)|fc consent|cky consent|moove gdpr)\b"
    r"|\b(?:cybot ?cookiebot\w*|borlabs ?cookie|didomi|qc cmp2)\b"
)
"""Words of names together, and the names of the elements of common vendors."""

_VENDORS = re.compile(
    r"\b(?:onetrust|cybot ?cookiebot\w*|borlabs ?cookie|didomi|qc cmp2|fc consent|cky consent|moove gdpr"
    r"|cc (?:banner|window)|usercentrics)\b"
)

IN_CONSENT = ("ookie", "onsent", "gdpr", "didomi", "cmp2")
"""Parts of the attributes of such an element: a fast test whether a page has any."""

_PANEL = re.compile(r"\b(?:accordion|collapse|collapsible|faqs?|answer|tab (?:pane|panel|content)|tabpanel)\b")
# The name says something about other elements ("has-sidebar") or about a state ("is-open").
_OF_OTHERS = re.compile(r"(?:has|with|without|no|is|show|hide|toggle|open) |.* (?:open|visible|active)$")
_LONGEST = 60  # characters
_MOST_WORDS = 4  # longer names are made of headings, as ids of sections
_VALUES = re.compile(r'(?:^| )(?:class|id)="([^"]*)"')
_SEPARATORS = str.maketrans("-_", "  ")
_CAMEL = re.compile(r"([a-z])([A-Z])")


def asks_for_consent(attributes: str) -> bool:
    """Return whether an element is named like a dialog for consent to cookies, given its serialized attributes."""
    return any(map(_CONSENT.search, _names(attributes)))


def is_of_vendor(attributes: str) -> bool:
    """Return whether an element is named like the dialog of a vendor of consent management."""
    return any(map(_VENDORS.search, _names(attributes)))


def is_panel(attributes: str) -> bool:
    """Return whether an element is named like the panel of an accordion or of tabs."""
    return any(map(_PANEL.search, _names(attributes))) and hint_of(attributes) is not Hint.CHROME


@lru_cache(maxsize=8_192)
def hint_of(attributes: str) -> Hint:
    """Return the strongest hint of an element's classes and id, given its serialized attributes."""
    if "class=" not in attributes and "id=" not in attributes:
        return Hint.NOTHING
    return max(map(_hint_of_words, _names(attributes)), default=Hint.NOTHING)


@lru_cache(maxsize=8_192)  # of a new id and known classes, only the id is searched
def _hint_of_words(words: str) -> Hint:
    return max([_BY_GROUP[found.lastindex or 0] for found in _HINTS.finditer(words)], default=Hint.NOTHING)


def _names(attributes: str) -> list[str]:
    """Return the words of each class and of the id, without names about other elements or states."""
    return list(filter(None, map(_words_of, " ".join(_VALUES.findall(attributes)).split())))


@lru_cache(maxsize=8_192)
def _words_of(name: str) -> str:
    """Return the words of a name, or "" if it says nothing about its element."""
    if len(name) > _LONGEST:
        return ""
    apart = name if name.islower() else _CAMEL.sub(r"\1 \2", name)
    words = apart.translate(_SEPARATORS).lower()
    return "" if words.count(" ") >= _MOST_WORDS or _OF_OTHERS.match(words) else words


_ADMONITION = re.compile(
    r'class="(?:(?:[^"]* )?(?:(?:theme-)?admonition|admonitionblock|custom-block|markdown-alert|notecard|callout'
    r'|starlight-aside)[ "]|(?:note|tip|important|warning|caution)")',
    re.IGNORECASE,
)


@lru_cache(maxsize=8_192)
def is_admonition(attributes: str) -> bool:
    """Return whether an element is a note or warning within the text, given its serialized attributes."""
    return "class=" in attributes and _ADMONITION.search(attributes) is not None
