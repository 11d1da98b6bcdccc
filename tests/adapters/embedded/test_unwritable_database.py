"""A database that cannot be written."""

import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from wavecrawl.adapters.embedded import database
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.unwritable import is_unwritable, unwritable
from wavecrawl.errors import UnwritableError


def test_a_database_without_room_says_what_to_do_and_keeps_what_it_has(tmp_path: Path) -> None:
    with closing(Database(tmp_path / "wavecrawl.sqlite")) as stored:
        stored.change("CREATE TABLE t (x)")
        stored.change("INSERT INTO t VALUES (1)")
        ((pages,),) = stored.rows("PRAGMA page_count")
        stored.rows(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(UnwritableError, match=r"wavecrawl\.sqlite cannot be written: .* is full\. Make room"):
            stored.change("INSERT INTO t VALUES (zeroblob(100000))")
        assert stored.rows("SELECT x FROM t") == [(1,)]


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_IOERR_WRITE])
def test_a_database_that_cannot_be_created_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def fails(_: Database) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = code
        raise error

    monkeypatch.setattr(database.Database, "_prepare", fails)
    with pytest.raises(UnwritableError, match="cannot be written: disk I/O error"):
        Database(tmp_path / "wavecrawl.sqlite")


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ])
def test_a_database_that_cannot_be_read_needs_no_room(code: int) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    assert not is_unwritable(error)


def test_the_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    error = OSError(errno.ENOSPC, "No space left on device", "/d/spill")
    assert str(unwritable(error, tmp_path)).startswith("/d/spill cannot be written: No space left on device.")
    error = OSError(errno.ENOSPC, "No space left on device")
    assert str(unwritable(error, tmp_path)).startswith(f"{tmp_path} cannot be written: No space left on device.")
