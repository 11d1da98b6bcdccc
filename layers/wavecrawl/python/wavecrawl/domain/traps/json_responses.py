"""Repeated JSON: responses of one template that all have the same shape, and no links that could be followed."""

from collections.abc import Sequence

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families, Family
from wavecrawl.domain.traps.settings import JsonTrapSettings
from wavecrawl.domain.urls.templates import template_of


class JsonRule:
    """Suppresses URLs of a template after a row of JSON responses with the same shape."""

    reason = Reason.TRAP_JSON

    def __init__(self, settings: JsonTrapSettings) -> None:
        self._settings = settings

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:  # noqa: ARG002
        """Learn a page."""
        if not page.is_json:
            return
        family = families.use(_key(page.url))
        empty = not family.pages or page.fingerprint in family.prints
        why = "JSON responses in a row had the same keys"
        families.count(family, page.url, empty=empty, most=self._settings.max_alike, why=why)
        family.add(page)

    def keys(self, url: str, *, parent: str) -> Sequence[str]:  # noqa: ARG002 - the signature of rules
        """Return the families that a URL belongs to."""
        return (_key(url),)

    def missing(self, family: Family) -> int:
        """Return how many further pages with nothing new close a family."""
        return self._settings.max_alike - family.empty


def names_json(url: str) -> bool:
    """Return whether the name in a URL says that the response is JSON."""
    return url.partition("?")[0].endswith(".json")


def _key(url: str) -> str:
    return f"json {template_of(url)}"
