"""Session tokens: the same pages under new URLs, one for each token."""

from collections.abc import Sequence

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families, Family
from wavecrawl.domain.traps.settings import SessionTrapSettings
from wavecrawl.domain.traps.tokens import address_without, is_of_short_tokens, places_of_tokens, without_tokens

KIND = "session "
"""The beginning of the keys of its families. The rest is a place of tokens."""

_CAUTION = 3  # times as many pages are needed for short tokens, as identifiers are often short
_SIMILAR = 9  # bits in which fingerprints may differ if the page without the token is known: a similarity of 0.85


class SessionRule:
    """Finds the places of tokens: a row of pages had the same text with another token there, or without one.

    Of the URLs that are the same without their tokens, one is requested (`domain.crawl.trap_judge`). Identifiers look
    like tokens too. Their pages differ, so they are not suppressed.
    """

    reason = Reason.TRAP_SESSION

    def __init__(self, settings: SessionTrapSettings) -> None:
        self._settings = settings

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:  # noqa: ARG002
        """Learn a page."""
        if not page.fingerprint:
            return
        places = tuple(dict.fromkeys(places_of_tokens(page.url)))
        if not places:
            return
        same = families.use(_same(page.url))
        plain = families.get(page.url.partition("?")[0]) if "?" in page.url else None
        again = same.resembles(page.fingerprint)
        if plain is not None:
            again = any(family.resembles(page.fingerprint, bits=_SIMILAR) for family in (plain, same))
        same.add(page)
        is_alone = not again and same.pages == 1
        by_one = _by_one_token(page, places, families) if len(places) > 1 else {}
        for place in by_one or places:
            family = families.use(f"{KIND}{place}")
            if is_alone:  # there is nothing to compare it with
                family.alone += 1
                continue
            family.pages += 1
            why = "pages in a row had the same text with another token, or without one"
            empty = by_one.get(place, again)
            families.count(family, page.url, empty=empty, most=self._most(family), why=why)

    def keys(self, url: str, *, parent: str) -> Sequence[str]:  # noqa: ARG002 - the signature of rules
        """Return the families that a URL belongs to."""
        return [f"{KIND}{place}" for place in places_of_tokens(url)]

    def missing(self, family: Family) -> int:
        """Return how many further pages with nothing new close a family."""
        return self._most(family) - family.empty

    def _most(self, family: Family) -> int:
        """Return after how many pages in a row a place of tokens is one of sessions."""
        return self._settings.max_empty * (_CAUTION if is_of_short_tokens(family.key) else 1)

    @staticmethod
    def is_known(url: str, families: Families) -> bool:
        """Return whether a page with other tokens was fetched, so that a page of this URL would be compared with it."""
        return families.get(_same(url)) is not None


def _same(url: str) -> str:
    return f"same {without_tokens(url)}"


def _by_one_token(page: PageEvidence, places: tuple[str, ...], families: Families) -> dict[str, bool]:
    """Return whether a page has the text of an earlier one that differs by the token in one place alone, by place.

    The others may be identifiers: if there are such pages, nothing follows for places that are not returned.
    """
    found: dict[str, bool] = {}
    for place in places:
        family = families.use(f"same {address_without((place,), page.url)}")
        if family.pages:
            found[place] = family.resembles(page.fingerprint)
        family.add(page)
    return found
