"""Index the texts of a crawl: only what has changed, in batches; a repeat continues an interrupted run.

A change of an index stores that it has begun, then vectors, then the passages with the content hash of their page.
After these are committed, it deletes the vectors of earlier passages, and stores that it has ended. So each stored
passage has its vector, and a change that breaks off is repaired by the next one: it indexes the pages again whose hash
is not stored, and deletes vectors that belong to no passage. One process at a time may change the index of a site.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.knowledge.fate import Fate
from wavecrawl.domain.knowledge.passage import VERSION, Passage, SiteId, SourceText, passages_of
from wavecrawl.domain.knowledge.readable_markdown import without_links
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.errors import WavecrawlError
from wavecrawl.ports.knowledge import IndexedPage, IndexState, KnowledgePorts, Space

BATCH_CHARACTERS = 1_000_000
"""Characters of a batch's texts, about: a page is not divided."""

_AT_ONCE = 1_000  # keys and ids per operation


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawledText:
    """A page or document as a crawl found it, and what becomes of its passages."""

    text: SourceText
    fate: Fate


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexCounts:
    """What a run did."""

    indexed: int = 0  # pages whose passages are new
    unchanged: int = 0  # pages
    removed: int = 0  # pages
    passages: int = 0  # new ones; each was embedded
    left_out: int = 0  # pages, as the index is full
    is_complete: bool = True  # whether the run did all; otherwise, a repeat does the rest

    def __add__(self, other: "IndexCounts") -> "IndexCounts":
        """Return the sums."""
        return IndexCounts(
            indexed=self.indexed + other.indexed,
            unchanged=self.unchanged + other.unchanged,
            removed=self.removed + other.removed,
            passages=self.passages + other.passages,
            left_out=self.left_out + other.left_out,
        )


def index_site(
    site: SiteId,
    pages: Iterable[CrawledText],
    ports: KnowledgePorts,
    settings: KnowledgeSettings,
    *,
    crawl: str,
    deleted: Iterable[str] = (),
    on_progress: Callable[[IndexCounts], None] = lambda _: None,
    must_end: Callable[[], bool] = lambda: False,
    is_full: Callable[[], bool] = lambda: False,
) -> IndexCounts:
    """Index the texts of a crawl. `deleted`: the keys of the pages and documents of the site that are gone.

    Two questions are asked with each batch. `is_full`: is it left out, because the index must not grow? `must_end`:
    does the run end after it, so that a repeat does the rest?
    """
    change, known = _begun(site, ports, settings)
    plan = IndexPlan(known, deleted)
    counts = IndexCounts()
    for batch in plan.batches(pages):
        counts += IndexCounts(left_out=len(batch)) if is_full() else change.index(batch, settings)
        on_progress(counts)
        if must_end():
            change.end()
            return replace(counts, is_complete=False)
    gone = [*plan.gone(), *_respelled(site, plan, ports)]
    change.remove(gone)
    for some in _portions(plan.unchanged):
        ports.passages.seen(site, some, crawl=crawl)
    change.end()
    return counts + IndexCounts(unchanged=len(plan.unchanged), removed=len(gone))


def remove_pages(site: SiteId, keys: Sequence[str], ports: KnowledgePorts) -> None:
    """Remove pages from the index, such as deleted ones; pages that it does not have are ignored."""
    state = ports.passages.state(site)
    if state is not None:
        change = _Change(site, ports, state)
        change.remove(keys)
        change.end()


@dataclass(frozen=True, slots=True)
class RemovedAtOnce:
    """`ports.knowledge.IndexRemovals`, for a process that may change the index itself."""

    ports: KnowledgePorts

    def remove_pages(self, site: SiteId, keys: Sequence[str]) -> None:
        """Remove pages."""
        remove_pages(site, keys, self.ports)

    def forget_crawl(self, crawl: CrawlId) -> None:
        """Remove the pages that are known from this crawl only."""
        site = SiteId(tenant=crawl.tenant, site=crawl.site)
        if self.ports.passages.state(site) is not None:
            remove_pages(site, self.ports.passages.keys_of_crawl(site, crawl.crawl), self.ports)


class IndexPlan:
    """Divides the pages of a crawl: into batches of changed ones, unchanged ones, and those that are gone."""

    def __init__(self, known: dict[str, str], deleted: Iterable[str] = ()) -> None:
        """`known`: content hashes of the indexed pages. `deleted`: keys of pages that are gone."""
        self._known = known
        self._met = {*deleted}
        self._gone = sorted(self._met & known.keys())
        self._others: dict[str, SourceText] = {}
        self.unchanged: list[str] = []

    def batches(
        self, pages: Iterable[CrawledText], *, characters: int = BATCH_CHARACTERS
    ) -> Iterator[list[SourceText]]:
        """Yield the texts that are new or have changed."""
        batch: list[SourceText] = []
        size = 0
        for page in pages:
            key = page.text.key
            if key in self._met:
                continue
            self._met.add(key)
            if page.fate is Fate.GONE:
                self._gone.extend([key] if key in self._known else [])
                continue
            if page.fate is Fate.KEPT:
                continue
            if other_spelling(key) in self._known:
                self._others[other_spelling(key)] = page.text
            if self._known.get(key) == page.text.content_hash or (page.fate is Fate.PART and key in self._known):
                self.unchanged.append(key)
            else:
                batch.append(page.text)
                size += len(page.text.markdown)
            if size >= characters:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def gone(self) -> list[str]:
        """Return the indexed pages that are to be removed, after the last batch."""
        return self._gone

    def others(self) -> Iterator[tuple[str, SourceText]]:
        """Yield the indexed pages that the crawl has in their other spelling only, each with the text that it has."""
        yield from ((key, text) for key, text in self._others.items() if key not in self._met)


