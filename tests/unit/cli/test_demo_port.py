"""The URL of the demo site that `wavecrawl crawl` without URL crawls."""

import pytest

from wavecrawl.cli import start_url
from wavecrawl.demo.model import Page, Site
from wavecrawl.demo.server import SiteServer


def test_the_demo_site_has_the_same_url_each_time_unless_its_port_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with SiteServer(Site(pages=(Page(path="/"),))) as other:
        monkeypatch.setattr(start_url, "DEMO_PORT", other.port)
        with start_url.start_urls("", None, quiet=True) as (elsewhere,):
            assert elsewhere != other.url
    for _ in range(2):
        with start_url.start_urls("", None, quiet=True) as (served,):
            assert served == other.url
