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

    A page counts for a parameter only if a page without this parameter was fetched. So parameters that choose the page,
    such as `?id=`, are not suppressed.
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
        path = families.use(f"path {address}")
        plain = families.get(address)
        again = path.resembles(page.fingerprint) or (plain is not None and plain.resembles(page.fingerprint))
        is_first = not path.pages
        path.add(page)
        novelty = path.compare(page)
        if is_first and not again:
            return  # there is nothing to compare it with
        empty = not novelty.targets and (again or novelty.is_empty)
        known = [name for name in names if _is_known_without(address, query, name, families)]
        counted = [families.use(_key(address, name)) for name in known]
        least = min((family.pages - family.fruitless for family in counted), default=0)  # pages with something new
        for name, family in zip(known, counted, strict=True):
            if empty and family.pages - family.fruitless > least:
                continue  # another parameter is the one that adds nothing
            family.pages += 1
            why = f"pages in a row with the parameter {name!r} had no new words or links"
            families.count(family, page.url, empty=empty, most=self._settings.max_empty, why=why)

    def keys(self, url: str, *, parent: str) -> Sequence[str]:  # noqa: ARG002 - the signature of rules
        """Return the families that a URL belongs to."""
        return [_key(url, name) for name in _names(url)]

    def missing(self, family: Family) -> int:
        """Return how many further pages with nothing new close a family."""
        return self._settings.max_empty - family.empty


def _names(url: str) -> list[str]:
    """Return the names of the first parameters by name, unless other rules judge the URL."""
    if "?" not in url or calendar.is_view(url) or series_of(url) or places_of_tokens(url):
        return []
    return parameter_names(url.partition("?")[2])[:_MOST_NAMES]


def _is_known_without(address: str, query: str, name: str, families: Families) -> bool:
    others = "&".join(part for part in query.split("&") if part.partition("=")[0] != name)
    return families.get(template_of(f"{address}?{others}" if others else address)) is not None


def _key(url: str, name: str) -> str:
    return f"parameter {host_of(url)} ?{name}"
