"""Calendars: views of months, weeks or days that lead to the next and the previous one without end."""

import re
from collections.abc import Sequence

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families, Family
from wavecrawl.domain.traps.settings import CalendarTrapSettings
from wavecrawl.domain.urls.templates import template_of

_YEAR = r"(?:19|20)\d\d"
_DAY = rf"{_YEAR}[-/_.](?:0?[1-9]|1[0-2])(?:[-/_.](?:0?[1-9]|[12]\d|3[01]))?"
_WEEK = rf"{_YEAR}-?[wW](?:0?[1-9]|[1-4]\d|5[0-3])"
_NAMES = r"(?:year|month|week|day|date|yr|mon|yy|mm|dd)"
_SAME = 16  # words in which views with nothing new may differ, such as the days of two weeks
_IN_PATH = re.compile(rf"/(?:{_DAY}|{_WEEK})/?$")
_IN_QUERY = re.compile(
    rf"(?:^|[&;])(?:[a-zA-Z_.-]*=(?:{_DAY}|{_WEEK})(?:[T ]|%20|&|$)|[a-z_-]*{_NAMES}=\d{{1,8}}(?:&|$))"
)


def is_view(url: str) -> bool:
    """Return whether a URL looks like a view of a calendar: a date ends its path, or is in its query."""
    address, mark, query = url.partition("?")
    return bool(_IN_QUERY.search(query)) if mark else bool(_IN_PATH.search(address))


class CalendarRule:
    """Suppresses the views of a calendar after a row of views with nothing new, and after too many without new links.

    The archives of a blog have dates too. Their pages have new words or links, so they are not suppressed.
    """

    reason = Reason.TRAP_CALENDAR

    def __init__(self, settings: CalendarTrapSettings) -> None:
        self._settings = settings

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:
        """Learn a page."""
        if not is_view(page.url):
            return
        family = families.use(_key(page.url))
        family.pages += 1
        novelty = family.compare(page)
        # Views that a list leads to are the site's content; those that views lead to may have no end.
        led = any(map(is_view, ancestors[:1]))
        empty = led and novelty.is_dull(most=_SAME)
        why = "views of the calendar in a row had no new words or links"
        families.count(family, page.url, empty=empty, most=self._settings.max_empty, why=why)
        if led and family.unlinked >= self._settings.max_views:
            families.close(family, f"{family.unlinked} views of the calendar had no new links")

    def keys(self, url: str, *, parent: str) -> Sequence[str]:
        """Return the families that a URL belongs to."""
        return (_key(url),) if is_view(url) and is_view(parent) else ()

    def missing(self, family: Family) -> int:
        """Return how many further pages with nothing new close a family."""
        return self._settings.max_empty - family.empty


def _key(url: str) -> str:
    return f"calendar {template_of(url)}"
