"""The SQLite database of the embedded adapters: WAL, one connection per process, short transactions.

A table has its key, the columns that queries need, and the packed body of a row (`adapters.packed_rows`). Tables whose
every column takes part in conditions or counters have no body.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any

from wavecrawl.adapters.embedded.private_files import create_private, data_umask
from wavecrawl.adapters.unwritable import PRIMARY, is_unwritable, unwritable
from wavecrawl.errors import CorruptDataError, MisconfiguredError, StoreBusyError, UnwritableError

SCHEMA_VERSION = 7
BUSY_SECONDS = 30.0  # how long a transaction waits for one of another process
CRAWLS = "tenants"  # the folder beside the database that has the files of all crawls

_SCHEMA = """
CREATE TABLE crawl (
    tenant TEXT, site TEXT, crawl TEXT, status TEXT NOT NULL, started_at REAL NOT NULL,
    unlaunched INTEGER NOT NULL DEFAULT 0, packed BLOB NOT NULL, PRIMARY KEY (tenant, site, crawl)) WITHOUT ROWID;
CREATE TABLE site (
    tenant TEXT, site TEXT, active_crawl TEXT NOT NULL, PRIMARY KEY (tenant, site)) WITHOUT ROWID;
CREATE TABLE wave (
    crawl TEXT, wave INTEGER, token_order REAL NOT NULL DEFAULT 0, packed BLOB NOT NULL,
    PRIMARY KEY (crawl, wave)) WITHOUT ROWID;
CREATE TABLE batch (
    crawl TEXT, wave INTEGER, batch INTEGER, attempts INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0,
    closed INTEGER NOT NULL DEFAULT 0, leased_until REAL NOT NULL DEFAULT 0, owner TEXT NOT NULL DEFAULT '',
    forgiven INTEGER NOT NULL DEFAULT 0, records INTEGER NOT NULL DEFAULT 0, starts_at REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (crawl, wave, batch)) WITHOUT ROWID;
CREATE TABLE claim (
    crawl TEXT, key TEXT, wave INTEGER NOT NULL, batch INTEGER NOT NULL, attempt INTEGER NOT NULL,
    PRIMARY KEY (crawl, key)) WITHOUT ROWID;
CREATE TABLE event (crawl TEXT, sequence INTEGER, packed BLOB NOT NULL, PRIMARY KEY (crawl, sequence)) WITHOUT ROWID;
CREATE TABLE hidden_page (crawl TEXT, key TEXT, hidden_at REAL NOT NULL, PRIMARY KEY (crawl, key)) WITHOUT ROWID;
CREATE TABLE webhook (
    tenant TEXT, webhook TEXT, version INTEGER NOT NULL, packed BLOB NOT NULL,
    PRIMARY KEY (tenant, webhook)) WITHOUT ROWID;
CREATE TABLE delivery (
    tenant TEXT, webhook TEXT, delivery TEXT, version INTEGER NOT NULL, state TEXT NOT NULL, due_at REAL NOT NULL,
    created_at REAL NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (tenant, webhook, delivery)) WITHOUT ROWID;
