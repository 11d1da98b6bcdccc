"""Two crawls of a site that changed in between: every kind of difference, compared with the changes made."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from tests.support.campaign import slow
from tests.support.crawling import QUICK, Done, crawl_inline

from wavecrawl.adapters.analytics import listed_changes
from wavecrawl.adapters.analytics.opened_exports import OpenedExports
from wavecrawl.adapters.analytics.results import DuckDbResults
from wavecrawl.cli.diff import diff
from wavecrawl.demo.model import Link, Page, Robots, Site
from wavecrawl.demo.patterns import page, redirect
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.ports.results import ChangedText, ChangedValue, DiffRow

BEFORE = (
    page("/", *"/same /text /title /gone /moves /renamed /breaks /broken /near /edited".split(), title="Home"),
    page("/same", "/deep", title="Same"),
    page("/text", title="Text"),
    page("/title", title="Old title"),
    page("/gone", title="Gone"),
    page("/moves", title="Moves"),
    page("/renamed", title="Renamed", sentences=5),
    page("/breaks", title="Breaks"),
    page("/edited", title="Edited", sentences=40),
    Page(path="/broken", status=404),
    page("/near", "/middle", title="Near"),
    page("/middle", "/far", title="Middle"),
    page("/far", title="Far"),
    page("/deep", title="Deep"),
)


def changed() -> tuple[Page, ...]:
    """Return the changed site."""
    old = {one.path: one for one in BEFORE}
    links = (
        "/same",
        "/text",
        "/title",
        "/moves",
        "/fresh-name",
        "/breaks",
        "/broken",
        "/near",
        "/new",
        "/far",
        "/elsewhere",
    )
    return (
        page("/", *links, title="Home"),
        page("/same", title="Same"),
        replace(old["/text"], text=("Something else altogether.",), description="<b>Words</b>", robots_meta="noindex"),
        replace(old["/title"], title="New title"),
        redirect("/moves", "/moved"),
        page("/moved", title="Moved"),
        replace(old["/renamed"], path="/fresh-name"),
        replace(old["/edited"], path="/elsewhere", text=(*old["/edited"].text, "Another end.")),
        Page(path="/breaks", status=410),
        page("/broken", title="Not broken any more"),
        page("/near", "/middle", title="Near"),
        page("/middle", "/deep", title="Middle"),
        page("/far", title="Far"),
        page("/deep", title="Deep"),
        page("/new", title="New"),
    )


class Both:
    """Two crawls in one folder and their queries."""

    def __init__(self, first: Done, second: Done, origin: str) -> None:
        self.first, self.second, self.origin = first.row.id, second.row.id, origin
        self.hidden: dict[CrawlId, frozenset[str]] = {}
        exports = {first.row.id: first.exports, second.row.id: second.exports}

        def copies(wanted: Sequence[tuple[CrawlId, str]]) -> list[Path | None]:
            paths = [exports[crawl] / name for crawl, name in wanted]
            return [path if path.is_file() else None for path in paths]

        self.results = DuckDbResults(OpenedExports(copies, lambda crawl: self.hidden.get(crawl, frozenset())))

    def rows(self, kind: DiffKind, *, limit: int = 100) -> list[DiffRow]:
        """Return all differences of a kind."""
        rows: list[DiffRow] = []
        after = None
        while True:
            part = self.results.differences(self.first, self.second, kind, limit=limit, after=after)
            rows.extend(part.rows)
            after = part.following
            if after is None:
                return rows

    def texts(self, *, limit: int) -> list[ChangedText]:
        """Return all changed texts."""
        rows: list[ChangedText] = []
        after = None
        while True:
            part = self.results.changed_texts(self.first, self.second, limit=limit, after=after)
            rows.extend(part.rows)
            after = part.following
            if after is None:
                return rows

    def paths(self, kind: DiffKind) -> list[tuple[str, str]]:
        """Return path and related path of the differences of a kind."""
        return [(row.url.removeprefix(self.origin), row.related.removeprefix(self.origin)) for row in self.rows(kind)]


@pytest.fixture(scope="module", name="crawls")
def two_crawls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Done, str]:
    folder = tmp_path_factory.mktemp("two")
    with SiteServer(Site(pages=BEFORE)) as server:
        first, port, origin = crawl_inline(server.url, folder), server.port, server.origin
    with SiteServer(Site(pages=changed()), port=port) as server:
        second = crawl_inline(server.url, folder)
    return first, second, origin


@pytest.fixture(name="both")
def of_two(crawls: tuple[Done, Done, str]) -> Both:
    return Both(*crawls)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (DiffKind.NEW, [("/broken", ""), ("/new", "")]),
        (DiffKind.GONE, [("/breaks", ""), ("/gone", "")]),
        # /edited has nearly the text of /elsewhere
        (DiffKind.MOVED, [("/edited", "/elsewhere"), ("/moves", "/moved"), ("/renamed", "/fresh-name")]),
        # the text of a page includes its link texts
        (DiffKind.CHANGED, [("/", ""), ("/middle", ""), ("/same", ""), ("/text", ""), ("/title", "")]),
        (DiffKind.BROKEN_LINK, [("/breaks", "/")]),
        (DiffKind.MENDED_LINK, [("/broken", "/")]),
        (DiffKind.DEEPER, [("/deep", "")]),
        (DiffKind.NEARER, [("/far", "")]),
        (DiffKind.MORE_LINKS, []),
        (DiffKind.FEWER_LINKS, []),
        (DiffKind.RANK_UP, [("/deep", "")]),
        (DiffKind.RANK_DOWN, [("/far", "")]),
        (DiffKind.NEW_ORPHAN, []),
        (DiffKind.ENDED_ORPHAN, []),
    ],
)
def test_each_kind_of_difference_is_found(both: Both, kind: DiffKind, expected: list[tuple[str, str]]) -> None:
    assert both.paths(kind) == expected
    assert both.results.compare(both.first, both.second).kinds[kind] == len(expected)


def test_differences_say_what_was_and_what_is(both: Both) -> None:
    changes = {row.url.removeprefix(both.origin): row for row in both.rows(DiffKind.CHANGED)}
    assert changes["/text"].now == "Description, Robots directives, Indexable, Main text"
    assert changes["/title"].now == "Title, H1, Main text"
    assert changes["/title"].values[0] == ChangedValue(name="Title", before="Old title", now="New title")
    (broken,) = both.rows(DiffKind.BROKEN_LINK)
    assert (broken.before, broken.now) == ("not broken", "not_found 410")
    gone = {row.url.removeprefix(both.origin): (row.before, row.now) for row in both.rows(DiffKind.GONE)}
    assert gone == {"/breaks": ("fetched 200", "not_found 410"), "/gone": ("fetched 200", "not tried")}


def lists(done: Done, origin: str) -> dict[str, list[list[str]]]:
    """Return the lists of changes in the report: title -> rows."""
    report = HTMLParser((done.exports / "report.html").read_text(encoding="utf-8"))
    return {
        " ".join(part.text() for part in box.css("summary > *")): [
            [cell.text().replace(origin, "") for cell in row.css("td")] for row in box.css("tbody tr")
        ]
        for box in report.css("#changes details")
    }


def test_the_report_lists_old_and_new_values(crawls: tuple[Done, Done, str]) -> None:
    first, second, origin = crawls
    found = lists(second, origin)
    values = found.pop("changed Changed pages 5")
    assert [row for row in values if row[0] == "/text"] == [
        ["/text", "Description", "—", "<b>Words</b>"],
        ["/text", "Robots directives", "—", "noindex"],
        ["/text", "Indexable", "yes", "no: noindex"],
        ["/text", "Main text", words_of("/text"), "4 words"],  # Text Something else altogether
    ]
    assert [row for row in values if row[0] == "/title"] == [
        ["/title", "Title", "Old title", "New title"],
        ["/title", "H1", "Old title", "New title"],
        ["/title", "Main text", words_of("/title"), words_of("/title")],
    ]
    assert found == {
        "new New pages 2": [["/broken", "not found 404", "fetched 200"], ["/new", "not tried", "fetched 200"]],
        "removed Removed pages 2": [["/breaks", "fetched 200", "not found 410"], ["/gone", "fetched 200", "not tried"]],
        "moved Moved pages 3": [
            ["/edited", "/elsewhere", "fetched 200", "not tried"],
            ["/moves", "/moved", "fetched 200", "redirected 301"],
            ["/renamed", "/fresh-name", "fetched 200", "not tried"],
        ],
        "broken Newly broken links 1": [["/breaks", "/", "not broken", "not found 410"]],
        "repaired Repaired links 1": [["/broken", "/", "not found 404", "fetched 200"]],
    }
    report = (second.exports / "report.html").read_text(encoding="utf-8")
    assert f"These are the differences from crawl {first.row.id.crawl}." in report
    assert '<section id="changes">' not in (first.exports / "report.html").read_text(encoding="utf-8")


def words_of(path: str) -> str:
    """Return the number of words of a page of the first crawl, with its title, as the report shows it."""
    (found,) = (one for one in BEFORE if one.path == path)
    return f"{len(' '.join((found.title, *found.text)).split())} words"


def test_pages_and_links_are_counted(both: Both) -> None:
    counts = both.results.compare(both.first, both.second)
    assert (counts.pages_before, counts.pages_now) == (13, 13)
    assert counts.links_new == 5  # from / to /elsewhere, /fresh-name, /new, /far; from /middle to /deep
    assert counts.links_gone == 5  # from / to /edited, /gone, /renamed; from /same to /deep; from /middle to /far


def test_changed_texts_come_with_both_texts(both: Both) -> None:
    found = [one for limit in (1, 100) for one in both.texts(limit=limit)]
    half = len(found) // 2
    assert found[:half] == found[half:]
    texts = {one.url.removeprefix(both.origin): one for one in found}
    # the title is part of the text
    assert sorted(texts) == ["/", "/middle", "/same", "/text", "/title"]
    assert "Something else altogether." not in texts["/text"].before
    assert "Something else altogether." in texts["/text"].now
    (one,) = both.results.changed_texts(both.first, both.second, key=texts["/text"].key, limit=9).rows
    assert one == texts["/text"]


def test_differences_come_part_by_part(both: Both) -> None:
    assert both.rows(DiffKind.CHANGED, limit=1) == both.rows(DiffKind.CHANGED)


def test_a_crawl_does_not_differ_from_itself(both: Both) -> None:
    assert set(both.results.compare(both.first, both.first).kinds.values()) == {0}


def test_a_hidden_page_is_no_page_of_its_crawl(both: Both) -> None:
    key = next(row.key for row in both.rows(DiffKind.NEW) if row.url.endswith("/new"))
    both.hidden[both.second] = frozenset([key])
    assert both.paths(DiffKind.NEW) == [("/broken", "")]


@slow
def test_pages_that_were_left_out_are_not_compared(tmp_path: Path) -> None:
    home = replace(BEFORE[0], links=(*BEFORE[0].links, Link(to="/new")))
    pages = (home, *changed()[1:])
    with SiteServer(Site(pages=BEFORE)) as server:
        first, port, origin = crawl_inline(server.url, tmp_path), server.port, server.origin
    with SiteServer(Site(pages=pages), port=port) as server:
        due = crawl_inline(server.url, tmp_path, replace(QUICK, mode=Mode.DUE_ONLY))
        whole = crawl_inline(server.url, tmp_path)
    assert due.summary.states == {"fetched": 3, "skipped": 12}
    there = Both(first, due, origin)
    counts = there.results.compare(there.first, there.second)
    assert {kind: count for kind, count in counts.kinds.items() if count} == {"new": 2, "changed": 1, "mended_link": 1}
    assert (there.paths(DiffKind.NEW), there.paths(DiffKind.CHANGED)) == ([("/broken", ""), ("/new", "")], [("/", "")])
    assert (counts.pages_before, counts.pages_now, counts.links_new, counts.links_gone) == (13, 3, 1, 0)
    assert (counts.skipped_before, counts.skipped_now) == (0, 12)
    report = (due.exports / "report.html").read_text(encoding="utf-8")
    assert "Of 12 known URLs, nothing is compared, as a crawl skipped them because of its mode." in report
    back = Both(due, whole, origin)
    counts = back.results.compare(back.first, back.second)
    assert {kind: count for kind, count in counts.kinds.items() if count} == {"new": 1}
    assert back.paths(DiffKind.NEW) == [("/moved", "")]  # a page that was left out redirects there
    assert (counts.links_new, counts.links_gone) == (0, 0)
    assert (counts.skipped_before, counts.skipped_now) == (12, 0)


@pytest.fixture(scope="module", name="narrowed")
def three_crawls_with_different_reach(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Done, Done, str]:
    """Crawl the whole site, then all but `/docs/`, then a list of one URL; robots.txt excludes `/private/` later."""
    folder = tmp_path_factory.mktemp("narrowed")
    links = ("/keeps", "/private/broken", "/docs/broken", "/docs/fine")
    fixed = (page("/keeps", "/dropped", title="Keeps"), page("/docs/fine", "/docs/behind"), page("/docs/behind"))
    broken = [Page(path=path, status=404) for path in ("/dropped", "/private/broken", "/docs/broken")]
    with SiteServer(Site(pages=(page("/", "/dropped", *links), *fixed, *broken))) as server:
        whole, port, origin = crawl_inline(server.url, folder), server.port, server.origin
    rules = Robots(disallow=("/private/",))
    with SiteServer(Site(pages=(page("/", *links), *fixed, *broken), robots=rules), port=port) as server:
        scope = replace(QUICK.scope, exclude=("/docs/*",))
        without_docs = crawl_inline(server.url, folder, replace(QUICK, scope=scope))
        listed = crawl_inline(server.url, folder, replace(QUICK, discovery=Discovery.LIST, urls=(server.url,)))
    return whole, without_docs, listed, origin


def test_broken_links_whose_targets_were_not_tried_again_are_not_repaired(
    narrowed: tuple[Done, Done, Done, str],
) -> None:
    whole, without_docs, listed, origin = narrowed
    (row,) = Both(whole, without_docs, origin).rows(DiffKind.MENDED_LINK)
    assert (row.url, row.related) == (f"{origin}/dropped", f"{origin}/")  # still broken, and linked from /keeps
    assert (row.before, row.now) == ("not_found 404", "link removed")
    assert Both(whole, listed, origin).rows(DiffKind.MENDED_LINK) == []


def test_pages_that_a_crawl_left_out_because_of_its_own_settings_are_neither_gone_nor_new(
    narrowed: tuple[Done, Done, Done, str], capsys: pytest.CaptureFixture[str]
) -> None:
    whole, without_docs, listed, origin = narrowed
    for other, settings in ((without_docs, ("scope.exclude",)), (listed, ("discovery",))):
        for both in (Both(whole, other, origin), Both(other, whole, origin)):
            counts = both.results.compare(both.first, both.second)
            assert counts.different_settings == settings
            assert (both.paths(DiffKind.NEARER), both.paths(DiffKind.FEWER_LINKS)) == ([], [])
    assert Both(whole, listed, origin).paths(DiffKind.GONE) == []
    assert Both(listed, whole, origin).paths(DiffKind.NEW) == []
    diff(whole.row.id.crawl, without_docs.row.id.crawl, data=whole.folder.parents[5])  # tenants/T/sites/S/crawls/C
    noted = " ".join(capsys.readouterr().err.split())
    assert "the crawls have different settings: scope.exclude. URLs that one of them left out" in noted
    report = (without_docs.exports / "report.html").read_text(encoding="utf-8")
    assert "The crawls have different settings (scope.exclude): URLs that one of them left out" in report
    # /docs/behind is linked from an excluded page only: the later crawl does not know it
    assert "/docs/fine" not in [path for path, _ in Both(whole, without_docs, origin).paths(DiffKind.GONE)]


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (replace(QUICK, follow_nofollow=True), "follow_nofollow"),
        (replace(QUICK, follow_redirects=False), "follow_redirects"),
        (replace(QUICK, max_url_length=40), "max_url_length"),
    ],
)
def test_what_another_setting_leaves_out_is_neither_gone_nor_new(
    tmp_path: Path, settings: CrawlSettings, name: str
) -> None:
    long = f"/{'long' * 10}"
    start = page("/", Link(to="/hidden", nofollow=True), "/moves", long)
    with SiteServer(
        Site(pages=(start, page("/hidden"), redirect("/moves", "/target"), page("/target"), page(long)))
    ) as server:
        one, other, origin = (
            crawl_inline(server.url, tmp_path),
            crawl_inline(server.url, tmp_path, settings),
            server.origin,
        )
    for both in (Both(one, other, origin), Both(other, one, origin)):
        assert both.results.compare(both.first, both.second).different_settings == (name,)
        assert (both.paths(DiffKind.GONE), both.paths(DiffKind.NEW), both.paths(DiffKind.FEWER_LINKS)) == ([], [], [])


def test_a_duplicate_does_not_move(tmp_path: Path) -> None:
    kept = page("/kept", title="Kept", sentences=40)
    copies = [replace(kept, path=path, text=(*kept.text, path)) for path in ("/copy", "/other-copy")]
    with SiteServer(Site(pages=(page("/", "/kept", "/copy"), kept, copies[0]))) as server:
        first, port, origin = crawl_inline(server.url, tmp_path), server.port, server.origin
    with SiteServer(Site(pages=(page("/", "/kept", "/other-copy"), kept, copies[1])), port=port) as server:
        second = crawl_inline(server.url, tmp_path)
    both = Both(first, second, origin)
    assert both.paths(DiffKind.MOVED) == []
    assert (both.paths(DiffKind.GONE), both.paths(DiffKind.NEW)) == ([("/copy", "")], [("/other-copy", "")])


def test_the_report_lists_the_first_differences_and_counts_the_others(tmp_path: Path) -> None:
    names = [f"/p{number:02}" for number in range(27)]
    with SiteServer(Site(pages=(page("/", title="Home"),))) as server:
        crawl_inline(server.url, tmp_path)
        port, origin = server.port, server.origin
    with SiteServer(Site(pages=(page("/", *names, title="Home"), *map(page, names))), port=port) as server:
        second = crawl_inline(server.url, tmp_path)
    rows = lists(second, origin)["new New pages 27"]
    assert [row[0] for row in rows] == names[:25]
    assert '<p class="soft">There are 2 more.</p>' in (second.exports / "report.html").read_text(encoding="utf-8")


def test_unreadable_results_of_the_earlier_crawl_only_cost_the_lists(tmp_path: Path) -> None:
    with SiteServer(Site(pages=(page("/", title="Home"),))) as server:
        first = crawl_inline(server.url, tmp_path)
        (first.exports / "pages.parquet").write_bytes(b"no table")
        second = crawl_inline(server.url, tmp_path)
        (second.exports / "pages.parquet").unlink()
        third = crawl_inline(server.url, tmp_path)
    (notice,) = (one for one in second.summary.notices if one.subject == "report.html")
    assert notice.message.startswith("does not list the changes: stored data of the crawl cannot be read")
    assert [one for one in third.summary.notices if one.subject == "report.html"] == []
    for done in (second, third):
        report = (done.exports / "report.html").read_text(encoding="utf-8")
        assert "No page is new or gone, and no main text has changed." in report
        assert "These are the differences" not in report


@pytest.fixture(scope="module", name="cut")
def a_whole_crawl_and_one_that_stopped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Done, str]:
    """Crawl the whole site, then only `/`, `/breaks`, which is broken now, and `/read`."""
    folder = tmp_path_factory.mktemp("cut")
    home = page("/", "/breaks", "/read", "/unread", "/broken", title="Home")
    unread = page("/unread", "/behind", "/broken", title="Unread")
    pages = (
        home,
        page("/read", title="Read"),
        page("/breaks", title="Breaks"),
        unread,
        page("/behind", title="Behind"),
    )
    with SiteServer(Site(pages=(*pages, Page(path="/broken", status=404)))) as server:
        whole, port, origin = crawl_inline(server.url, folder), server.port, server.origin
    changed = (home, page("/read", title="Read again"), Page(path="/breaks", status=404), *pages[3:])
    with SiteServer(Site(pages=changed), port=port) as server:
        short = crawl_inline(server.url, folder, replace(QUICK, max_pages=2))
    return whole, short, origin


@slow
def test_what_a_later_crawl_did_not_reach_is_neither_gone_nor_repaired(cut: tuple[Done, Done, str]) -> None:
    whole, short, origin = cut
    both = Both(whole, short, origin)
    counts = both.results.compare(both.first, both.second)
    assert {kind: count for kind, count in counts.kinds.items() if count} == {"gone": 1, "changed": 1, "broken_link": 1}
    assert both.paths(DiffKind.GONE) == [("/breaks", "")]
    assert both.paths(DiffKind.BROKEN_LINK) == [("/breaks", "/")]
    assert (counts.limits_before, counts.limits_now, counts.links_gone) == ((), ("max_pages",), 0)
    report = (short.exports / "report.html").read_text(encoding="utf-8")
    assert "What a crawl did not read, as it stopped at a limit (max_pages), is left out." in report


def test_what_an_earlier_crawl_did_not_reach_is_neither_new_nor_broken(cut: tuple[Done, Done, str]) -> None:
    whole, short, origin = cut
    both = Both(short, whole, origin)
    counts = both.results.compare(both.first, both.second)
    assert {kind: count for kind, count in counts.kinds.items() if count} == {"new": 1, "changed": 1, "mended_link": 1}
    assert both.paths(DiffKind.NEW) == [("/breaks", "")]
    assert both.paths(DiffKind.MENDED_LINK) == [("/breaks", "/")]
    assert (counts.limits_before, counts.limits_now, counts.links_new) == (("max_pages",), (), 0)


@slow
def test_the_report_does_not_compare_large_crawls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed_changes, "MOST_PAGES", 1)
    with SiteServer(Site(pages=(page("/", "/a"), page("/a")))) as server:
        crawl_inline(server.url, tmp_path)
        second = crawl_inline(server.url, tmp_path)
    report = (second.exports / "report.html").read_text(encoding="utf-8")
    assert "These are the differences" not in report
    assert "Pages and links do not differ" not in report
    assert "<code>wavecrawl diff</code> lists the pages." in report


@slow
def test_a_page_moved_to_a_url_that_a_crawl_with_a_limit_did_not_know(tmp_path: Path) -> None:
    """The text of `/old` was read at one URL, and later at another one only. `/unread` was there before."""
    old, kept, unread = page("/old", title="Old"), page("/kept", title="Kept"), page("/unread", title="Unread")
    copy = replace(kept, path="/unread")
    with SiteServer(Site(pages=(page("/", "/old", "/kept", "/unread", title="Home"), old, kept, unread))) as server:
        first, port = crawl_inline(server.url, tmp_path, replace(QUICK, max_pages=3)), server.port
        origin = server.origin
    later = (page("/", "/kept", "/unread", "/name", "/fresh", title="Home"), copy, replace(old, path="/name"))
    with SiteServer(Site(pages=(*later, page("/fresh", title="Fresh"))), port=port) as server:
        second = crawl_inline(server.url, tmp_path)
    both = Both(first, second, origin)
    assert both.paths(DiffKind.MOVED) == [("/old", "/name")]
    assert both.paths(DiffKind.GONE) == [("/kept", "")]
    assert both.paths(DiffKind.NEW) == []  # nobody knows whether `/fresh` was there
    assert both.results.compare(both.first, both.second).limits_before == ("max_pages",)
