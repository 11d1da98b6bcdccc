"""Which found URLs the rules against traps suppress.

A URL with session tokens is suppressed only if another URL stands for it: one that is the same without the tokens, and
that was read or will be. So a page is requested once, whatever token its links have, and no page is lost.
"""

from collections.abc import Callable
from sys import intern

from msgspec import structs

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT
from wavecrawl.domain.crawl.ledger import BY_PAGES, FoundBy
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.traps.forms import is_special
from wavecrawl.domain.traps.rules import Suppression, TrapRules
from wavecrawl.domain.traps.tokens import address_without

_MOST_TRIED = 3
"""URLs of one address that are requested if none of them is a page, such as redirects to a new session."""

_OF_THE_SITE = (*BY_PAGES, FoundBy.SITEMAP)

KeyOf = Callable[[str], str]
"""Returns the url key of a URL."""


def no_key(_url: str) -> str:
    """Return no key: then only URLs with tokens stand for others."""
    return ""


class TrapJudge:
    """The rules against traps over the frontier, during one gather."""

    def __init__(self, frontier: Frontier, rules: TrapRules, key_of: KeyOf = no_key) -> None:
        """`key_of` is asked for addresses without tokens."""
        self._frontier = frontier
        self._rules = rules
        self._key_of = key_of
        self._places: frozenset[str] = frozenset()  # those that `_by_address` is made with
        self._by_address: dict[str, list[str]] = {}  # keys of the requested and waiting URLs that have tokens there

    def suppression(self, url: str, key: str, *, parent: str) -> Suppression | None:
        """Return why a URL that was found on `parent` is suppressed; None if it is not, so that it will be requested.

        `key` is its url key.
        """
        found = self._rules.suppression(url, parent=parent)
        if found is None or found.reason is not Reason.TRAP_SESSION:
            return found
        address = self._address(url)
        other = self._standing_for(address, key)
        if other is not None:
            evidence = f"only a token differs from {self._frontier.url(other)}; {found.evidence}"
            return structs.replace(found, evidence=intern(evidence))  # many URLs have the same one
        found = self._rules.suppression(url, parent=parent, but=Reason.TRAP_SESSION)
        if found is None and key not in (same := self._by_address.setdefault(address, [])):
            same.append(key)
        return found

    def suppress_waiting(self) -> None:
        """Suppress the waiting URLs that pages led to and against which there is evidence now."""
        frontier = self._frontier
        for index in frontier.unplanned():
            url = frontier.url(index)
            if not self._rules.has_evidence_of(url):
                continue
            parent = frontier.parent(index)
            if parent == NO_PARENT or frontier.found_by(index) not in BY_PAGES:
                continue
            found = self.suppression(url, frontier.key(index), parent=frontier.url(parent))
            if found is not None:
                frontier.suppress(index, found.reason, found.evidence)

    def suppress_missing(self) -> None:
        """Suppress the waiting URLs of links and sitemaps that are in folders without pages."""
        frontier = self._frontier
        for index in frontier.unplanned():
            if frontier.found_by(index) in _OF_THE_SITE:
                evidence = self._rules.missing.evidence_against(frontier.url(index))
                if evidence:
                    frontier.suppress(index, Reason.MAX_PAGES, evidence)

    def _address(self, url: str) -> str:
        """Return the address of a URL without its tokens."""
        places = self._rules.session_places()
        if places != self._places:
            self._places = places
            self._by_address = self._collected(places)
        return address_without(places, url)

    def _collected(self, places: frozenset[str]) -> dict[str, list[str]]:
        """Return the keys of the URLs with tokens that were or will be requested, by address, in crawl order."""
        frontier = self._frontier
        found: dict[str, list[int]] = {}
        for index in frontier.admitted():
            url = frontier.url(index)
            address = address_without(places, url) if is_special(url) else ""
            if address:
                found.setdefault(address, []).append(index)
        return {
            address: [frontier.key(index) for index in sorted(indices, key=frontier.entry)]
            for address, indices in found.items()
        }

    def _standing_for(self, address: str, key: str) -> int | None:
        """Return the URL that stands for another one, which has this address and key; None if none does.

        It is a page, was not found, or is the first one that waits. Others, such as redirects, are tried a few times.
        """
        frontier = self._frontier
        keys = (self._key_of(address), *self._by_address.get(address, ()))
        known = [index for index in map(frontier.find, filter(None, keys)) if index is not None]
        waiting: int | None = None
        tried: list[int] = []
        for index in known:
            state = frontier.state(index)
            if state.has_content or state is UrlState.NOT_FOUND:
                return index
            if frontier.waits(index):
                waiting = index if waiting is None else waiting
            elif frontier.tries(index):
                tried.append(index)
        if waiting is not None:
            return None if frontier.key(waiting) == key else waiting
        return tried[0] if len(tried) >= _MOST_TRIED else None
