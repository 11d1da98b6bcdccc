"""Page memories in Parquet files. DuckDB is loaded when there is something to read or write."""

import tempfile
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, TypeVar
from weakref import finalize

import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.batch_objects import batch_named, place_of
from wavecrawl.adapters.memory_files import DAMAGED, FORGOTTEN, MemoryFiles
from wavecrawl.domain.crawl.job import CrawlId, Validators
from wavecrawl.domain.crawl.site_changes import SiteChanges
from wavecrawl.domain.recrawl.history import LastmodTrust, PageHistory
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.page_memories import Conclusion, CrawlEnd, Lastmod
from wavecrawl.ports.parts import Table

if TYPE_CHECKING:
    from wavecrawl.adapters.analytics.memory_tables import MemoryTables

ROWS_PER_FILE = 250_000
"""Pages that one file may hold. A larger memory is divided by the first digits of the url key."""

_TRIES = 5  # if other processes write the same files
_CRAWLS_KEPT = 2  # crawls whose validators are kept in a local file

_Done = TypeVar("_Done")

Scratch = Callable[[], Path]
"""Returns a folder for temporary files."""


class ParquetPageMemories:
    """`ports.page_memories.PageMemories`: one file, or several for a large site (`adapters.memory_files`)."""

    def __init__(
        self, files: MemoryFiles, scratch: Scratch, *, rows_per_file: int = ROWS_PER_FILE, table: Table = Table.PAGES
    ) -> None:
        """`table`: that of the files that `remember` takes, `pages` or `media`."""
        self._table = table
        self._files = files
        self._scratch_of = scratch
        self._rows_per_file = rows_per_file
        self._sound: set[str] = set()  # versions of files that can be read
        self._validators: OrderedDict[CrawlId, Path] = OrderedDict()  # the most recently used last

    def any(self, crawl: CrawlId) -> bool:
        """Return whether the site has any file."""
        return bool(self._files.names(crawl))

    def validators(self, crawl: CrawlId, keys: Sequence[str]) -> Mapping[str, Validators]:
        """Return validators, from a local file with all validators of the site that is made at the first call.

        A page without any has those of its other spelling: that redirects to the page, or the page to that.
        """
        from wavecrawl.adapters.analytics.memory_tables import read_validators  # noqa: PLC0415 - see above

        wanted = [*keys, *map(other_spelling, keys)]
        found = {
            key: Validators(
                etag=etag,
                last_modified=last_modified,
                body_hash=body_hash,
                record=_place(replace(crawl, crawl=earlier), batch, key),
            )
            for key, etag, last_modified, body_hash, earlier, batch in read_validators(self._extracted(crawl), wanted)
        }
        chosen = ((key, found.get(key) or found.get(other_spelling(key))) for key in keys)
        return {key: validators for key, validators in chosen if validators is not None}

    def remember(self, crawl: CrawlId, pages: Sequence[Path], *, without: Collection[str] = ()) -> None:
        """Add pages to each file that they change; begin again if another process has changed one of the files."""
        if pages:
            most, table = self._rows_per_file, self._table

            def add(tables: "MemoryTables") -> bool | None:
                return tables.add(pages, without=without, rows_per_file=most, table=table) or None

            self._write(crawl, add)

    def conclude(
        self,
        crawl: CrawlId,
        parts: Mapping[Table, Sequence[Path]],
        end: CrawlEnd,
        *,
        lastmods: Iterable[Lastmod] = (),
        proof: bool = True,
    ) -> Conclusion:
        """Add what only a whole crawl shows to each file that it changes."""
        if not parts[Table.URLS] or not self.any(crawl):
            return Conclusion()
        with tempfile.NamedTemporaryFile(dir=self._scratch, suffix=".jsonl") as file:
            file.writelines(msgspec.json.encode(one._asdict()) + b"\n" for one in lastmods)
            file.flush()
            path = Path(file.name)

            def conclude(tables: "MemoryTables") -> Conclusion | None:
                return tables.conclude(parts, path, end, proof=proof, table=self._table)

            return self._write(crawl, conclude)

    def deleted(self, crawl: CrawlId) -> Iterator[str]:
        """Yield the url keys of deleted pages."""
        with self._tables(crawl) as tables:
            yield from tables.deleted()

    def histories(self, crawl: CrawlId, *, failures: int = 0) -> Iterator[PageHistory]:
        """Yield what is known of each page with at least `failures` failures in a row."""
        with self._tables(crawl) as tables:
            yield from tables.histories(failures)

    def lastmod_trust(self, crawl: CrawlId) -> LastmodTrust:
        """Return the sums of all pages."""
        with self._tables(crawl) as tables:
            return tables.lastmod_trust()

    def changes(
        self, crawl: CrawlId, pages: Sequence[Path], *, since: float, ledger: Path | None = None
    ) -> SiteChanges:
        """Compare the pages of a crawl with those of earlier crawls."""
        if not pages:
            return SiteChanges()
        with self._tables(crawl) as tables:
            return tables.changes(pages, since=since, ledger=ledger)

    def forget(self, crawl: CrawlId, key: str, *, now: float) -> None:
        """Store a mark. The memory that it concerns is ignored, and dropped when pages are added."""
        self._files.mark(crawl, f"{FORGOTTEN}{key}-{now:.3f}")

    def damaged(self, crawl: CrawlId) -> list[str]:
        """Return the names from the marks that the crawl left."""
        prefix = f"{DAMAGED}{crawl.crawl}/"
        return [name.removeprefix(prefix) for name in self._files.names(crawl) if name.startswith(prefix)]

    def _write(self, crawl: CrawlId, write: "Callable[[MemoryTables], _Done | None]") -> _Done:
        """Write with the tables that are read then, until no other process has written them meanwhile.

        `write` returns None if another process has.
        """
        for _ in range(_TRIES):
            with self._tables(crawl) as tables:
                if (done := write(tables)) is not None:
                    return done
        what = f"writing the page memory of site {crawl.site}"
        raise StoreBusyError(f"{what}: others were writing it in every attempt. Try again later")

    @contextmanager
    def _tables(self, crawl: CrawlId) -> "Iterator[MemoryTables]":
        from wavecrawl.adapters.analytics.memory_tables import open_memory  # noqa: PLC0415 - see above

        with (
            tempfile.TemporaryDirectory(prefix="tables-", dir=self._scratch) as scratch,
            open_memory(self._files, crawl, Path(scratch), self._sound) as tables,
        ):
            yield tables

    @cached_property
    def _scratch(self) -> Path:
        """A folder for temporary files, deleted with this object."""
        folder = tempfile.mkdtemp(prefix="memory-", dir=self._scratch_of())
        finalize(self, rmtree, folder, ignore_errors=True)
        return Path(folder)

    def _extracted(self, crawl: CrawlId) -> Path:
        """Return a local file with the validators of the crawl's site."""
        if crawl not in self._validators:
            path = Path(tempfile.mkdtemp(prefix="validators-", dir=self._scratch)) / "validators.parquet"
            with self._tables(crawl) as tables:
                tables.extract_validators(path)
            self._validators[crawl] = path
            while len(self._validators) > _CRAWLS_KEPT:
                self._validators.popitem(last=False)[1].unlink()
        self._validators.move_to_end(crawl)
        return self._validators[crawl]


def _place(crawl: CrawlId, batch: str, key: str) -> str:
    id_, attempt = batch_named(crawl, batch)
    return place_of(id_, attempt=attempt, key=key)
