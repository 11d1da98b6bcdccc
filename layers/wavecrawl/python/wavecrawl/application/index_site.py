"""Index the texts of a crawl: only what has changed, in batches; a repeat continues an interrupted run.

A change of an index stores that it has begun, then vectors, then the passages with the content hash of their page.
After these are committed, it deletes the vectors of earlier passages, and stores that it has ended. So each stored
passage has its vector, and a change that breaks off is repaired by the next one: it indexes the pages again whose hash
is not stored, and deletes vectors that belong to no passage. One process at a time may change the index of a site.

A page whose Markdown cannot be made is indexed by its plain text, under another hash. So each run tries it again.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import islice
from typing import NoReturn, TypeVar

import msgspec
from msgspec.structs import replace
from xxhash import xxh3_128_hexdigest

from wavecrawl.application.index_plan import CrawledText, IndexPlan
from wavecrawl.application.page_markdown import MarkdownView, PageMarkdown
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.knowledge.passage import VERSION, Passage, SiteId, SourceText, passages_of
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.errors import IndexLimitError, WavecrawlError
from wavecrawl.ports.knowledge import CrawlTexts, IndexedPage, IndexRun, IndexState, KnowledgePorts, Space

MOST_DEATHS = 3
"""Processes that may die of a run. After them, it is not tried again."""

_AT_ONCE = 1_000  # keys, ids or passages per operation

Value = TypeVar("Value")

_DIED = (
    f"the process that indexed the site was ended {MOST_DEATHS} times, for example because it exceeded its memory. The "
    "pages indexed so far can be found. To index the rest, give it more memory, or crawl the site again with lower "
    "knowledge.max_passages"
)


class IndexCounts(msgspec.Struct, frozen=True, kw_only=True):
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


class RunLimits(msgspec.Struct, frozen=True, kw_only=True):
    """When a run ends early. Each is asked after a batch."""

    clock: Callable[[], float] = time.monotonic  # seconds, for `knowledge.max_seconds`
    must_end: Callable[[], bool] = lambda: False  # whether a repeat does the rest
    is_full: Callable[[], bool] = lambda: False  # whether the index must not grow, so that pages are left out


_NO_LIMITS = RunLimits()


def index_site(
    site: SiteId,
    pages: Iterable[CrawledText],
    ports: KnowledgePorts,
    settings: KnowledgeSettings,
    *,
    texts: CrawlTexts,
    deleted: Iterable[str] = (),
    view: MarkdownView | None = None,
    on_progress: Callable[[IndexCounts], None] = lambda _: None,
    limits: RunLimits = _NO_LIMITS,
) -> IndexCounts:
    """Index the texts of a crawl. `deleted`: the keys of the pages and documents of the site that are gone.

    `view` makes the Markdown of pages. The plain text of a page is indexed if its Markdown cannot be made.
    Raise IndexLimitError if the run exceeds a limit. The state of the index then says so.
    """
    began = limits.clock()
    change, known = _begun(site, ports, settings, texts)
    plan = IndexPlan(known, deleted)
    counts = IndexCounts()
    try:
        for batch in plan.batches(pages):
            if limits.is_full():
                counts += IndexCounts(left_out=len(batch))
            else:
                counts += change.index(batch, settings, view, known)
            on_progress(replace(counts, unchanged=len(plan.unchanged) + len(change.unchanged)))
            change.note(pages=plan.pages, seconds=limits.clock() - began)
            if change.seconds > settings.max_seconds:
                change.fail(_too_slow(settings))
            if counts.indexed and limits.must_end():
                change.end()
                return replace(counts, is_complete=False)
        gone = dict.fromkeys([*plan.gone(), *_respelled(site, plan, ports), *_outdated(site, known, ports)])
        change.remove(list(gone))
        unchanged = [*plan.unchanged, *change.unchanged]
        for some in _portions(unchanged):
            ports.passages.seen(site, some, crawl=texts.crawl)
        change.complete()
    except BaseException:
        change.outlive()
        raise
    return counts + IndexCounts(unchanged=len(unchanged), removed=len(gone))


def note_problem(site: SiteId, texts: CrawlTexts, problem: str, ports: KnowledgePorts) -> None:
    """Store why the texts of a crawl are not indexed. What is indexed stays."""
    state = ports.passages.state(site) or IndexState(space=None, rules="", is_open=False, is_whole=False)
    run = _run_of(state, texts)
    ports.passages.set_state(site, replace(state, run=replace(run, problem=problem)))
    ports.passages.commit(site)


def remove_pages(site: SiteId, keys: Sequence[str], ports: KnowledgePorts) -> None:
    """Remove pages from the index, such as deleted ones; pages that it does not have are ignored."""
    state = ports.passages.state(site)
    if state is not None:
        change = _Change(site, ports, state, repairs=False)
        change.remove(keys)
        change.end()


class RemovedAtOnce(msgspec.Struct, frozen=True):
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


def _respelled(site: SiteId, plan: IndexPlan, ports: KnowledgePorts) -> Iterator[str]:
    """Yield the indexed pages that are pages of the crawl: with the same text, or the same URL.

    An earlier version indexed a page by the key of the other spelling of its URL, or by another key if its URL has a
    space in the query.
    """
    for key, page in plan.others():
        old, new = (ports.passages.get(site, ports.passages.ids_of(site, [one])) for one in (key, page.key))
        has_url = any(one.url.partition("#")[0] == page.url for one in old.values())
        if has_url or {one.text for one in old.values()} == {one.text for one in new.values()}:
            yield key


def _outdated(site: SiteId, known: dict[str, str], ports: KnowledgePorts) -> list[str]:
    """Return the pages that still have the passages of earlier rules, as the crawl has no text of them."""
    if all(known.values()):
        return []
    return [key for key, content_hash in ports.passages.hashes(site).items() if not content_hash]


class _Change:
    """A change of a site's index, in the order that the module describes."""

    def __init__(self, site: SiteId, ports: KnowledgePorts, state: IndexState, *, repairs: bool) -> None:
        """`repairs`: whether this process alone changes the index, and so repairs what an earlier change left."""
        self._site = site
        self._ports = ports
        self._state = state
        self._repairs = repairs and state.is_open
        self._stays_open = not repairs and state.is_open
        self._seconds = self.seconds  # of processes before this one
        self._has_begun = False
        self._old: list[str] = []  # ids of vectors that are not needed any more
        self.unchanged: list[str] = []  # pages that are indexed by their plain text, which is all there is again

    def index(
        self,
        pages: Sequence[SourceText],
        settings: KnowledgeSettings,
        view: MarkdownView | None,
        known: Mapping[str, str],
    ) -> IndexCounts:
        """Index new or changed pages. If that fails, the pages before them are committed.

        `known`: content hashes of the indexed pages.
        """
        if not pages:
            return IndexCounts()
        self._begin()
        indexed = []
        for page, markdown in _with_markdown(pages, view):
            if markdown.text is None and known.get(page.key) == _hash_without_markdown(page):
                self.unchanged.append(page.key)
            else:
                indexed.append(_indexed(page, markdown, settings))
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
        has_begun, self._has_begun = self._has_begun, False
        if has_begun or self._repairs:
            passages.commit(self._site)
            self._delete(self._old)
            if self._repairs:
                self._delete_strays()
        passages.set_state(self._site, replace(self._state, is_open=self._stays_open))
        passages.commit(self._site)

    @property
    def seconds(self) -> float:
        """The time that the run has taken."""
        return self._state.run.seconds if self._state.run else 0.0

    def note(self, *, pages: int, seconds: float) -> None:
        """Note how many pages the run has read, and for how long this process has worked on it."""
        run = self._state.run
        if run is not None:
            deaths = 0 if self._has_begun else run.deaths  # pages that are unchanged prove nothing
            run = replace(run, pages=pages, seconds=self._seconds + seconds, deaths=deaths)
            self._state = replace(self._state, run=run)
        if self._has_begun:
            self._ports.passages.set_state(self._site, replace(self._state, is_open=True))

    def fail(self, problem: str) -> NoReturn:
        """End a run that exceeds a limit: store the problem, and raise IndexLimitError."""
        if self._state.run is not None:
            self._state = replace(self._state, run=replace(self._state.run, problem=problem))
        self.end()
        raise IndexLimitError(problem)

    def complete(self) -> None:
        """End a run that has indexed all texts."""
        run = self._state.run
        self._state = replace(self._state, is_whole=True, made_of=run.texts if run else self._state.made_of, run=None)
        self.end()

    def outlive(self) -> None:
        """Note that this process is alive after an error, which counts as no death."""
        run = self._state.run
        if self._has_begun and run is not None:
            with suppress(WavecrawlError):
                alive = replace(self._state, is_open=True, run=replace(run, deaths=0))
                self._ports.passages.set_state(self._site, alive)

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
        for some in _portions(passages):
            vectors = embedder.embed_passages([one.embedded_text for one in some])
            pairs = zip(some, vectors, strict=True)  # a vector of zeros is near to nothing
            self._ports.vectors.put(space, {one.id: vector for one, vector in pairs if any(vector)})

    def _delete(self, ids: Sequence[str]) -> None:
        if self._state.space is not None:
            for some in _portions(ids):
                self._ports.vectors.delete(self._state.space, some)

    def _delete_strays(self) -> None:
        """Delete vectors that belong to no passage, which a change that broke off may leave."""
        if self._state.space is not None:
            for some in _portions(list(self._ports.vectors.ids(self._state.space))):
                self._delete(sorted({*some} - self._ports.passages.get(self._site, some).keys()))


