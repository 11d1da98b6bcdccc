"""Endless templates: pages of one path template that are nearly the same and link to each other."""

from collections.abc import Sequence

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.pages.word_sketch import difference
from wavecrawl.domain.traps import calendar
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families
from wavecrawl.domain.traps.pagination import series_of
from wavecrawl.domain.traps.settings import TemplateTrapSettings
from wavecrawl.domain.urls.templates import template_of

_SAME = 4  # words in which the sketches of near-identical pages may differ: a number or two, and their titles


class TemplateRule:
    """Suppresses URLs of a template after a row of near-identical pages, if they are found on pages of the template.

    Products that differ in few words can look near-identical, but lists of another template lead to them. Also records
    the fingerprints of all pages by path and by template, which other rules and the duplication risk need.
    """

    reason = Reason.TRAP_TEMPLATE

    def __init__(self, settings: TemplateTrapSettings) -> None:
        self._settings = settings

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:
        """Learn a page."""
        if page.is_json:
            return
        template = template_of(page.url)
        if "?" not in page.url and template != page.url:
            families.use(page.url).add(page)
        family = families.use(template)
        family.add(page)
        if template not in map(template_of, ancestors) or _is_judged_elsewhere(page):
            family.count(page.url, empty=False)
            return
        before, family.words = family.words, page.words
        pictures, family.pictures = family.pictures, page.pictures
        is_same = pictures == page.pictures and difference(before, page.words) <= _SAME
        family.count(page.url, empty=bool(before) and is_same)
        if self._settings.enabled and family.empty >= self._settings.max_alike:
            why = f"{family.empty} near-identical pages in a row, each found on a page of the template {template}"
            families.close(family, why)

    def keys(self, url: str, *, parent: str) -> Sequence[str]:
        """Return the families that a URL belongs to."""
        template = template_of(url)
        return (template,) if template == template_of(parent) else ()


def _is_judged_elsewhere(page: PageEvidence) -> bool:
    """Return whether a page is a view of a calendar or a page of a series."""
    return page.is_special and (calendar.is_view(page.url) or bool(series_of(page.url)))
