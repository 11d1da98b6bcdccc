"""Two crawls of a site that changed in between: every kind of difference, compared with the changes made."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.crawling import QUICK, Done, crawl_inline

from wavecrawl.adapters.analytics.opened_exports import OpenedExports
from wavecrawl.adapters.analytics.results import DuckDbResults
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.patterns import page, redirect
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.ports.results import ChangedText, DiffRow

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
        replace(old["/text"], text=("Something else altogether.",)),
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
            return [exports[crawl] / name for crawl, name in wanted]

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
    changes = {row.url.removeprefix(both.origin): row.now for row in both.rows(DiffKind.CHANGED)}
    assert (changes["/text"], changes["/title"]) == ("text", "text and title")
    (broken,) = both.rows(DiffKind.BROKEN_LINK)
    assert (broken.before, broken.now) == ("not broken", "not_found 410")
    gone = {row.url.removeprefix(both.origin): (row.before, row.now) for row in both.rows(DiffKind.GONE)}
    assert gone == {"/breaks": ("fetched 200", "not_found 410"), "/gone": ("fetched 200", "not tried")}


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
    back = Both(due, whole, origin)
    counts = back.results.compare(back.first, back.second)
    assert {kind: count for kind, count in counts.kinds.items() if count} == {"new": 1}
    assert back.paths(DiffKind.NEW) == [("/moved", "")]  # a page that was left out redirects there
    assert (counts.links_new, counts.links_gone) == (0, 0)


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
