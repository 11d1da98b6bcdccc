"""Index the texts of a crawl: only what has changed, in batches; a repeat continues an interrupted run.

A batch writes the vectors, then the passages with the content hash of their page, then deletes the vectors of earlier
passages. So a passage that is found always has its text, and a run that ends in between is repaired by the next one:
it indexes the pages again whose hash is not stored, and then deletes vectors that belong to no passage.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.knowledge.fate import Fate
from wavecrawl.domain.knowledge.passage import VERSION, Passage, SiteId, SourceText, passages_of
from wavecrawl.domain.knowledge.readable_markdown import without_links
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
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

    def __add__(self, other: "IndexCounts") -> "IndexCounts":
        """Return the sums."""
        return IndexCounts(
            indexed=self.indexed + other.indexed,
            unchanged=self.unchanged + other.unchanged,
            removed=self.removed + other.removed,
            passages=self.passages + other.passages,
        )


def index_site(
    site: SiteId,
    pages: Iterable[CrawledText],
    ports: KnowledgePorts,
    settings: KnowledgeSettings,
    *,
    crawl: str,
    is_whole: bool,
    on_progress: Callable[[IndexCounts], None] = lambda _: None,
) -> IndexCounts:
    """Index the texts of a crawl. `is_whole`: whether pages that the crawl does not have no longer exist."""
    plan = begin_index(site, ports, settings)
    counts = IndexCounts()
    for batch in plan.batches(pages):
        counts += index_pages(site, batch, ports, settings)
        on_progress(counts)
    gone = plan.gone(is_whole=is_whole)
    remove_pages(site, gone, ports)
    for some in _portions(plan.unchanged):
        ports.passages.seen(site, some, crawl=crawl)
    end_index(site, ports, repair=plan.follows_interruption)
    return counts + IndexCounts(unchanged=len(plan.unchanged), removed=len(gone))


def begin_index(site: SiteId, ports: KnowledgePorts, settings: KnowledgeSettings) -> "IndexPlan":
    """Begin a run. If the embedder or the rules for passages are others than before, it indexes every page again."""
    state = ports.passages.state(site)
    now = IndexState(space=_space(site, ports), rules=_rules(settings), is_open=True)
    if state is not None and replace(state, is_open=True) == now:
        ports.passages.set_state(site, now)
        return IndexPlan(ports.passages.hashes(site), follows_interruption=state.is_open)
    if state is not None and state.space is not None:
        ports.vectors.drop(state.space)
    ports.passages.drop(site)
    if now.space is not None:
        ports.vectors.drop(now.space)
    ports.passages.set_state(site, now)
    return IndexPlan({}, follows_interruption=False)


class IndexPlan:
    """Divides the pages of a crawl: into batches of changed ones, unchanged ones, and those that are gone."""

    def __init__(self, known: dict[str, str], *, follows_interruption: bool) -> None:
        """`known`: content hashes of the indexed pages. `follows_interruption`: whether the last run did not end."""
        self.follows_interruption = follows_interruption
        self._known = known
        self._met: set[str] = set()
        self._gone: list[str] = []
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
            elif page.fate is Fate.TEXT and self._known.get(key) == page.text.content_hash:
                self.unchanged.append(key)
            elif page.fate is Fate.TEXT:
                batch.append(page.text)
                size += len(page.text.markdown)
            if size >= characters:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def gone(self, *, is_whole: bool) -> list[str]:
        """Return the indexed pages that no longer exist, after the last batch."""
        return [*self._gone, *(key for key in self._known if key not in self._met)] if is_whole else self._gone


def index_pages(
    site: SiteId, pages: Sequence[SourceText], ports: KnowledgePorts, settings: KnowledgeSettings
) -> IndexCounts:
    """Index a batch of new or changed pages. A repeat has the same effect."""
    indexed = [_indexed(page, ports, settings) for page in pages]
    passages = [one for page in indexed for one in page.passages]
    space = _space(site, ports)
    if space is not None and ports.embedder is not None and passages:
        vectors = ports.embedder.embed_passages([one.embedded_text for one in passages])
        pairs = zip(passages, vectors, strict=True)
        ports.vectors.put(space, {one.id: vector for one, vector in pairs if any(vector)})  # zero is near to nothing
    before = ports.passages.ids_of(site, [page.key for page in indexed])
    ports.passages.replace(site, indexed)
    _delete_vectors(site, sorted({*before} - {one.id for one in passages}), ports)
    return IndexCounts(indexed=len(indexed), passages=len(passages))


def forget_crawl(crawl: CrawlId, ports: KnowledgePorts) -> None:
    """Remove the pages whose text is known from this crawl only, as it is deleted."""
    site = SiteId(tenant=crawl.tenant, site=crawl.site)
    remove_pages(site, ports.passages.keys_of_crawl(site, crawl.crawl), ports)


def remove_pages(site: SiteId, keys: Sequence[str], ports: KnowledgePorts) -> None:
    """Remove pages from the index, such as deleted ones; pages that it does not have are ignored."""
    for some in _portions(keys):
        before = ports.passages.ids_of(site, some)
        ports.passages.remove(site, some)  # first: from now on, no search finds them
        _delete_vectors(site, before, ports)


def end_index(site: SiteId, ports: KnowledgePorts, *, repair: bool) -> None:
    """End a run. `repair`: delete vectors that belong to no passage, which a run that was interrupted may leave."""
    state = ports.passages.state(site)
    if state is None:
        return
    if repair and state.space is not None:
        for some in _portions(list(ports.vectors.ids(state.space))):
            _delete_vectors(site, sorted({*some} - ports.passages.get(site, some).keys()), ports)
    ports.passages.set_state(site, replace(state, is_open=False))


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


def _delete_vectors(site: SiteId, ids: Sequence[str], ports: KnowledgePorts) -> None:
    state = ports.passages.state(site)
    if ids and state is not None and state.space is not None:
        for some in _portions(ids):
            ports.vectors.delete(state.space, some)


def _portions(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
