"""The process that indexes one site: its exit codes, and what it stores if it cannot index."""

import os
import re
import resource
import signal
import sys
from pathlib import Path
from subprocess import run

import pytest
from tests.support.crawling import crawl_inline
from tests.support.plain_site import plain_site

from wavecrawl.adapters.embedded.index_jobs import MORE, STOPPED
from wavecrawl.application.index_report import IndexReport, index_report
from wavecrawl.application.index_site import IndexCounts
from wavecrawl.bootstrap import index_process, knowledge
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.knowledge.index_status import IndexStatus
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.errors import ConflictError, CorruptDataError, IndexLimitError, StoreBusyError


class Crawled:
    """A crawl, to be indexed by the process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with SiteServer(plain_site(pages=3)) as server:
            id_ = crawl_inline(server.url, folder).row.id
        self.site = SiteId(tenant=id_.tenant, site=id_.site)

    def main(self) -> int:
        return index_process.main([str(self.folder), self.site.tenant, self.site.site, "1024", "60"])

    @property
    def report(self) -> IndexReport:
        store = LocalStore(self.folder)
        try:
            return index_report(self.site, store.crawls, store.knowledge)
        finally:
            store.close()


@pytest.fixture
def crawled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Crawled:
    for name in ("signal", "nice", "setrlimit", "umask"):  # they would change the process of the tests
        owner = {"signal": signal, "setrlimit": resource}.get(name, os)
        monkeypatch.setattr(owner, name, lambda *_: None)
    return Crawled(tmp_path)


def fail(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def index(*_: object, **__: object) -> IndexCounts:
        raise error

    monkeypatch.setattr(knowledge, "index_local_crawl", index)


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (MemoryError(), "indexing exceeded its memory limit of 1,024 MB.*serve with a higher --index-mb"),
        (CorruptDataError("a file cannot be read; create it again"), "a file cannot be read; create it again"),
    ],
)
def test_what_a_repeat_cannot_mend_is_stored(
    crawled: Crawled, monkeypatch: pytest.MonkeyPatch, error: BaseException, problem: str
) -> None:
    fail(monkeypatch, error)
    assert crawled.main() == 0
    assert crawled.report.status is IndexStatus.FAILED
    assert re.search(problem, crawled.report.message)


def test_what_a_repeat_may_mend_is_not(crawled: Crawled, monkeypatch: pytest.MonkeyPatch) -> None:
    fail(monkeypatch, StoreBusyError("the endpoint does not respond"))
    assert crawled.main() == index_process.FAILED
    fail(monkeypatch, KeyboardInterrupt())
    assert crawled.main() == STOPPED
    fail(monkeypatch, IndexLimitError("stored already"))
    assert crawled.main() == 0
    fail(monkeypatch, ConflictError("another process indexes the site"))
    assert crawled.main() == MORE
    assert crawled.report.status is IndexStatus.WAITING
    monkeypatch.setattr(knowledge, "index_local_crawl", lambda *_, **__: IndexCounts(is_complete=False))
    assert crawled.main() == MORE


def test_a_process_indexes_within_its_memory_at_low_priority(tmp_path: Path) -> None:
    crawled = Crawled(tmp_path)
    command = index_process.command(tmp_path, crawled.site, memory_mb=512)
    assert run(command, check=True, capture_output=True).stderr == b""
    assert crawled.report.status is IndexStatus.CURRENT
    program = (
        "import resource, sys; from wavecrawl.bootstrap import index_process;"
        "index_process.main(sys.argv[1:]);"
        "import os; print(resource.getrlimit(resource.RLIMIT_DATA)[0] // 2**20, os.nice(0))"
    )
    said = run([sys.executable, "-c", program, *command[4:]], check=True, capture_output=True, text=True).stdout
    assert said == f"512 {min(19, os.nice(0) + 10)}\n"
