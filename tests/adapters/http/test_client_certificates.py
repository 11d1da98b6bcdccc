"""Client certificates: shown to the hosts of their site and to no others, whichever request it is."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.adapters.http.conftest import LOOPBACK, lookup
from tests.adapters.http.loopback import CA_FILE, TLS, Peer, Server, page, responding, serving
from tests.adapters.http.test_client import BODY, get
from tests.support.outbound_proxy import proxying

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.adapters.http.client_certificates import check_certificate
from wavecrawl.adapters.http.outbound_proxies import DIRECT, OutboundProxies, outbound_proxies
from wavecrawl.domain.crawl.settings import ScopeMode
from wavecrawl.domain.fetching.exchange import FetchRequest, TransportFault
from wavecrawl.domain.sites.authentication import Authentication, OwnHosts
from wavecrawl.domain.sites.credentials import SiteCredentials
from wavecrawl.errors import InvalidInputError

KEY_FILE = TLS / "fake-test-key.pem"
PEM = Path(CA_FILE).read_text(encoding="ascii") + KEY_FILE.read_text(encoding="ascii")


@contextmanager
def asking(*, required: bool) -> Iterator[tuple[Server, list[bool]]]:
    """A server that asks for a client certificate, and whether it got one with each request."""
    shown: list[bool] = []

    def talk(peer: Peer) -> None:
        assert isinstance(peer.sock, ssl.SSLSocket)
        while peer.request():
            shown.append(bool(peer.sock.getpeercert()))
            peer.say(page(BODY))

    with serving(talk, tls=True) as server:
        assert server._tls is not None
        server._tls.verify_mode = ssl.CERT_REQUIRED if required else ssl.CERT_OPTIONAL
        server._tls.load_verify_locations(CA_FILE)
        yield server, shown


@contextmanager
def of_site(
    start_url: str,
    pem: str = PEM,
    *,
    mode: ScopeMode = ScopeMode.ORIGIN,
    proxies: OutboundProxies = DIRECT,
) -> Iterator[RequestsPageClient]:
    client = RequestsPageClient(
        user_agent="bot/1",
        allowed=LOOPBACK,
        ca_file=CA_FILE,
        lookup=lookup,
        authentication=Authentication(
            credentials=SiteCredentials(client_certificate=pem), hosts=OwnHosts(start_url, mode)
        ),
        proxies=proxies,
    )
    try:
        yield client
    finally:
        client.close()


def test_a_site_that_requires_a_certificate_can_be_crawled() -> None:
    with asking(required=True) as (server, shown):
        url = f"https://shop.example:{server.port}/"
        with of_site(url) as client:
            assert get(client, url).body == BODY
            robots = client.fetch(FetchRequest(url=f"{url}robots.txt", anonymous=True))
        with of_site("https://another.example/") as client:
            assert get(client, url).fault in {TransportFault.TLS, TransportFault.RESET}
    assert robots.body == BODY
    assert shown == [True, True]


def test_it_is_shown_to_no_other_host_and_port() -> None:
    with (
        asking(required=False) as (own, shown),
        asking(required=False) as (other, seen),
        of_site(f"https://shop.example:{own.port}/", mode=ScopeMode.SUBDOMAINS) as client,
    ):
        get(client, f"https://shop.example:{other.port}/")
        get(client, f"https://127.0.0.1:{own.port}/")
        get(client, f"https://shop.example:{own.port}/")
        get(client, f"https://127.0.0.1:{own.port}/")
    assert seen == [False]
    assert shown == [False, True, False]


def test_it_is_shown_through_a_tunnel_to_the_site_alone() -> None:
    with asking(required=True) as (server, shown), serving(proxying(server.port)) as proxy:
        proxies = outbound_proxies({"WAVECRAWL_PROXY": f"http://127.0.0.1:{proxy.port}"})
        with of_site("https://shop.example/", proxies=proxies) as client:
            assert get(client, "https://shop.example/").body == BODY
    assert shown == [True]


def test_a_stored_certificate_that_cannot_be_used_is_a_fault_without_its_text() -> None:
    with serving(responding(page(BODY)), tls=True) as server:
        url = f"https://shop.example:{server.port}/"
        with of_site(url, "-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----\n") as client:
            exchange = get(client, url)
    assert exchange.fault is TransportFault.TLS
    assert exchange.fault_detail.startswith("client_certificate: ")
    assert "c2VjcmV0" not in exchange.fault_detail
    assert not server.requests


def test_a_certificate_and_a_key_that_do_not_belong_together_are_refused() -> None:
    check_certificate("")
    check_certificate(PEM)
    other = (
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
        "-----END PRIVATE KEY-----\n"
    )  # the example of RFC 8410, section 10.3
    for pem in (Path(CA_FILE).read_text(encoding="ascii") + other, other, KEY_FILE.read_text(encoding="ascii")):
        with pytest.raises(InvalidInputError, match=r"client_certificate: .* do not belong together") as caught:
            check_certificate(pem)
        assert "MC4CAQ" not in str(caught.value)


def test_no_file_of_it_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    check_certificate(PEM)
    with pytest.raises(InvalidInputError):
        check_certificate("nothing")
    assert list(tmp_path.iterdir()) == []
