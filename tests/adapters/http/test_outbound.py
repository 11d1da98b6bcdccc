"""The bytes that leave this machine are counted with the headers of their packets."""

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.adapters.http.outbound import PACKET_HEADERS, bytes_out
from wavecrawl.demo.model import Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.fetching.exchange import FetchRequest


@pytest.fixture(name="server")
def a_server() -> Iterator[SiteServer]:
    with SiteServer(Site(pages=(page("/"), page("/a")))) as server:
        yield server


def test_a_request_counts_with_its_packets_and_acknowledgements(server: SiteServer) -> None:
    """Connecting takes two packets, the request one, its response at least one more."""
    counted: list[int] = []
    client = RequestsPageClient(user_agent="tests", allowed=("127.0.0.0/8",), on_sent=counted.append)
    with closing(client):
        exchange = client.fetch(FetchRequest(url=server.url))
    request = sum(len(f"{name}: {value}\r\n") for name, value in exchange.request_headers)
    assert exchange.status == 200
    assert request + 4 * PACKET_HEADERS <= sum(counted) < request + 2_000


def test_requests_over_one_connection_are_counted_once_each(server: SiteServer) -> None:
    counted: list[int] = []
    client = RequestsPageClient(user_agent="tests", allowed=("127.0.0.0/8",), on_sent=counted.append)
    with closing(client):
        sums = []
        for path in ("", "a", "", "a"):
            client.fetch(FetchRequest(url=f"{server.url}{path}"))
            sums.append(sum(counted))
    assert sums == sorted(set(sums)), "each request adds something"
    assert sums[-1] - sums[0] < 4 * sums[0], "no byte counts twice"


def test_a_connection_that_fails_counts_nothing() -> None:
    counted: list[int] = []
    client = RequestsPageClient(user_agent="tests", allowed=("127.0.0.0/8",), on_sent=counted.append)
    with closing(client):
        assert client.fetch(FetchRequest(url="http://127.0.0.1:9/")).status is None
    assert counted == []


def test_a_system_that_does_not_say_counts_nothing() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        assert bytes_out(other) == 0
    closed = socket.socket()
    closed.close()
    assert bytes_out(closed) == 0
