"""Queries over one crawl, compared with what plain Python reads from its other exports."""

import json
from collections import Counter
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pytest
from msgspec.structs import replace
from tests.adapters.analytics.conftest import Crawled
from tests.support.crawling import table

from wavecrawl.adapters.analytics.opened_exports import OpenedExports
from wavecrawl.adapters.analytics.results import DuckDbResults
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.pages.order import PageOrder
from wavecrawl.errors import CorruptDataError, NotFoundError
from wavecrawl.ports.results import Mark, PageFilter, PageQuery, PageRow

ORDERS = {
    PageOrder.CRAWL: lambda _: 0,
    PageOrder.URL: lambda page: page["url"],
    PageOrder.TITLE: lambda page: page["title"],
    PageOrder.STATUS: lambda page: page["status"] or 0,
    PageOrder.DEPTH: lambda page: page["depth"],
    PageOrder.WORDS: lambda page: page["words"],
    PageOrder.BYTES: lambda page: page["bytes"],
    PageOrder.ELAPSED: lambda page: page["elapsed"],
    PageOrder.SCORE: lambda page: page["score"] or 0.0,
    PageOrder.IN_LINKS: lambda page: page["in_links"] or 0,
    PageOrder.OUT_LINKS: lambda page: page["out_links"] or 0,
    PageOrder.PAGERANK: lambda page: page["pagerank"] or 0.0,
}


def all_pages(crawled: Crawled, query: PageQuery) -> list[PageRow]:
    """Return the entries of all pages of a list."""
    pages: list[PageRow] = []
    after = None
    while True:
        asked = PageQuery(
            filter=query.filter, order=query.order, descending=query.descending, limit=query.limit, after=after
        )
        part = crawled.results.pages(crawled.done.row.id, asked)
        assert len(part.rows) <= query.limit
        pages.extend(part.rows)
        after = part.following
        if after is None:
            return pages


@pytest.mark.parametrize(("order", "way"), [*product(PageOrder, ("up", "down"))])
def test_pages_come_in_any_order_part_by_part(crawled: Crawled, order: PageOrder, way: str) -> None:
    descending = way == "down"
    expected = sorted(crawled.done.pages(), key=ORDERS[order], reverse=descending)  # a stable sort keeps ties in order
    if descending and order is PageOrder.CRAWL:
        expected.reverse()
    found = all_pages(crawled, PageQuery(order=order, descending=descending, limit=40))
    if order is PageOrder.TITLE or order is PageOrder.URL:
        assert [getattr(page, order.value) for page in found] == [page[order.value] for page in expected]
    assert [page.key for page in found] == [page["key"] for page in expected]


@pytest.mark.parametrize(
    ("wanted", "takes"),
    [
        (PageFilter(state=UrlState.REDIRECTED), lambda page: page["state"] == "redirected"),
        (PageFilter(status=404), lambda page: page["status"] == 404),
        (PageFilter(depth=2), lambda page: page["depth"] == 2),
        (PageFilter(content_type="application/pdf"), lambda page: page["content_type"] == "application/pdf"),
        (PageFilter(lane=Lane.P1), lambda page: page["lane"] == "p1"),
        (PageFilter(text="PRODUCTS/"), lambda page: "products/" in page["url"]),
        (PageFilter(depth=2, text="docs"), lambda page: page["depth"] == 2 and "docs" in page["url"]),
        (PageFilter(text="' OR 1=1 --"), lambda _: False),
        (PageFilter(content_type="x'; DROP VIEW pages; --"), lambda _: False),
    ],
)
def test_filters_take_what_they_say(crawled: Crawled, wanted: PageFilter, takes: Any) -> None:
    expected = [page["key"] for page in crawled.done.pages() if takes(page)]
    assert [page.key for page in all_pages(crawled, PageQuery(filter=wanted, limit=7))] == expected


def test_a_row_says_what_the_export_says(crawled: Crawled) -> None:
    written = crawled.done.pages()[1]
    shown = crawled.results.pages(crawled.done.row.id, PageQuery(limit=1, after=Mark(row=0, value=0))).rows[0]
    names = set(PageRow.__struct_fields__) - {"text", "fetched_at"}  # the text is not asked for
    assert datetime.fromisoformat(written["fetched_at"]).timestamp() == int(shown.fetched_at)
    assert names
    for name in names:
        assert getattr(shown, name) == written[name], name


