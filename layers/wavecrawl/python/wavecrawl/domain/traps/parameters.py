"""Facets: query parameters that filter or sort what other pages show already, in ever more combinations."""

from collections.abc import Sequence

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps import calendar
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families, Family
from wavecrawl.domain.traps.pagination import series_of
from wavecrawl.domain.traps.settings import ParameterTrapSettings
from wavecrawl.domain.traps.tokens import places_of_tokens
from wavecrawl.domain.urls.templates import parameter_names, template_of
from wavecrawl.domain.urls.url import host_of

_MOST_NAMES = 16  # of a URL; a page with hundreds of parameters would take most of the planner's time


class ParameterRule:
    """Suppresses URLs with a parameter that added nothing to a row of pages of the host.

    A page counts for a parameter only if a page without this parameter was fetched; for parameters that only occur
    together, if a page without all of them was. So parameters that choose the page, such as `?id=`, are not suppressed.
    """

    reason = Reason.TRAP_PARAMETERS

    def __init__(self, settings: ParameterTrapSettings) -> None:
        self._settings = settings

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:  # noqa: ARG002
        """Learn a page."""
        names = _names(page.url)
        if not names or not page.fingerprint:
            return
        address, _, query = page.url.partition("?")
        if any(version.partition("?")[0] == address for version in page.versions):
            return  # the parameter chooses a version of the page
        path = families.use(f"path {address}")
        plain = families.get(address)
        again = any(_has_text_of(page, family) for family in (path, plain) if family is not None)
        is_first = not path.pages
        path.add(page)
        novelty = path.compare(page)
        if is_first and not again:
            return  # there is nothing to compare it with
        has_plain_words = plain is not None and page.word_set == plain.word_set != 0  # also those of its links
        has_new_links = novelty.targets and not (is_first and has_plain_words)
        empty = not has_new_links and (again or novelty.is_empty)
        known = [name for name in names if _is_known_without(address, query, name, families)]
        if not known and plain is not None and len(names) > 1:
            known = ["&".join(names)]
        counted = [families.use(_key(address, name)) for name in known]
        least = min((family.pages - family.fruitless for family in counted), default=0)  # pages with something new
        for name, family in zip(known, counted, strict=True):
            if empty and family.pages - family.fruitless > least:
                continue  # another parameter is the one that adds nothing
            family.pages += 1
            what = "parameters" if "&" in name else "parameter"
            why = f"pages in a row with the {what} {name!r} had no new words or links"
            families.count(family, page.url, empty=empty, most=self._settings.max_empty, why=why)

    def keys(self, url: str, *, parent: str) -> Sequence[str]:  # noqa: ARG002 - the signature of rules
        """Return the families that a URL belongs to."""
        names = _names(url)
        together = ["&".join(names)] if len(names) > 1 else []
        return [_key(url, name) for name in (*names, *together)]

    def missing(self, family: Family) -> int:
        """Return how many further pages with nothing new close a family."""
        return self._settings.max_empty - family.empty


def _names(url: str) -> list[str]:
    """Return the names of the first parameters by name, unless other rules judge the URL."""
    if "?" not in url or calendar.is_view(url) or series_of(url) or places_of_tokens(url):
        return []
    return parameter_names(url.partition("?")[2])[:_MOST_NAMES]


def _has_text_of(page: PageEvidence, family: Family) -> bool:
    """Return whether a page has nearly the text of one of a family, or the words of the last one in any order."""
    return family.resembles(page.fingerprint) or page.word_set == family.word_set != 0


def _is_known_without(address: str, query: str, name: str, families: Families) -> bool:
    others = "&".join(part for part in query.split("&") if part.partition("=")[0] != name)
    return families.get(template_of(f"{address}?{others}" if others else address)) is not None


def _key(url: str, name: str) -> str:
    return f"parameter {host_of(url)} ?{name}"
