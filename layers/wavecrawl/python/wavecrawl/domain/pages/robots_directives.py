"""Directives for crawlers, as in meta robots and X-Robots-Tag (Google Search Central, "robots meta tag")."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

PRODUCT: Final = "wavecrawl"
"""The product token of this crawler, unless the setting `robots_product` names another one."""

UNAVAILABLE_AFTER: Final = "unavailable_after"
_WITH_VALUE = (UNAVAILABLE_AFTER, "max-snippet", "max-image-preview", "max-video-preview")
_DAY_SECONDS = 86_400
_DAY = re.compile(r"unavailable_after\s*:\s*[a-z]+")  # a date in RFC 850 or RFC 5322 form has a comma after the day
_ZONE = re.compile(r"\s*\b(?:UTC|GMT)$")  # names that ISO 8601 does not have
_DASH = re.compile(r"(?<=\d)-(?=[a-z])|(?<=[a-z])-(?=\d)")  # of a date in RFC 850 form
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


def unavailable_since(directive: str) -> float | None:
    """Return the time, in Unix seconds, from which `unavailable_after: <date>` keeps a page out of search results.

    Dates are those that search engines read: RFC 822, RFC 850 and ISO 8601, with or without a time. A date without a
    time ends with its day. A date without a time zone is in UTC. Return None if the directive is another one, or if its
    date cannot be read: search engines then ignore it.
    """
    name, _, text = directive.partition(":")
    text = text.strip()
    if name.strip() != UNAVAILABLE_AFTER or not text:
        return None
    has_time = ":" in text
    moment = _iso_time(text) or _http_time(text if has_time else f"{text} 00:00:00")
    if moment is None:
        return None
    is_day = not has_time and (moment.hour, moment.minute) == (0, 0)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() + is_day * _DAY_SECONDS


def _iso_time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(_ZONE.sub("Z", text.upper()) if ":" in text else text.upper())
    except ValueError:
        return None


def _http_time(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(_DASH.sub(" ", text))
    except ValueError:
        return None


def _without_crawler(directive: str) -> tuple[str, str]:
    """Return the name of a crawler before a directive, or "", and the directive."""
    match = _CRAWLER.match(directive)
    if match is None or match[1] in _WITH_VALUE:
        return "", directive
    return match[1], directive[match.end() :].strip()
