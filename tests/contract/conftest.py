from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.contract.stores import ADAPTERS, ATOMIC
from tests.support.emulator import CREDENTIALS

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.all_ports import Ports


@pytest.fixture(autouse=True)
def _test_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(params=sorted(ATOMIC))
def another(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Ports]]:
    """Return a function that opens the same store again, as another worker does; for tests with parallel workers."""
    with ATOMIC[request.param](tmp_path) as opener:
        yield opener


@pytest.fixture(params=sorted(ADAPTERS))
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ports]:
    """Open a store for one worker."""
    with ADAPTERS[request.param](tmp_path) as opener:
        yield opener()


@pytest.fixture
def crawl() -> CrawlId:
    return CrawlId(tenant="t", site="example.com", crawl="c1")
