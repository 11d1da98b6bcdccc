"""Session tokens: the same pages under new URLs, one for each token."""

from collections.abc import Sequence

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families, Family
from wavecrawl.domain.traps.settings import SessionTrapSettings
from wavecrawl.domain.traps.tokens import places_of_tokens, without_tokens

_SIMILAR = 9  # bits in which fingerprints may differ if the page without the token is known: a similarity of 0.85


class SessionRule:
    """Suppresses URLs with a token if a row of pages had the same text with another token, or without one.

    Identifiers look like tokens too. Their pages differ, so they are not suppressed.
    """

    reason = Reason.TRAP_SESSION

    def __init__(self, settings: SessionTrapSettings) -> None:
        self._settings = settings

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:  # noqa: ARG002
        """Learn a page."""
        if not page.fingerprint:
            return
        places = places_of_tokens(page.url)
        if not places:
            return
        same = families.use(f"same {without_tokens(page.url)}")
        plain = families.get(page.url.partition("?")[0]) if "?" in page.url else None
        again = same.resembles(page.fingerprint)
        if plain is not None:
            again = any(family.resembles(page.fingerprint, bits=_SIMILAR) for family in (plain, same))
        same.add(page)
        if not again and same.pages == 1:
            return  # there is nothing to compare it with
        for place in places:
            family = families.use(f"session {place}")
            family.pages += 1
            why = "pages in a row had the same text with another token, or without one"
            families.count(family, page.url, empty=again, most=self._settings.max_empty, why=why)

    def keys(self, url: str, *, parent: str) -> Sequence[str]:  # noqa: ARG002 - the signature of rules
        """Return the families that a URL belongs to."""
        return [f"session {place}" for place in places_of_tokens(url)]

    def missing(self, family: Family) -> int:
        """Return how many further pages with nothing new close a family."""
        return self._settings.max_empty - family.empty
