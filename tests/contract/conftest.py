from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.contract.stores import ADAPTERS, Stores

from wavecrawl.domain.job import CrawlId


@pytest.fixture(params=sorted(ADAPTERS))
def another(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Stores]]:
    """Open the same store again, as another worker would."""
    with ADAPTERS[request.param](tmp_path) as opener:
        yield opener


@pytest.fixture
def stores(another: Callable[[], Stores]) -> Stores:
    return another()


@pytest.fixture
def crawl() -> CrawlId:
    return CrawlId(tenant="t", site="example.com", crawl="c1")
