"""A crawl of the demo site, shared by all tests of this folder that only read."""

from collections.abc import Iterator

import msgspec
import pytest
from tests.support.crawling import ALL_FILES, Done, crawl_inline

from wavecrawl.adapters.analytics.opened_exports import OpenedExports
from wavecrawl.adapters.analytics.results import DuckDbResults
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer


class Crawled(msgspec.Struct, frozen=True, kw_only=True):
    """A finished crawl and its queries."""

    done: Done
    hidden: set[str] = msgspec.field(default_factory=set)

    @property
    def results(self) -> DuckDbResults:
        """Return the queries over the results."""
        exports = self.done.exports
        return DuckDbResults(
            OpenedExports(lambda wanted: [exports / name for _, name in wanted], lambda _: frozenset(self.hidden))
        )

    def key_of(self, path: str) -> str:
        """Return the key of a page."""
        (key,) = (page["key"] for page in self.done.pages() if page["url"].partition("//")[2].partition("/")[2] == path)
        return str(key)


@pytest.fixture(scope="session")
def _demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    with SiteServer(demo_site()) as server:
        yield crawl_inline(server.url, tmp_path_factory.mktemp("demo"), ALL_FILES)


@pytest.fixture
def crawled(_demo: Done) -> Crawled:
    return Crawled(done=_demo)
