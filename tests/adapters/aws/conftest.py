from dataclasses import dataclass

import pytest
from tests.support.emulator import CREDENTIALS, new_bucket, new_table, running_emulator

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.meter import AwsMeter
from wavecrawl.adapters.aws.table import Table
from wavecrawl.domain.crawl.job import BatchId, CrawlId


@pytest.fixture(autouse=True)
def _test_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """A table, a bucket and their usage meter."""

    clients: AwsClients
    meter: AwsMeter
    table: Table
    table_name: str
    bucket: str


_METER = AwsMeter()
_BUILT: list[AwsClients] = []


@pytest.fixture
def cloud(request: pytest.FixtureRequest) -> Cloud:
    """The emulator with a meter."""
    if not _BUILT:
        _BUILT.append(AwsClients(meter=_METER, endpoint_url=running_emulator().url))
        request.session.config.add_cleanup(_BUILT[0].close)
    clients = _BUILT[0]
    name, bucket = new_table(clients), new_bucket(clients)
    _METER.take()
    table = Table(clients.dynamodb, name, meter=_METER)
    return Cloud(clients=clients, meter=_METER, table=table, table_name=name, bucket=bucket)


@pytest.fixture
def crawl() -> CrawlId:
    return CrawlId(tenant="default", site="www.example.com-1a2b3c4d", crawl="20261121-101500-a1b2c3")


@pytest.fixture
def batch(crawl: CrawlId) -> BatchId:
    return BatchId(crawl=crawl, wave=12, batch=34)
