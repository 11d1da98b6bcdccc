"""What an earlier version remembers of pages with `+` in their queries, which had other url keys."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.page_memories import Page, memory_rows, write_pages

from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
from wavecrawl.adapters.embedded.memory_files import FolderMemoryFiles
from wavecrawl.adapters.memory_files import memory_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.urls.url import Identity

FIRST = CrawlId(tenant="t", site="example.com", crawl="c1")
SECOND = replace(FIRST, crawl="c2")
SITE = "https://example.com"


def key_of(path: str) -> str:
    return Identity().page_url(SITE + path).key


def old_key(path: str) -> str:
    """Return the key of an earlier version, for paths with parameters in order and without escapes but `%20`."""
    return blake2b(f"{SITE}{path}".encode(), digest_size=16).hexdigest()


def page(path: str, text: str, *, at: float = 100.0, state: str = "fetched", key: str = "") -> Page:
    return Page(
        key=key or key_of(path),
        url=SITE + path,
        state=state,
        reason="status" if state == "not_found" else "",
        status=404 if state == "not_found" else 200,
        text_hash=text,
        etag=f'"{text}"',
        fetched_at=at,
    )


class Memory:
    """The memory of a site."""

    def __init__(self, root: Path, *, rows_per_file: int = 1_000) -> None:
        self.root = root
        self.memories = ParquetPageMemories(FolderMemoryFiles(root), lambda: root, rows_per_file=rows_per_file)

    def meet(self, crawl: CrawlId, *pages: Page) -> Path:
        file = write_pages(self.root / f"{crawl.crawl}.parquet", pages)
        self.memories.remember(crawl, [file])
        return file

    def age(self, parents: Mapping[str, str] | None = None) -> None:
        """Let the files be those of an earlier version, without the new column. `parents`: keys by path of the page."""
        folder = self.root / memory_prefix(FIRST)
        names = [path.stem.removeprefix("all") for path in folder.glob("*.parquet")]
        with duckdb.connect() as db:
            rows = "SELECT * EXCLUDE (spaces) FROM read_parquet($1)"
            db.execute(f"CREATE TABLE old AS {rows}", [str(folder / "*.parquet")])
            for (url,) in db.execute("SELECT url FROM old WHERE contains(url, '+')").fetchall():
                db.execute("UPDATE old SET key = $1 WHERE url = $2", [old_key(url.removeprefix(SITE)), url])
            for path, parent in (parents or {}).items():
                db.execute("UPDATE old SET parent = $1 WHERE url = $2", [parent, SITE + path])
            digits = len(names[0])
            for name in {key[:digits] for (key,) in db.execute("SELECT key FROM old").fetchall()}.union(names):
                file = folder / f"{name or 'all'}.parquet"
                db.execute(
                    f"COPY (FROM old WHERE starts_with(key, '{name}') ORDER BY key) TO '{file}' (FORMAT parquet)"
                )

    @property
    def rows(self) -> Sequence[dict[str, Any]]:
        return memory_rows(self.root, FIRST)

    @property
    def keys(self) -> dict[str, str]:
        return {row["url"].removeprefix(SITE): row["key"] for row in self.rows}


@pytest.fixture(name="memory")
def a_memory_of_an_earlier_version(tmp_path: Path) -> Memory:
    memory = Memory(tmp_path)
    plus, escaped, other = "/s?q=a+b", "/s?q=c%20d", "/s?q=e"
    memory.meet(FIRST, page("/", "r"), page(plus, "p"), page(escaped, "e"), page(other, "o"))
    memory.age({other: old_key(plus)})
    assert "spaces" not in memory.rows[0]
    assert memory.keys[plus] == old_key(plus) != key_of(plus) == key_of("/s?q=a%20b")
    return memory


def test_a_page_keeps_its_history_under_its_new_key(memory: Memory) -> None:
    found = memory.memories.validators(SECOND, [key_of("/s?q=a+b"), key_of("/s?q=c+d"), old_key("/s?q=a+b")])
    assert {key: one.etag for key, one in found.items()} == {key_of("/s?q=a+b"): '"p"', key_of("/s?q=c+d"): '"e"'}
    file = memory.meet(
        SECOND,
        page("/", "r", at=200.0),
        page("/s?q=a%20b", "p", at=200.0),  # the first link that is found has the other form now
        page("/s?q=c+d", "e", at=200.0),
        page("/s?q=e", "o", at=200.0),
    )
    changes = memory.memories.changes(SECOND, [file], since=190.0)
    assert (changes.new, changes.changed, changes.gone, changes.again) == (0, 0, 0, 4)
    assert memory.keys == {path: key_of(path) for path in ("/", "/s?q=a%20b", "/s?q=c+d", "/s?q=e")}
    assert {(row["first_seen"], len(row["observations"]), row["spaces"]) for row in memory.rows} == {(100.0, 2, True)}
    assert next(row["parent"] for row in memory.rows if row["url"].endswith("=e")) == key_of("/s?q=a+b")


def test_two_pages_of_an_earlier_version_are_one_with_the_later_request(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    plus, escaped = page("/s?q=a+b", "x", key="0" * 32), page("/s?q=a%20b", "x", at=110.0)
    memory.meet(FIRST, plus, escaped)
    memory.age()
    assert memory.keys == {"/s?q=a+b": old_key("/s?q=a+b"), "/s?q=a%20b": key_of("/s?q=a%20b")}
    (known,) = memory.memories.histories(SECOND)
    assert (known.key, known.url, known.last_seen) == (key_of("/s?q=a+b"), f"{SITE}/s?q=a%20b", 110.0)


def test_a_forgotten_page_stays_forgotten(memory: Memory) -> None:
    memory.memories.forget(SECOND, old_key("/s?q=a+b"), now=150.0)  # an earlier version did
    memory.memories.forget(SECOND, key_of("/s?q=c+d"), now=150.0)
    assert {known.url.removeprefix(SITE) for known in memory.memories.histories(SECOND)} == {"/", "/s?q=e"}


def test_deleted_pages_have_the_keys_of_both_versions(memory: Memory) -> None:
    gone = page("/s?q=a+b", "", state="not_found", at=200.0), page("/s?q=e", "", state="not_found", at=200.0)
    memory.meet(SECOND, *gone)
    assert {*memory.memories.deleted(SECOND)} == {key_of("/s?q=a+b"), old_key("/s?q=a+b"), key_of("/s?q=e")}


def test_pages_of_an_earlier_crawl_that_are_added_later_have_their_new_keys(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    path = "/s?q=a+b"
    memory.meet(SECOND, page(path, "x", at=200.0))
    memory.meet(FIRST, page(path, "x", at=100.0, key=old_key(path)), page("/t?q=a+b", "y", key=old_key("/t?q=a+b")))
    assert memory.keys == {path: key_of(path), "/t?q=a+b": key_of("/t?q=a+b")}


def test_a_divided_memory_moves_rows_to_the_files_of_their_new_keys(tmp_path: Path) -> None:
    memory = Memory(tmp_path, rows_per_file=1)
    paths = [f"/s?q=a+{number}" for number in range(12)]
    memory.meet(FIRST, *(page(path, path) for path in paths))
    memory.age()
    stored = memory.root / memory_prefix(FIRST)
    assert len(list(stored.glob("*.parquet"))) > 1
    assert {known.key for known in memory.memories.histories(SECOND)} == {key_of(path) for path in paths}
    for at in (200.0, 300.0):  # the second time, rows are dropped from the files of their earlier keys
        memory.meet(SECOND, *(page(path, path, at=at) for path in paths))
        known = list(memory.memories.histories(SECOND))
        assert sorted(one.key for one in known) == sorted(map(key_of, paths))
        assert {(one.first_seen, one.last_seen) for one in known} == {(100.0, at)}
    with duckdb.connect() as db:
        query = "SELECT count(*), count(DISTINCT key) FROM read_parquet($1)"
        assert db.execute(query, [str(stored / "*.parquet")]).fetchall() == [(12, 12)]
