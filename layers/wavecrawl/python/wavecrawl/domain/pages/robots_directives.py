"""Directives for crawlers, as in meta robots and X-Robots-Tag (Google Search Central, "robots meta tag")."""

import re
from collections.abc import Iterator

_WITH_VALUE = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
_DAY = re.compile(r"unavailable_after\s*:\s*[a-z]+")  # a date in RFC 850 or RFC 5322 form has a comma after the day
_CRAWLER = re.compile(r"([a-z0-9*._/-]+)\s*:")


def directives_of(text: str) -> Iterator[str]:
    """Yield the directives of a comma-separated list, lower-cased. The comma in a date separates nothing."""
    day = ""
    for part in text.lower().split(","):
        directive = f"{day}, {part.strip()}" if day else part.strip()
        day = "" if day or not _DAY.fullmatch(_without_crawler(directive)[1]) else directive
        if directive and not day:
            yield directive
    if day:
        yield day


def directives_for(text: str, crawler: str) -> Iterator[str]:
    """Yield the directives of an X-Robots-Tag for all crawlers or for `crawler`, in lower case.

    The name of a crawler, as in `otherbot: noindex, nofollow`, counts for the directives up to the next name.
    """
    applies = True
    for directive in directives_of(text):
        name, rest = _without_crawler(directive)
        if name:
            applies = name in (crawler, "*")
        if applies and rest:
            yield rest


def _without_crawler(directive: str) -> tuple[str, str]:
    """Return the name of a crawler before a directive, or "", and the directive."""
    match = _CRAWLER.match(directive)
    if match is None or match[1] in _WITH_VALUE:
        return "", directive
    return match[1], directive[match.end() :].strip()
