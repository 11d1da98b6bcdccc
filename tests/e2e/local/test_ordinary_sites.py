"""A site without traps is crawled whole, whatever its URLs look like."""

from pathlib import Path

import pytest
from tests.support.campaign import slow
from tests.support.crawling import ALL_FILES, crawl_inline, table, with_changes
from tests.support.ordinary_site import ordinary_site

from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.focus.settings import Strategy


@slow
@pytest.mark.parametrize("strategy", list(Strategy))
def test_archives_series_parameters_identifiers_and_versions_are_no_traps(tmp_path: Path, strategy: Strategy) -> None:
    site = ordinary_site()
    settings = with_changes(ALL_FILES, {"max_pages": 10_000, "max_depth": 100, "strategy": strategy})
    with SiteServer(site, record=False) as server:
        done = crawl_inline(server.url, tmp_path, settings)
        origin = server.origin
    assert table(done.exports / "suppressed.csv") == []
    fetched = {page["url"].removeprefix(origin) for page in done.pages() if page["state"] == "fetched"}
    assert fetched == {page.path for page in site.pages}
    assert len(fetched) > 900
