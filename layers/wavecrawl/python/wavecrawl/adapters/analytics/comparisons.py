"""Queries over two crawls of a site."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
from msgspec import Struct

from wavecrawl.adapters.analytics.check_diff import pair_checks
from wavecrawl.adapters.analytics.crawl_diff import changed_texts, compare, differences, prepare
from wavecrawl.adapters.analytics.diff_evidence import build_evidence
from wavecrawl.adapters.analytics.diff_omissions import Omissions, leave_out, list_unreached
from wavecrawl.adapters.analytics.earlier_exports import stored_text, text_as_stored
from wavecrawl.adapters.analytics.opened_exports import Export, OpenedExports
from wavecrawl.adapters.analytics.result_parts import read_part
from wavecrawl.adapters.analytics.spellings import pair_spellings
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.ports.results import ChangedText, DiffCounts, DiffRow, Mark, Part


class _StoredTexts(Struct, gc=False):
    """The main text of a page in two crawls, each as its export has it."""

    key: str
    url: str
    before: tuple[str | None, str | None]
    now: tuple[str | None, str | None]


class Comparisons:
    """The part of `ports.results.Results` that compares crawls."""

    def __init__(self, exports: OpenedExports) -> None:
        self._exports = exports

    def compare(self, base: CrawlId, crawl: CrawlId) -> DiffCounts:
        """Count the differences of `crawl` from `base`."""
        omissions = self._omissions(base, crawl)
        with two_crawls(self._exports, base, crawl, omissions) as db:
            return compare(db, omissions)

    def differences(
        self, base: CrawlId, crawl: CrawlId, kind: DiffKind, *, limit: int, after: Mark | None = None
    ) -> Part[DiffRow]:
        """Return the differences of one kind."""
        with two_crawls(self._exports, base, crawl, self._omissions(base, crawl)) as db:
            prepare(db)
            return read_part(db, differences(kind), DiffRow, limit=limit, after=after, counted=False)

    def changed_texts(
        self, base: CrawlId, crawl: CrawlId, *, key: str = "", limit: int, after: Mark | None = None
    ) -> Part[ChangedText]:
        """Return the main texts of pages whose text changed, by URL."""
        with self._exports.tables({"old_": base, "": crawl}, Export.PAGES) as db:
            pair_spellings(db)
            query = changed_texts(stored_text(db, "old_pages", name="o"), stored_text(db, "pages", name="n"))
            part = read_part(db, query, _StoredTexts, {"key": key}, limit=limit, after=after, counted=False)
        texts = (
            ChangedText(key=row.key, url=row.url, before=text_as_stored(*row.before), now=text_as_stored(*row.now))
            for row in part.rows
        )
        return Part(rows=tuple(texts), following=part.following, total=part.total)

    def _omissions(self, base: CrawlId, crawl: CrawlId) -> Omissions:
        return Omissions.of(self._exports.summary(base), self._exports.summary(crawl))


@contextmanager
def two_crawls(
    exports: OpenedExports, base: CrawlId, crawl: CrawlId, omissions: Omissions
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open what two crawls have in common: without the pages that one of them left out."""
    ledgers = [Export.LEDGER] if omissions.exist or omissions.unreached else []
    checks = [Export.CHECKS] if omissions.checks.shared else []
    shared = (Export.PAGES, Export.LINKS, Export.HISTORY, *ledgers, *checks)
    with exports.tables({"old_": base, "": crawl}, *shared) as db:
        pair_spellings(db)
        leave_out(db, omissions)
        list_unreached(db, omissions)
        build_evidence(db, omissions)
        pair_checks(db, omissions.checks)
        yield db