CREATE INDEX delivery_due ON delivery (state, due_at);
CREATE TABLE host (host TEXT PRIMARY KEY, packed BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE robots (origin TEXT PRIMARY KEY, packed BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE tenant (tenant TEXT PRIMARY KEY, version INTEGER NOT NULL, packed BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE usage (tenant TEXT, month TEXT, crawls INTEGER NOT NULL, PRIMARY KEY (tenant, month)) WITHOUT ROWID;
CREATE TABLE asset (
    tenant TEXT, hash TEXT, kind TEXT NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (tenant, hash)) WITHOUT ROWID;
CREATE TABLE api_key (
    digest TEXT PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL, packed BLOB NOT NULL,
    UNIQUE (tenant, id)) WITHOUT ROWID;
CREATE TABLE turns (
    subject TEXT, ends_at REAL, taken INTEGER NOT NULL, PRIMARY KEY (subject, ends_at)) WITHOUT ROWID;
CREATE TABLE repeat (
    tenant TEXT, key TEXT, fingerprint TEXT NOT NULL, claimed_until REAL NOT NULL, expires_at REAL NOT NULL,
    answer BLOB, PRIMARY KEY (tenant, key)) WITHOUT ROWID;
CREATE TABLE saved_site (
    tenant TEXT, site TEXT, version INTEGER NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (tenant, site)) WITHOUT ROWID;
CREATE TABLE schedule (
    tenant TEXT, site TEXT, next_at REAL NOT NULL, crawl TEXT NOT NULL, packed BLOB NOT NULL,
    PRIMARY KEY (tenant, site)) WITHOUT ROWID;
"""
_ADDED = (
    "CREATE TABLE IF NOT EXISTS control (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, packed BLOB NOT NULL)",
    """CREATE TABLE IF NOT EXISTS sender (
        host TEXT, sender TEXT, changed_at REAL NOT NULL, packed BLOB NOT NULL,
        PRIMARY KEY (host, sender)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS url_list (
        tenant TEXT, list TEXT, version INTEGER NOT NULL, packed BLOB NOT NULL,
        PRIMARY KEY (tenant, list)) WITHOUT ROWID""",
)
"""Tables that databases of the same schema may lack. Earlier versions of the program do not read them."""

_STATEMENTS = tuple(statement for statement in _SCHEMA.split(";\n") if statement.strip())


# If a process dies, the operating system keeps its commits. Only a power failure can lose the latest ones.
_SYNCHRONOUS = "PRAGMA synchronous = NORMAL"


class Database:
    """One connection to one database file, shared by the threads of a process.

    A file in a folder that cannot be written can only be read. SQLite needs to write beside a file in WAL mode, so it
    opens a temporary copy. https://www.sqlite.org/wal.html#readonly
    """

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raise CorruptDataError if it is not a wavecrawl database, UnwritableError if it cannot be written.
        """
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o777 & ~data_umask())
        self._copy = _copied(path) if path.is_file() and not os.access(path.parent, os.W_OK) else None
        if self._copy is None:
            _made_private(path)
        self._lock = RLock()
        try:
            self._connection = self._connect()
        except sqlite3.OperationalError as error:
            raise CorruptDataError(
                f"{path} cannot be opened ({error}). Check its permissions, or use another folder"
            ) from error
        self._resting = False
        try:
            self._prepare()
        except sqlite3.DatabaseError as error:
            self._connection.close()
            if is_unwritable(error):
                raise unwritable(error, path) from error
            if _code(error) == sqlite3.SQLITE_CORRUPT:
                raise self._damaged(error) from error
            raise CorruptDataError(
                f"{path} is not a wavecrawl database ({error}). Move it away, or use another folder"
            ) from error
        except (CorruptDataError, UnwritableError):
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()
            if self._copy is not None:
                self._copy.cleanup()

    def rest(self) -> None:
        """Close the connection until it is needed again: SQLite must not be open when a process forks."""
        with self._lock:
            self._connection.close()
            self._resting = True

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._errors_translated(), self._awake() as connection:
            return connection.execute(sql, values).fetchall()

    def change(self, sql: str, *values: object) -> int:
        """Run one statement, as a transaction if none is open; return the number of changed rows."""
        with self._errors_translated(), self._awake() as connection:
            return connection.execute(sql, values).rowcount

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block as one write transaction; an exception rolls it back."""
        with self._errors_translated(), self._awake() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _awake(self) -> Iterator[sqlite3.Connection]:
        """Lock the connection for this thread, and open it if it is resting."""
        with self._lock:
            if self._resting:
                self._connection = self._connect()
                self._connection.execute(_SYNCHRONOUS)
                self._resting = False
            yield self._connection

    def _connect(self) -> sqlite3.Connection:
        file = self.path if self._copy is None else Path(self._copy.name, self.path.name)
        connection = sqlite3.connect(
            file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        if self._copy is not None:
            connection.execute("PRAGMA query_only = ON")
        return connection

    @contextmanager
    def _errors_translated(self) -> Iterator[None]:
        """Raise CorruptDataError, MisconfiguredError, UnwritableError or StoreBusyError in place of SQLite's errors."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            code = _code(error)
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise self._damaged(error) from error
            if code == sqlite3.SQLITE_READONLY:
                raise MisconfiguredError(
                    f"{self.path.parent} is read-only, so nothing in it can be changed. Make the folder and its files "
                    "writable, or use another folder"
                ) from error
            if is_unwritable(error):
                raise unwritable(error, self.path) from error
            if isinstance(error, sqlite3.OperationalError):
                raise StoreBusyError(f"{self.path}: {error}") from error
            raise

    def _damaged(self, error: sqlite3.DatabaseError) -> CorruptDataError:
        return CorruptDataError(
            f"{self.path} is damaged ({error}). Restore it from a backup, or use another folder. The results "
            f"of crawls are files below {self.path.parent / CRAWLS}, and can still be read"
        )

    def _prepare(self) -> None:
        execute = self._connection.execute
        sql = "SELECT user_version, (SELECT count(*) FROM sqlite_master) FROM pragma_user_version"
        version, tables = execute(sql).fetchone()
        if version not in (0, SCHEMA_VERSION):
            raise CorruptDataError(
                f"{self.path} was written by another version of wavecrawl (its schema is {version}, this version reads "
                f"{SCHEMA_VERSION}). Use another folder"
            )
        if version == 0 and tables:
            raise CorruptDataError(f"{self.path} is a database of another program. Use another folder")
        if self._copy is not None and version == 0:
            raise CorruptDataError(f"{self.path} is empty, and {self.path.parent} is read-only. Use another folder")
        if self._copy is not None:
            return
        execute("PRAGMA journal_mode = WAL")
        execute(_SYNCHRONOUS)
        if version == 0:
            with self.transaction():
                if execute("PRAGMA user_version").fetchone()[0] == 0:  # another process may have been first
                    self._require_no_crawls()
                    for statement in _STATEMENTS:
                        execute(statement)
                    execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        for statement in _ADDED:
            execute(statement)

    def _require_no_crawls(self) -> None:
        """Raise CorruptDataError if there are crawls already, whose rows must have been in a database."""
        if (self.path.parent / CRAWLS).exists():
            raise CorruptDataError(
                f"{self.path} is missing or empty, but {self.path.parent} contains crawls. Restore the file from a "
                "backup, or use another folder"
            )


def _copied(path: Path) -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder with a copy of a database: the file, and the changes that are not in it yet."""
    folder = tempfile.TemporaryDirectory(prefix="wavecrawl-read-only-")
    for file in (path, path.with_name(f"{path.name}-wal")):
        if file.is_file():
            shutil.copyfile(file, Path(folder.name, file.name))
    return folder


def _made_private(path: Path) -> None:
    """Create a file that other users cannot read, as it contains secrets of webhooks.

    The files that SQLite creates beside it get the same permissions:
    https://www.sqlite.org/src/file/src/os_unix.c, findCreateFileMode
    """
    with suppress(OSError):  # it exists, or cannot be created: SQLite reports which
        os.close(create_private(path))


def _code(error: sqlite3.DatabaseError) -> int:
    """Return SQLite's primary result code (https://www.sqlite.org/rescode.html)."""
    return int(getattr(error, "sqlite_errorcode", 0)) & PRIMARY
