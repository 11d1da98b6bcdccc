"""The changes of main texts as the API lists them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.adapters.analytics.results_service import ResultsService
from tests.support.crawling import crawl_inline

from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer

_LONG = "x" * 1_000


def _site(first: str, second: str) -> Site:
    return Site(
        pages=(
            Page(path="/", title="Home", text=(first,), links=(Link(to="/second"),)),
            Page(path="/second", title="Second", text=(second,)),
        )
    )


@pytest.fixture(scope="module", name="crawled")
def _crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    folder = tmp_path_factory.mktemp("texts")
    with SiteServer(_site("Five words are in here.", "Something.")) as server:
        first, port = crawl_inline(server.url, folder), server.port
    with SiteServer(_site("Six words are now in here.", _LONG), port=port) as server:
        second = crawl_inline(server.url, folder)
    return folder, first.row.id.crawl, second.row.id.crawl


@pytest.fixture(name="service")
def _service(crawled: tuple[Path, str, str]) -> Iterator[ResultsService]:
    service = ResultsService(crawled[0])
    yield service
    service.close()


def test_changes_are_listed_as_unified_diffs(service: ResultsService, crawled: tuple[Path, str, str]) -> None:
    _, base, crawl = crawled
    found = []
    query = {"base": base, "limit": "1"}
    while True:
        body = service.ask("GET", f"/v1/crawls/{crawl}/diff/texts", query=query).body
        assert (body["base"], body["crawl"]) == (base, crawl)
        found += body["changes"]
        if body["next_cursor"] is None:
            break
        query["cursor"] = body["next_cursor"]
    home, second = found
    removed, added = (line for line in home["diff"].splitlines() if line[0] in "-+")
    assert "Five words are in here." in removed
    assert "Six words are now in here." in added
    assert (home["added"] - home["removed"], home["truncated"]) == (1, False)
    assert (second["truncated"], max(map(len, second["diff"].splitlines()))) == (False, 161)
    one = service.ask("GET", f"/v1/crawls/{crawl}/diff/texts", query={"base": base, "key": second["key"]}).body
    assert one["changes"] == [second]


def test_crawls_of_different_sites_have_no_common_texts(
    service: ResultsService, crawled: tuple[Path, str, str]
) -> None:
    folder, base, _ = crawled
    with SiteServer(_site("Another site.", "")) as server:
        other = crawl_inline(server.url, folder).row.id.crawl
    assert service.ask("GET", f"/v1/crawls/{other}/diff/texts", query={"base": base}).status == 400
