"""Failures of local crawls: a crawl ends as failed only if a retry cannot help."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.support.crawling import SILENT
from typer.testing import CliRunner

from wavecrawl.adapters.embedded.batches import SqliteBatches
from wavecrawl.bootstrap.crawl_process import DONE, command
from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import CorruptDataError, StoreBusyError, WavecrawlError

READ = "stored data of the crawl cannot be read; the operator's log names the cause"


def failing(monkeypatch: pytest.MonkeyPatch, error: WavecrawlError) -> None:
    """Raise an error in every crawl of this process as soon as it starts."""

    def fail(*_: object, **__: object) -> int:
        raise error

    monkeypatch.setattr(SqliteBatches, "release", fail)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StoreBusyError("the database is locked"), CrawlStatus.RUNNING),
        (CorruptDataError("a snapshot cannot be read"), CrawlStatus.FAILED),
    ],
    ids=["transient", "permanent"],
)
def test_only_a_permanent_error_fails_a_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: WavecrawlError, status: CrawlStatus
) -> None:
    store = LocalStore(tmp_path)
    crawl = store.start("https://example.com/", CrawlSettings())
    failing(monkeypatch, error)
    with pytest.raises(type(error)):
        run_local_crawl(store, crawl, workers=1, watchers=SILENT)
    after = store.crawls.read(crawl.id)
    assert after is not None
    assert after.status is status
    assert after.error == (READ if status is CrawlStatus.FAILED else "")
    store.close()


def test_the_operator_of_a_data_folder_sees_why_a_crawl_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cause = "/data/[a]/snapshot cannot be read"
    failing(monkeypatch, CorruptDataError(cause))
    data = ["--data", str(tmp_path)]
    crawled = CliRunner().invoke(app, ["crawl", "https://example.com/", *data])
    assert (crawled.exit_code, cause in crawled.output) == (Exit.FAILED, True)
    (listed,) = map(json.loads, CliRunner().invoke(app, ["list", "--json", *data]).stdout.splitlines())
    assert (listed["status"], listed["error"]) == ("failed", cause)
    assert "/data/[a]/snapshot cannot be read" in CliRunner().invoke(app, ["list", *data]).stdout
    store = LocalStore(tmp_path)
    (crawl,) = store.crawls.newest_first()
    assert crawl.error == READ  # what a tenant of `wavecrawl serve` sees
    failing(monkeypatch, StoreBusyError("the database is locked"))
    with pytest.raises(StoreBusyError):
        run_local_crawl(store, store.resume(crawl), workers=1, watchers=SILENT)
    store.crawls.finish(crawl.id, status=CrawlStatus.FAILED, now=9.0, error="its process failed 3 times")
    assert [store.cause(row) for row in store.crawls.newest_first()] == ["its process failed 3 times"]
    store.close()


def test_a_busy_store_is_reported_with_the_next_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, StoreBusyError("the database is locked"))
    result = CliRunner().invoke(app, ["crawl", "https://example.com/", "--data", str(tmp_path)])
    assert result.exit_code == Exit.INTERRUPTED
    assert "the database is locked" in result.output
    assert "wavecrawl resume" in result.output


def test_the_next_process_publishes_the_end_of_a_crawl_whose_process_died(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    crawl = store.start("https://example.com/", CrawlSettings())
    store.crawls.finish(crawl.id, status=CrawlStatus.COMPLETED, now=8.0)
    for _ in range(2):
        done = subprocess.run(command(tmp_path, crawl.id, workers=1, wacz_mb=0), check=False)
        assert done.returncode == DONE
    (end,) = store.event_log.after(crawl.id, -1, limit=9)
    assert (end.kind, end.data["status"]) == (EventKind.COMPLETED, "completed")
    store.close()


def test_a_process_that_makes_files_leaves_a_crawl_alone_that_was_resumed_meanwhile(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    crawl = store.start("https://example.com/", CrawlSettings())
    asked = command(tmp_path, crawl.id, workers=0, wacz_mb=0, files=[ResultFile.GRAPH])
    assert subprocess.run(asked, check=False).returncode == DONE
    after = store.crawls.read(crawl.id)
    assert after is not None
    assert after.status is CrawlStatus.RUNNING
    store.close()


def test_a_crawl_that_ended_since_it_was_read_was_not_interrupted(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    crawl = store.start("https://example.com/", CrawlSettings())
    assert store.is_interrupted(crawl)
    store.crawls.finish(crawl.id, status=CrawlStatus.COMPLETED, now=1.0)
    assert not store.is_interrupted(crawl)
    store.close()
