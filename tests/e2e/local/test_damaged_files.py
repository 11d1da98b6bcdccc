"""One damaged file of earlier crawls neither blocks the site's next crawl nor queries over the others."""

import json
from pathlib import Path

from tests.support.crawling import QUICK, Done, crawl_inline
from typer.testing import CliRunner

from wavecrawl.cli.main import app
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer

SITE = Site(
    pages=(
        Page(path="/", title="Home", text=("Text.",), links=(Link(to="/a"),), etag='"1"'),
        Page(path="/a", title="A", text=("More.",), etag='"2"'),
    )
)


def cut(paths: list[Path]) -> None:
    assert paths
    for path in paths:
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])


def notices(done: Done) -> list[tuple[str, str]]:
    summary = json.loads((done.exports / "summary.json").read_text(encoding="utf-8"))
    return [(one["subject"], one["message"]) for one in summary["notices"] if one["subject"].startswith("memory")]


def test_the_next_crawl_reads_the_site_and_names_the_damaged_memory(tmp_path: Path) -> None:
    with SiteServer(SITE) as server:
        first = crawl_inline(server.url, tmp_path, QUICK)
        cut(sorted(tmp_path.glob("tenants/*/sites/*/memory/*.parquet")))
        cut(sorted(tmp_path.glob("tenants/*/sites/*/crawls/*/sitemaps/listing.msgpack")))
        second = crawl_inline(server.url, tmp_path, QUICK)
        third = crawl_inline(server.url, tmp_path, QUICK)
    assert [(page["state"], page["status"]) for page in second.pages()] == [("fetched", 200)] * 2
    assert [(subject, message.partition(" was")[0]) for subject, message in notices(second)] == [
        ("memory of pages", "the file all.parquet")
    ]
    assert [page["state"] for page in third.pages()] == ["unchanged"] * 2
    assert notices(third) == []
    part = sorted(tmp_path.glob(f"tables/pages/*/*/crawl={first.row.id.crawl}/*.parquet"))
    cut(part)
    query = "SELECT crawl, count(*) AS pages FROM pages GROUP BY ALL"
    ran = CliRunner().invoke(app, ["sql", query, "--data", str(tmp_path), "--format", "csv"])
    assert ran.exit_code == 0, ran.output
    rows = ran.stdout.splitlines()[1:]
    assert sorted(row.partition(",")[0] for row in rows) == [second.row.id.crawl, third.row.id.crawl]
    assert part[0].name in ran.stderr
