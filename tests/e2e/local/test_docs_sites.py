"""Crawls of real documentation sites, compared with an independent crawler."""

import os
from pathlib import Path

import pytest
from tests.support.campaign import ALL, CAMPAIGN
from tests.support.crawling import QUICK, crawl_inline, with_changes
from tests.support.docs_sites import SITES, DocsSite
from tests.support.folder_server import FolderServer
from tests.support.oracle import identity, walk

SMALL, LARGE = "git-doc", "python3.11-doc"
TRIED = [one for one in SITES if CAMPAIGN or one.package == SMALL or (ALL and one.package != LARGE)]
"""The large site takes two minutes, more than any other test that needs the processor: the campaign crawls it."""


@pytest.mark.parametrize("site", TRIED, ids=lambda site: site.package)
def test_a_documentation_site_is_crawled_as_the_oracle_walks_it(site: DocsSite, tmp_path: Path) -> None:
    if not site.there and not os.environ.get("CI"):
        pytest.skip(f"the Debian package {site.package} is not installed")
    with FolderServer(site.folder) as server:
        expected = walk(server.url)
        done = crawl_inline(server.url, tmp_path, with_changes(QUICK, {"max_pages": 10_000}))
        pages = {identity(page["url"]): page for page in done.pages()}
        fetched = {name: page["depth"] for name, page in pages.items() if page["state"] == "fetched"}
        assert fetched == expected.fetched
        missing = {name: page["depth"] for name, page in pages.items() if page["state"] != "fetched"}
        assert missing == expected.missing
        parents = {name: identity(page["parent"]) if page["parent"] else None for name, page in pages.items()}
        assert parents == expected.parents
        edges = {
            (identity(source), identity(target))
            for source, target, kind, reason in done.edges()
            if kind != "redirect" and reason not in ("out_of_scope", "asset", "invalid_url")
        }
        assert {(source, target) for source, target in edges if source != target} == expected.edges
        assert not [row["url"] for row in done.ledger() if row["reason"].startswith("trap_")]
        assert not [page["url"] for page in done.pages() if page["shell"]]
        assert len(expected.fetched) > 100