def _respelled(site: SiteId, plan: IndexPlan, ports: KnowledgePorts) -> Iterator[str]:
    """Yield the indexed pages that are pages of the crawl: with the same text, or the same URL.

    An earlier version indexed a page by the key of the other spelling of its URL.
    """
    for key, page in plan.others():
        old, new = (ports.passages.get(site, ports.passages.ids_of(site, [one])) for one in (key, page.key))
        has_url = any(one.url == page.url for one in old.values())
        if has_url or {one.text for one in old.values()} == {one.text for one in new.values()}:
            yield key


class _Change:
    """A change of a site's index, in the order that the module describes."""

    def __init__(self, site: SiteId, ports: KnowledgePorts, state: IndexState) -> None:
        self._site = site
        self._ports = ports
        self._state = state
        self._repairs = state.is_open
        self._has_begun = False
        self._old: list[str] = []  # ids of vectors that are not needed any more

    def index(self, pages: Sequence[SourceText], settings: KnowledgeSettings) -> IndexCounts:
        """Index new or changed pages. If that fails, the pages before them are committed."""
        self._begin()
        indexed = [_indexed(page, self._ports, settings) for page in pages]
        passages = [one for page in indexed for one in page.passages]
        try:
            self._embed(passages)
        except WavecrawlError:
            with suppress(WavecrawlError):
                self._ports.passages.commit(self._site)
            raise
        before = self._ports.passages.ids_of(self._site, [page.key for page in indexed])
        self._old += sorted({*before} - {one.id for one in passages})
        self._ports.passages.replace(self._site, indexed)
        return IndexCounts(indexed=len(indexed), passages=len(passages))

    def remove(self, keys: Sequence[str]) -> None:
        """Remove pages."""
        for some in _portions(keys):
            self._begin()
            self._old += self._ports.passages.ids_of(self._site, some)
            self._ports.passages.remove(self._site, some)

    def end(self) -> None:
        """Commit the passages, and delete the vectors that are not needed any more."""
        passages = self._ports.passages
        if self._has_begun or self._repairs:
            passages.commit(self._site)
            self._delete(self._old)
            if self._repairs:
                self._delete_strays()
        passages.set_state(self._site, replace(self._state, is_open=False))
        passages.commit(self._site)

    def _begin(self) -> None:
        """Store that a change has begun, before the first vector is stored."""
        if not self._has_begun:
            self._ports.passages.set_state(self._site, replace(self._state, is_open=True))
            self._ports.passages.commit(self._site)
            self._has_begun = True

    def _embed(self, passages: Sequence[Passage]) -> None:
        embedder, space = self._ports.embedder, self._state.space
        if embedder is None or space is None or not passages:
            return
        vectors = embedder.embed_passages([one.embedded_text for one in passages])
        pairs = zip(passages, vectors, strict=True)
        self._ports.vectors.put(space, {one.id: vector for one, vector in pairs if any(vector)})  # 0 is near to nothing

    def _delete(self, ids: Sequence[str]) -> None:
        if self._state.space is not None:
            for some in _portions(ids):
                self._ports.vectors.delete(self._state.space, some)

    def _delete_strays(self) -> None:
        """Delete vectors that belong to no passage, which a change that broke off may leave."""
        if self._state.space is not None:
            for some in _portions(list(self._ports.vectors.ids(self._state.space))):
                self._delete(sorted({*some} - self._ports.passages.get(self._site, some).keys()))


def _begun(site: SiteId, ports: KnowledgePorts, settings: KnowledgeSettings) -> tuple[_Change, dict[str, str]]:
    """Begin a run; return the change, and the content hashes of the pages that need not be indexed again.

    If the embedder or the rules for passages are others than before, these are none.
    """
    state = ports.passages.state(site)
    now = IndexState(space=_space(site, ports), rules=_rules(settings), is_open=False)
    if state is not None and replace(state, is_open=False) == now:
        return _Change(site, ports, state), ports.passages.hashes(site)
    if state is not None and state.space is not None:
        ports.vectors.drop(state.space)
    ports.passages.drop(site)
    if now.space is not None:
        ports.vectors.drop(now.space)
    return _Change(site, ports, now), {}


def _indexed(page: SourceText, ports: KnowledgePorts, settings: KnowledgeSettings) -> IndexedPage:
    markdown = without_links(page.markdown)
    chunks = ports.chunker.split(markdown, characters=settings.passage_characters, overlap=settings.overlap_characters)
    passages: tuple[Passage, ...] = tuple(islice(passages_of(page, markdown, chunks), settings.max_passages))
    return IndexedPage(key=page.key, content_hash=page.content_hash, crawl=page.crawl, passages=passages)


def _space(site: SiteId, ports: KnowledgePorts) -> Space | None:
    if ports.embedder is None:
        return None
    return Space(site=site, embedder=ports.embedder.name, dimensions=ports.embedder.dimensions)


def _rules(settings: KnowledgeSettings) -> str:
    return f"{VERSION} {settings.passage_characters} {settings.overlap_characters} {settings.max_passages}"


def _portions(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
