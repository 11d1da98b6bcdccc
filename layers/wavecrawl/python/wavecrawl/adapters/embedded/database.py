"""The SQLite database behind the embedded adapters: WAL, one connection a process, short transactions."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any

from wavecrawl.errors import CorruptDataError, StoreBusyError

SCHEMA_VERSION = 3
BUSY_SECONDS = 30.0  # how long a transaction waits for another process's

_SCHEMA = """
CREATE TABLE IF NOT EXISTS crawl (
    tenant TEXT NOT NULL, site TEXT NOT NULL, crawl TEXT NOT NULL, status TEXT NOT NULL, cancel_asked INTEGER NOT NULL,
    root_url TEXT NOT NULL, started_at REAL NOT NULL, finished_at REAL NOT NULL, error TEXT NOT NULL,
    start_url TEXT NOT NULL, settings BLOB NOT NULL, PRIMARY KEY (tenant, site, crawl)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS site (
    tenant TEXT NOT NULL, site TEXT NOT NULL, active_crawl TEXT NOT NULL, PRIMARY KEY (tenant, site)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wave (
    crawl TEXT NOT NULL, wave INTEGER NOT NULL, planned INTEGER NOT NULL, done INTEGER NOT NULL DEFAULT 0,
    token TEXT NOT NULL DEFAULT '', token_order REAL NOT NULL DEFAULT 0,
    records INTEGER NOT NULL DEFAULT 0, fetched INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0, faults INTEGER NOT NULL DEFAULT 0,
    usage BLOB NOT NULL DEFAULT '', PRIMARY KEY (crawl, wave)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batch (
    crawl TEXT NOT NULL, wave INTEGER NOT NULL, batch INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0, leased_until REAL NOT NULL DEFAULT 0,
    owner TEXT NOT NULL DEFAULT '', forgiven INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (crawl, wave, batch)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claim (
    crawl TEXT NOT NULL, key TEXT NOT NULL, wave INTEGER NOT NULL, batch INTEGER NOT NULL, attempt INTEGER NOT NULL,
    PRIMARY KEY (crawl, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS page (
    site TEXT NOT NULL, key TEXT NOT NULL, memory BLOB NOT NULL, PRIMARY KEY (site, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS event (
    crawl TEXT NOT NULL, sequence INTEGER NOT NULL, kind TEXT NOT NULL, at REAL NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (crawl, sequence)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hidden_page (
    crawl TEXT NOT NULL, key TEXT NOT NULL, hidden_at REAL NOT NULL, PRIMARY KEY (crawl, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS webhook (
    tenant TEXT NOT NULL, webhook TEXT NOT NULL, version INTEGER NOT NULL, row BLOB NOT NULL,
    PRIMARY KEY (tenant, webhook)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS delivery (
    tenant TEXT NOT NULL, webhook TEXT NOT NULL, delivery TEXT NOT NULL, version INTEGER NOT NULL,
    pending INTEGER NOT NULL, due_at REAL NOT NULL, created_at REAL NOT NULL, row BLOB NOT NULL,
    PRIMARY KEY (tenant, webhook, delivery)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS delivery_due ON delivery (pending, due_at);
CREATE TABLE IF NOT EXISTS host (host TEXT PRIMARY KEY, state BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS robots (origin TEXT PRIMARY KEY, file BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tenant (
    tenant TEXT PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL, settings BLOB NOT NULL, created_at REAL NOT NULL,
    disabled INTEGER NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage (
    tenant TEXT NOT NULL, month TEXT NOT NULL, crawls INTEGER NOT NULL, PRIMARY KEY (tenant, month)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS api_key (
    digest TEXT PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL, role TEXT NOT NULL, name TEXT NOT NULL,
    created_at REAL NOT NULL, last_used_at REAL NOT NULL, expires_at REAL NOT NULL, UNIQUE (tenant, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS turns (
    subject TEXT NOT NULL, ends_at REAL NOT NULL, taken INTEGER NOT NULL, PRIMARY KEY (subject, ends_at)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS repeat (
    tenant TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, claimed_until REAL NOT NULL,
    expires_at REAL NOT NULL, answer BLOB, PRIMARY KEY (tenant, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS saved_site (
    tenant TEXT NOT NULL, site TEXT NOT NULL, url TEXT NOT NULL, name TEXT NOT NULL, settings BLOB NOT NULL,
    pages_named INTEGER NOT NULL, schedule BLOB NOT NULL, created_at REAL NOT NULL, changed_at REAL NOT NULL,
    version INTEGER NOT NULL, PRIMARY KEY (tenant, site)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS schedule (
    tenant TEXT NOT NULL, site TEXT NOT NULL, schedule BLOB NOT NULL, next_at REAL NOT NULL,
    crawl TEXT NOT NULL DEFAULT '', PRIMARY KEY (tenant, site)) WITHOUT ROWID;
"""
_STATEMENTS = tuple(statement for statement in _SCHEMA.split(";\n") if statement.strip())


# The operating system keeps what was committed when a process dies; only a power cut can lose the last moments.
_SYNCHRONOUS = "PRAGMA synchronous = NORMAL"


class Database:
    """One connection to one database file, shared by the threads of a process."""

    def __init__(self, path: Path) -> None:
        """Open or create the file; raise CorruptDataError where it is no database of ours."""
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        _made_private(path)
        self._lock = RLock()
        try:
            self._connection = self._connect()
        except sqlite3.OperationalError as error:
            raise CorruptDataError(
                f"{path} cannot be opened ({error}); look at its rights, or use another folder"
            ) from error
        self._resting = False
        try:
            self._prepare()
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise CorruptDataError(
                f"{path} is no wavecrawl database ({error}); move it away, or use another folder"
            ) from error
        except CorruptDataError:
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()

    def rest(self) -> None:
        """Close the connection until it is needed again: SQLite must not be open where a process forks."""
        with self._lock:
            self._connection.close()
            self._resting = True

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._busy_is_transient(), self._awake() as connection:
            return connection.execute(sql, values).fetchall()

    def change(self, sql: str, *values: object) -> int:
        """Run one statement as a transaction of its own; return how many rows it changed."""
        with self._busy_is_transient(), self._awake() as connection:
            return connection.execute(sql, values).rowcount

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block as one write transaction; an exception undoes it."""
        with self._busy_is_transient(), self._awake() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _awake(self) -> Iterator[sqlite3.Connection]:
        """Hold the connection, alone among the threads of this process."""
        with self._lock:
            if self._resting:
                self._connection = self._connect()
                self._connection.execute(_SYNCHRONOUS)
                self._resting = False
            yield self._connection

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256
        )

    @contextmanager
    def _busy_is_transient(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StoreBusyError(f"{self.path}: {error}") from error

    def _prepare(self) -> None:
        execute = self._connection.execute
        version = execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, SCHEMA_VERSION):
            raise CorruptDataError(
                f"{self.path} was written by another version of wavecrawl (schema {version}, this one reads "
                f"{SCHEMA_VERSION}); use another folder"
            )
        if version == 0 and execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise CorruptDataError(f"{self.path} is a database of something else; use another folder")
        execute("PRAGMA journal_mode = WAL")
        execute(_SYNCHRONOUS)
        tables = execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()[0]
        if tables < len(_STATEMENTS):  # also where an earlier release, which had fewer, made the file
            execute("BEGIN IMMEDIATE")
            for statement in _STATEMENTS:
                execute(statement)
            execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            execute("COMMIT")


def _made_private(path: Path) -> None:
    """Make a new file that nobody else may read: secrets of webhooks stand in it. Those SQLite lays beside it follow.

    https://www.sqlite.org/src/file/src/os_unix.c, findCreateFileMode
    """
    with suppress(OSError):  # it is there, or cannot be made: which SQLite says itself
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
