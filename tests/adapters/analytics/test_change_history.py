"""The history of changes in a page memory: observations, failures, deleted pages, dates of sitemaps."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.page_memories import SETTINGS, Page, Url, crawl_end, memory_rows, write_pages, write_urls

from wavecrawl.adapters.analytics.memory_queries import ADDED
from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
from wavecrawl.adapters.embedded.memory_files import FolderMemoryFiles
from wavecrawl.adapters.memory_files import memory_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.graph.completeness import SiteBlocker, unread_sitemap
from wavecrawl.domain.recrawl.history import LastmodTrust, Observation
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.page_memories import Conclusion, CrawlEnd, Lastmod
from wavecrawl.ports.parts import Table

CRAWL = CrawlId(tenant="t", site="example.com", crawl="c1")
KEY = "a" * 32
PAGE = Page(key=KEY, text_hash="t1", link_hash="l1", fetched_at=100.0, depth=2)


class Site:
    """A site whose crawls meet pages."""

    def __init__(self, root: Path) -> None:
        root.mkdir(exist_ok=True)
        self.root = root
        self.files = FolderMemoryFiles(root)
        self.memories = ParquetPageMemories(self.files, lambda: root)
        self.pages: list[Path] = []  # of the latest crawl

    def meet(self, *pages: Page, crawl: str = "c1") -> None:
        self.pages = [write_pages(self.root / "pages.parquet", pages)]
        self.memories.remember(replace(CRAWL, crawl=crawl), self.pages)

    def conclude(
        self, urls: Sequence[Url], end: CrawlEnd, *, lastmods: Sequence[Lastmod] = (), proof: bool = True
    ) -> Conclusion:
        """End a crawl that met these URLs."""
        parts = {Table.URLS: [write_urls(self.root / "urls.parquet", urls)], Table.PAGES: self.pages}
        return self.memories.conclude(CRAWL, parts, end, lastmods=lastmods, proof=proof)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return memory_rows(self.root, CRAWL)

    @property
    def deleted(self) -> dict[str, float]:
        return {row["key"][0]: row["deleted_at"] for row in self.rows}


@pytest.fixture(name="site")
def a_site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_text_and_links_change_apart(site: Site) -> None:
    site.meet(PAGE)
    site.meet(replace(PAGE, text_hash="t2", fetched_at=200.0))
    site.meet(replace(PAGE, state="unchanged", text_hash="t2", fetched_at=300.0))
    site.meet(replace(PAGE, text_hash="t2", link_hash="l2", fetched_at=400.0, depth=3))
    (page,) = site.memories.histories(CRAWL)
    assert page.observations == (
        Observation(at=100.0, text=False, links=False),
        Observation(at=200.0, text=True, links=False),
        Observation(at=300.0, text=False, links=False),
        Observation(at=400.0, text=False, links=True),
    )
    assert (page.key, page.depth, page.last_seen, page.failures) == (KEY, 3, 400.0, 0)


def test_a_page_without_text_changes_with_its_body(site: Site) -> None:
    for number, body in enumerate("aab"):
        site.meet(Page(key=KEY, body_hash=body, fetched_at=100.0 + number))
    (page,) = site.memories.histories(CRAWL)
    assert [one.text for one in page.observations] == [False, False, True]


def test_the_last_sixteen_observations_are_kept(site: Site) -> None:
    for number in range(18):
        site.meet(replace(PAGE, fetched_at=100.0 + number))
    (page,) = site.memories.histories(CRAWL)
    assert [one.at for one in page.observations] == [102.0 + number for number in range(16)]


def test_failures_in_a_row_are_counted_and_the_text_stays(site: Site) -> None:
    site.meet(PAGE)
    for number, state in enumerate(("failed", "http_error", "forbidden"), 1):
        site.meet(Page(key=KEY, state=state, fetched_at=100.0 + number))
    assert [(row["failures"], row["text_hash"], row["state"]) for row in site.rows] == [(3, "t1", "forbidden")]
    site.meet(replace(PAGE, state="unchanged", fetched_at=200.0))
    assert [row["failures"] for row in site.rows] == [0]


def test_a_gone_page_is_deleted_as_of_the_first_crawl_that_missed_it(site: Site) -> None:
    site.meet(PAGE)
    for number in range(1, 3):
        site.meet(Page(key=KEY, state="not_found", fetched_at=100.0 + number))
    assert site.deleted == {"a": 101.0}
    assert [page.deleted_at for page in site.memories.histories(CRAWL)] == [101.0]
    site.meet(Page(key=KEY, state="failed", fetched_at=200.0))
    assert site.deleted == {"a": 101.0}
    assert [row["text_hash"] for row in site.rows] == ["t1"]
    site.meet(replace(PAGE, fetched_at=300.0))
    assert site.deleted == {"a": 0.0}


@pytest.mark.parametrize(
    ("answer", "deleted_at"),
    [
        (Page(key=KEY, state="not_found", status=404), 200.0),
        (Page(key=KEY, state="redirected", reason="status", status=301), 200.0),
        (Page(key=KEY, state="redirected", reason="redirect_out_of_scope", status=308), 200.0),
        (Page(key=KEY, state="robots_denied", reason="robots_rule", status=302), 200.0),
        (Page(key=KEY, state="redirected", reason="status", status=302), 0.0),
        (Page(key=KEY, state="redirected", reason="redirect_loop", status=301), 0.0),
        (Page(key=KEY, state="robots_denied", reason="robots_unreachable", status=302), 0.0),
        (Page(key=KEY, state="forbidden", reason="status", status=401), 0.0),
        (Page(key=KEY, state="forbidden", reason="status", status=403), 0.0),
        (Page(key=KEY, state="http_error", reason="status", status=500), 0.0),
        (Page(key=KEY, state="failed", reason="timeout"), 0.0),
        (Page(key=KEY, state="skipped", reason="delay_too_long"), 0.0),
    ],
)
def test_only_an_answer_that_says_so_deletes_a_page_and_it_comes_back(
    site: Site, answer: Page, deleted_at: float
) -> None:
    site.meet(PAGE)
    site.meet(replace(answer, fetched_at=200.0), crawl="c2")
    assert site.deleted == {"a": deleted_at}
    assert list(site.memories.deleted(CRAWL)) == [KEY] * (deleted_at > 0)
    assert [row["text_hash"] for row in site.rows] == ["t1"]
    site.meet(replace(PAGE, state="unchanged", fetched_at=300.0), crawl="c3")
    assert site.deleted == {"a": 0.0}


AWAY = Page(key=KEY, state="redirected", reason="status", status=302)


def test_a_page_that_redirects_temporarily_in_two_crawls_in_a_row_is_deleted(site: Site) -> None:
    site.meet(PAGE)
    site.meet(replace(AWAY, fetched_at=200.0), crawl="c2")
    site.meet(replace(AWAY, fetched_at=201.0), crawl="c2")  # tried again in the same crawl
    site.meet(replace(PAGE, fetched_at=300.0), crawl="c3")
    site.meet(replace(AWAY, fetched_at=400.0), crawl="c4")
    assert site.deleted == {"a": 0.0}
    site.meet(replace(AWAY, status=307, fetched_at=500.0), crawl="c5")
    assert site.deleted == {"a": 500.0}


def test_a_url_that_was_never_a_page_is_not_deleted_by_its_redirect(site: Site) -> None:
    site.meet(replace(AWAY, status=301, batch=""))
    site.meet(replace(AWAY, status=301, batch="", fetched_at=200.0), crawl="c2")
    assert site.deleted == {"a": 0.0}


ROOT = replace(PAGE, key="0" * 32, fetched_at=1_010.0, depth=0)
B = replace(PAGE, key="b" * 32, fetched_at=1_010.0)
HOME, READ = Url(key=ROOT.key), Url(key=B.key, parent=ROOT.key)
SHELL: dict[str, Any] = {"shell": "an empty root"}
END = crawl_end(1_000.0, root_key=ROOT.key)
LOOSE = CrawlSettings(follow_nofollow=True)


class Known(Site):
    """A site whose first crawl read the pages `0` (root), `a` and `b` (found on the root) and `d` (found on `b`)."""

    def __init__(self, root: Path, settings: CrawlSettings = SETTINGS) -> None:
        super().__init__(root)
        self.meet(*(replace(one, fetched_at=100.0) for one in (ROOT, PAGE, B, replace(B, key="d" * 32))))
        found = [HOME, Url(key=KEY, parent=ROOT.key), READ, Url(key="d" * 32, parent=B.key)]
        self.conclude(found, crawl_end(99.0, root_key=ROOT.key, settings=settings))
        assert self.deleted == dict.fromkeys("0abd", 0.0)

    def conclude_second(self, urls: Sequence[Url], end: CrawlEnd = END, *pages: Page) -> set[str]:
        """End a second crawl; return which pages are deleted."""
        self.meet(ROOT, *pages, crawl="c2")
        # as after a crash; what is deleted does not depend on `proof`
        shown = {
            tuple(self.deleted.items()) for proof in (False, True) if self.conclude([HOME, *urls], end, proof=proof)
        }
        assert len(shown) == 1
        return {key for key, at in self.deleted.items() if at}


D = Url(key="d" * 32, parent=B.key)
SITEMAP = SiteBlocker(subject="https://example.com/sitemap.xml", blocker=unread_sitemap("HTTP 503"))


@pytest.mark.parametrize(
    ("urls", "end", "deleted"),
    [
        ([READ, D], END, "a"),
        ([READ], END, "ad"),
        ([READ, D, Url(key="e" * 32, state="robots_denied", reason="robots_rule")], END, "a"),  # barred for all
        ([READ, D, Url(key="e" * 32, state="skipped", reason="excluded")], END, "a"),
        ([READ, D], replace(END, sees_all=False), ""),  # the crawl was stopped, or did not request everything
        ([READ, D], replace(END, blockers=[SITEMAP]), ""),
        ([READ, D, Url(key="e" * 32, state="failed", reason="timeout")], END, ""),
        ([READ, D, Url(key="e" * 32, state="skipped", reason="max_pages")], END, ""),
        ([READ, D, Url(key="e" * 32, state="skipped", reason="max_depth")], END, ""),
        ([READ, D, Url(key=KEY, state="skipped", reason="nofollow")], END, ""),  # still linked
        ([Url(key=B.key, state="skipped", reason="nofollow")], END, "a"),  # b may lead to d
        ([Url(key=B.key, state="robots_denied", reason="robots_rule")], END, "ab"),  # b is gone; it may lead to d
        ([Url(key=B.key, state="robots_denied", reason="robots_unreachable"), D], END, ""),
        ([READ, D], crawl_end(1_000.0, root_key="1" * 32), ""),  # the site has another start page
        ([READ, D], crawl_end(1_000.0, root_key=ROOT.key, settings=LOOSE), ""),  # other settings
    ],
)
def test_a_page_that_a_whole_crawl_did_not_find_is_deleted(
    tmp_path: Path, urls: list[Url], end: CrawlEnd, deleted: str
) -> None:
    met = {url.key for url in urls if url.state == "fetched"}
    read = [page for page in (B, replace(B, key=D.key)) if page.key in met]
    assert Known(tmp_path).conclude_second(urls, end, *read) == set(deleted)


@pytest.mark.parametrize(
    "page",
    [
        replace(B, truncated=True),
        replace(B, **SHELL),
        replace(B, **SHELL, rendered=True, render_problem="the page waits for its data"),
        replace(B, state="forbidden", reason="status", status=403),
        replace(B, state="redirected", reason="status", status=302),
    ],
)
def test_a_page_that_was_not_read_to_its_end_keeps_the_pages_that_it_may_lead_to(tmp_path: Path, page: Page) -> None:
    urls = [Url(key=B.key, state=page.state, reason=page.reason, parent=ROOT.key)]
    assert Known(tmp_path).conclude_second(urls, END, page) == set()


def test_a_start_page_that_is_gone_once_deletes_only_itself(tmp_path: Path) -> None:
    site = Known(tmp_path)
    gone = replace(ROOT, state="not_found", reason="status", status=404)
    for number in (1, 2):
        at = 1_000.0 * number
        site.meet(replace(gone, fetched_at=at + 10), crawl=f"c{number}")
        site.conclude([Url(key=ROOT.key, state="not_found", reason="status")], crawl_end(at, root_key=ROOT.key))
        assert site.deleted == {"0": 1_010.0, "a": 0.0, "b": 0.0, "d": 0.0}


def test_pages_below_one_that_is_gone_are_deleted_by_the_next_crawl(tmp_path: Path) -> None:
    site = Known(tmp_path)
    gone = replace(B, state="not_found", reason="status", status=404)
    urls = [Url(key=KEY, parent=ROOT.key), Url(key=B.key, state="not_found", reason="status")]
    assert site.conclude_second(urls, END, gone, replace(PAGE, fetched_at=1_010.0)) == {"b"}
    assert not site.conclude([HOME, *urls], END).proves_absence
    site.meet(*(replace(one, fetched_at=2_010.0) for one in (ROOT, PAGE, gone)), crawl="c3")
    assert site.conclude([HOME, *urls], crawl_end(2_000.0, root_key=ROOT.key)).proves_absence
    assert {key for key, at in site.deleted.items() if at} == {"b", "d"}


def test_absence_without_missing_pages_is_proved_on_request(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.meet(replace(ROOT, fetched_at=100.0))
    end = crawl_end(99.0, root_key=ROOT.key)
    assert not site.conclude([HOME], end, proof=False).proves_absence
    without = site.rows
    assert site.conclude([HOME], end).proves_absence
    assert site.rows == without


def test_a_page_that_fails_in_three_crawls_in_a_row_is_no_hiccup(tmp_path: Path) -> None:
    site = Known(tmp_path)
    for number in (1, 2, 3):
        at = 1_000.0 * number
        refused = replace(B, state="forbidden", reason="status", status=403)
        site.meet(*(replace(one, fetched_at=at + 10) for one in (ROOT, refused)), crawl=f"c{number}")
        urls = [HOME, Url(key=B.key, state="forbidden", reason="status")]
        site.conclude(urls, crawl_end(at, root_key=ROOT.key))
        assert {key for key, at in site.deleted.items() if at} == (set("a") if number == 3 else set())


def test_a_page_that_leaves_a_feed_is_not_deleted(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.meet(*(replace(one, fetched_at=100.0) for one in (ROOT, B, replace(B, key="d" * 32))))
    found = [HOME, Url(key=B.key, found_by="feed"), Url(key="d" * 32, parent=B.key)]
    site.conclude(found, crawl_end(99.0, root_key=ROOT.key))
    site.meet(ROOT, crawl="c2")
    site.conclude([HOME], END)
    assert site.deleted == dict.fromkeys("0bd", 0.0)  # `d` is linked on `b`


def test_a_crawl_that_only_a_list_led_to_pages_shows_no_absence(tmp_path: Path) -> None:
    listed = replace(SETTINGS, discovery=Discovery.LIST)
    assert Known(tmp_path, listed).conclude_second([READ, D], END, B, replace(B, key=D.key)) == set()


def test_rendering_that_is_off_finds_less(tmp_path: Path) -> None:
    off = replace(SETTINGS, render=RenderSettings(mode=RenderMode.NEVER))
    end = crawl_end(1_000.0, root_key=ROOT.key, settings=off)
    found = ([READ, D], end, B, replace(B, key=D.key))
    assert Known(tmp_path / "1").conclude_second(*found) == set()
    assert Known(tmp_path / "2", off).conclude_second(*found) == {"a"}
    assert Known(tmp_path / "3", off).conclude_second(found[0], END, *found[2:]) == {"a"}


def test_a_memory_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    """Its rows lack the columns that say in which crawl a page was seen, and how."""
    for name, earlier_reach, expected in (("1", "", {"b"}), ("2", str(END.reach), {"a", "b"})):
        site = Known(tmp_path / name)
        make_old(site)
        assert list(site.memories.deleted(CRAWL)) == [B.key]
        found = site.conclude_second([D], replace(END, earlier_reach=earlier_reach), replace(B, key=D.key))
        assert found == expected


def make_old(site: Site) -> None:
    """Leave out the columns that an earlier version lacks; b is deleted."""
    (path,) = (site.root / memory_prefix(CRAWL)).glob("*.parquet")
    with duckdb.connect() as db:
        db.read_parquet(str(path)).create("old")
        db.execute("UPDATE old SET deleted_at = 50 WHERE key[1] = 'b'")
        for column in ADDED:
            db.execute(f"ALTER TABLE old DROP COLUMN {column}")
        db.execute(f"COPY old TO '{path}' (FORMAT parquet)")


def test_a_later_crawl_is_not_undone_by_a_late_repeat(site: Site) -> None:
    site.meet(PAGE, B)
    site.meet(replace(PAGE, fetched_at=2_000.0))  # found again
    site.conclude([READ], END, lastmods=[Lastmod(KEY, "2026-01-01")])
    assert site.deleted == {"a": 0.0, "b": 0.0}
    assert site.rows[0]["lastmod"] == ""


def test_newer_dates_are_right_if_the_page_had_changed(site: Site) -> None:
    def crawl(at: float, date: str, **changes: str) -> None:
        site.meet(replace(PAGE, fetched_at=at, **changes))
        for _ in range(2):  # as after a crash
            site.conclude([Url(key=KEY)], crawl_end(at, root_key=KEY), lastmods=[Lastmod(KEY, date)])

    crawl(1_000.0, "2026-01-01")
    assert site.memories.lastmod_trust(CRAWL) == LastmodTrust()
    crawl(2_000.0, "2026-01-01", text_hash="t2")
    assert site.memories.lastmod_trust(CRAWL) == LastmodTrust()
    crawl(3_000.0, "2026-01-03", text_hash="t2")
    assert site.memories.lastmod_trust(CRAWL) == LastmodTrust(dates=1, right=0)
    crawl(4_000.0, "2026-01-04", text_hash="t2", link_hash="l2")
    assert site.memories.lastmod_trust(CRAWL) == LastmodTrust(dates=2, right=1)
    (page,) = site.memories.histories(CRAWL)
    assert page.lastmod == "2026-01-04"


def test_a_date_counts_only_if_the_page_was_requested(site: Site) -> None:
    site.meet(PAGE)
    site.conclude([Url(key=KEY, state="skipped")], END, lastmods=[Lastmod(KEY, "2026-01-01")])
    assert [row["lastmod"] for row in site.rows] == [""]


def test_nothing_is_concluded_without_pages(site: Site) -> None:
    site.conclude([READ], END)
    assert not site.memories.any(CRAWL)
    assert list(site.memories.histories(CRAWL)) == []
    assert site.memories.lastmod_trust(CRAWL) == LastmodTrust()


def test_a_memory_that_another_process_writes_is_read_again(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.meet(PAGE, B)
    replaced: Callable[..., bool] = site.files.replace
    overtaken: list[str] = []

    def replace_late(crawl: CrawlId, name: str, path: Path, *, version: str) -> bool:
        if not overtaken:
            overtaken.append(name)
            monkeypatch.setattr(site.files, "replace", replaced)
            site.meet(replace(PAGE, fetched_at=1_020.0))
        return replaced(crawl, name, path, version=version)

    monkeypatch.setattr(site.files, "replace", replace_late)
    site.conclude([READ], END)
    assert overtaken
    assert site.deleted == {"a": 0.0, "b": 0.0}
    monkeypatch.setattr(site.files, "replace", lambda *_, **__: False)
    with pytest.raises(StoreBusyError):
        site.conclude([Url(key=KEY)], END, lastmods=[Lastmod(KEY, "2026-01-01")])
