"""A file of a page memory is replaced under a lock."""

from pathlib import Path

import pytest

from wavecrawl.adapters.embedded import memory_files
from wavecrawl.adapters.embedded.lock import FolderLock
from wavecrawl.adapters.memory_files import memory_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import StoreBusyError

CRAWL = CrawlId(tenant="t", site="example.com", crawl="c1")


def test_a_lock_that_stays_held_is_reported_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_files, "_PATIENCE", 0.0)
    new = tmp_path / "new"
    new.write_bytes(b"new")
    folder = tmp_path / memory_prefix(CRAWL)
    held = FolderLock(folder / "memory.lock")
    assert held.try_alone(within=0.0)
    with pytest.raises(StoreBusyError, match="is locked by another process"):
        memory_files.FolderMemoryFiles(tmp_path).replace(CRAWL, "all.parquet", new, version="")
    held.release()
    assert [path.name for path in folder.iterdir()] == ["memory.lock"]
    assert memory_files.FolderMemoryFiles(tmp_path).replace(CRAWL, "all.parquet", new, version="")