def test_a_page_comes_with_its_facts_and_links_both_ways(crawled: Crawled) -> None:
    key = crawled.key_of("products/")
    page = crawled.results.page(crawled.done.row.id, key, links=5)
    assert page is not None
    (written,) = (one for one in crawled.done.pages() if one["key"] == key)
    assert (page.full_title, page.text, page.text_hash) == (
        written["full_title"],
        written["text"],
        written["text_hash"],
    )
    assert page.headings == tuple((one["level"], one["text"]) for one in written["headings"])
    edges = crawled.done.edges()
    outward = [target for source, target, _, _ in edges if source == written["url"]]
    here = {written["url"]}
    while more := {source for source, target, kind, _ in edges if kind == "redirect" and target in here} - here:
        here |= more
    assert len(here) > 1  # links to URLs that redirect to the page are links to it
    inward = [source for source, target, _, _ in edges if target in here]
    assert page.links.total == len(outward)
    assert [link.url for link in page.links.shown] == outward[:5]
    assert page.linked_from.total == len(inward)
    assert [link.url for link in page.linked_from.shown] == inward[:5]
    assert page.links.shown[1].key == key


def test_there_is_no_page_under_an_unknown_key(crawled: Crawled) -> None:
    assert crawled.results.page(crawled.done.row.id, "0" * 32, links=5) is None
    assert crawled.results.around(crawled.done.row.id, "0" * 32, steps=1, most=5) is None
    assert crawled.results.batch_of(crawled.done.row.id, "0" * 32) is None


def test_the_batch_that_holds_a_page_is_known(crawled: Crawled) -> None:
    found = crawled.results.batch_of(crawled.done.row.id, crawled.key_of(""))
    assert found is not None
    batch, attempt = found
    assert (batch.crawl, batch.wave, batch.batch, attempt) == (crawled.done.row.id, 1, 0, 1)


def test_orphans_and_what_keeps_them_from_a_verdict(crawled: Crawled) -> None:
    crawl = crawled.done.row.id
    written = {row["url"]: row for row in table(crawled.done.exports / "orphans.csv")}
    first = crawled.results.orphans(crawl, limit=2)
    assert first.following is not None
    rest = crawled.results.orphans(crawl, limit=100, after=first.following)
    found = [*first.rows, *rest.rows]
    assert {row.url: row.verdict for row in found} == {url: row["verdict"] for url, row in written.items()}
    blockers = crawled.results.blockers(crawl, limit=100)
    expected = [(row["url"], row["why"], row["reason"]) for row in table(crawled.done.exports / "blockers.csv")]
    assert [(row.url, row.why, row.reason) for row in blockers.rows] == expected


def test_issues_come_by_kind_and_severity(crawled: Crawled) -> None:
    crawl = crawled.done.row.id
    written = Counter(row["kind"] for row in table(crawled.done.exports / "issues.csv"))
    found: Counter[str] = Counter()
    gravity: list[str] = []
    after = None
    while True:
        part = crawled.results.issues(crawl, limit=10, after=after)
        found.update(row.kind for row in part.rows)
        gravity += [row.severity for row in part.rows]
        after = part.following
        if after is None:
            break
    assert found == written
    assert gravity == sorted(gravity, key=("error", "warning", "notice").index)
    kind = IssueName(next(iter(written)))
    some = crawled.results.issues(crawl, kind=kind, limit=1_000).rows
    assert [row.kind for row in some] == [kind] * written[kind]
    assert {row.severity for row in crawled.results.issues(crawl, severity=Severity.NOTICE, limit=1_000).rows} == {
        "notice"
    }


def test_statistics_are_those_of_the_summary(crawled: Crawled) -> None:
    reported = crawled.results.statistics(crawled.done.row.id)
    assert replace(reported, settings={}) == replace(crawled.done.summary, settings={})
    assert reported.settings["max_pages"] == crawled.done.row.settings.max_pages


def test_the_graph_from_the_top(crawled: Crawled) -> None:
    written = json.loads((crawled.done.exports / "graph.json").read_text(encoding="utf-8"))
    urls = [node["url"] for node in written["nodes"]]
    near = {node["url"] for node in written["nodes"] if node["depth"] <= 1}
    piece = crawled.results.top(crawled.done.row.id, depth=1, most=1_000)
    assert {node.url for node in piece.nodes} == near
    assert not piece.truncated
    assert [node.depth for node in piece.nodes] == sorted(node.depth for node in piece.nodes)
    pairs = {
        (source, target) for source, target, kind, _ in crawled.done.edges() if kind not in ("redirect", "canonical")
    }
    shown = {(piece.nodes[source].url, piece.nodes[target].url) for source, target in piece.links}
    assert shown == {(source, target) for source, target in pairs if source in near and target in near}
    assert urls[0] == piece.nodes[0].url


def test_a_graph_that_is_too_large_says_so(crawled: Crawled) -> None:
    piece = crawled.results.top(crawled.done.row.id, depth=99, most=10)
    assert (len(piece.nodes), piece.truncated) == (10, True)
    assert all(0 <= source < 10 and 0 <= target < 10 for source, target in piece.links)


