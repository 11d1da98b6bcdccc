"""Passages in SQLite: one file per site, with a full-text index (FTS5) of their words."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from wavecrawl.adapters.knowledge.site_files import PathOf, SiteFile
from wavecrawl.domain.knowledge.passage import Passage, SiteId
from wavecrawl.domain.knowledge.search_words import marked, unmarked, words_of_question
from wavecrawl.ports.knowledge import IndexedPage, IndexState

_SCHEMA = """
CREATE TABLE IF NOT EXISTS state (one INTEGER PRIMARY KEY CHECK (one = 1), packed BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS page (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, crawl TEXT NOT NULL, url TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS passage (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT NOT NULL, position INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS passage_key ON passage (key);
CREATE TABLE IF NOT EXISTS form (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, url TEXT NOT NULL, markdown TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (title, headings, text, tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE IF NOT EXISTS page_words USING fts5 (
    title, headings, text, content = '', tokenize = 'porter unicode61');
"""
# `form` has no rows for the passages of earlier versions, which had plain text alone. An earlier version that goes on
# with the file does not delete rows of `form`, and uses their numbers for other passages: so the IDs must be equal too.
# `words` has its texts with marks between the words of languages without spaces (`marked`). Earlier versions had none.
# `page_words` has no texts, so that each is stored once. A row of it is deleted by the values that it was made of:
# https://www.sqlite.org/fts5.html#contentless_tables
_MOST_WORDS = 64  # of a question; each adds to the time of a search
_WEIGHTS = "5.0, 3.0, 1.0"
"""Weights of title, headings and text in BM25 (ADR 28)."""

_HEADING_END = "\n"  # separates the headings of a passage; a heading has none
_ROW = "p.id, p.key, coalesce(f.url, g.url), w.title, w.headings, w.text, coalesce(f.markdown, w.text), p.position"
_JOINED = """
    passage p JOIN page g USING (key) JOIN words w ON w.rowid = p.number
    LEFT JOIN form f ON f.number = p.number AND f.id = p.id
"""


PASSAGES = "passages.sqlite"
"""The name of a site's file. Between two operations it is complete, without files of a write-ahead log."""


class SqlitePassages:
    """`ports.knowledge.Passages`. Processes can search while another one writes."""

    def __init__(self, folder_of: PathOf) -> None:
        self._file = SiteFile(folder_of=folder_of, name=PASSAGES, schema=_SCHEMA)

    def state(self, site: SiteId) -> IndexState | None:
        """Return the state of a site's index, or None."""
        rows = self._rows(site, "SELECT packed FROM state")
        return msgspec.msgpack.decode(rows[0][0], type=IndexState) if rows else None

    def set_state(self, site: SiteId, state: IndexState) -> None:
        """Store the state."""
        with self._file.opened(site) as db:
            db.execute("INSERT OR REPLACE INTO state VALUES (1, ?)", (msgspec.msgpack.encode(state),))

    def hashes(self, site: SiteId) -> dict[str, str]:
        """Return the content hash of each indexed page."""
        return dict(self._rows(site, "SELECT key, hash FROM page"))

    def outdate(self, site: SiteId) -> None:
        """Forget the content hashes of all pages."""
        if self._file.exists(site):
            with self._file.opened(site) as db:
                db.execute("UPDATE page SET hash = ''")

    def replace(self, site: SiteId, pages: Sequence[IndexedPage]) -> None:
        """Store pages with their passages in one transaction."""
        with self._file.opened(site) as db:
            _remove(db, [page.key for page in pages])
            for page in pages:
                _add(db, page)

    def remove(self, site: SiteId, keys: Sequence[str]) -> None:
        """Remove pages and their passages."""
        if keys and self._file.exists(site):
            with self._file.opened(site) as db:
                _remove(db, keys)

    def seen(self, site: SiteId, keys: Sequence[str], *, crawl: str) -> None:
        """Note that pages were unchanged in a crawl."""
        with self._file.opened(site) as db:
            db.execute(
                "UPDATE page SET crawl = ? WHERE key IN (SELECT value FROM json_each(?))", (crawl, _listed(keys))
            )

    def keys_of_crawl(self, site: SiteId, crawl: str) -> list[str]:
        """Return the keys of the pages that were last seen in a crawl."""
        return [key for (key,) in self._rows(site, "SELECT key FROM page WHERE crawl = ? ORDER BY key", crawl)]

    def ids_of(self, site: SiteId, keys: Sequence[str]) -> list[str]:
        """Return the ids of the passages of pages."""
        sql = "SELECT id FROM passage WHERE key IN (SELECT value FROM json_each(?)) ORDER BY number"
        return [id_ for (id_,) in self._rows(site, sql, _listed(keys))]

    def all(self, site: SiteId) -> Iterator[tuple[IndexedPage, Passage]]:
        """Yield all passages with their pages."""
        if not self._file.exists(site):
            return
        with self._file.opened(site) as db:
            sql = f"SELECT g.hash, g.crawl, {_ROW} FROM {_JOINED} ORDER BY g.url, g.key, p.position"  # noqa: S608 - constants
            for hash_, crawl, *row in db.execute(sql):
                passage = _passage(row)
                yield IndexedPage(key=passage.key, content_hash=hash_, crawl=crawl, passages=()), passage

    def get(self, site: SiteId, ids: Sequence[str]) -> dict[str, Passage]:
        """Return the passages with these ids."""
        sql = f"SELECT {_ROW} FROM {_JOINED} WHERE p.id IN (SELECT value FROM json_each(?))"  # noqa: S608 - constants
        return {row[0]: _passage(row) for row in self._rows(site, sql, _listed(ids))}

    def matching(self, site: SiteId, question: str, *, limit: int, pages: Sequence[str] | None = None) -> list[str]:
        """Return the ids of passages with words of the question, best first."""
        chosen = "" if pages is None else "AND p.key IN (SELECT value FROM json_each(?))"
        sql = f"""
            SELECT p.id FROM words JOIN passage p ON p.number = words.rowid
            WHERE words MATCH ? {chosen} ORDER BY bm25(words, {_WEIGHTS}), p.number LIMIT ?
        """  # noqa: S608 - constants
        values = () if pages is None else (_listed(pages),)
        return self._matching(site, sql, question, *values, limit)

    def matching_pages(self, site: SiteId, question: str, *, limit: int) -> list[str]:
        """Return the keys of pages with words of the question, best first."""
        sql = f"""
            SELECT g.key FROM page_words JOIN page g ON g.number = page_words.rowid
            WHERE page_words MATCH ? ORDER BY bm25(page_words, {_WEIGHTS}), g.number LIMIT ?
        """  # noqa: S608 - constants
        return self._matching(site, sql, question, limit)

    def _matching(self, site: SiteId, sql: str, question: str, *values: object) -> list[str]:
        words = words_of_question(question)[:_MOST_WORDS]
        if not words:
            return []
        # A quoted string has no operators: https://www.sqlite.org/fts5.html#fts5_strings
        return [found for (found,) in self._rows(site, sql, " OR ".join(f'"{word}"' for word in words), *values)]

    def drop(self, site: SiteId) -> None:
        """Delete the index of a site."""
        self._file.delete(site)

    def commit(self, site: SiteId) -> None:
        """Do nothing: each operation has stored its changes."""

    def _rows(self, site: SiteId, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none if the site has no index."""
        if not self._file.exists(site):
            return []
        with self._file.opened(site) as db:
            return db.execute(sql, values).fetchall()


def _add(db: sqlite3.Connection, page: IndexedPage) -> None:
    url = page.passages[0].url.partition("#")[0] if page.passages else ""
    sql = "INSERT INTO page (key, hash, crawl, url) VALUES (?, ?, ?, ?)"
    number = db.execute(sql, (page.key, page.content_hash, page.crawl, url)).lastrowid
    for one in page.passages:
        sql = "INSERT INTO passage (id, key, position) VALUES (?, ?, ?)"
        row = db.execute(sql, (one.id, one.key, one.position)).lastrowid
        sql = "INSERT INTO words (rowid, title, headings, text) VALUES (?, ?, ?, ?)"
        db.execute(sql, (row, *map(marked, (one.title, _HEADING_END.join(one.headings), one.text))))
        sql = "INSERT OR REPLACE INTO form (number, id, url, markdown) VALUES (?, ?, ?, ?)"
        db.execute(sql, (row, one.id, one.url, one.markdown))
    if page.passages:
        db.execute("INSERT INTO page_words (rowid, title, headings, text) VALUES (?, ?, ?, ?)", _page_words(db, number))


def _remove(db: sqlite3.Connection, keys: Sequence[str]) -> None:
    chosen = "IN (SELECT value FROM json_each(?))"
    listed = _listed(keys)
    numbers = db.execute(f"SELECT DISTINCT g.number FROM page g JOIN passage USING (key) WHERE key {chosen}", (listed,))  # noqa: S608 - constants
    for (number,) in numbers.fetchall():
        sql = "INSERT INTO page_words (page_words, rowid, title, headings, text) VALUES ('delete', ?, ?, ?, ?)"
        db.execute(sql, _page_words(db, number))
    db.execute(f"DELETE FROM form WHERE number IN (SELECT number FROM passage WHERE key {chosen})", (listed,))  # noqa: S608 - constants
    db.execute(f"DELETE FROM words WHERE rowid IN (SELECT number FROM passage WHERE key {chosen})", (listed,))  # noqa: S608 - constants
    db.execute(f"DELETE FROM passage WHERE key {chosen}", (listed,))  # noqa: S608 - constants
    db.execute(f"DELETE FROM page WHERE key {chosen}", (listed,))  # noqa: S608 - constants


def _page_words(db: sqlite3.Connection, number: int | None) -> tuple[int | None, str, str, str]:
    """Return the row of `page_words` that a page's passages make: its number, title, headings and text."""
    sql = f"SELECT w.title, w.headings, w.text FROM {_JOINED} WHERE g.number = ? ORDER BY p.position"  # noqa: S608 - constants
    rows = db.execute(sql, (number,)).fetchall()
    names = dict.fromkeys(name for _, headings, _ in rows for name in headings.split(_HEADING_END))
    return number, rows[0][0], "\n".join(names), "\n".join(text for _, _, text in rows)


def _listed(values: Sequence[str]) -> str:
    return json.dumps(list(values))


def _passage(row: Sequence[Any]) -> Passage:
    id_, key, url, *words, markdown, position = row
    title, headings, text = map(unmarked, words)
    names = tuple(headings.split(_HEADING_END)) if headings else ()
    return Passage(
        id=id_, key=key, url=url, title=title, headings=names, text=text, markdown=markdown, position=position
    )
