"""Addresses: the client connects only to the address that was checked."""

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from time import monotonic

import pytest
from tests.adapters.http.conftest import LOOPBACK
from tests.adapters.http.loopback import once, page, responding, serving
from tests.support.patience import HANG

from wavecrawl.adapters.http import resolver
from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.adapters.http.connections import Dialer, PinnedConnection
from wavecrawl.adapters.http.resolver import Resolver, system_lookup
from wavecrawl.adapters.http.target import target_of
from wavecrawl.adapters.http.transfer_errors import TransferError
from wavecrawl.domain.fetching.exchange import FetchRequest, TransportFault
from wavecrawl.domain.fetching.limits import FetchLimits

BRIEF = FetchLimits(timeout=1.0)
BODY = b"<p>hello</p>"
F = TransportFault

REFUSED = (
    "0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.8.9.10 169.254.0.1 "
    "169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.9 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 "
    "198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 "
    ":: ::1 ::7f00:1 ::127.0.0.1 fe80::1 fec0::1 fc00::1 fd00:ec2::254 ff02::1 100::1 5f00::1 4000::1 "
    "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0.0.0.0 ::ffff:a9fe:a9fe "
    "64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b::169.254.169.254 64:ff9b:1::1 "
    "2002:7f00:1:: 2002:a9fe:a9fe:: 2002:808:808:: 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:db8::1 3fff::1"
).split()
PUBLIC = (
    "1.0.0.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0 "
    "172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 "
    "223.255.255.255 2001:200::1 2003::1 2606:4700::1111 2a00::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8"
).split()


@contextmanager
def looking_up(
    lookup: Callable[[str], tuple[str, ...]], *, allowed: tuple[str, ...] = LOOPBACK
) -> Iterator[RequestsPageClient]:
    client = RequestsPageClient(user_agent="bot/1", allowed=allowed, lookup=lookup)
    try:
        yield client
    finally:
        client.close()


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_permitted(address: str) -> None:
    assert AddressPolicy().permits(address, 443)


@pytest.mark.parametrize("address", REFUSED)
def test_addresses_off_the_public_internet_are_not_connected_to(address: str) -> None:
    literal = f"[{address}]" if ":" in address else address
    with looking_up(lambda _: (address,), allowed=()) as client:
        by_name = client.fetch(FetchRequest(url="http://shop.example/"))
        by_itself = client.fetch(FetchRequest(url=f"http://{literal}/"))
    for exchange in (by_name, by_itself):
        assert (exchange.status, exchange.fault, exchange.address) == (None, F.BLOCKED_ADDRESS, None)
        assert "is not on the public internet" in exchange.fault_detail
    assert by_name.fault_detail == "shop.example is not on the public internet", "nobody may look up inside names"


@pytest.mark.parametrize("address", ["", "localhost", "127.1", "8.8.8.8/32", "8.8.8.8 ", "1.2.3.4.5", "::g"])
def test_text_that_is_not_an_address_is_not_permitted(address: str) -> None:
    assert not AddressPolicy(("0.0.0.0/0", "::/0")).permits(address, 80)


def test_a_listed_network_is_permitted_and_its_neighbour_is_not() -> None:
    policy = AddressPolicy(("10.1.0.0/16", "fd00::/64"))
    assert [policy.permits(a, 80) for a in ("10.1.255.255", "::ffff:10.1.0.1", "fd00::1")] == [True] * 3
    assert [policy.permits(a, 80) for a in ("10.2.0.0", "::ffff:10.2.0.1", "fd00:0:0:1::", "::1")] == [False] * 4


def test_loopback_is_not_connected_to_unless_listed() -> None:
    with serving(responding(page(BODY))) as server, looking_up(lambda _: ("127.0.0.1",), allowed=()) as client:
        for host in ("127.0.0.1", "shop.example", "localhost"):
            exchange = client.fetch(FetchRequest(url=f"http://{host}:{server.port}/"))
            assert exchange.fault is F.BLOCKED_ADDRESS
    assert server.connections == 0


@pytest.mark.parametrize("spelling", ["127.1", "2130706433", "0x7f.1", "0177.0.0.1"])
def test_old_forms_of_an_address_are_checked_as_the_address_they_mean(spelling: str) -> None:
    with looking_up(system_lookup, allowed=()) as client:
        exchange = client.fetch(FetchRequest(url=f"http://{spelling}/"))
    assert exchange.fault is F.BLOCKED_ADDRESS
    assert exchange.fault_detail == f"{spelling} is not on the public internet"


def test_addresses_that_are_not_permitted_are_skipped(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY))) as server:
        exchange = client.fetch(FetchRequest(url=f"http://mixed.example:{server.port}/"))
    assert (exchange.status, exchange.address) == (200, "127.0.0.1")  # the tests' sockets connect only to loopback


