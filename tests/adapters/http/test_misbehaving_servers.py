"""Each server that breaks the rules of HTTP gives the expected exchange."""

import pytest
from msgspec.structs import replace
from tests.adapters.http.loopback import serving
from tests.support.hostile.reading import BRIEF, LONGER
from tests.support.hostile.transport import CASES, LIMITS, Case
from tests.support.patience import seen_within

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault

SILENT = ("closes without a response", "resets without a response")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_server_that(case: Case, client: RequestsPageClient) -> None:
    def fetched(limit: float) -> tuple[Exchange, int]:
        with serving(case.talk) as server:
            limits = replace(LIMITS, timeout=limit)
            exchange = client.fetch(FetchRequest(url=f"{server.url}/page", method=case.method, limits=limits))
        return exchange, len(server.requests)

    def is_expected(found: tuple[Exchange, int]) -> bool:
        return (found[0].status, found[0].fault) == (case.status, case.fault) and found[0].body[:1] == case.body[:1]

    limits = (BRIEF, LONGER) if case.fault is TransportFault.TIMEOUT else (LIMITS.timeout,)
    exchange, requests = seen_within(limits, fetched, expected=is_expected)
    assert (exchange.status, exchange.fault, exchange.truncated) == (case.status, case.fault, case.truncated)
    assert exchange.is_stream == case.is_stream
    if case.name == "drips its body":
        assert set(exchange.body) == set(case.body)
    else:
        assert exchange.body == case.body
    assert bool(exchange.fault_detail) == (case.fault is not None)
    assert requests <= (2 if case.name in SILENT else 1)  # twice only if the server sent nothing
