"""Facets: query parameters that filter or sort what other pages show already, in ever more combinations."""

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps import calendar
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families
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
        family = families.use(f"path {address}")
        plain = families.get(address)
        again = family.resembles(page.fingerprint) or (plain is not None and plain.resembles(page.fingerprint))
        family.add(page)
        novelty = family.compare(page)
        empty = not novelty.targets and (again or novelty.is_empty)
        for name in names:
            if _is_known_without(address, query, name, families):
                of_name = families.use(_key(address, name))
                of_name.pages += 1
                of_name.count(page.url, empty=empty)
                if of_name.empty >= self._settings.max_empty:
                    why = f"{of_name.empty} pages in a row with the parameter {name!r} had no new words or links"
                    families.close(of_name, why)

    def evidence(self, url: str, families: Families, *, parent: str) -> str:  # noqa: ARG002 - the signature of rules
        """Return why a URL is suppressed; "" if it is not."""
        for name in _names(url):
            found = families.closed.get(_key(url, name), "")
            if found:
                return found
        return ""


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
