"""Parts of a real crawl: what its records and snapshots say, once, in columns."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.campaign import slow
from tests.support.comparing import fingerprint
from tests.support.crawling import ALL_FILES, Done, crawl_inline, with_changes
from tests.support.folding import fold_all, fold_ports, rows
from tests.support.page_memories import memory_rows

from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
from wavecrawl.adapters.embedded.memory_files import FolderMemoryFiles
from wavecrawl.application import fold_wave as fold_module
from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.application.fold_wave import fold_wave
from wavecrawl.bootstrap.local import finish_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.parts import parts_to_remember
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.errors import CorruptDataError, NotFoundError
from wavecrawl.ports.parts import Table

SMALL_PARTS = with_changes(ALL_FILES, {"waves.part_pages": 20, "waves.part_seconds": 3_600.0, "waves.max_urls": 15})


@dataclass(frozen=True, kw_only=True)
class Folded:
    """A crawl in several parts."""

    done: Done
    store: LocalStore
    files: dict[Table, list[Path]]
    scratch: Path

    @property
    def records(self) -> dict[str, PageRecord]:
        """The terminal records by url key."""
        batches = [row for row in self.store.batches.of_crawl(self.done.row.id) if row.done_attempt]
        read = self.store.archive.records
        found = (one for row in batches for one in read(row.id, attempt=row.done_attempt, shape=PageRecord))
        return {record.key: record for record in found if record.state.terminal}


@pytest.fixture(name="folded", scope="module")
def a_folded_crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folded]:
    root = tmp_path_factory.mktemp("folded")
    with SiteServer(demo_site()) as server:
        done = crawl_inline(server.url, root, SMALL_PARTS)
    store = LocalStore(root)
    files = dict(fold_all(store, done.row.id, root / "scratch"))
    yield Folded(done=done, store=store, files=files, scratch=root / "scratch")
    store.close()


def test_the_parts_are_those_the_planner_ended_and_the_rest(folded: Folded) -> None:
    crawl = folded.done.row.id
    last = CrawlStates(folded.store.objects).summary(crawl)
    assert len(last.parts) > 2
    assert folded.store.parts.numbers(crawl) == [*last.parts, last.wave - 1]


def test_each_terminal_record_is_a_page(folded: Folded) -> None:
    pages = rows(folded.files[Table.PAGES])
    assert len(pages) > 50
    assert {page["key"] for page in pages} == set(folded.records)
    assert len(pages) == len(folded.records)
    for page in pages:
        record = folded.records[page["key"]]
        facts = record.facts
        assert (page["url"], page["state"], page["reason"]) == (record.url, record.state, record.reason)
        assert (page["status"], page["depth"], page["bytes"]) == (record.status, record.depth, record.bytes)
        assert (page["fetched_at"], page["links"]) == (record.fetched_at, len(record.links))
        assert page["header_robots"] == list(record.header_robots)
        assert page["title"] == (facts.title if facts else "")
        assert page["simhash"] % 2**64 == (facts.simhash if facts else 0)
        headings = [(one["level"], one["text"]) for one in page["headings"]]
        assert headings == list(facts.headings if facts else ())
        assert [(one["language"], one["url"]) for one in page["hreflang"]] == list(facts.hreflang if facts else ())
        assert [(one["property"], one["content"]) for one in page["open_graph"]] == list(
            facts.open_graph if facts else ()
        )
    assert max(page["simhash"] for page in pages) > 0 > min(page["simhash"] for page in pages)


def test_pages_are_in_crawl_order(folded: Folded) -> None:
    places = [(page["wave"], page["batch"], page["position"]) for page in rows(folded.files[Table.PAGES])]
    assert places == sorted(places)
    assert all(batch.startswith(f"{wave:06d}-") for wave, batch, _ in places)


def test_each_link_is_an_edge(folded: Folded) -> None:
    expected = {
        (record.key, link.key, link.url, position, link.kind, link.region, link.text, link.skip)
        for record in folded.records.values()
        for position, link in enumerate(record.links, 1)
    }
    edges = rows(folded.files[Table.EDGES])
    names = ("source_key", "target_key", "url", "position", "kind", "region", "text", "skip")
    assert {tuple(edge[name] for name in names) for edge in edges} == expected
    assert len(edges) == len(expected)
    assert {edge["nofollow"] for edge in edges} == {False, True}


def test_the_pieces_of_a_text_are_the_whole_text(folded: Folded) -> None:
    query = "SELECT key, string_agg(text, '' ORDER BY piece) AS text FROM part GROUP BY key"
    found = {row["key"]: row["text"] for row in rows(folded.files[Table.TEXTS], query)}
    assert found == {
        key: record.facts.text for key, record in folded.records.items() if record.facts and record.facts.text
    }


def test_the_last_rows_of_all_urls_are_the_ledger(folded: Folded) -> None:
    state = CrawlStates(folded.store.objects).load(folded.done.row.id)
    query = """
        SELECT last(u ORDER BY wave) AS now, first(found_at ORDER BY wave) AS found_at
        FROM part u GROUP BY id ORDER BY id
    """
    found = rows(folded.files[Table.URLS], query)
    ledger = list(state.frontier.ledger(state.times))
    assert [row["now"]["id"] for row in found] == [row.order for row in ledger]
    for row, expected in zip(found, ledger, strict=True):
        now = row["now"]
        parent = "" if now["parent"] is None else ledger[now["parent"]].url
        assert expected.url in (now["url"], "")  # the planner forgets the text of a URL that is never requested
        assert expected.url or now["state"] in ("skipped", "robots_denied")
        names = ("key", "state", "reason", "detail", "depth", "found_by", "phase", "tries")
        assert tuple(now[name] for name in names) == tuple(getattr(expected, name) for name in names)
        assert (parent, now["found_in"], row["found_at"]) == (expected.parent, expected.wave, expected.found_at)
        assert now["batch_wave"] == 0 or (now["batch_wave"], now["batch"]) == state.frontier.batch(expected.order)


def test_a_part_has_a_url_once_and_its_own_number(folded: Folded) -> None:
    numbers = folded.store.parts.numbers(folded.done.row.id)
    assert len(numbers) > 2
    for number, file in zip(numbers, folded.files[Table.URLS], strict=True):
        found = rows([file])
        assert {row["wave"] for row in found} == {number}
        assert [row["id"] for row in found] == sorted({row["id"] for row in found})


def test_a_repeat_changes_nothing_and_a_rebuild_writes_the_same(folded: Folded) -> None:
    crawl, ports = folded.done.row.id, fold_ports(folded.store, folded.scratch)
    number = folded.store.parts.numbers(crawl)[1]
    before = {path: path.read_bytes() for paths in folded.files.values() for path in paths}
    assert fold_wave(crawl, number, ports) == []
    assert fold_wave(crawl, number, ports, rebuild=True) == folded.store.parts.numbers(crawl)[:2]
    assert {path: path.read_bytes() for path in before} == before


def test_a_part_that_no_plan_ended_is_refused(folded: Folded) -> None:
    ports = fold_ports(folded.store, folded.scratch)
    for number in (1_000, 0):
        with pytest.raises(NotFoundError, match=f"no part {number}"):
            fold_wave(folded.done.row.id, number, ports)


@slow
def test_the_rest_of_a_crawl_that_may_be_resumed_is_not_stored(folded: Folded, tmp_path: Path) -> None:
    with SiteServer(demo_site()) as server:
        done = crawl_inline(server.url, tmp_path, SMALL_PARTS)
    store = LocalStore(tmp_path)
    _forget_parts(tmp_path)
    files = fold_all(store, done.row.id, tmp_path / "scratch", is_over=False)
    last = CrawlStates(store.objects).summary(done.row.id)
    assert store.parts.numbers(done.row.id) == list(last.parts)
    assert [path.is_relative_to(tmp_path / "scratch") for path in files[Table.URLS]] == [False] * len(last.parts) + [
        True
    ]
    assert len(rows(files[Table.PAGES])) == len(rows(folded.files[Table.PAGES]))
    store.close()


def test_a_part_without_a_record_of_a_fetched_page_is_not_stored(tmp_path: Path) -> None:
    with SiteServer(demo_site()) as server:
        done = crawl_inline(server.url, tmp_path, SMALL_PARTS)
    store = LocalStore(tmp_path)
    victim = next(path for path in sorted((done.folder / "records").iterdir()) if path.name.startswith("000002"))
    victim.unlink()
    _forget_parts(tmp_path)
    with pytest.raises(CorruptDataError, match="missing or damaged"):
        fold_all(store, done.row.id, tmp_path / "scratch")
    assert store.parts.numbers(done.row.id) == []
    store.close()


def _forget_parts(root: Path) -> None:
    """Delete the parts that the end of the crawl made."""
    shutil.rmtree(root / "tables")


def test_a_running_crawl_is_remembered_with_every_hundredth_wave(
    folded: Folded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fold_module, "parts_to_remember", partial(parts_to_remember, every=1))
    crawl, store = folded.done.row.id, folded.store
    ports = replace(
        fold_ports(store, tmp_path), memories=ParquetPageMemories(FolderMemoryFiles(tmp_path), lambda: tmp_path)
    )
    first, second, *_ = CrawlStates(store.objects).summary(crawl).parts
    fold_wave(crawl, first, ports)
    known = {row["key"] for row in memory_rows(tmp_path, crawl)}
    assert known == {row["key"] for row in rows(store.parts.files(crawl, Table.PAGES, [first]))}
    fold_wave(crawl, second, ports)
    known = {row["key"] for row in memory_rows(tmp_path, crawl)}
    assert known == {row["key"] for row in rows(store.parts.files(crawl, Table.PAGES, [first, second]))}


@slow  # three crawls of the demo site
def test_results_do_not_depend_on_the_number_of_parts(tmp_path: Path) -> None:
    found: dict[int, dict[str, Any]] = {}
    for pages in (1, 20, 100_000):
        settings = with_changes(SMALL_PARTS, {"waves.part_pages": pages})
        with SiteServer(demo_site()) as server:  # some of its pages fail at first
            done = crawl_inline(server.url, tmp_path / str(pages), settings)
        exports = fingerprint(done.exports, server.url)
        exports["summary.json"] = re.sub(r"part_pages\W+\d+", "", str(exports["summary.json"]))
        found[len(list((tmp_path / str(pages) / "tables" / "urls").rglob("*.parquet")))] = exports
    assert len(found) == 3
    assert min(found) == 1
    first, *others = found.values()
    assert others == [first, first]


@slow
def test_results_are_rebuilt_from_the_records_if_a_part_is_damaged(tmp_path: Path) -> None:
    with SiteServer(demo_site()) as server:
        done = crawl_inline(server.url, tmp_path, SMALL_PARTS)
    expected = {path.name: path.read_bytes() for path in done.exports.glob("*.csv")}
    assert expected
    store = LocalStore(tmp_path)
    row = store.find(None)
    parts = sorted((tmp_path / "tables").rglob("*.parquet"))
    before = {path: path.read_bytes() for path in parts}
    for path in parts:
        path.write_bytes(b"damaged")
    finish_local_crawl(store, row, rebuild=True)
    store.close()
    assert {path: path.read_bytes() for path in parts} == before
    assert {path.name: path.read_bytes() for path in done.exports.glob("*.csv")} == expected
