import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.knowledge import SITE, CountingEmbedder, crawled, knowledge_ports, source

from wavecrawl.adapters.embedded.folder import FolderArchive
from wavecrawl.application.index_plan import BATCH_PAGES, CrawledText
from wavecrawl.application.index_site import MOST_DEATHS, IndexCounts, RunLimits, index_site, note_problem, remove_pages
from wavecrawl.application.page_markdown import MarkdownView, PageMarkdown
from wavecrawl.application.search_site import search_site
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.knowledge.fate import Fate
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.knowledge.search_mode import SearchMode
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.domain.urls.earlier_keys import earlier_key
from wavecrawl.domain.urls.url import Identity
from wavecrawl.errors import IndexLimitError, NotFoundError
from wavecrawl.ports.knowledge import CrawlTexts, IndexRun, IndexState, KnowledgePorts
from wavecrawl.ports.page_parser import UnlimitedParser

SETTINGS = KnowledgeSettings()


def run(ports: KnowledgePorts, *pages: CrawledText, crawl: str = "c1", deleted: str = "") -> IndexCounts:
    return index_site(SITE, pages, ports, SETTINGS, texts=CrawlTexts(crawl=crawl), deleted=deleted)


def found(ports: KnowledgePorts, question: str, mode: SearchMode | None = None) -> list[str]:
    return [one.passage.key for one in search_site(SITE, question, ports, mode=mode)]


def vector_ids(ports: KnowledgePorts) -> list[str]:
    state = ports.passages.state(SITE)
    assert state is not None
    assert state.space is not None
    return sorted(ports.vectors.ids(state.space))


def passage_ids(ports: KnowledgePorts) -> list[str]:
    return sorted(passage.id for _, passage in ports.passages.all(SITE))


