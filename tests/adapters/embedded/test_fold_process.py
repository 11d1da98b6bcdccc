"""Folding beside a crawl on one machine: the process of low priority."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.crawling import QUICK, Done, crawl_inline, with_changes

from wavecrawl.adapters.embedded.folds import FoldProcess
from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.bootstrap.fold_process import command
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId

CRAWL = CrawlId(tenant="t", site="s", crawl="c")
WAITS = [sys.executable, "-c", "import sys; print(sys.stdin.read())"]


class Requested:
    """`ports.parts.Folds` that notes the requests."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def request(self, crawl: CrawlId, number: int) -> None:
        assert crawl.tenant == "local"
        self.numbers.append(number)


@pytest.fixture(name="requested", scope="module")
def the_requests() -> Requested:
    return Requested()


@pytest.fixture(name="done", scope="module")
def a_crawl(tmp_path_factory: pytest.TempPathFactory, requested: Requested) -> Iterator[Done]:
    settings = with_changes(QUICK, {"waves.part_pages": 30, "waves.max_urls": 20})
    with SiteServer(demo_site()) as server:
        yield crawl_inline(server.url, tmp_path_factory.mktemp("crawl"), settings, folds=requested)


@pytest.fixture(name="store")
def the_store(done: Done) -> Iterator[LocalStore]:
    opened = LocalStore(done.folder.parents[5])
    yield opened
    opened.close()


def test_the_planner_requests_each_part_that_ends(done: Done, requested: Requested, store: LocalStore) -> None:
    ended = CrawlStates(store.objects).summary(done.row.id).parts
    assert len(ended) > 1
    assert requested.numbers == list(ended)


def test_the_process_folds_what_was_requested_before_the_block_ends(done: Done, store: LocalStore) -> None:
    shutil.rmtree(store.root / "tables")
    ended = CrawlStates(store.objects).summary(done.row.id).parts
    with FoldProcess(lambda: command(store.root, done.row.id)) as folds:
        folds.request(done.row.id, 1_000)  # there is no such part
        folds.request(done.row.id, ended[-1])
    assert store.parts.numbers(done.row.id) == list(ended)
    assert list(done.folder.glob("parts-*")) == []


def test_without_a_part_there_is_no_process(tmp_path: Path) -> None:
    with FoldProcess(lambda: [str(tmp_path / "missing")]) as folds:
        assert folds._process is None


def test_a_crawl_that_breaks_off_stops_the_process() -> None:
    started = FoldProcess(lambda: WAITS)

    def crawl() -> None:
        with started as folds:
            folds.request(CRAWL, 1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crawl()
    assert started._process is not None
    assert started._process.returncode < 0


def test_a_process_that_died_does_not_disturb_the_crawl() -> None:
    started = FoldProcess(lambda: [sys.executable, "-c", ""])
    with started as folds:
        folds.request(CRAWL, 1)
        assert started._process is not None
        started._process.wait()
        folds.request(CRAWL, 2)
