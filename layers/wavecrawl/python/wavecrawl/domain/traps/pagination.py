"""Pagination: numbered pages of one series, such as `?page=11` or `/page/11`, that go on without new content."""

import re
from collections.abc import Sequence

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families, Family
from wavecrawl.domain.traps.settings import PaginationTrapSettings

_SAME = 6  # words in which pages with nothing new may differ, as "page 8, 71 to 80" and "page 9, 81 to 90"
_NUMBER = re.compile(
    r"(?P<before>[?&;](?:page|pg|p|paged|pageno|page_?num(?:ber)?|page_?no|start|offset|skip|from|first)="
    r"|/(?:page|p|seite|pagina)[/-])\d{1,9}(?=$|[/?&;.])",
    re.IGNORECASE,
)


def series_of(url: str) -> str:
    """Return the URL without its page number, which names the series; "" if it is not a page of one."""
    series, found = _NUMBER.subn(r"\g<before>*", url, count=1)
    return series if found else ""


class PaginationRule:
    """Suppresses the rest of a series after a row of pages with nothing new, but not its first pages."""

    reason = Reason.TRAP_PAGINATION

    def __init__(self, settings: PaginationTrapSettings) -> None:
        self._settings = settings

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:  # noqa: ARG002
        """Learn a page."""
        series = series_of(page.url)
        if not series:
            return
        family = families.use(f"pagination {series}")
        family.pages += 1
        family.count(page.url, empty=family.compare(page).is_dull(most=_SAME))
        settings = self._settings
        if family.pages >= settings.after_page and family.empty >= settings.max_empty:
            why = f"{family.empty} pages in a row had no new words or links, after {family.pages} pages of the series"
            families.close(family, why)

    def keys(self, url: str, *, parent: str) -> Sequence[str]:  # noqa: ARG002 - the signature of rules
        """Return the families that a URL belongs to."""
        series = series_of(url)
        return (f"pagination {series}",) if series else ()

    def missing(self, family: Family) -> int:
        """Return how many further pages with nothing new close a family."""
        return max(self._settings.after_page - family.pages, self._settings.max_empty - family.empty)
