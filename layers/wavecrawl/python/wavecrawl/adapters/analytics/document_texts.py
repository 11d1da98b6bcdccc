"""The texts of a crawl's documents for the knowledge index."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from wavecrawl.adapters.analytics.database import database, parquet_rows, streamed
from wavecrawl.adapters.analytics.load import part_rows
from wavecrawl.application.index_plan import CrawledText
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.knowledge.fate import Fate, fate_of
from wavecrawl.domain.knowledge.passage import SourceText
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.parts import Table

_MEMORY_MB = 256
_MET = ("fetched", "unchanged", "redirected", "forbidden", "blocked", "not_found", "http_error", "failed", "skipped")


def document_texts(media: Path, texts: Sequence[Path], *, crawl: str) -> Iterator[CrawledText]:
    """Yield the documents in `media` that the crawl requested or skipped.

    Their texts are in `texts`, the parts' files of that table.
    """
    with TemporaryDirectory() as scratch, database(scratch, memory_mb=_MEMORY_MB, threads=1) as db:
        try:
            rows = streamed(db, _query(db, media, texts))
            for document, pieces in groupby(rows, key=lambda row: row[:5]):
                found = list(pieces)
                text, markdown = ("".join(piece[at] or "" for piece in found) for at in (5, 6))
                yield _crawled(document, text, markdown, crawl)
        except duckdb.Error as error:
            raise CorruptDataError(f"{media} cannot be read: {error}; create it again with --rebuild") from error


def _query(db: duckdb.DuckDBPyConnection, media: Path, texts: Sequence[Path]) -> str:
    """Return the query of documents with the pieces of their text. If two parts have a text, the later one counts."""
    states = ", ".join(f"'{state}'" for state in _MET)
    found = "SELECT '' AS key, 0 AS piece, '' AS text, '' AS markdown WHERE FALSE"
    if texts:
        found = f"""
            SELECT key, piece, coalesce(text, markdown) AS text, if(text IS NULL, '', markdown) AS markdown
            FROM {part_rows(db, Table.TEXTS, texts)}
            WHERE key IN (SELECT key FROM documents)
            QUALIFY file_index = max(file_index) OVER (PARTITION BY key)
        """
    return f"""
        WITH documents AS (
            SELECT key, url, coalesce(title, '') AS title, state, coalesce(duplicate_of, '') AS duplicate_of
            FROM {parquet_rows([media])} WHERE kind = 'document' AND state IN ({states})
        )
        SELECT d.key, d.url, d.title, d.state, d.duplicate_of, t.text, t.markdown
        FROM documents d LEFT JOIN ({found}) t USING (key) ORDER BY d.key, t.piece
    """


def _crawled(document: Sequence[str], text: str, markdown: str, crawl: str) -> CrawledText:
    key, url, title, state, duplicate_of = document
    fate = fate_of(UrlState(state), has_text=bool(text), is_duplicate=bool(duplicate_of), is_hidden=False)
    if state == UrlState.UNCHANGED and not text and not duplicate_of:
        fate = Fate.KEPT  # its text is stored with the crawl that received it
    name = title or url.rpartition("/")[2]
    source = SourceText(key=key, url=url, title=name, text=text, markdown=markdown, crawl=crawl)
    return CrawledText(text=source, fate=fate)
