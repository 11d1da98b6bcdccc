"""Session tokens: the same pages under new URLs, one for each token."""

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families
from wavecrawl.domain.traps.settings import SessionTrapSettings
from wavecrawl.domain.traps.tokens import places_of_tokens, without_tokens


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
        again = same.resembles(page.fingerprint) or (plain is not None and plain.resembles(page.fingerprint))
        same.add(page)
        if not again and same.pages == 1:
            return  # there is nothing to compare it with
        for place in places:
            family = families.use(f"session {place}")
            family.pages += 1
            family.count(page.url, empty=again)
            if family.empty >= self._settings.max_empty:
                why = f"{family.empty} pages in a row had the same text with another token, or without one"
                families.close(family, why)

    def evidence(self, url: str, families: Families, *, parent: str) -> str:  # noqa: ARG002 - the signature of rules
        """Return why a URL is suppressed; "" if it is not."""
        for place in places_of_tokens(url):
            found = families.closed.get(f"session {place}", "")
            if found:
                return found
        return ""