def test_a_name_with_only_private_addresses_is_refused(client: RequestsPageClient) -> None:
    exchange = client.fetch(FetchRequest(url="http://inside.example/"))
    assert exchange.fault is F.BLOCKED_ADDRESS
    assert exchange.fault_detail == "inside.example is not on the public internet"


def test_the_next_address_is_tried_if_one_refuses(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY))) as server:
        exchange = client.fetch(FetchRequest(url=f"http://two.example:{server.port}/"))
    assert (exchange.status, exchange.address) == (200, "127.0.0.1")


def test_a_failed_connection_names_the_host_and_no_address_of_the_network_inside(client: RequestsPageClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    exchange = client.fetch(FetchRequest(url=f"http://two.example:{port}/"))
    assert (exchange.status, exchange.fault, exchange.address) == (None, F.CONNECT, None)
    assert exchange.fault_detail == f"two.example port {port}: [Errno 111] Connection refused"


def test_a_failed_connection_to_public_addresses_names_each(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(address: str, *_: object, **__: object) -> None:
        raise OSError(f"{len(address)} refused")

    monkeypatch.setattr("wavecrawl.adapters.http.connections._connected", refuse)
    with looking_up(lambda _: ("8.8.8.8", "10.0.0.1", "2606:4700::1111"), allowed=("10.0.0.0/8",)) as public:
        exchange = public.fetch(FetchRequest(url="http://shop.example/"))
    assert exchange.fault_detail == (
        "8.8.8.8 port 80: 7 refused; shop.example port 80: 8 refused; 2606:4700::1111 port 80: 15 refused"
    )


def test_no_more_than_four_addresses_are_tried() -> None:
    with serving(responding(page(BODY))) as server:
        with looking_up(lambda _: ("127.0.0.2",) * 4 + ("127.0.0.1",)) as client:
            exchange = client.fetch(FetchRequest(url=f"http://shop.example:{server.port}/"))
        with looking_up(lambda _: ("10.0.0.1", *("127.0.0.2",) * 3, "127.0.0.1")) as client:
            other = client.fetch(FetchRequest(url=f"http://shop.example:{server.port}/"))
    assert (exchange.fault, other.status) == (F.CONNECT, 200)


# pinning


class Changing:
    """A name server that returns different addresses each time."""

    def __init__(self, *responses: str) -> None:
        self.hosts_resolved: list[str] = []
        self._lookups = iter(responses)

    def __call__(self, host: str) -> tuple[str, ...]:
        self.hosts_resolved.append(host)
        return (next(self._lookups),)


def test_the_address_that_was_checked_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("a second lookup")

    changing = Changing("127.0.0.1", "169.254.169.254")
    with serving(responding(page(BODY))) as server, looking_up(changing) as client, monkeypatch.context() as patched:
        patched.setattr(socket, "getaddrinfo", fail)
        exchange = client.fetch(FetchRequest(url=f"http://rebind.example:{server.port}/"))
    assert (exchange.status, exchange.address) == (200, "127.0.0.1")
    assert changing.hosts_resolved == ["rebind.example"]
    assert f"Host: rebind.example:{server.port}".encode() in server.requests[0]


def test_changed_addresses_are_not_used_while_the_first_are_cached() -> None:
    changing = Changing("127.0.0.1", "169.254.169.254")
    with serving(once(page(BODY))) as server, looking_up(changing) as client:
        found = [client.fetch(FetchRequest(url=f"http://rebind.example:{server.port}/")) for _ in range(3)]
    assert [(exchange.status, exchange.address) for exchange in found] == [(200, "127.0.0.1")] * 3
    assert (server.connections, changing.hosts_resolved) == (3, ["rebind.example"])


def test_changed_addresses_are_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver, "CACHE_SECONDS", 0.0)
    changing = Changing("127.0.0.1", "169.254.169.254", "127.0.0.1")
    with serving(once(page(BODY))) as server, looking_up(changing) as client:
        url = f"http://rebind.example:{server.port}/"
        found = [client.fetch(FetchRequest(url=url)) for _ in range(3)]
    assert [exchange.fault for exchange in found] == [None, F.BLOCKED_ADDRESS, None]
    assert "169.254.169.254" not in found[1].fault_detail
    assert server.connections == 2


# names


def test_the_system_looks_up_localhost() -> None:
    assert set(system_lookup("localhost")) & {"127.0.0.1", "::1"}


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (OSError(-2, "Name or service not known"), "no address for shop.example: [Errno -2] Name or service not known"),
        (TimeoutError("timed out"), "no address for shop.example: the name server did not respond: timed out"),
        (UnicodeError("label too long"), "no address for shop.example: label too long"),
    ],
)
def test_a_name_that_cannot_be_looked_up_is_a_fault(failure: Exception, said: str) -> None:
    def failing(_host: str) -> tuple[str, ...]:
        raise failure

    with looking_up(failing) as client:
        exchange = client.fetch(FetchRequest(url="http://shop.example/"))
    assert (exchange.status, exchange.fault, exchange.fault_detail) == (None, F.DNS, said)


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("nowhere.example", "no address for nowhere.example: [Errno -2] Name or service not known"),
        ("empty.example", "no address for empty.example: the name exists, but has no address"),
    ],
)
def test_a_name_without_address_is_a_fault(client: RequestsPageClient, host: str, said: str) -> None:
    exchange = client.fetch(FetchRequest(url=f"https://{host}/"))
    assert (exchange.status, exchange.fault, exchange.fault_detail) == (None, F.DNS, said)


