"""The knowledge index: embedder, vectors, and the passages with their words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.knowledge.passage import Passage, SiteId

CHUNKS = "chunks.jsonl.gz"
"""The export with the passages of the site after a crawl. The index makes it, not the results of the crawl."""


class Space(msgspec.Struct, frozen=True, kw_only=True):
    """The vectors of one site that one embedder made: only those can be compared."""

    site: SiteId
    embedder: str
    dimensions: int


class IndexedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page and its passages, as they replace those that are stored."""

    key: str
    content_hash: str
    crawl: str  # id of the crawl that the text comes from
    passages: tuple[Passage, ...]


class Embedder(Protocol):
    """Turns texts into vectors of length 1. Contract: tests/contract/test_embedders.py.

    Raise KnowledgeMissingError if a library is missing, ThrottledError or StoreBusyError if a service does not respond
    in time, InvalidInputError if it rejects the requests.
    """

    @property
    def name(self) -> str:
        """The name of the model, with everything that its vectors depend on."""
        ...

    @property
    def dimensions(self) -> int:
        """The number of elements of a vector."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return the vectors of texts, in their order."""
        ...

    def embed_question(self, text: str) -> Sequence[float]:
        """Return the vector of a question."""
        ...


class Vectors(Protocol):
    """Vectors by the id of their passage. Contract: tests/contract/test_vectors.py.

    Every operation works on one space, so that no search can reach the vectors of another tenant or site.
    """

    def put(self, space: Space, vectors: Mapping[str, Sequence[float]]) -> None:
        """Store vectors by id; replace those with the same id."""
        ...

    def delete(self, space: Space, ids: Sequence[str]) -> None:
        """Delete vectors; ids that do not exist are ignored."""
        ...

    def ids(self, space: Space) -> Iterator[str]:
        """Yield all ids, in any order."""
        ...

    def nearest(self, space: Space, vector: Sequence[float], *, limit: int) -> list[str]:
        """Return the ids of the vectors with the highest cosine similarity, best first; at most `limit`, up to 100."""
        ...

    def drop(self, space: Space) -> None:
        """Delete all vectors of the space."""
        ...


class CrawlTexts(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """The texts of a crawl, ordered by age. A crawl that was resumed has other texts than before."""

    crawl: str
    resumes: int = 0


class IndexRun(msgspec.Struct, frozen=True, kw_only=True):
    """The latest run that has not indexed all texts of its crawl: it goes on, was ended, or failed."""

    texts: CrawlTexts
    pages: int = 0  # pages of the crawl that were compared or indexed
    seconds: float = 0.0  # time that the run has taken, over all processes
    deaths: int = 0  # processes of the run that ended without storing why
    problem: str = ""  # why the run has failed, and what to do; "" = it has not


class IndexState(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the index of a site. Indexes of earlier versions have only the first three fields."""

    space: Space | None  # None: the index has words only
    rules: str  # how passages were made; if it differs, every page is indexed again
    is_open: bool  # whether a run has begun and not ended: vectors without passages may be left
    is_whole: bool = True  # whether a run has ever indexed all texts of a crawl
    made_of: CrawlTexts | None = None  # the texts that the last whole run indexed
    run: IndexRun | None = None


class Passages(Protocol):
    """Passages, the search for their words, and which pages are indexed. Contract: tests/contract/test_passages.py.

    The passages of a page appear, change and vanish together with its content hash. Changes that are not committed may
    be lost, together or in part, and may be visible to this process only.
    """

    def state(self, site: SiteId) -> IndexState | None:
        """Return the state of a site's index, or None if there is no index.

        Call it first: what other processes have committed since the last call may not be seen before.
        """
        ...

    def set_state(self, site: SiteId, state: IndexState) -> None:
        """Store the state; create the index if there is none."""
        ...

    def hashes(self, site: SiteId) -> dict[str, str]:
        """Return the content hash of each indexed page by its key; "" after `outdate`."""
        ...

    def outdate(self, site: SiteId) -> None:
        """Forget the content hashes of all pages, so that each is indexed again. Until then it keeps its passages."""
        ...

    def replace(self, site: SiteId, pages: Sequence[IndexedPage]) -> None:
        """Store pages with their passages, in place of the earlier passages of these pages."""
        ...

    def remove(self, site: SiteId, keys: Sequence[str]) -> None:
        """Remove pages and their passages; keys that do not exist are ignored."""
        ...

    def seen(self, site: SiteId, keys: Sequence[str], *, crawl: str) -> None:
        """Note that indexed pages were unchanged in a crawl."""
        ...

    def keys_of_crawl(self, site: SiteId, crawl: str) -> list[str]:
        """Return the keys of the pages that were last indexed or seen unchanged in a crawl."""
        ...

    def ids_of(self, site: SiteId, keys: Sequence[str]) -> list[str]:
        """Return the ids of the passages of pages."""
        ...

    def all(self, site: SiteId) -> Iterator[tuple[IndexedPage, Passage]]:
        """Yield all passages with their pages (whose `passages` are empty), in the order of URL and position."""
        ...

    def get(self, site: SiteId, ids: Sequence[str]) -> dict[str, Passage]:
        """Return the passages with these ids. Ids that do not exist are left out."""
        ...

    def matching(self, site: SiteId, question: str, *, limit: int, pages: Sequence[str] | None = None) -> list[str]:
        """Return the ids of passages with words of the question, best first (BM25); only of `pages`, if given.

        Any text is a valid question.
        """
        ...

    def matching_pages(self, site: SiteId, question: str, *, limit: int) -> list[str]:
        """Return the keys of pages with words of the question, best first (BM25 of all their passages together)."""
        ...

    def commit(self, site: SiteId) -> None:
        """Store all changes of a site's index since the last commit, so that other processes see them.

        Raise StoreBusyError if another process has changed the index meanwhile; then these changes are lost.
        """
        ...


class IndexRequests(Protocol):
    """Has sites indexed in the background: soon, and fairly between tenants."""

    def request(self, site: SiteId) -> None:
        """Index the texts of the site's newest crawl with results, unless that is waiting or running already."""
        ...


class IndexRemovals(Protocol):
    """Removes texts from the index, at once or soon: what is removed may be found for some seconds more."""

    def remove_pages(self, site: SiteId, keys: Sequence[str]) -> None:
        """Remove pages; those that are not indexed are ignored."""
        ...

    def forget_crawl(self, crawl: CrawlId) -> None:
        """Remove the pages whose text is known from this crawl only."""
        ...


class KnowledgePorts(msgspec.Struct, frozen=True, kw_only=True):
    """What indexing and searching need."""

    passages: Passages
    vectors: Vectors
    embedder: Embedder | None  # None: words only
    missing: str = ""  # what to install before sites can be indexed; "" = nothing
