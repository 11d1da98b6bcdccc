"""Suppressed URLs are listed by reason with their evidence: by the API, in `suppressed.csv` and by `wavecrawl show`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.serving import Served, served
from typer.testing import CliRunner

from wavecrawl.cli.main import app
from wavecrawl.client import Client, CrawlSettings, NewCrawl, PoliteSettings, UrlState
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer

DEEPER = "/rooms/floor/floor/floor"
PAGES = (
    Page(
        path="/",
        title="Home",
        text=("Welcome.",),
        links=(Link(to=DEEPER), *(Link(to=f"/feeds/{n}.json") for n in range(14))),
    ),
    *(
        Page(path=f"/feeds/{n}.json", content_type="application/json", body=b'{"id": 1}', header_charset="")
        for n in range(14)
    ),
)


@pytest.fixture(name="served_crawl", scope="module")
def a_served_crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str, Served, str]]:
    """A crawl of a site with two traps: its data folder, the site's origin, the service, and the crawl's id."""
    data = tmp_path_factory.mktemp("serve")
    quick = CrawlSettings(polite=PoliteSettings(interval=0.0), max_retries=0)
    with (
        SiteServer(Site(pages=PAGES), record=False) as site,
        served(data) as service,
        Client(service.url, service.key) as client,
    ):
        crawl = client.start_crawl(NewCrawl(url=site.url, settings=quick)).crawl
        assert client.wait_for_crawl(crawl, interval=0.2).status == "completed"
        yield data, site.origin, service, crawl


def test_the_api_lists_suppressed_urls_by_reason_with_their_evidence(
    served_crawl: tuple[Path, str, Served, str],
) -> None:
    _, origin, service, crawl = served_crawl
    with Client(service.url, service.key) as client:
        repeated = client.list_urls(crawl, reason="trap_segments")
        feeds = client.list_urls(crawl, reason="trap_json", state=UrlState.SKIPPED)
        none = client.list_urls(crawl, reason="trap_calendar")
    assert [(one.url, one.detail) for one in repeated.urls] == [
        (f"{origin}{DEEPER}", f"the path has 'floor' 3 times in a row; found on {origin}/")
    ]
    last = " ".join(f"{origin}/feeds/{n}.json" for n in (9, 10, 11))
    evidence = f"12 JSON responses in a row had the same keys: {last}"
    assert [(one.url, one.detail, one.state) for one in feeds.urls] == [
        (f"{origin}/feeds/{n}.json", evidence, "skipped") for n in (12, 13)
    ]
    assert (repeated.total, feeds.total, none.total) == (1, 2, 0)
    assert service.ask("GET", f"/v1/crawls/{crawl}/urls?reason=trap_unknown").status_code == 400


def test_show_and_the_explanation_of_the_api_have_the_evidence(served_crawl: tuple[Path, str, Served, str]) -> None:
    data, origin, service, crawl = served_crawl
    evidence = f"the path has 'floor' 3 times in a row; found on {origin}/"
    shown = CliRunner().invoke(app, ["show", f"{origin}{DEEPER}", "--data", str(data), "--json"])
    ledger = json.loads(shown.stdout)["ledger"]
    assert (ledger["state"], ledger["reason"], ledger["detail"]) == ("skipped", "trap_segments", evidence)
    explained = service.ask("GET", f"/v1/crawls/{crawl}/urls/explain?url={DEEPER}").json()["found"]
    assert (explained["state"], explained["reason"], explained["detail"]) == ("skipped", "trap_segments", evidence)


def test_the_api_groups_suppressed_urls_by_what_the_rule_found(served_crawl: tuple[Path, str, Served, str]) -> None:
    _, origin, service, crawl = served_crawl
    with Client(service.url, service.key) as client:
        found = client.list_suppressions(crawl)
        assert list(client.iter_suppressions(crawl, limit=1)) == found.suppressions
    last = " ".join(f"{origin}/feeds/{n}.json" for n in (9, 10, 11))
    assert [(one.reason, one.trap, one.urls, one.evidence, one.examples) for one in found.suppressions] == [
        (
            "trap_json", True, 2, f"12 JSON responses in a row had the same keys: {last}",
            [f"{origin}/feeds/{n}.json" for n in (12, 13)],
        ),
        ("trap_segments", True, 1, "the path has 'floor' 3 times in a row", [f"{origin}{DEEPER}"]),
    ]  # fmt: skip
    assert found.suppressions[1].because == "its path repeats itself (traps.segments.enabled)"