def _begun(
    site: SiteId, ports: KnowledgePorts, settings: KnowledgeSettings, texts: CrawlTexts
) -> tuple[_Change, dict[str, str]]:
    """Begin or continue a run; return the change, and the content hashes of the indexed pages.

    If the embedder or the rules for passages are others than before, the hashes are empty, so that every page is
    indexed again. Until then its earlier passages are found, by words. Raise IndexLimitError if too many processes
    have died of the run.
    """
    state, space, rules = ports.passages.state(site), _space(site, ports), _rules(settings)
    if state is None:
        if space is not None:
            ports.vectors.drop(space)
        state = IndexState(space=space, rules=rules, is_open=False, is_whole=False)
    elif (state.space, state.rules) != (space, rules):
        for old in (state.space, space):
            if old is not None and state.space != space:
                ports.vectors.drop(old)
        ports.passages.outdate(site)
    run = _run_of(state, texts)
    run = replace(run, deaths=run.deaths + 1 if state.is_open else 0)
    change = _Change(site, ports, replace(state, space=space, rules=rules, run=run), repairs=True)
    if run.deaths >= MOST_DEATHS:
        change.fail(_DIED)
    return change, ports.passages.hashes(site)


def _run_of(state: IndexState, texts: CrawlTexts) -> IndexRun:
    """Return the run to continue, or a new one. A run that has failed is begun anew."""
    run = state.run
    return run if run is not None and run.texts == texts and not run.problem else IndexRun(texts=texts)