def test_a_lookup_that_hangs_ends_at_the_deadline() -> None:
    over = Event()

    def hanging(_host: str) -> tuple[str, ...]:
        over.wait(HANG)
        return ("127.0.0.1",)

    with looking_up(hanging) as client:
        exchange = client.fetch(FetchRequest(url="http://shop.example/", limits=BRIEF))
        over.set()
    assert (exchange.fault, exchange.fault_detail) == (F.TIMEOUT, "the deadline passed while looking up shop.example")


def test_concurrent_lookups_of_one_name_share_a_result() -> None:
    hosts_resolved: list[str] = []
    over = Event()

    def slow(host: str) -> tuple[str, ...]:
        hosts_resolved.append(host)
        over.wait(HANG)
        return ("127.0.0.1",)

    found = Resolver(lookup=slow)
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(found.addresses, "shop.example", deadline=monotonic() + HANG) for _ in range(4)]
        with pytest.raises(TransferError):  # one caller's deadline does not affect the others
            found.addresses("shop.example", deadline=monotonic())
        over.set()
        assert [future.result() for future in futures] == [("127.0.0.1",)] * 4
    assert hosts_resolved == ["shop.example"]


def test_the_number_of_waiting_lookups_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver, "MAX_WAITING", 2)
    over = Event()

    def hanging(_host: str) -> tuple[str, ...]:
        over.wait(HANG)
        return ("127.0.0.1",)

    found = Resolver(lookup=hanging)
    faults = []
    for host in ("a.example", "b.example", "c.example"):
        with pytest.raises(TransferError) as caught:
            found.addresses(host, deadline=monotonic())
        faults.append(caught.value.fault)
    over.set()
    assert faults == [F.TIMEOUT, F.TIMEOUT, F.DNS]
    assert caught.value.detail == "2 lookups are waiting; c.example was not looked up"


def test_addresses_are_cached_for_a_minute() -> None:
    now = [1_000.0]
    changing = Changing("127.0.0.1", "127.0.0.2")
    found = Resolver(lookup=changing, clock=lambda: now[0])
    seen: list[str] = []
    for moment in (1_000.0, 1_059.9, 1_060.0):
        now[0] = moment
        seen += found.addresses("shop.example", deadline=monotonic() + HANG)
    assert seen == ["127.0.0.1", "127.0.0.1", "127.0.0.2"]


def test_the_cache_of_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver, "MAX_CACHED", 2)
    hosts_resolved: list[str] = []

    def note(host: str) -> tuple[str, ...]:
        hosts_resolved.append(host)
        return ("127.0.0.1",)

    found = Resolver(lookup=note)
    for host in ("a", "b", "c", "c", "b", "a"):
        found.addresses(f"{host}.example", deadline=monotonic() + HANG)
    assert hosts_resolved == ["a.example", "b.example", "c.example", "a.example"]


@pytest.mark.parametrize("literal", ["127.0.0.1", "::1"])
def test_an_address_is_not_looked_up(literal: str) -> None:
    assert Resolver(lookup=Changing()).addresses(literal, deadline=0.0) == (literal,)


# the dialer by itself


def test_no_connection_is_tried_after_the_deadline() -> None:
    dialer = Dialer(resolver=Resolver(lookup=Changing()), policy=AddressPolicy(LOOPBACK))
    with pytest.raises(TransferError) as caught:
        dialer.dial("127.0.0.1", 1, deadline=monotonic() - 1)
    assert (caught.value.fault, caught.value.detail) == (F.TIMEOUT, "the deadline passed while looking up 127.0.0.1")


def test_an_interrupt_while_connecting_closes_the_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(socket.socket):
        def settimeout(self, _seconds: float | None, /) -> None:
            raise KeyboardInterrupt

    with Stopped(socket.AF_INET, socket.SOCK_STREAM) as sock:
        dialer = Dialer(resolver=Resolver(lookup=Changing()), policy=AddressPolicy(LOOPBACK))
        monkeypatch.setattr(Dialer, "dial", lambda *_, **__: (sock, "127.0.0.1"))
        connection = PinnedConnection(target_of("http://127.0.0.1:8000/").endpoint, dialer)
        with pytest.raises(KeyboardInterrupt):
            connection.open(deadline=monotonic() + 1)
        assert sock.fileno() == -1
