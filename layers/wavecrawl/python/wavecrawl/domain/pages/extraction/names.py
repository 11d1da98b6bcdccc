"""What the classes and ids of an element suggest. They are weak evidence: other rules decide what to make of it."""

import re
from enum import IntEnum
from functools import lru_cache


class Hint(IntEnum):
    """What a name suggests about its element."""

    NOTHING = 0
    MINOR = 1  # beside the content or part of it: a byline, tags, a table of contents
    CHROME = 2  # not the content: navigation, advertisements, comments, related pages


# Whole words of a name; "-", "_" and a change of case separate them.
_CHROME = re.compile(
    r"\b(?:nav|navi|navbar|navigation|menus?|breadcrumbs?|[a-z]*sidebars?|masthead|topbar|toolbar|linenos?|gutter"
    r"|cookies?|consent|cookieconsent|gdpr|ads?|adv|advert|advertisement|advertising|sponsor|sponsored|promos?"
    r"|promotion|promoted|sharedaddy|sharing|social|related|recommended|recommendations|recirc|recirculation|popular"
    r"|trending|newsletter|subscribe|subscription|signup|login|comments?|disqus|respond|pagination|pager|popup|modal"
    r"|overlay|outbrain|taboola|agegate|paywall)\b"
)
_MINOR = re.compile(
    r"\b(?:footer|banner|crumbs?|shares?|socials|follow|replies|recommend|paginator|widgets?|tags|taglist|teasers?"
    r"|byline|author|meta|skip|print|readmore|more|jump|copyright|legal|rss|feed|utility|tools|registration|toc)\b"
)
# The name says something about other elements ("has-sidebar") or about a state ("is-open").
_OF_OTHERS = re.compile(r"(?:has|with|without|no|is|show|hide|toggle|open) |.* (?:open|visible|active)$")
_LONGEST = 60  # characters
_MOST_WORDS = 4  # longer names are made of headings, as ids of sections
_VALUES = re.compile(r'(?:^| )(?:class|id)="([^"]*)"')
_CAMEL = re.compile(r"([a-z])([A-Z])")


@lru_cache(maxsize=8_192)
def hint_of(attributes: str) -> Hint:
    """Return the strongest hint of an element's classes and id, given its serialized attributes."""
    if "class=" not in attributes and "id=" not in attributes:
        return Hint.NOTHING
    found = Hint.NOTHING
    for name in " ".join(_VALUES.findall(attributes)).split():
        if len(name) > _LONGEST:
            continue
        words = _CAMEL.sub(r"\1 \2", name).replace("_", " ").replace("-", " ").lower()
        if words.count(" ") >= _MOST_WORDS or _OF_OTHERS.match(words):
            continue
        if _CHROME.search(words):
            return Hint.CHROME
        if _MINOR.search(words):
            found = Hint.MINOR
    return found