def test_a_recrawl_embeds_only_the_pages_that_changed(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    ports = knowledge_ports(tmp_path, embedder)
    pages = [crawled(f"page-{number}", f"Text of page number {number}.") for number in range(100)]
    assert run(ports, *pages) == IndexCounts(indexed=100, passages=100)
    embedder.embedded.clear()
    changed = [crawled(f"page-{number}", f"New text of page {number}.") for number in (7, 42, 99)]
    again = [page for page in pages if page.text.key not in {one.text.key for one in changed}]
    assert run(ports, *again, *changed, crawl="c2") == IndexCounts(indexed=3, unchanged=97, passages=3)
    assert len(embedder.embedded) == 3
    assert len(vector_ids(ports)) == 100
    assert len(ports.passages.keys_of_crawl(SITE, "c2")) == 97
    assert found(ports, "New", SearchMode.WORDS) == ["page-7", "page-42", "page-99"]


def test_pages_that_are_gone_are_removed(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    run(ports, crawled("a", "alpha"), crawled("b", "beta"), crawled("c", "gamma"), crawled("d", "delta"))
    met = (crawled("a", "alpha"), crawled("b", fate=Fate.GONE), crawled("c", fate=Fate.KEPT), crawled("d", "delta"))
    counts = run(ports, *met, deleted="dx")  # d by a later crawl
    assert counts == IndexCounts(unchanged=1, removed=2)
    assert {*ports.passages.hashes(SITE)} == {"a", "c"}
    assert vector_ids(ports) == passage_ids(ports)
    for mode in (SearchMode.WORDS, SearchMode.VECTORS):
        assert "b" not in found(ports, "beta", mode)


def test_pages_that_a_crawl_does_not_have_stay(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    run(ports, crawled("a", "alpha"), crawled("b", "beta"))
    assert run(ports, crawled("b", fate=Fate.GONE), crawled("x", fate=Fate.GONE)).removed == 1
    assert {*ports.passages.hashes(SITE)} == {"a"}


def test_a_page_that_is_found_in_its_other_spelling_is_indexed_once(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    run(ports, crawled("a0", "alpha"), crawled("b0", "beta"), crawled("c0", "gamma"), crawled("d0", "delta"))
    same_url = replace(crawled("c1", "new gamma").text, url=crawled("c0").text.url)  # an earlier version had one key
    moved = crawled("a1", "alpha"), replace(crawled("c1"), text=same_url)
    counts = run(ports, *moved, crawled("b1", "another text"), crawled("d0", "delta"), crawled("d1", "delta"))
    assert counts.removed == 2
    assert {*ports.passages.hashes(SITE)} == {"a1", "b0", "b1", "c1", "d0", "d1"}
    assert vector_ids(ports) == passage_ids(ports)


def test_a_page_that_an_earlier_version_indexed_under_another_key_is_indexed_once(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    page = Identity().page_url("https://example.com/s?q=a+b")
    earlier = earlier_key(page.key, page.url)
    run(ports, CrawledText(text=replace(source(earlier, "alpha"), url=page.url), fate=Fate.TEXT), crawled("b", "beta"))
    counts = run(ports, CrawledText(text=replace(source(page.key, "alpha"), url=page.url), fate=Fate.TEXT))
    assert (earlier != page.key, counts.removed) == (True, 1)
    assert {*ports.passages.hashes(SITE)} == {page.key, "b"}
    assert vector_ids(ports) == passage_ids(ports)


def test_a_part_of_a_text_is_indexed_only_if_there_is_no_other(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    run(ports, crawled("a", "alpha and omega"))
    part = (crawled("a", "alpha", fate=Fate.PART), crawled("b", "beta", fate=Fate.PART))
    assert run(ports, *part) == IndexCounts(indexed=1, unchanged=1, passages=1)
    assert found(ports, "omega", SearchMode.WORDS) == ["a"]
    assert found(ports, "beta", SearchMode.WORDS) == ["b"]


class Canned(MarkdownView):
    """A view that makes the same Markdown of each page, None while it cannot."""

    def __init__(self) -> None:
        super().__init__(FolderArchive(Path()), UnlimitedParser(), CrawlSettings())
        self.markdown: str | None = None

    def at(self, place: str) -> PageMarkdown:
        """Return the Markdown of a page."""
        return PageMarkdown(text=self.markdown if place else "")


def test_a_page_whose_markdown_cannot_be_made_is_tried_again_by_each_run(tmp_path: Path) -> None:
    embedder, view = CountingEmbedder(), Canned()
    ports = knowledge_ports(tmp_path, embedder)
    page = crawled("a", "Heading\n\nalpha")
    page = replace(page, text=replace(page.text, place="records#a"))
    document = crawled("b", "beta")

    def index(crawl: str) -> IndexCounts:
        return index_site(SITE, [page, document], ports, SETTINGS, texts=CrawlTexts(crawl=crawl), view=view)

    def headings() -> list[tuple[str, ...]]:
        return [one.headings for _, one in ports.passages.all(SITE)]

    assert index("c1") == IndexCounts(indexed=2, passages=2)
    embedder.embedded.clear()
    assert index("c2") == IndexCounts(unchanged=2)
    assert (embedder.embedded, ports.passages.keys_of_crawl(SITE, "c2")) == ([], ["a", "b"])
    assert headings() == [(), ()]
    view.markdown = "# Heading\n\nalpha"
    assert index("c3") == IndexCounts(indexed=1, unchanged=1, passages=1)
    assert headings() == [("Heading",), ()]
    assert index("c4") == IndexCounts(unchanged=2)
    assert vector_ids(ports) == passage_ids(ports)


@pytest.mark.parametrize("step", ["put", "replace", "delete", "seen"])
def test_a_run_that_dies_anywhere_is_repaired_by_the_next_one(tmp_path: Path, step: str) -> None:
    first, second = (crawled("a", "old text"), crawled("b", "stays")), (crawled("a", "new text"), crawled("b", "stays"))
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    run(ports, *first)

    class Dead(BaseException):
        pass

    def die(*_: object, **__: object) -> None:
        raise Dead

    broken = knowledge_ports(tmp_path, CountingEmbedder())
    setattr(broken.vectors if step in ("put", "delete") else broken.passages, step, die)
    with pytest.raises(Dead):
        run(broken, *second)
    assert all(one.passage.text for one in search_site(SITE, "text", ports))  # what is found has its text
    third = (crawled("a", "newest text"), crawled("b", "stays"))  # the page has changed again
    run(ports, *third)
    assert vector_ids(ports) == passage_ids(ports)
    assert [passage.text for _, passage in ports.passages.all(SITE)] == ["newest text", "stays"]


def test_another_embedder_indexes_everything_again(tmp_path: Path) -> None:
    run(knowledge_ports(tmp_path, CountingEmbedder()), crawled("a", "alpha"))
    other = CountingEmbedder("other", 8)
    ports = knowledge_ports(tmp_path, other)
    assert run(ports, crawled("a", "alpha")) == IndexCounts(indexed=1, passages=1)
    assert len(other.embedded) == 1
    old = replace(ports, embedder=CountingEmbedder())
    with pytest.raises(NotFoundError, match="made with other"):
        search_site(SITE, "alpha", old, mode=SearchMode.VECTORS)
    assert [one.passage.key for one in search_site(SITE, "alpha", old)] == ["a"]  # by words
    assert [one.passage.key for one in search_site(SITE, "alpha", ports)] == ["a"]


def test_other_rules_for_passages_index_everything_again(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    page = crawled("a", "One sentence here. " * 20)
    run(ports, page)
    shorter = KnowledgeSettings(passage_characters=100, overlap_characters=0)
    assert index_site(SITE, [page], ports, shorter, texts=CrawlTexts(crawl="c2")).passages > 1
    assert all(len(passage.text) <= 100 for _, passage in ports.passages.all(SITE))


def test_without_an_embedder_there_are_words_only(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path)
    assert run(ports, crawled("a", "alpha")) == IndexCounts(indexed=1, passages=1)
    assert found(ports, "alpha") == ["a"]
    with pytest.raises(NotFoundError, match="made with no embedder"):
        found(ports, "alpha", SearchMode.VECTORS)


def test_a_page_has_at_most_max_passages(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path)
    settings = KnowledgeSettings(passage_characters=50, overlap_characters=0, max_passages=3)
    page = crawled("a", "\n\n".join(f"Paragraph number {number} of many." for number in range(20)))
    assert index_site(SITE, [page], ports, settings, texts=CrawlTexts(crawl="c1")).passages == 3


def test_a_deleted_page_is_not_found_any_more(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    run(ports, crawled("a", "alpha"), crawled("b", "beta"))
    remove_pages(SITE, ["a", "unknown"], ports)
    assert passage_ids(ports) == vector_ids(ports)
    assert found(ports, "alpha") == ["b"]  # by meaning, the rest is near to anything


def test_a_search_shows_each_page_once_with_its_best_passage(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    text = "\n\n".join(["# Fruit", "Apples are red. " * 60, "## Pears", "Pears are green. " * 60])
    run(ports, crawled("a", text), crawled("b", "Something about red apples."))
    results = search_site(SITE, "green pears", ports)
    assert [one.passage.key for one in results] == ["a", "b"]
    assert "Pears are green. Pears are green." in results[0].passage.text
    assert results[0].score > results[1].score
    assert len(search_site(SITE, "green pears", ports, limit=1)) == 1


def test_a_page_that_only_matches_as_a_whole_shows_a_passage_with_a_word_of_the_question(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path)
    many = [crawled(f"n{number}", "kiwi") for number in range(100)]  # each is a better passage
    whole = crawled("whole", "\n\n".join([("kiwi " + "filler " * 180).strip()] * 3))
    run(ports, *many, whole)
    ports.passages.matching_pages = lambda *_, **__: ["whole"]  # type: ignore[method-assign]
    results = search_site(SITE, "kiwi", ports, limit=200)
    assert "kiwi" in next(one.passage.text for one in results if one.passage.key == "whole")


def test_a_site_that_is_not_indexed_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no knowledge index"):
        found(knowledge_ports(tmp_path), "alpha")


class Stopwatch:
    """Seconds that pass with each look at the clock."""

    def __init__(self, step: float) -> None:
        self.step = step
        self.now = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def state_of(ports: KnowledgePorts) -> IndexState:
    state = ports.passages.state(SITE)
    assert state is not None
    return state


def many(count: int) -> list[CrawledText]:
    return [crawled(f"p{number}", f"Text of page {number}.") for number in range(count)]


def test_a_run_that_exceeds_its_time_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    settings, c1 = KnowledgeSettings(max_seconds=10), CrawlTexts(crawl="c1")
    pages = many(3 * BATCH_PAGES)
    slow = RunLimits(clock=Stopwatch(6.0))  # a batch takes 6 s
    with pytest.raises(IndexLimitError, match=r"exceeded its time limit of 10 s.*knowledge\.max_seconds"):
        index_site(SITE, pages, ports, settings, texts=c1, limits=slow)
    run = state_of(ports).run
    assert run is not None
    assert (run.pages, run.texts) == (2 * BATCH_PAGES, c1)
    assert run.problem.startswith("indexing exceeded its time limit of 10 s")
    assert not state_of(ports).is_open
    assert len(ports.passages.hashes(SITE)) == 2 * BATCH_PAGES
    assert vector_ids(ports) == passage_ids(ports)
    counts = index_site(SITE, pages, ports, settings, texts=c1)  # a person asks for it again
    assert (counts.indexed, counts.unchanged) == (BATCH_PAGES, 2 * BATCH_PAGES)
    assert state_of(ports).run is None
    assert state_of(ports).made_of == c1


def test_the_time_of_all_processes_of_a_run_counts(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path)
    settings, c1 = KnowledgeSettings(max_seconds=10), CrawlTexts(crawl="c1")
    limits = RunLimits(clock=Stopwatch(6.0), must_end=lambda: True)
    counts = index_site(SITE, many(3 * BATCH_PAGES), ports, settings, texts=c1, limits=limits)
    assert (counts.indexed, counts.is_complete) == (BATCH_PAGES, False)
    run = state_of(ports).run
    assert run == IndexRun(texts=c1, pages=BATCH_PAGES, seconds=6.0)
    assert not state_of(ports).is_whole
    with pytest.raises(IndexLimitError):
        index_site(SITE, many(3 * BATCH_PAGES), ports, settings, texts=c1, limits=RunLimits(clock=Stopwatch(6.0)))


def test_a_slice_of_unchanged_pages_only_does_not_end_early(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path)
    pages = many(2 * BATCH_PAGES)
    run(ports, *pages)
    ended = RunLimits(must_end=lambda: True)
    counts = index_site(SITE, pages, ports, SETTINGS, texts=CrawlTexts(crawl="c2"), limits=ended)
    assert counts == IndexCounts(unchanged=2 * BATCH_PAGES)


def test_a_page_that_kills_each_process_is_given_up(tmp_path: Path) -> None:
    class Dead(BaseException):
        pass

    class Killed(CountingEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
            if any("poison" in text for text in texts):
                raise Dead
            return super().embed_passages(texts)

    pages = [*many(BATCH_PAGES), crawled("x", "poison")]
    c1 = CrawlTexts(crawl="c1")

    def attempt() -> None:
        ports = knowledge_ports(tmp_path, Killed())
        setattr(ports.passages, "set_state", _until_dead(ports))  # noqa: B010 - a method
        index_site(SITE, pages, ports, SETTINGS, texts=c1)

    def _until_dead(ports: KnowledgePorts) -> Callable[[SiteId, IndexState], None]:
        """Return a `set_state` that a process which was killed cannot call any more."""
        store = ports.passages.set_state

        def set_state(site: SiteId, state: IndexState) -> None:
            if not isinstance(sys.exception(), Dead):
                store(site, state)

        return set_state

    for _ in range(MOST_DEATHS):
        with pytest.raises(Dead):
            attempt()
    with pytest.raises(IndexLimitError, match="was ended 3 times, for example because it exceeded its memory"):
        attempt()
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    assert found(ports, "7", SearchMode.WORDS) == ["p7"]
    assert vector_ids(ports) == passage_ids(ports)


def test_stopping_a_run_several_times_is_no_death(tmp_path: Path) -> None:
    class Stopped(CountingEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:  # noqa: ARG002 - as the port says
            raise KeyboardInterrupt

    for _ in range(2 * MOST_DEATHS):
        with pytest.raises(KeyboardInterrupt):
            run(knowledge_ports(tmp_path, Stopped()), crawled("a", "alpha"))
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    assert run(ports, crawled("a", "alpha")).indexed == 1


def test_while_a_site_is_indexed_by_other_rules_its_earlier_passages_are_found(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    pages = [*many(2 * BATCH_PAGES), crawled("kept", "An old text.")]
    run(ports, *pages)
    other = KnowledgeSettings(max_passages=7)
    c2 = CrawlTexts(crawl="c2")
    pages[-1] = crawled("kept", fate=Fate.KEPT)
    counts = index_site(SITE, pages, ports, other, texts=c2, limits=RunLimits(must_end=lambda: True))
    assert (counts.indexed, counts.is_complete) == (BATCH_PAGES, False)
    assert found(ports, "old", SearchMode.WORDS) == ["kept"]
    assert found(ports, "999", SearchMode.WORDS) == ["p999"]
    counts = index_site(SITE, pages, ports, other, texts=c2)
    assert counts == IndexCounts(indexed=BATCH_PAGES, unchanged=BATCH_PAGES, removed=1, passages=BATCH_PAGES)
    assert found(ports, "old", SearchMode.WORDS) == []  # the crawl has no text of it by these rules
    assert vector_ids(ports) == passage_ids(ports)


def test_deleting_a_page_while_another_process_indexes_leaves_the_vectors_of_that_process(
    tmp_path: Path,
) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    run(ports, crawled("a", "alpha"), crawled("b", "beta"))
    state = state_of(ports)
    assert state.space is not None
    ports.passages.set_state(SITE, replace(state, is_open=True))
    ports.vectors.put(state.space, {"00000000-0000-0000-0000-000000000001": [1.0] + [0.0] * 31})
    remove_pages(SITE, ["a"], ports)
    assert "00000000-0000-0000-0000-000000000001" in vector_ids(ports)
    assert state_of(ports).is_open
    run(ports, crawled("b", "beta"))
    assert vector_ids(ports) == passage_ids(ports)


def test_a_problem_is_stored_even_of_a_site_without_an_index(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path)
    note_problem(SITE, CrawlTexts(crawl="c1"), "the disk is full", ports)
    assert state_of(ports).run == IndexRun(texts=CrawlTexts(crawl="c1"), problem="the disk is full")
    assert run(ports, crawled("a", "alpha")).indexed == 1
    assert state_of(ports).run is None