def test_what_lies_around_a_page(crawled: Crawled) -> None:
    key = crawled.key_of("products/")
    piece = crawled.results.around(crawled.done.row.id, key, steps=1, most=1_000)
    assert piece is not None
    (url,) = (page["url"] for page in crawled.done.pages() if page["key"] == key)
    tried = {page["url"] for page in crawled.done.pages()}
    ends = [(source, target) for source, target, _, _ in crawled.done.edges() if url in (source, target)]
    assert {node.url for node in piece.nodes} == {end for pair in ends for end in pair} & tried
    assert piece.nodes[0].url == url
    small = crawled.results.around(crawled.done.row.id, key, steps=3, most=4)
    assert small is not None
    assert (len(small.nodes), small.truncated) == (4, True)


def test_hidden_pages_are_in_no_answer(crawled: Crawled) -> None:
    crawl, key = crawled.done.row.id, crawled.key_of("products/")
    before = crawled.results.pages(crawl, PageQuery(limit=1_000)).rows
    neighbour = crawled.results.page(crawl, crawled.key_of(""), links=1_000)
    crawled.hidden.add(key)
    after = crawled.results.pages(crawl, PageQuery(limit=1_000)).rows
    assert {page.key for page in before} - {page.key for page in after} == {key}
    assert crawled.results.page(crawl, key, links=1) is None
    assert crawled.results.batch_of(crawl, key) is None
    assert crawled.results.around(crawl, key, steps=1, most=9) is None
    seen = crawled.results.page(crawl, crawled.key_of(""), links=1_000)
    assert neighbour is not None
    assert neighbour.linked_from is not None
    assert seen is not None
    assert seen.linked_from is not None
    assert seen.linked_from.total == neighbour.linked_from.total - 1
    assert key not in {link.key for link in seen.linked_from.shown}


def test_a_crawl_without_exports_has_no_answers(crawled: Crawled) -> None:
    nothing = DuckDbResults(OpenedExports(lambda wanted: [None for _ in wanted], lambda _: frozenset()))
    for ask in (
        lambda: nothing.pages(crawled.done.row.id, PageQuery()),
        lambda: nothing.statistics(crawled.done.row.id),
    ):
        with pytest.raises(NotFoundError):
            ask()


def test_exports_that_cannot_be_read_are_called_corrupt(crawled: Crawled, tmp_path: Path) -> None:
    for name in ("pages.parquet", "summary.json"):
        (tmp_path / name).write_bytes(b"this is neither Parquet nor JSON, but long enough")
    broken = DuckDbResults(OpenedExports(lambda wanted: [tmp_path / name for _, name in wanted], lambda _: frozenset()))
    with pytest.raises(CorruptDataError):
        broken.pages(crawled.done.row.id, PageQuery())
    with pytest.raises(CorruptDataError):
        broken.statistics(crawled.done.row.id)


def test_compact_edges_are_the_edges_with_numbers_instead_of_urls(crawled: Crawled) -> None:
    names = ("compact_edges.parquet", "urls.parquet", "edges.parquet")
    files = {name.partition(".")[0]: str(crawled.done.exports / name) for name in names}
    compact = (
        duckdb.connect()
        .execute(
            """
        WITH urls AS (SELECT * FROM read_parquet($urls))
        SELECT s.url, t.url, e.kind, e.position, e.nofollow, e.reason, s.page, t.page
        FROM read_parquet($compact_edges) e JOIN urls s ON s.id = e.source JOIN urls t ON t.id = e.target
        """,
            {name: files[name] for name in ("urls", "compact_edges")},
        )
        .fetchall()
    )
    edges = (
        duckdb.connect()
        .execute(
            """
        SELECT source, target, kind, position, nofollow, reason, source_page, target_page FROM read_parquet(?)
        """,
            [files["edges"]],
        )
        .fetchall()
    )
    as_found = {row["url"] for row in crawled.done.ledger()}
    assert len(compact) == len(edges) > 100
    assert {row for row in edges if row[1] in as_found} - set(compact) == set()


def test_the_url_table_is_the_ledger_in_order_of_discovery(crawled: Crawled) -> None:
    path = str(crawled.done.exports / "urls.parquet")
    rows = duckdb.connect().execute("SELECT id, url, state, reason, depth FROM read_parquet(?)", [path]).fetchall()
    assert [id_ for id_, *_ in rows] == list(range(len(rows)))
    ledger = {(row["url"], row["state"], row["reason"], int(row["depth"])) for row in crawled.done.ledger()}
    assert {tuple(rest) for _, *rest in rows} == ledger
