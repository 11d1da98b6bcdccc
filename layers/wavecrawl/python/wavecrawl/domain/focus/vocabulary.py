"""The vocabulary of a site: how many link targets have which words in their link text or URL.

A document of the TF-IDF weights is a link target: https://nlp.stanford.edu/IR-book/html/htmledition/tf-idf-weighting-1.html
"""

from collections.abc import Iterable
from math import log2

from msgspec import Struct

from wavecrawl.domain.focus.score import STEPS

MOST_TERMS = 20_000
"""Terms that are kept between waves."""

MOST_NEW = 100_000
"""Terms that one wave adds, about. Of pages with more, only the words that the wave had before are counted."""

_KEPT = 15_000  # terms that remain if there are more
_PRECISION = 1_000  # so that logarithms are whole numbers, the same on every machine


class VocabularyDelta(Struct, frozen=True):
    """What a wave added to a vocabulary."""

    targets: int = 0
    terms: dict[str, int] = {}  # in the order of their first use


class Vocabulary:
    """The words of the link targets found so far. The order in which targets are added must be fixed."""

    __slots__ = ("_new_targets", "_new_terms", "_targets", "_terms")

    def __init__(self) -> None:
        self._targets = 0
        self._terms: dict[str, int] = {}
        self._new_targets = 0
        self._new_terms: dict[str, int] = {}

    def add(self, words: Iterable[str]) -> None:
        """Add the words of a new link target, each once."""
        self._new_targets += 1
        new = self._new_terms
        if len(new) >= MOST_NEW:
            words = [word for word in words if word in new]
        for word in words:
            new[word] = new.get(word, 0) + 1

    def signal(self, words: tuple[str, ...]) -> int:
        """Return how specific words are to a target, in steps from 0 to 200: the mean of their weights.

        A word that only one target has weighs 1, a word that all targets have 0: the inverse document frequency on a
        scale of logarithms. Without words it is 0.
        """
        everything = _log(self._targets + self._new_targets + 1)
        if not words or not everything:
            return 0
        terms, new = self._terms.get, self._new_terms.get
        known = sum(_log(max(1, terms(word, 0) + new(word, 0))) for word in words)
        return max(0, STEPS - (STEPS * known) // (everything * len(words)))

    def delta(self) -> VocabularyDelta:
        """Return what was added since the last call; forget the rarest words if there are too many."""
        found = VocabularyDelta(targets=self._new_targets, terms=self._new_terms)
        self._new_targets, self._new_terms = 0, {}
        self.apply(found)
        return found

    def apply(self, delta: VocabularyDelta) -> None:
        """Add the delta of another vocabulary that was like this one."""
        self._targets += delta.targets
        terms = self._terms
        for word, count in delta.terms.items():
            terms[word] = terms.get(word, 0) + count
        if len(terms) > MOST_TERMS:
            by_use = sorted(terms, key=terms.__getitem__, reverse=True)  # stable: earlier words first
            kept = set(by_use[:_KEPT])
            self._terms = {word: count for word, count in terms.items() if word in kept}

    @property
    def whole(self) -> VocabularyDelta:
        """The whole vocabulary as a delta of an empty one, without what was added since the last `delta`."""
        return VocabularyDelta(targets=self._targets, terms=dict(self._terms))


def _log(number: int) -> int:
    return round(log2(number) * _PRECISION)
