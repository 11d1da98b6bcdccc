from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.knowledge import SITE, CountingEmbedder, crawled, knowledge_ports

from wavecrawl.application.index_site import CrawledText, IndexCounts, index_site, remove_pages
from wavecrawl.application.search_site import search_site
from wavecrawl.domain.knowledge.fate import Fate
from wavecrawl.domain.knowledge.search_mode import SearchMode
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.knowledge import KnowledgePorts

SETTINGS = KnowledgeSettings()


def run(ports: KnowledgePorts, *pages: CrawledText, crawl: str = "c1", deleted: str = "") -> IndexCounts:
    return index_site(SITE, pages, ports, SETTINGS, crawl=crawl, deleted=deleted)


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


def test_a_part_of_a_text_is_indexed_only_if_there_is_no_other(tmp_path: Path) -> None:
    ports = knowledge_ports(tmp_path, CountingEmbedder())
    run(ports, crawled("a", "alpha and omega"))
    part = (crawled("a", "alpha", fate=Fate.PART), crawled("b", "beta", fate=Fate.PART))
    assert run(ports, *part) == IndexCounts(indexed=1, unchanged=1, passages=1)
    assert found(ports, "omega", SearchMode.WORDS) == ["a"]
    assert found(ports, "beta", SearchMode.WORDS) == ["b"]


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
    assert index_site(SITE, [page], ports, shorter, crawl="c2").passages > 1
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
    assert index_site(SITE, [page], ports, settings, crawl="c1").passages == 3


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
    assert results[0].passage.headings == ("Fruit", "Pears")
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
