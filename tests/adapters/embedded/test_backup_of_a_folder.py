"""What a backup of a data folder contains, and what waits for it."""

import os
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wavecrawl.adapters.embedded import backup
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.lock import FolderLock
from wavecrawl.errors import ConflictError


@pytest.fixture(name="database")
def a_database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path / "data" / "wavecrawl.sqlite")) as database:
        yield database


def names(archive: Path) -> set[str]:
    with tarfile.open(archive) as file:
        return set(file.getnames())


def test_no_process_writes_to_the_database_while_files_are_listed(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data" / "signing.key").write_bytes(b"secret")
    refused: list[str] = []
    link = os.link

    def link_and_write(source: Path, target: Path) -> None:
        link(source, target)
        with (
            closing(sqlite3.connect(database.path, timeout=0)) as other,
            pytest.raises(sqlite3.OperationalError) as error,
        ):
            other.execute("INSERT INTO usage VALUES ('t', '2026-11', 1)")
        refused.append(str(error.value))

    monkeypatch.setattr(os, "link", link_and_write)
    made = backup.back_up(database, tmp_path / "backup.tar")
    assert refused == ["database is locked"]
    assert (made.files, names(tmp_path / "backup.tar")) == (2, {"signing.key", "wavecrawl.sqlite"})
    database.change("INSERT INTO usage VALUES ('t', '2026-11', 1)")


def test_locks_and_earlier_copies_stay_out_and_links_stay_links(database: Database, tmp_path: Path) -> None:
    data = tmp_path / "data"
    left = data / ".backup-0123"
    left.mkdir()
    for path in (left / "old", data / "run.lock", data / "a.jsonl.gz.part", data / "a.jsonl.gz"):
        path.write_bytes(b"1")
    (data / "crawl").mkdir()
    (data / "latest").symlink_to("crawl")
    backup.back_up(database, tmp_path / "backup.tar")
    assert names(tmp_path / "backup.tar") == {"a.jsonl.gz", "a.jsonl.gz.part", "latest", "wavecrawl.sqlite"}
    assert not left.exists()


def test_files_are_copied_if_the_file_system_has_no_hard_links(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_source: Path, _target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    (tmp_path / "data" / "page").write_bytes(b"content")
    monkeypatch.setattr(os, "link", refuse)
    backup.back_up(database, tmp_path / "backup.tar")
    with tarfile.open(tmp_path / "backup.tar") as file:
        content = file.extractfile("page")
        assert content is not None
        assert content.read() == b"content"


def test_a_second_backup_waits_for_the_first(database: Database, tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "data" / "backup.lock")
    assert lock.try_alone(within=0)
    with pytest.raises(ConflictError, match="another backup"):
        backup.back_up(database, tmp_path / "backup.tar")
    lock.release()
    assert not (tmp_path / "backup.tar").exists()