def _too_slow(settings: KnowledgeSettings) -> str:
    return (
        f"indexing exceeded its time limit of {settings.max_seconds:,} s. The pages indexed so far can be found. To "
        "index the rest, run `wavecrawl index` or crawl the site again, with a higher knowledge.max_seconds or a lower "
        "knowledge.max_passages"
    )


def _with_markdown(pages: Sequence[SourceText], view: MarkdownView | None) -> Iterator[tuple[SourceText, PageMarkdown]]:
    """Yield pages with their Markdown, which is empty without a view, and for documents without structure."""
    if view is None:
        yield from ((page, PageMarkdown(text=page.markdown)) for page in pages)
        return
    with closing(view.of_all(pages, lambda page: page.place)) as made:
        yield from ((page, PageMarkdown(text=page.markdown) if page.markdown else one) for page, one in made)


def _hash_without_markdown(page: SourceText) -> str:
    """Return the hash under which a page is indexed whose Markdown cannot be made."""
    return xxh3_128_hexdigest(f"{page.content_hash} without Markdown".encode())


def _indexed(page: SourceText, markdown: PageMarkdown, settings: KnowledgeSettings) -> IndexedPage:
    characters = settings.passage_characters
    passages = passages_of(
        page,
        markdown.text or None,
        characters=characters,
        overlap=min(settings.overlap_characters, characters // 2),
        fragments=dict(markdown.fragments),
    )
    return IndexedPage(
        key=page.key,
        content_hash=_hash_without_markdown(page) if markdown.text is None else page.content_hash,
        crawl=page.crawl,
        passages=tuple(islice(passages, settings.max_passages)),
    )


def _space(site: SiteId, ports: KnowledgePorts) -> Space | None:
    if ports.embedder is None:
        return None
    return Space(site=site, embedder=ports.embedder.name, dimensions=ports.embedder.dimensions)


def _rules(settings: KnowledgeSettings) -> str:
    return f"{VERSION} {settings.passage_characters} {settings.overlap_characters} {settings.max_passages}"


def _portions(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
