"""Pages and rules that need too much processor time end only the reading of these pages."""

from collections import Counter

from tests.support.crawling import table

import wavecrawl
from wavecrawl.demo.model import Page, Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer

NAMES = tuple(f"/page-{number}" for number in range(12))
FAR = Page(path="/far", title="Far", body=b"<title>Far</title><p>" + b"a" * 400_000)
WIDE = Page(path="/wide", title="Wide", body=b"<title>Wide</title><ul>" + b"<li>x</li>" * 15_000)
SITE = Site(pages=(page("/", *NAMES[:6], "/far", "/wide", *NAMES[6:]), *(page(name) for name in NAMES), FAR, WIDE))
RULES = (
    "all = count(/a(?:.*b)?/)",  # each match searches the rest of the page
    "odd = count(li:nth-last-child(2n+1))",
    "title = title",
)


def test_the_reading_of_a_page_ends_with_its_budget_and_its_neighbours_are_fetched_once() -> None:
    found: list[wavecrawl.Page] = []
    with (
        SiteServer(SITE) as server,
        wavecrawl.crawl(
            server.url,
            on_page=found.append,
            polite={"interval": 0.0, "adapt": False},
            extract={"rules": RULES},
            max_page_cpu=1,
        ) as crawl,
    ):
        ledger = {row["url"].removeprefix(server.origin): row for row in table(crawl.folder / "ledger.csv")}
        pages = {one.url.removeprefix(server.origin): one for one in found}
        rows = {row.url.removeprefix(server.origin): row for row in crawl.pages()}
        requests = Counter(served.path for served in server.log)
    assert (ledger["/far"]["state"], ledger["/far"]["reason"]) == ("failed", "too_expensive")
    assert {name for name, row in rows.items() if row.state == "fetched"} == {"/", "/wide", *NAMES}
    assert {requests[name] for name in ("/far", "/wide", *NAMES)} == {1}
    assert pages["/wide"].extracted == {"all": ["0"], "title": ["Wide"]}
    assert pages["/wide"].rule_problems == (
        "odd: the selectors of this and earlier rules would visit more than 100,000,000 elements of this page",
    )
