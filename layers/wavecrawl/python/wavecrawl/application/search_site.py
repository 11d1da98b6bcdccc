"""Search the passages of a site: by words, by meaning, or by both."""

from collections.abc import Sequence

import msgspec

from wavecrawl.domain.knowledge.fusion import fused
from wavecrawl.domain.knowledge.passage import Passage, SiteId
from wavecrawl.domain.knowledge.search_mode import SearchMode
from wavecrawl.domain.pages.words import has_words_without_spaces
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.knowledge import Embedder, KnowledgePorts, Space

LIMIT = 10
MOST = 100
MOST_QUESTION = 1_000
"""Characters of a question."""

_WORDS, _MEANING = 1.0, 2.0
"""Weights of the rankings. There are two by words: of passages, and of whole pages (ADR 28)."""

_MEANING_IN_OTHER_LANGUAGES = 0.5
"""Weight of the ranking by meaning for a question in a language without spaces, if the embedder is made for English."""

ENGLISH_EMBEDDERS = frozenset({"wordllama-l2-supercat"})
"""The names of embedders that are made for English: of other languages, they know characters rather than words."""

_CANDIDATES = 100  # passages per ranking: the most that Amazon S3 Vectors returns


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A passage that was found: the best one of its page."""

    passage: Passage
    score: float  # the higher, the better; comes from the ranks, so it can be compared within one search only


def search_site(
    site: SiteId, question: str, ports: KnowledgePorts, *, mode: SearchMode | None = None, limit: int = LIMIT
) -> list[Found]:
    """Return the best passages, at most one of each page, best first.

    Without a mode, the search is hybrid if the index has vectors of the embedder, and by words otherwise. Raise
    NotFoundError if the site has no index, or none with vectors of this embedder if `mode` needs them.
    """
    state = ports.passages.state(site)
    if state is None:
        raise NotFoundError(f"site {site.site} has no knowledge index; crawl it, or run `wavecrawl index`")
    embedder, space = ports.embedder, state.space
    has_vectors = (
        embedder is not None
        and space is not None
        and (space.embedder, space.dimensions) == (embedder.name, embedder.dimensions)
    )
    if mode is None:
        mode = SearchMode.HYBRID if has_vectors else SearchMode.WORDS
    search = _Search(site, question, ports)
    if mode is not SearchMode.VECTORS:
        search.by_words()
    if mode is not SearchMode.WORDS:
        if embedder is None or space is None or not has_vectors:
            raise NotFoundError(
                f"the knowledge index of site {site.site} was made with {space.embedder if space else 'no embedder'}; "
                f"search by words (mode `words`), or index the site again with `wavecrawl index`"
            )
        search.by_meaning(space, embedder)
    return search.found(limit)


class _Search:
    """The rankings of one search: of pages, each of which is represented by its best passage."""

    def __init__(self, site: SiteId, question: str, ports: KnowledgePorts) -> None:
        self._site = site
        self._question = question
        self._ports = ports
        self._rankings: list[tuple[float, Sequence[str]]] = []
        self._best: dict[str, tuple[int, Passage]] = {}  # by page: rank and passage

    def by_words(self) -> None:
        """Add the rankings by the words of passages, and of whole pages."""
        passages = self._ports.passages
        self._add(_WORDS, passages.matching(self._site, self._question, limit=_CANDIDATES))
        self._rankings.append((_WORDS, passages.matching_pages(self._site, self._question, limit=_CANDIDATES)))

    def by_meaning(self, space: Space, embedder: Embedder) -> None:
        """Add the ranking by meaning."""
        vector = embedder.embed_question(self._question)
        is_known = embedder.name not in ENGLISH_EMBEDDERS or not has_words_without_spaces(self._question)
        weight = _MEANING if is_known else _MEANING_IN_OTHER_LANGUAGES
        self._add(weight, self._ports.vectors.nearest(space, vector, limit=_CANDIDATES))

    def found(self, limit: int) -> list[Found]:
        """Return the best passages, one per page."""
        scores = dict(list(fused(*self._rankings).items())[:limit])
        self._fill_in([key for key in scores if key not in self._best])
        return [Found(passage=self._best[key][1], score=score) for key, score in scores.items() if key in self._best]

    def _add(self, weight: float, ids: Sequence[str]) -> None:
        passages = self._ports.passages.get(self._site, ids)
        firsts: dict[str, Passage] = {}
        for id_ in ids:
            passage = passages.get(id_)
            if passage is not None:  # a vector whose passage is being replaced has none
                firsts.setdefault(passage.key, passage)
        for rank, (key, passage) in enumerate(firsts.items()):
            if key not in self._best or rank < self._best[key][0]:
                self._best[key] = (rank, passage)
        self._rankings.append((weight, list(firsts)))

    def _fill_in(self, keys: Sequence[str]) -> None:
        """Find passages of pages that were found as a whole only."""
        for key in keys:
            ids = self._ports.passages.matching(self._site, self._question, limit=1, pages=[key])
            for passage in self._ports.passages.get(self._site, ids).values():
                self._best[key] = (_CANDIDATES, passage)
