"""Which connections of `wavecrawl serve` are closed if there are too many."""

import pytest

from wavecrawl.api.server_limits import ServerLimits
from wavecrawl.cli.open_connections import OpenConnections

PROXY = "127.0.0.1"


class Connection:
    """A connection that notes whether it was closed."""

    def __init__(self) -> None:
        self.is_open = True

    def disconnect(self) -> None:
        self.is_open = False


def connections(most: int, share: int) -> OpenConnections:
    limits = ServerLimits(connections=most, address_connections=share)
    return OpenConnections(limits, (PROXY, "10.0.0.0/8"))


def opened(book: OpenConnections, address: str) -> Connection:
    connection = Connection()
    assert book.open(connection, address)
    return connection


def test_a_full_server_closes_the_connection_that_has_waited_longest() -> None:
    book = connections(3, 3)
    first, second, third = (opened(book, f"192.0.2.{number}") for number in range(3))
    book.works(first)
    opened(book, "192.0.2.9")
    assert [one.is_open for one in (first, second, third)] == [True, False, True]
    assert len(book) == 3


def test_a_connection_that_waits_again_after_a_request_is_the_last_to_be_closed() -> None:
    book = connections(2, 2)
    first, second = opened(book, "192.0.2.1"), opened(book, "192.0.2.2")
    book.works(first)
    book.waits(first)
    opened(book, "192.0.2.3")
    assert [one.is_open for one in (first, second)] == [True, False]


def test_a_full_server_without_a_waiting_connection_refuses() -> None:
    book = connections(2, 2)
    for number in range(2):
        book.works(opened(book, f"192.0.2.{number}"))
    refused = Connection()
    assert not book.open(refused, "192.0.2.9")
    assert len(book) == 2
    book.waits(refused)  # as it is closed, it takes no part
    assert not book.open(Connection(), "192.0.2.9")


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::2", True),  # one site (RFC 4291, section 2.5.1)
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("unix", "unix", True),
    ],
)
def test_an_address_has_a_share(first: str, second: str, *, together: bool) -> None:
    book = connections(100, 1)
    own = opened(book, first)
    opened(book, second)
    assert own.is_open is not together


def test_a_share_in_use_is_refused_and_others_are_served() -> None:
    book = connections(100, 2)
    for _ in range(2):
        book.works(opened(book, "192.0.2.1"))
    assert not book.open(Connection(), "192.0.2.1")
    opened(book, "192.0.2.2")


@pytest.mark.parametrize("address", [PROXY, "10.1.2.3"])
def test_connections_of_a_proxy_are_many_clients(address: str) -> None:
    book = connections(3, 1)
    assert [opened(book, address).is_open for _ in range(3)] == [True] * 3
    assert [book.begin(address) for _ in range(9)] == [True] * 9


def test_requests_of_a_client_behind_a_proxy_have_the_share() -> None:
    book = connections(100, 2)
    assert [book.begin("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert book.begin("192.0.2.2")
    book.end("192.0.2.1")
    assert [book.begin("192.0.2.1") for _ in range(2)] == [True, False]


def test_a_closed_connection_frees_its_place_once() -> None:
    book = connections(2, 1)
    own = opened(book, "192.0.2.1")
    for _ in range(2):
        book.close(own)
    assert len(book) == 0
    opened(book, "192.0.2.1")
    assert ServerLimits(connections=3).share == 1
    assert ServerLimits(connections=400).share == 100
