"""What becomes of a crawl on one machine that goes wrong: only what trying again cannot mend ends it."""

from pathlib import Path

import pytest
from tests.support.crawling import SILENT
from typer.testing import CliRunner

from wavecrawl.adapters.embedded.work import SqliteBatches
from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.domain.settings import CrawlSettings
from wavecrawl.errors import CorruptDataError, StoreBusyError, WavecrawlError
from wavecrawl.ports.crawls import CrawlStatus


def failing(monkeypatch: pytest.MonkeyPatch, error: WavecrawlError) -> None:
    """Let every crawl of this process meet an error as soon as it begins."""

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
def test_only_what_trying_again_cannot_mend_fails_a_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: WavecrawlError, status: CrawlStatus
) -> None:
    store = LocalStore(tmp_path)
    crawl = store.start("https://example.com/", CrawlSettings())
    failing(monkeypatch, error)
    with pytest.raises(type(error)):
        run_local_crawl(store, crawl, workers=1, watchers=SILENT)
    after = store.crawls.read(crawl.id)
    assert after is not None
    assert (after.status, after.error) == (status, str(error) if status is CrawlStatus.FAILED else "")
    store.close()


def test_who_meets_a_busy_store_is_told_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, StoreBusyError("the database is locked"))
    result = CliRunner().invoke(app, ["crawl", "https://example.com/", "--data", str(tmp_path)])
    assert result.exit_code == Exit.INTERRUPTED
    assert "the database is locked" in result.output
    assert "wavecrawl resume" in result.output
