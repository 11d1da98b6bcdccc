"""Copies that lead to further copies: URLs without end whose pages have the text of pages that were read before.

It does not matter which part of the URLs changes: languages or filters that are added to the path again and again,
tags in any order, or what follows the name of a program.
"""

import re
from collections.abc import Sequence

from xxhash import xxh3_64_intdigest

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps.evidence import TARGETS, PageEvidence
from wavecrawl.domain.traps.families import Families, Family
from wavecrawl.domain.traps.settings import TemplateTrapSettings

_SEPARATORS = re.compile(r"[^0-9A-Za-z%]+")


class CopyRule:
    """Suppresses URLs that only copies lead to, after a row of copies that copies led to.

    A page is a copy if an earlier page of the host has its text, or the page that it was found on nearly has it.
    A copy counts only if its URL differs from that of the earlier page in words that no other copy had, nor the page
    that it was found on: the regions of a site are few, and what they have in common is no trap. Numbers do not count,
    as they choose what a page shows.
    """

    reason = Reason.TRAP_TEMPLATE

    def __init__(self, settings: TemplateTrapSettings, families: Families) -> None:
        self._most = settings.max_copies
        self._families = families

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:
        """Learn a page."""
        if page.is_json or not page.fingerprint:
            return
        parent = ancestors[0] if ancestors else ""
        original = self.original_of(page, parent=parent)
        first = families.use(_text_key(page))
        first.siblings = first.siblings or (page.url,)
        if original in page.versions:
            return
        if original:
            families.use(page.url).original = original
        before = self._original(parent)
        if not before:
            return
        family = families.use(_key(page.url))
        words = _own_words(page.url, original) if original else ""
        if not original:
            family.count(page.url, empty=False)
        elif _is_new(family, words) and words != _own_words(parent, before):
            why = "pages in a row have the text of other pages, and were found on pages that have it too"
            families.count(family, page.url, empty=True, most=self._most, why=why)
        else:
            family.fruitless += 1

    def keys(self, url: str, *, parent: str) -> Sequence[str]:
        """Return the families that a URL belongs to."""
        return (_key(url),) if self._original(parent) else ()

    def missing(self, family: Family) -> int:
        """Return how many further pages with nothing new close a family."""
        return self._most - family.empty

    def original_of(self, page: PageEvidence, *, parent: str) -> str:
        """Return the URL of an earlier page with the text of a page; "" if there is none."""
        first = self._families.get(_text_key(page))
        if first is not None and first.siblings and first.siblings[0] != page.url:
            return first.siblings[0]
        above = self._families.get(parent) if parent != page.url else None
        if above is None or not above.resembles(page.fingerprint):
            return ""
        return above.original or parent

    def is_copy(self, url: str) -> bool:
        """Return whether a learned page has the text of an earlier one."""
        return bool(self._original(url))

    def _original(self, url: str) -> str:
        family = self._families.get(url)
        return family.original if family is not None else ""


def _own_words(url: str, original: str) -> str:
    """Return the words of a URL without those at both ends that it has in common with another; "" for numbers only."""
    mine, other = _words(url), _words(original)
    most = min(len(mine), len(other))
    start = 0
    while start < most and mine[start] == other[start]:
        start += 1
    end = 0
    while end < most - start and mine[-1 - end] == other[-1 - end]:
        end += 1
    own = mine[start : len(mine) - end]
    return " ".join(own) if any(not word.isdigit() for word in own) else ""


def _words(url: str) -> list[str]:
    return _SEPARATORS.split(url[url.find("/", url.find("//") + 2) :].strip("/"))


def _is_new(family: Family, words: str) -> bool:
    """Return whether no copy of a family had these words, and note them."""
    if not words:
        return False
    seen = int.from_bytes(family.targets, "little")
    bit = 1 << xxh3_64_intdigest(words.encode()) % TARGETS
    family.targets = (seen | bit).to_bytes(TARGETS // 8, "little")
    return not seen & bit


def _origin(url: str) -> str:
    return url[: url.find("/", url.find("//") + 2)]


def _key(url: str) -> str:
    return f"copies {_origin(url)}"


def _text_key(page: PageEvidence) -> str:
    return f"text {_origin(page.url)} {page.fingerprint:x}"
