"""The planner's knowledge of families of pages: those of one path, text, template, calendar, series or parameter.

The state is a function of the pages in the order in which they were learned. It is bounded: at the end of each wave the
families that were not used for the longest time are dropped, except those that are closed.
"""

from collections.abc import Iterable

from msgspec import Struct

from wavecrawl.domain.pages.word_sketch import NUMBERS, POSITIONS, difference, mask_of
from wavecrawl.domain.traps.evidence import TARGETS, PageEvidence

LIMIT = 20_000
"""Maximum number of families."""

NEAR = 5
"""Bits in which the fingerprints of near-identical texts may differ: a similarity of 0.92."""

_PRINTS = 4  # fingerprints kept of a family
_SIBLINGS = 3  # URLs kept of a family
_FULL = 8  # a set of words or targets starts again when more than 1 / _FULL of its positions are taken


class Novelty(Struct, frozen=True, kw_only=True, gc=False):
    """What a page has that the earlier pages of a family do not have."""

    words: int  # of its sketch, without those that contain digits
    numbers: int  # words with digits
    share: float  # new words of all words without digits, 0..1
    targets: int
    pictures: bool  # whether its images are others than those of the page before
    differs: int  # words, also with digits, that either the page or the one before has

    def is_dull(self, *, most: int) -> bool:
        """Return whether a page has no new links or images, and at most two new words, or a tenth of its words.

        It must also have nearly the words of the page before: those of one of them only are at most `most`.
        """
        few_new = self.words <= 2 or self.share <= 0.1  # noqa: PLR2004
        return few_new and not (self.targets or self.pictures) and self.differs <= most

    @property
    def is_empty(self) -> bool:
        """Whether at most one word, and no link or image, is new."""
        return not (self.targets or self.pictures) and self.words + self.numbers <= 1


class Family(Struct, array_like=True, kw_only=True, gc=False):
    """Pages that a rule compares with each other, counted."""

    key: str
    pages: int = 0
    empty: int = 0  # pages in a row with nothing new
    unlinked: int = 0  # pages without new link targets
    alike: int = 0  # pages whose text is nearly that of an earlier page
    prints: tuple[int, ...] = ()  # the last fingerprints that differ
    words: bytes = b""
    targets: bytes = b""
    siblings: tuple[str, ...] = ()  # the last URLs
    last: bytes = b""  # sketch of the last page that was compared
    evidence: str = ""  # why further URLs are suppressed; "" = they are not
    fruitless: int = 0  # pages with nothing new
    tried: int = 0  # URLs that were tried, also those without a page
    alone: int = 0  # pages that were not compared, as no other one had their address
    pictures: int = 0  # of the last page that was compared
    word_set: int = 0  # of the last page
    linked: bytes = b""  # words of links on the last page that was compared
    level: int = 0  # pages with nothing of their own in a row that led to the page that has this address, and the page
    original: str = ""  # URL of an earlier page with the text of the page that has this address; "" = there is none

    def resembles(self, fingerprint: int, *, bits: int = NEAR) -> bool:
        """Return whether the fingerprint of one of its pages differs in at most `bits` bits."""
        if fingerprint:
            for other in self.prints:
                if (fingerprint ^ other).bit_count() <= bits:
                    return True
        return False

    def add(self, page: PageEvidence) -> bool:
        """Count a page; return whether an earlier one has nearly the same text."""
        near = self.resembles(page.fingerprint)
        self.pages += 1
        self.word_set = page.word_set
        self.alike += near
        if page.fingerprint and page.fingerprint not in self.prints:
            self.prints = (*self.prints[1 - _PRINTS :], page.fingerprint)
        return near

    def compare(self, page: PageEvidence) -> Novelty:
        """Compare a page with the words and link targets of the earlier pages, and add its own."""
        words = mask_of(page.words)
        seen = int.from_bytes(self.words, "little")
        new, total = words & ~seen, words & ~NUMBERS
        new_words = (new & ~NUMBERS).bit_count()
        targets = int.from_bytes(self.targets, "little")
        novelty = Novelty(
            words=new_words,
            numbers=(new & NUMBERS).bit_count(),
            share=new_words / max(1, total.bit_count()),
            targets=(page.targets & ~targets).bit_count(),
            pictures=page.pictures != self.pictures,
            differs=difference(self.last, page.words),
        )
        self.last, self.pictures = page.words, page.pictures
        self.words = _joined(seen, words, POSITIONS)
        self.targets = _joined(targets, page.targets, TARGETS)
        self.unlinked += not novelty.targets
        return novelty

    def count(self, url: str, *, empty: bool) -> None:
        """Count a page as one of a row of pages with nothing new, or end the row."""
        self.empty = self.empty + 1 if empty else 0
        self.fruitless += empty
        self.siblings = (*self.siblings[1 - _SIBLINGS :], url) if empty else (url,)


class Families:
    """All families by key, the last used ones last."""

    __slots__ = ("_families", "_limit", "_touched", "closed")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._families: dict[str, Family] = {}
        self._touched: set[str] = set()  # since the last `delta`
        self.closed: dict[str, str] = {}
        """Families whose further URLs are suppressed, with the evidence."""

    def __len__(self) -> int:
        return len(self._families)

    def get(self, key: str) -> Family | None:
        """Return a family, without using it."""
        return self._families.get(key)

    def use(self, key: str) -> Family:
        """Return a family to learn a page; it becomes the last used one."""
        family = self._families.pop(key, None) or Family(key=key)
        self._families[key] = family
        self._touched.add(key)
        return family

    def count(self, family: Family, url: str, *, empty: bool, most: int, why: str) -> None:
        """Count a page of a family. After `most` pages in a row with nothing new, suppress further URLs.

        `why` is the evidence, after the number of these pages.
        """
        family.count(url, empty=empty)
        if family.empty >= most:
            self.close(family, f"{family.empty} {why}")

    def close(self, family: Family, why: str) -> None:
        """Suppress further URLs of a family. `why` has the figures; the last pages of the family are added."""
        if not family.evidence:
            family.evidence = f"{why}: {' '.join(family.siblings)}"
            self.closed[family.key] = family.evidence

    def delta(self) -> list[Family]:
        """Return the families that were used since the last call, in order; drop those beyond the limit."""
        self._trim()
        used = [family for key, family in self._families.items() if key in self._touched]
        self._touched.clear()
        return used

    def whole(self) -> list[Family]:
        """Return all families, in order."""
        return list(self._families.values())

    def apply(self, families: Iterable[Family]) -> None:
        """Replay the changes of a wave."""
        for family in families:
            self._families.pop(family.key, None)
            self._families[family.key] = family
            if family.evidence:
                self.closed[family.key] = family.evidence
        self._trim()

    def _trim(self) -> None:
        surplus = len(self._families) - self._limit
        if surplus > 0:
            for key in [key for key, family in self._families.items() if not family.evidence][:surplus]:
                del self._families[key]


def _joined(seen: int, new: int, positions: int) -> bytes:
    joined = seen | new
    if joined.bit_count() * _FULL > positions:
        joined = new
    return joined.to_bytes(positions // 8, "little")
