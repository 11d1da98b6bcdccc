from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.knowledge import SITE, crawled, knowledge_ports

from wavecrawl.application.index_report import IndexReport, index_report, texts_of, wanted_crawl
from wavecrawl.application.index_site import index_site, note_problem
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.knowledge.index_status import IndexStatus
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.knowledge import CrawlTexts, IndexRun, IndexState, KnowledgePorts

OFF = CrawlSettings(knowledge=KnowledgeSettings(enabled=False))


def row(crawl: str, *, status: CrawlStatus = CrawlStatus.COMPLETED, settings: CrawlSettings | None = None) -> CrawlRow:
    id_ = CrawlId(tenant=SITE.tenant, site=SITE.site, crawl=crawl)
    url = "https://example.com/"
    return CrawlRow(id=id_, start_url=url, root_url=url, settings=settings or CrawlSettings(), status=status)


@dataclass
class Rows:
    """The part of `ports.crawls.Crawls` that is used."""

    rows: list[CrawlRow] = field(default_factory=list)

    def of_site(self, tenant: str, site: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        assert (tenant, site, before) == (SITE.tenant, SITE.site, "")
        return self.rows[:limit]


def report(ports: KnowledgePorts, *rows: CrawlRow) -> IndexReport:
    return index_report(SITE, Rows([*rows]), ports)  # type: ignore[arg-type]  # the part that is used


def index(ports: KnowledgePorts, crawl: CrawlRow) -> None:
    index_site(SITE, [crawled("a", "alpha")], ports, KnowledgeSettings(), texts=texts_of(crawl))


@pytest.fixture
def ports(tmp_path: Path) -> KnowledgePorts:
    return knowledge_ports(tmp_path)


def test_the_newest_crawl_with_results_and_an_index_is_wanted() -> None:
    rows = [
        row("c5", status=CrawlStatus.RUNNING),
        row("c4", status=CrawlStatus.FAILED),
        row("c3", settings=OFF),
        row("c2"),
        row("c1"),
    ]
    assert wanted_crawl(SITE, Rows(rows)) == row("c2")  # type: ignore[arg-type]  # as above


def test_without_such_a_crawl_there_is_no_index(ports: KnowledgePorts) -> None:
    found = report(ports, row("c1", settings=OFF))
    assert (found.status, found.can_search, found.next) == (IndexStatus.OFF, False, None)
    assert "has no knowledge index" in found.message


def test_an_index_follows_the_crawls_of_its_site(ports: KnowledgePorts) -> None:
    found = report(ports, row("c1"))
    assert (found.status, found.can_search) == (IndexStatus.WAITING, False)
    index(ports, row("c1"))
    assert report(ports, row("c1")) == IndexReport(status=IndexStatus.CURRENT, can_search=True, crawl="c1")
    found = report(ports, row("c2"), row("c1"))
    assert (found.status, found.can_search, found.crawl) == (IndexStatus.WAITING, True, "c1")
    assert found.message == "the search index of crawl c2 is not built yet"
    index(ports, row("c2"))
    assert report(ports, row("c1")).status is IndexStatus.CURRENT  # the newer crawl was deleted
    assert report(ports, row("c3", settings=OFF)).status is IndexStatus.CURRENT


def test_a_crawl_that_was_resumed_is_indexed_again(ports: KnowledgePorts) -> None:
    index(ports, row("c1"))
    assert report(ports, replace(row("c1"), resumes=1)).status is IndexStatus.WAITING


def test_a_run_that_has_begun_shows_how_far_it_is(ports: KnowledgePorts) -> None:
    run = IndexRun(texts=CrawlTexts(crawl="c1"), pages=1_500)
    ports.passages.set_state(SITE, IndexState(space=None, rules="1", is_open=True, is_whole=False, run=run))
    found = report(ports, row("c1"))
    assert (found.status, found.can_search, found.pages) == (IndexStatus.BUILDING, False, 1_500)
    assert found.message == "the search index of crawl c1 is being built, 1,500 pages done"
    assert report(ports, row("c2"), row("c1")).status is IndexStatus.WAITING  # a run of an older crawl


def test_a_run_that_failed_says_why_until_the_next_crawl(ports: KnowledgePorts) -> None:
    note_problem(SITE, CrawlTexts(crawl="c1"), "the disk is full", ports)
    found = report(ports, row("c1"))
    assert (found.status, found.can_search) == (IndexStatus.FAILED, False)
    assert found.message == "the search index of crawl c1 is not built: the disk is full"
    assert report(ports, row("c2"), row("c1")).status is IndexStatus.WAITING
    index(ports, row("c1"))
    note_problem(SITE, CrawlTexts(crawl="c2"), "the disk is full", ports)
    assert report(ports, row("c2"), row("c1")).can_search


def test_a_first_run_that_failed_later_can_be_searched(ports: KnowledgePorts) -> None:
    index(ports, row("c1"))
    run = IndexRun(texts=CrawlTexts(crawl="c1"), problem="too slow")
    ports.passages.set_state(SITE, IndexState(space=None, rules="1", is_open=False, is_whole=False, run=run))
    found = report(ports, row("c1"))
    assert (found.status, found.can_search) == (IndexStatus.FAILED, True)


def test_an_index_of_an_earlier_version_is_searched_until_it_is_built_again(ports: KnowledgePorts) -> None:
    ports.passages.set_state(SITE, IndexState(space=None, rules="1", is_open=False))
    found = report(ports, row("c1"))
    assert (found.status, found.can_search, found.crawl) == (IndexStatus.WAITING, True, "")


def test_a_missing_library_is_named(ports: KnowledgePorts) -> None:
    found = report(replace(ports, missing="the library is not installed: pip install it"), row("c1"))
    assert (found.status, found.can_search) == (IndexStatus.OFF, False)
    assert "the library is not installed: pip install it, then run `wavecrawl index`" in found.message
