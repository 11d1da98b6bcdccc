"""The credentials of a site in requests: sent to its hosts, and in no exchange."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.adapters.http.conftest import LOOPBACK, lookup
from tests.adapters.http.loopback import CA_FILE, Server, page, responding, serving

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.domain.crawl.settings import ScopeMode
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.sites.authentication import Authentication, OwnHosts
from wavecrawl.domain.sites.credentials import SiteCredentials

SECRET = "not-a-real-secret"
CREDENTIALS = SiteCredentials(
    headers=(("X-Key", SECRET), ("Accept-Language", f"de-{SECRET}")), cookies=(("session", SECRET),)
)


@contextmanager
def signed_in(start_url: str, credentials: SiteCredentials = CREDENTIALS) -> Iterator[RequestsPageClient]:
    client = RequestsPageClient(
        user_agent="bot/1",
        accept_language="en",
        allowed=LOOPBACK,
        ca_file=CA_FILE,
        lookup=lookup,
        authentication=Authentication(credentials=credentials, hosts=OwnHosts(start_url, ScopeMode.ORIGIN)),
    )
    try:
        yield client
    finally:
        client.close()


def lines(server: Server) -> list[str]:
    return server.requests[-1].decode().split("\r\n")[1:]


def names(exchange: Exchange) -> list[str]:
    return [name for name, _ in exchange.request_headers]


def test_the_credentials_are_sent_to_the_site_and_are_not_in_the_exchange() -> None:
    with serving(responding(page(b"x"))) as server, signed_in(f"http://shop.example:{server.port}/") as client:
        exchange = client.fetch(FetchRequest(url=f"http://shop.example:{server.port}/a"))
        assert lines(server)[-3:] == [f"X-Key: {SECRET}", f"Accept-Language: de-{SECRET}", f"Cookie: session={SECRET}"]
        assert "Accept-Language: en" not in lines(server)
    assert exchange.status == 200
    assert names(exchange) == ["Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"]
    assert SECRET not in repr(exchange)


def test_a_host_at_the_same_address_does_not_get_them() -> None:
    with serving(responding(page(b"x"))) as server, signed_in(f"http://shop.example:{server.port}/") as client:
        client.fetch(FetchRequest(url=f"http://other.example:{server.port}/"))
        assert lines(server)[0] == f"Host: other.example:{server.port}"
        assert SECRET not in server.requests[-1].decode()
        assert "Accept-Language: en" in lines(server)


def test_the_host_does_not_get_them_at_another_port_or_without_tls() -> None:
    with serving(responding(page(b"x"))) as server, signed_in("https://shop.example/") as client:
        client.fetch(FetchRequest(url=f"http://shop.example:{server.port}/"))
        assert SECRET not in server.requests[-1].decode()


def test_an_anonymous_request_has_none() -> None:
    with serving(responding(page(b"x"))) as server, signed_in(f"http://shop.example:{server.port}/") as client:
        client.fetch(FetchRequest(url=f"http://shop.example:{server.port}/robots.txt", anonymous=True))
        assert SECRET not in server.requests[-1].decode()


def test_cookies_that_the_site_has_set_are_sent_too_and_are_not_in_the_exchange() -> None:
    with serving(responding(page(b"x"))) as server, signed_in(f"http://shop.example:{server.port}/") as client:
        url, cookie = f"http://shop.example:{server.port}/", ("Cookie", f"seen=1; session=new-{SECRET}")
        exchange = client.fetch(FetchRequest(url=url, headers=(cookie,)))
        assert lines(server)[-1] == f"Cookie: session=new-{SECRET}; seen=1"
    assert SECRET not in repr(exchange)


def test_a_request_that_fails_shows_none() -> None:
    with signed_in("http://shop.example:1/") as client:
        exchange = client.fetch(FetchRequest(url="http://shop.example:1/"))
    assert exchange.fault is not None
    assert SECRET not in repr(exchange)
