"""Folds that crash between any two writes, are repeated and overtake each other make the same parts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.campaign import examples
from tests.support.simulation import Simulation, Web

from wavecrawl.adapters.embedded.parts import FolderParts
from wavecrawl.adapters.gzip_members import decompressed
from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.application.fold_wave import FoldPorts, fold_ports, fold_rest, fold_wave
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import UrlChange
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.ports.parts import Table, file_of

SITE = Web(tuple((*range(n + 1, min(n + 3, 14)), n // 2) for n in range(14)), {3: 1, 5: 2, 7: 9})
"""Some pages fail at first. Each wave takes so long that a part ends with it."""


class ProcessDiedError(BaseException):
    """The process that folds has died."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A fold: of which part, at which write it dies, and what overtakes it there."""

    part: int = 0  # position among the ended parts, modulo their number; -1 = the end of the crawl
    dies_at: int = 99  # write, from 0
    overtaken_by: "Fold | None" = None


FOLDS = st.builds(Fold, st.integers(-1, 8), st.integers(0, 12))
OVERTAKEN = st.builds(Fold, st.integers(-1, 8), st.integers(0, 12), st.none() | FOLDS)


class LinesWriter:
    """A writer of parts that is much faster than DuckDB: each table is a text."""

    def write(
        self,
        number: int,
        records: Sequence[Path],
        changes: Iterable[UrlChange],
        folder: Path,
        *,
        contents: Callable[[Sequence[str]], Mapping[str, PageRecord]] = lambda _: {},  # noqa: ARG002 - every page was fetched
        media: Iterable[UrlChange] = (),  # noqa: ARG002 - the pages have no media
        may_lack: Callable[[str], bool] = lambda _: False,  # noqa: ARG002 - every page was fetched
    ) -> None:
        lines = [line for path in records for line in decompressed(path.read_bytes()).splitlines()]
        pages = [record for record in map(msgspec.json.Decoder(PageRecord).decode, lines) if record.state.terminal]
        tables = {
            Table.PAGES: [page.key for page in pages],
            Table.EDGES: [f"{page.key} {link.key}" for page in pages for link in page.links],
            Table.TEXTS: [page.facts.text for page in pages if page.facts],
            Table.URLS: [f"{number} {change}" for change in changes],
        }
        for table, rows in tables.items():
            if rows or table is Table.URLS:
                (folder / file_of(table)).write_text("\n".join(rows))


class MortalParts(FolderParts):
    """Parts whose process dies, or is overtaken, before one of its writes."""

    def __init__(self, root: Path, dies_at: int, overtake: Callable[[], None]) -> None:
        super().__init__(root)
        self._left = dies_at
        self._overtake = overtake

    def _put(self, file: Path, path: Path) -> None:
        if not self._left:
            self._overtake()
            raise ProcessDiedError
        self._left -= 1
        super()._put(file, path)


@dataclass(frozen=True, slots=True)
class Crawled:
    """A crawl without parts, and what its parts have to be."""

    crawl: CrawlId
    store: LocalStore
    scratch: Path
    ended: tuple[int, ...]
    expected: Mapping[str, bytes]

    def ports(self, root: Path) -> FoldPorts:
        return replace(fold_ports(self.store, LinesWriter(), scratch=self.scratch), parts=FolderParts(root))

    def run(self, fold: Fold, root: Path) -> None:
        """Run a fold to its end or death."""
        other = fold.overtaken_by
        parts = MortalParts(root, fold.dies_at, lambda: self.run(other, root) if other else None)
        ports = replace(self.ports(root), parts=parts)
        try:
            if fold.part < 0:
                fold_rest(self.crawl, ports, is_over=True)
            else:
                fold_wave(self.crawl, self.ended[fold.part % len(self.ended)], ports)
        except ProcessDiedError:
            pass


@pytest.fixture(name="crawled", scope="module")
def a_crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    root, scratch, whole = (tmp_path_factory.mktemp(name) for name in ("crawl", "scratch", "whole"))
    simulation = Simulation(SITE, root)
    simulation.crawl([])
    store, crawl = LocalStore(root), simulation.crawl_id
    ended = CrawlStates(store.objects).summary(crawl).parts
    made = Crawled(crawl, store, scratch, ended, {})
    fold_rest(crawl, made.ports(whole), is_over=True)
    yield Crawled(crawl, store, scratch, ended, contents(whole))
    store.close()
    simulation.close()


def contents(root: Path) -> dict[str, bytes]:
    """Return the files of all parts by name."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.parquet")}


def check(crawled: Crawled, root: Path) -> None:
    """Check that the stored parts are the first ones, without a gap, and what they have to be."""
    numbers = FolderParts(root).numbers(crawled.crawl)
    assert numbers == _numbers(crawled.expected)[: len(numbers)]
    found = contents(root)
    assert found.items() <= crawled.expected.items()
    for number in numbers:
        names = {name for name in crawled.expected if name.endswith(f"/{number:06d}.parquet")}
        assert names <= found.keys(), "a part lacks a file"


def _numbers(files: Mapping[str, bytes]) -> list[int]:
    return sorted(int(Path(name).stem) for name in files if name.startswith("tables/urls/"))


def test_the_crawl_has_several_parts_and_a_rest(crawled: Crawled) -> None:
    assert len(crawled.ended) > 3
    assert _numbers(crawled.expected)[:-1] == list(crawled.ended)


@settings(max_examples=examples(25))
@given(folds=st.lists(OVERTAKEN, max_size=6))
def test_crashes_repeats_and_overtaking_change_nothing(crawled: Crawled, folds: list[Fold]) -> None:
    with TemporaryDirectory() as name:
        root = Path(name)
        for fold in folds:
            crawled.run(fold, root)
            check(crawled, root)
        crawled.run(Fold(-1), root)
        assert contents(root) == crawled.expected


def test_a_crash_at_each_write_of_the_end_changes_nothing(crawled: Crawled, tmp_path: Path) -> None:
    writes = len(crawled.expected)
    assert writes > 10
    for dies_at in range(writes):
        root = tmp_path / str(dies_at)
        crawled.run(Fold(-1, dies_at), root)
        assert len(contents(root)) == dies_at
        check(crawled, root)
        crawled.run(Fold(-1), root)
        assert contents(root) == crawled.expected
