"""Links to pages of hosts that cannot be reached are broken, although these pages were not requested."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace
from tests.support.crawling import QUICK, Done, crawl_inline, table

from wavecrawl.adapters.analytics.check_diff import LINK_REMOVED
from wavecrawl.adapters.analytics.opened_exports import OpenedExports
from wavecrawl.adapters.analytics.results import DuckDbResults
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.patterns import redirect
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import ScopeMode, ScopeSettings
from wavecrawl.domain.graph.diff_kind import DiffKind

ONCE = replace(
    QUICK,
    max_retries=0,
    scope=ScopeSettings(mode=ScopeMode.HOST_AND_WWW),  # of any port
    polite=replace(QUICK.polite, max_robots_waits=0),
)


def test_links_and_sitemap_entries_of_hosts_that_cannot_be_reached_are_reported(tmp_path: Path) -> None:
    with SiteServer(Site(pages=())) as closed:
        refused = closed.origin.replace("127.0.0.1", "localhost")
    unknown = refused.replace("localhost", "www.localhost")  # some resolvers know names below localhost (RFC 6761, 6.3)
    links = (Link(to=f"{refused}/a", text="to a"), Link(to="/moved", text="to b"), Link(to=f"{unknown}/c", text="to c"))
    listed = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{refused}/a</loc></url></urlset>'
    site = Site(
        pages=(
            Page(path="/", title="Root", text=("A text.",), links=links),
            redirect("/moved", f"{refused}/b"),
            Page(path="/sitemap.xml", content_type="application/xml", body=listed.encode()),
        )
    )
    with SiteServer(site) as server:
        origin = server.origin.replace("127.0.0.1", "localhost")
        done = crawl_inline(f"{origin}/", tmp_path, ONCE)
    ledger = {row["url"]: row for row in done.ledger()}
    reasons = [ledger[url]["reason"] for url in (f"{refused}/a", f"{refused}/b", f"{unknown}/c")]
    assert reasons in (["connect", "connect", "dns"], ["connect"] * 3)
    why = {url: row["detail"] for url, row in ledger.items()}
    assert why[f"{refused}/a"].endswith("Connection refused")
    found = {
        (row["kind"], row["url"], row["related"].removeprefix(origin)): row["detail"]
        for row in table(done.exports / "issues.csv")
        if row["url"].startswith((refused, unknown))
    }
    assert found == {
        ("broken_link", f"{refused}/a", "/"): f'failed {why[f"{refused}/a"]}, link text "to a"',
        ("broken_link", f"{refused}/b", "/"): (
            f'failed {why[f"{refused}/b"]}, redirected from {origin}/moved, link text "to b"'
        ),
        ("broken_link", f"{unknown}/c", "/"): f'failed {why[f"{unknown}/c"]}, link text "to c"',
        ("error_in_sitemap", f"{refused}/a", "/sitemap.xml"): (f"failed {why[f'{refused}/a']}"),
    }


def test_links_to_hosts_that_cannot_be_reached_are_in_the_comparison_of_crawls(tmp_path: Path) -> None:
    with SiteServer(Site(pages=())) as closed:
        refused = closed.origin.replace("127.0.0.1", "localhost")

    def crawled(links: tuple[Link, ...], port: int = 0) -> tuple[Done, int]:
        root = Page(path="/", title="Root", text=("A text.",), links=links)
        with SiteServer(Site(pages=(root,)), port=port) as server:
            return crawl_inline(f"{server.origin.replace('127.0.0.1', 'localhost')}/", tmp_path, ONCE), server.port

    kept = Link(to=f"{refused}/kept", text="to it")
    first, port = crawled((kept,))
    second, _ = crawled((kept, Link(to=f"{refused}/a", text="to a")), port)
    exports = {done.row.id: done.exports for done in (first, second)}

    def copies(wanted: Sequence[tuple[CrawlId, str]]) -> list[Path | None]:
        paths = (exports[crawl] / name for crawl, name in wanted)
        return [path if path.is_file() else None for path in paths]

    results = DuckDbResults(OpenedExports(copies, lambda _: frozenset()))

    def compared(base: Done, crawl: Done) -> list[tuple[str, str, str, str]]:
        counts = results.compare(base.row.id, crawl.row.id).kinds
        rows = [
            row
            for kind in (DiffKind.BROKEN_LINK, DiffKind.MENDED_LINK)
            for row in results.differences(base.row.id, crawl.row.id, kind, limit=10).rows
        ]
        assert counts[DiffKind.BROKEN_LINK] + counts[DiffKind.MENDED_LINK] == len(rows)
        return [(row.kind, row.url, row.related, row.now) for row in rows]

    why, root = {row["url"]: row["detail"] for row in second.ledger()}, first.pages()[0]["url"]
    assert compared(first, second) == [("broken_link", f"{refused}/a", root, f"failed {why[f'{refused}/a']}")]
    assert compared(second, first) == [("mended_link", f"{refused}/a", root, LINK_REMOVED)]
