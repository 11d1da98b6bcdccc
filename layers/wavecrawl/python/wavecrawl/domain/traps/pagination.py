"""Pagination: numbered pages of one series, such as `?page=11` or `/page/11`, that go on without new content."""

import re

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families
from wavecrawl.domain.traps.settings import PaginationTrapSettings

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
        family.count(page.url, empty=family.compare(page).is_dull)
        settings = self._settings
        if family.pages >= settings.after_page and family.empty >= settings.max_empty:
            why = f"{family.empty} pages in a row had no new words or links, after {family.pages} pages of the series"
            families.close(family, why)

    def evidence(self, url: str, families: Families, *, parent: str) -> str:  # noqa: ARG002 - the signature of rules
        """Return why a URL is suppressed; "" if it is not."""
        series = series_of(url)
        return families.closed.get(f"pagination {series}", "") if series else ""
