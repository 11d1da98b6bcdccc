"""Results of crawls so far: exports that are made of their parts when a query first needs them."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import duckdb
import msgspec

from wavecrawl.adapters.analytics.database import database
from wavecrawl.adapters.analytics.earlier_exports import text_as_stored
from wavecrawl.adapters.analytics.load import part_rows
from wavecrawl.adapters.analytics.opened_exports import MEMORY_MB, THREADS, Export, OpenedExports
from wavecrawl.adapters.analytics.results import DuckDbResults
from wavecrawl.adapters.analytics.so_far import READ, write_so_far
from wavecrawl.adapters.analytics.urls import DuckDbUrls
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError, TooLargeError
from wavecrawl.ports.analytics import AnalyticsInputs
from wavecrawl.ports.live_results import SoFar
from wavecrawl.ports.parts import Table

_TOO_LARGE = "the results of this crawl are too large to query while it runs"

Inputs = Callable[[CrawlId, Mapping[Table, Sequence[Path]], Path], AnalyticsInputs]
"""Returns the inputs of a crawl's results, given the files of its parts and a folder for the results."""


Numbers = Callable[[CrawlId], Sequence[int]]
"""Returns the numbers of a crawl's parts, in order."""

Files = Callable[[CrawlId, Sequence[Table], Sequence[int]], Mapping[Table, Sequence[Path]]]
"""Returns local files with tables of these parts, in this order, valid until the next call."""


class LiveResults:
    """`ports.live_results.LiveResults`. Keeps at most `most_bytes` of exports. Safe to share between threads."""

    def __init__(
        self,
        numbers: Numbers,
        files: Files,
        inputs: Inputs,
        hidden: Callable[[CrawlId], frozenset[str]],
        *,
        folder: Path,
        most_bytes: int,
        most_part_bytes: int,
    ) -> None:
        """`most_part_bytes`: largest parts, in bytes, that a request may read to make exports."""
        self._numbers = numbers
        self._files = files
        self._inputs = inputs
        self._hidden = hidden
        self._folder = folder
        self._most_bytes = most_bytes
        self._most_part_bytes = most_part_bytes
        self._kept: dict[Path, int] = {}  # folder -> bytes, the oldest first
        self._lock = Lock()

    def so_far(self, crawl: CrawlId, *, up_to: int | None = None) -> SoFar:
        """Return the results as of the last part, or as of part `up_to`."""
        numbers = [number for number in self._numbers(crawl) if up_to is None or number <= up_to]
        so_far = _Crawl(crawl=crawl, numbers=tuple(numbers))
        exports = OpenedExports(
            lambda wanted: [self._path(so_far, Export(name)) for _, name in wanted], self._hidden, scratch=self._folder
        )
        results = DuckDbResults(exports, texts=lambda waves: self._texts(so_far, waves))
        return SoFar(as_of_wave=so_far.wave, results=results, urls=DuckDbUrls(exports))

    def _path(self, crawl: "_Crawl", export: Export) -> Path:
        folder = self._folder / crawl_prefix(crawl.crawl) / f"{crawl.wave:06d}"
        if not (folder / export).is_file():
            with self._lock:
                if not (folder / export).is_file():
                    folder.mkdir(parents=True, exist_ok=True)
                    self._make(crawl, export, folder)
                    self._kept[folder] = sum(path.stat().st_size for path in folder.iterdir())
                    self._make_room(folder)
        return folder / export

    def _make(self, crawl: "_Crawl", export: Export, folder: Path) -> None:
        """Make an export in a folder of its own and move it into place, with those that were made with it."""
        tables = READ if export is not Export.URLS else (Table.URLS,)
        files = self._files(crawl.crawl, tables, crawl.numbers)
        if sum(path.stat().st_size for paths in files.values() for path in paths) > self._most_part_bytes:
            raise TooLargeError(_TOO_LARGE)
        with tempfile.TemporaryDirectory(prefix="so-far-", dir=self._folder) as name:
            scratch, fresh = Path(name), Path(name) / "fresh"
            fresh.mkdir()
            with self._reading(crawl.crawl, scratch) as db:
                write_so_far(db, export, self._inputs(crawl.crawl, files, fresh), scratch=scratch)
            for path in fresh.iterdir():
                path.replace(folder / path.name)

    def _texts(self, crawl: "_Crawl", waves: Mapping[str, int]) -> dict[str, str]:
        """Return main texts by key, from the parts of the waves in which the pages were fetched."""
        numbers = sorted({min(n for n in crawl.numbers if n >= wave) for wave in waves.values()})
        files = self._files(crawl.crawl, [Table.TEXTS], numbers)[Table.TEXTS]
        if not files:
            return {}
        with self._reading(crawl.crawl, self._folder) as db:
            rows = db.execute(
                f"""
                SELECT key, string_agg(text, '' ORDER BY piece), string_agg(markdown, '' ORDER BY piece)
                FROM {part_rows(db, Table.TEXTS, files)}
                WHERE key IN (SELECT unnest($keys)) GROUP BY key
                """,
                {"keys": list(waves)},
            ).fetchall()
        return {key: text_as_stored(text, markdown) for key, text, markdown in rows}

    @contextmanager
    def _reading(self, crawl: CrawlId, scratch: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            with database(scratch, memory_mb=MEMORY_MB, threads=THREADS) as db:
                yield db
        except duckdb.OutOfMemoryException as error:
            raise TooLargeError(_TOO_LARGE) from error
        except duckdb.Error as error:
            raise CorruptDataError(f"the parts of crawl {crawl.crawl} cannot be read: {error}") from error

    def _make_room(self, used: Path) -> None:
        """Delete the oldest folders; raise TooLargeError if the new one alone is too large."""
        is_too_large = self._kept[used] > self._most_bytes
        for folder in list(self._kept):
            if sum(self._kept.values()) > self._most_bytes and (folder != used or is_too_large):
                shutil.rmtree(folder, ignore_errors=True)
                del self._kept[folder]
        if is_too_large:
            raise TooLargeError(_TOO_LARGE)


class _Crawl(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl as of its last part."""

    crawl: CrawlId
    numbers: tuple[int, ...]  # of its parts

    @property
    def wave(self) -> int:
        """The last wave that the parts cover; 0 if there is none."""
        return self.numbers[-1] if self.numbers else 0
