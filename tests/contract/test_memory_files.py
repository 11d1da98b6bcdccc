"""The files of page memories: each is replaced only by a process that has read its present version."""

from pathlib import Path

import pytest

from wavecrawl.adapters.aws.memory_files import S3MemoryFiles
from wavecrawl.adapters.embedded.memory_files import FolderMemoryFiles
from wavecrawl.adapters.memory_files import MemoryFiles
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.all_ports import Ports


@pytest.fixture(name="files")
def files_of_a_site(stores: Ports) -> MemoryFiles:
    if isinstance(stores, LocalStore):
        return FolderMemoryFiles(stores.root)
    assert isinstance(stores, Cloud)
    return S3MemoryFiles(stores.bucket)


def written(folder: Path, text: str) -> Path:
    path = folder / text
    path.write_text(text, encoding="ascii")
    return path


def test_a_file_is_replaced_by_its_reader_only(files: MemoryFiles, crawl: CrawlId, tmp_path: Path) -> None:
    one, two, three = (written(tmp_path, text) for text in ("one", "two", "three"))
    assert files.copy(crawl, "all.parquet", tmp_path) is None
    assert not files.replace(crawl, "all.parquet", one, version="gone")
    assert files.replace(crawl, "all.parquet", one, version="")
    assert not files.replace(crawl, "all.parquet", two, version="")
    read = files.copy(crawl, "all.parquet", tmp_path)
    assert read is not None
    assert read.path.read_text(encoding="ascii") == "one"
    assert files.replace(crawl, "all.parquet", two, version=read.version)
    assert not files.replace(crawl, "all.parquet", three, version=read.version)
    now = files.copy(crawl, "all.parquet", tmp_path)
    assert now is not None
    assert now.path.read_text(encoding="ascii") == "two"
    files.delete(crawl, ["all.parquet", "never.parquet"])
    assert not files.replace(crawl, "all.parquet", three, version=now.version)
    assert files.names(crawl) == []


def test_files_and_marks_are_listed(files: MemoryFiles, crawl: CrawlId, tmp_path: Path) -> None:
    assert files.replace(crawl, "0.parquet", written(tmp_path, "one"), version="")
    files.mark(crawl, "forgotten/key-1.5")
    assert files.names(crawl) == ["0.parquet", "forgotten/key-1.5"]
    files.delete(crawl, ["forgotten/key-1.5"])
    assert files.names(crawl) == ["0.parquet"]
