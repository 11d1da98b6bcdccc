"""What is committed is on disk before it gets its final name, so that a power cut leaves no torn file."""

import os
from pathlib import Path

import pytest

from wavecrawl.adapters.embedded.folder import FolderArchive, FolderObjects
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.states import UrlState

CRAWL = CrawlId(tenant="t", site="s", crawl="c")


@pytest.fixture(name="log")
def a_log(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Log which files are synced and renamed."""
    log: list[tuple[str, str]] = []
    replace = Path.replace

    def synced(descriptor: int) -> None:
        log.append(("sync", Path(f"/proc/self/fd/{descriptor}").readlink().name))

    def renamed(self: Path, target: Path) -> Path:
        log.append(("rename", self.name))
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    return log


def test_the_files_of_a_batch_are_synced_once_before_they_are_renamed(
    tmp_path: Path, log: list[tuple[str, str]]
) -> None:
    archive = FolderArchive(tmp_path).open(BatchId(crawl=CRAWL, wave=1, batch=2), attempt=3)
    for key in ("a", "b"):
        archive.add(PageRecord(key=key, url="http://example.com/", depth=0, state=UrlState.FETCHED), [])
    assert log == []
    archive.commit()
    assert log == [
        ("sync", "000001-0002-3.warc.gz.part"),
        ("sync", "000001-0002-3.jsonl.gz.part"),
        ("rename", "000001-0002-3.warc.gz.part"),
        ("sync", "warc"),
        ("rename", "000001-0002-3.jsonl.gz.part"),
        ("sync", "records"),
    ]


def test_objects_are_synced_before_they_are_renamed(tmp_path: Path, log: list[tuple[str, str]]) -> None:
    objects = FolderObjects(tmp_path)
    objects.put(CRAWL, "sitemaps/a", b"1")
    assert [kind for kind, _ in log] == ["sync", "rename", "sync"]
    log.clear()
    assert objects.put_new(CRAWL, "frontier/1", b"2")
    assert [kind for kind, _ in log] == ["sync", "sync"]
    assert (log[0][1].startswith("1."), log[1][1]) == (True, "frontier")
