"""Crawls with extraction rules: values in every result, and again when rules change."""

import csv
import gzip
import json
from pathlib import Path

from openpyxl import load_workbook
from tests.adapters.analytics.results_service import ResultsService
from tests.support.crawling import QUICK, Done, crawl_inline, with_changes

from wavecrawl.adapters.spreadsheets.workbook import write_workbook
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Page, Site
from wavecrawl.demo.patterns import page as plain_page
from wavecrawl.demo.server import SiteServer

HEADINGS = "heading [/products/*] = h1"
TITLES = "title = title"
SEARCHED = ('cart = has("ADD TO cart")', "prices = count(/[0-9]+ EUR/)", "links = count(a[href])")


def column(done: Done, name: str) -> dict[str, str]:
    with (done.exports / "pages.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["url"]: row[name] for row in csv.DictReader(file) if row["state"] in ("fetched", "unchanged")}


def test_values_are_in_all_results_and_follow_the_rules(tmp_path: Path) -> None:
    settings = with_changes(QUICK, {"max_pages": 30})
    with SiteServer(demo_site()) as server:
        first = crawl_inline(server.url, tmp_path, with_changes(settings, {"extract.rules": (HEADINGS,)}))
        found = column(first, "extracted_heading")
        some = f"{server.origin}/products/"
        assert found[some] == "Products"
        assert found[f"{server.origin}/about"] == ""
        with gzip.open(first.exports / "pages.jsonl.gz", "rt", encoding="utf-8") as lines:
            page = next(line for line in map(json.loads, lines) if line["url"] == some)
        assert page["extracted"] == {"heading": ["Products"]}
        book = load_workbook(write_workbook(first.exports, tmp_path / "book"), read_only=True)
        head, *rows = book["Pages"].iter_rows(values_only=True)
        values = {row[0]: row[head.index("heading")] for row in rows}
        assert (values[some], values[f"{server.origin}/about"]) == ("Products", None)
        again = crawl_inline(server.url, tmp_path, with_changes(settings, {"extract.rules": (HEADINGS,)}))
        assert column(again, "extracted_heading") == found
        assert again.summary.states["unchanged"] > 20
        other = crawl_inline(server.url, tmp_path, with_changes(settings, {"extract.rules": (TITLES,)}))
    titles = column(other, "extracted_title")
    assert titles[some].startswith("Products")
    assert all(titles.values())
    assert other.summary.states.get("unchanged", 0) == 0
    service = ResultsService(tmp_path)
    detail = service.ask("GET", f"/v1/crawls/{other.row.id.crawl}/pages/{page['key']}").body
    service.close()
    assert detail["extracted"] == {"title": [titles[some]]}


def test_custom_search_is_in_columns_of_the_table(tmp_path: Path) -> None:
    shop = Page(path="/shop", title="Shop", text=("Add to cart: 5 EUR, or 7 EUR with a box.",))
    with SiteServer(Site(pages=(plain_page("/", "/shop", "/empty"), shop, Page(path="/empty")))) as server:
        done = crawl_inline(server.url, tmp_path, with_changes(QUICK, {"extract.rules": SEARCHED}))
        origin = server.origin
    found = {name: column(done, f"extracted_{name}") for name in ("cart", "prices", "links")}
    paths = ("/", "/shop", "/empty")
    assert [found["cart"][f"{origin}{path}"] for path in paths] == ["false", "true", "false"]
    assert [found["prices"][f"{origin}{path}"] for path in paths] == ["0", "2", "0"]
    assert [found["links"][f"{origin}{path}"] for path in paths] == ["2", "0", "0"]
