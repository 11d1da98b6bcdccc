"""Each server that breaks the rules of HTTP gives the expected exchange."""

from dataclasses import replace

import pytest
from tests.adapters.http.loopback import serving
from tests.support.hostile.transport import CASES, LIMITS, Case

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.domain.fetching.exchange import FetchRequest, TransportFault

BRIEF = replace(LIMITS, timeout=1.0)
SILENT = ("closes without a response", "resets without a response")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_server_that(case: Case, client: RequestsPageClient) -> None:
    with serving(case.talk) as server:
        limits = BRIEF if case.fault is TransportFault.TIMEOUT else LIMITS
        exchange = client.fetch(FetchRequest(url=f"{server.url}/page", method=case.method, limits=limits))
    assert (exchange.status, exchange.fault, exchange.truncated) == (case.status, case.fault, case.truncated)
    assert exchange.is_stream == case.is_stream
    if case.name == "drips its body":
        assert set(exchange.body) == set(case.body)
    else:
        assert exchange.body == case.body
    assert bool(exchange.fault_detail) == (case.fault is not None)
    assert len(server.requests) <= (2 if case.name in SILENT else 1)  # twice only if the server sent nothing
