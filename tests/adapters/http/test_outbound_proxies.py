"""Outbound proxies: what is sent to them, what is refused before, and what the environment says."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from msgspec.structs import replace
from tests.adapters.http.conftest import LOOPBACK
from tests.adapters.http.loopback import CA_FILE, Server, Talk, once, page, responding, serving
from tests.adapters.http.test_client import BODY, get
from tests.adapters.http.test_webhook_sender import HOOK, MESSAGE, NOW, Receiver
from tests.support.outbound_proxy import FORWARDED, proxying

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.adapters.http.outbound_proxies import DIRECT, OutboundProxies, OutboundProxy, outbound_proxies
from wavecrawl.adapters.http.webhook_sender import GuardedWebhookSender
from wavecrawl.domain.fetching.exchange import TransportFault
from wavecrawl.errors import InvalidInputError

F = TransportFault
PROOF = "Basic bWU6c2VjcmV0"  # me:secret


def by(server: Server, *, user: str = "") -> OutboundProxies:
    return outbound_proxies({"WAVECRAWL_PROXY": f"http://{user}127.0.0.1:{server.port}"})


def no_lookup(host: str) -> tuple[str, ...]:
    raise AssertionError(f"{host} was looked up")


@contextmanager
def behind(
    server: Server,
    *,
    user: str = "",
    allowed: tuple[str, ...] = (),
    denies: Callable[[str], bool] = lambda _: False,
) -> Iterator[RequestsPageClient]:
    """A client that reaches everything through the proxy, and may look up nothing."""
    client = RequestsPageClient(
        user_agent="bot/1",
        ca_file=CA_FILE,
        lookup=no_lookup,
        allowed=allowed,
        denies=denies,
        proxies=by(server, user=user),
    )
    try:
        yield client
    finally:
        client.close()


def test_https_goes_through_a_tunnel_and_its_certificate_is_checked_by_name() -> None:
    with (
        serving(responding(page(BODY)), tls=True) as site,
        serving(proxying(site.port)) as proxy,
        behind(proxy) as client,
    ):
        first = get(client, "https://shop.example/a")
        second = get(client, "https://shop.example/b")
        other = get(client, "https://other.example/")
    assert (first.status, first.body, first.address) == (200, BODY, None)
    assert second.body == BODY
    assert site.server_names[0] == "shop.example"
    assert site.requests[0].startswith(b"GET /a HTTP/1.1\r\nHost: shop.example\r\n")
    assert proxy.requests[0] == b"CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443"
    assert other.fault is F.TLS
    assert len(proxy.requests) == 2


def test_http_is_sent_to_the_proxy_with_its_whole_url() -> None:
    with serving(proxying(9)) as proxy, behind(proxy) as client:
        first, second = (get(client, f"http://shop.example:8080/{path}?q") for path in ("a", "b"))
    assert (first.status, first.body, first.address) == (200, FORWARDED, None)
    assert second.body == FORWARDED
    assert proxy.requests[0].startswith(b"GET http://shop.example:8080/a?q HTTP/1.1\r\nHost: shop.example:8080\r\n")
    assert proxy.connections == 1


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_gets_its_credentials_and_nobody_else_does(scheme: str) -> None:
    with (
        serving(responding(page(BODY)), tls=True) as site,
        serving(proxying(site.port, proof=PROOF)) as proxy,
        behind(proxy, user="me:s%65cret@") as client,
    ):
        exchange = get(client, f"{scheme}://shop.example/")
    assert exchange.body in {BODY, FORWARDED}
    assert f"Proxy-Authorization: {PROOF}".encode() in proxy.requests[0]
    assert not any(b"Proxy-Authorization" in request for request in site.requests)
    assert "roxy" not in repr(exchange.request_headers)
    assert "bWU6" not in repr(by(proxy, user="me:secret@"))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_wants_credentials_is_a_fault_without_a_page(scheme: str) -> None:
    with serving(proxying(9, proof=PROOF)) as proxy, behind(proxy, user="me:wrong@") as client:
        exchange = get(client, f"{scheme}://shop.example/")
    assert (exchange.status, exchange.fault) == (None, F.CONNECT)
    assert "requires a user name and password" in exchange.fault_detail
    assert "wrong" not in repr(exchange)


def test_a_site_may_have_status_407_itself() -> None:
    with (
        serving(responding(page(BODY, status="407 Odd")), tls=True) as site,
        serving(proxying(site.port)) as proxy,
        behind(proxy) as client,
    ):
        assert get(client, "https://shop.example/").status == 407


@pytest.mark.parametrize(
    ("talk", "fault", "detail"),
    [
        (once(page(b"", status="502 Bad Gateway")), F.CONNECT, "it does not connect to shop.example:443: status 502"),
        (once(b"SSH-2.0\r\n"), F.PROTOCOL, ""),
        (once(), F.RESET, ""),
        (once(b"HTTP/1.1 200 OK\r\n\r\nmore"), F.PROTOCOL, "it sent something before the server could"),
    ],
)
def test_a_proxy_that_opens_no_tunnel_is_a_fault(talk: Talk, fault: F, detail: str) -> None:
    with serving(talk) as proxy, behind(proxy) as client:
        exchange = get(client, "https://shop.example/")
    assert (exchange.status, exchange.fault) == (None, fault)
    assert exchange.fault_detail.startswith("the outbound proxy cannot be used: ")
    assert detail in exchange.fault_detail


@pytest.mark.parametrize("host", ["127.0.0.1:9", "proxy.internal:3128"])
def test_errors_do_not_name_the_proxy(host: str) -> None:
    def unknown(_: str) -> tuple[str, ...]:
        raise OSError("no such name")

    proxies = outbound_proxies({"HTTPS_PROXY": f"http://me:secret@{host}"})
    client = RequestsPageClient(user_agent="bot/1", lookup=unknown, proxies=proxies)
    exchange = get(client, "https://shop.example/")
    assert exchange.fault is F.CONNECT
    assert re.fullmatch(r"the outbound proxy cannot be used: it cannot be reached \(\w+\)", exchange.fault_detail)


@pytest.mark.parametrize("host", ["10.0.0.1", "169.254.169.254", "[fd00:ec2::254]", "0x0a.1", "167772161", "10.0.0.1."])
def test_addresses_outside_the_internet_are_not_asked_for(host: str) -> None:
    with serving(proxying(9)) as proxy, behind(proxy) as client:
        for scheme in ("http", "https"):
            assert get(client, f"{scheme}://{host}/").fault is F.BLOCKED_ADDRESS
    assert proxy.connections == 0


def test_public_and_allowed_addresses_are_asked_for() -> None:
    with serving(proxying(9)) as proxy, behind(proxy, allowed=("10.0.0.0/8",)) as client:
        assert get(client, "http://10.0.0.1/").body == FORWARDED
        assert get(client, "http://9.9.9.9/").body == FORWARDED
        assert get(client, "http://[2606:4700::1111]/").body == FORWARDED
    assert [request.split(b" ")[1] for request in proxy.requests] == [
        *(b"http://10.0.0.1/", b"http://9.9.9.9/", b"http://[2606:4700::1111]/")
    ]


@pytest.mark.parametrize(
    "url", ["http://shop.example/", "https://shop.example/", "http://9.9.9.9/", "http://0x9090909/"]
)
def test_hosts_that_the_operator_denies_are_not_asked_for(url: str) -> None:
    with serving(proxying(9)) as proxy, behind(proxy, denies={"shop.example", "9.9.9.9"}.__contains__) as client:
        assert get(client, url).fault is F.DENIED_HOST
    assert proxy.connections == 0


def test_this_machine_is_never_reached_through_a_proxy() -> None:
    with serving(responding(page(BODY))) as site, serving(proxying(9)) as proxy:
        with behind(proxy, allowed=LOOPBACK) as client:
            assert get(client, f"http://127.0.0.1:{site.port}/").body == BODY
        with behind(proxy) as client:
            assert get(client, f"http://127.0.0.1:{site.port}/").fault is F.BLOCKED_ADDRESS
    assert proxy.connections == 0


def test_webhooks_are_sent_through_the_proxy() -> None:
    receiver = Receiver(page(b""))
    with serving(receiver, tls=True) as site, serving(proxying(site.port)) as proxy:
        sender = GuardedWebhookSender(user_agent="bot/1", ca_file=CA_FILE, lookup=no_lookup, proxies=by(proxy))
        attempt = sender.send(replace(HOOK, url="https://shop.example/hook"), MESSAGE, now=NOW)
        sender.close()
    assert (attempt.status, receiver.line) == (200, "POST /hook HTTP/1.1")
    assert proxy.requests == [b"CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443"]


# what the environment says

A, B = OutboundProxy(host="a.example", port=3128), OutboundProxy(host="b.example", port=80)


@pytest.mark.parametrize(
    ("environ", "http", "https"),
    [
        ({}, None, None),
        ({"HTTPS_PROXY": "http://a.example:3128"}, None, A),
        ({"HTTP_PROXY": "a.example:3128", "HTTPS_PROXY": "http://b.example/"}, A, B),
        ({"https_proxy": "http://a.example:3128", "HTTPS_PROXY": "http://b.example"}, None, A),
        ({"WAVECRAWL_PROXY": "http://a.example:3128", "HTTPS_PROXY": "http://b.example"}, A, A),
        ({"HTTPS_PROXY": "http://a.example:3128", "NO_PROXY": "x, *"}, None, None),
        ({"HTTP_PROXY": "http://a.example", "REQUEST_METHOD": "GET"}, None, None),
        ({"HTTPS_PROXY": "http://a.example", "AWS_LAMBDA_FUNCTION_NAME": "f"}, None, None),
        ({"WAVECRAWL_PROXY": "http://b.example", "AWS_LAMBDA_FUNCTION_NAME": "f"}, B, B),
    ],
)
def test_the_usual_variables_name_the_proxies(
    environ: dict[str, str], http: OutboundProxy | None, https: OutboundProxy | None
) -> None:
    found = outbound_proxies(environ)
    assert (found.http, found.https) == (http, https)
    assert outbound_proxies({}) == DIRECT


@pytest.mark.parametrize(
    ("entry", "direct", "proxied"),
    [
        ("corp.example", "corp.example WIKI.corp.example corp.example.", "notcorp.example corp.example.org"),
        (".corp.example", "wiki.corp.example corp.example", "other.example"),
        ("*.corp.example", "wiki.corp.example", "other.example"),
        ("10.0.0.0/8", "10.1.2.3 0x0a.1", "9.9.9.9 a.10.example"),
        ("10.1.2.3", "10.1.2.3", "10.1.2.4"),
        ("fd00::/8", "fd00::1", "2606::1"),
        ("corp.example:443", "corp.example", "other.example"),
        ("corp.example:8443", "", "corp.example"),
        ("10.1.2.3:443", "10.1.2.3", ""),
        ("[fd00::1]:443", "fd00::1", "fd00::2"),
        ("", "localhost a.localhost 127.8.8.8 ::1 127.1", "corp.example"),
    ],
)
def test_hosts_of_no_proxy_are_reached_directly(entry: str, direct: str, proxied: str) -> None:
    proxies = outbound_proxies({"HTTPS_PROXY": "http://a.example:3128", "NO_PROXY": f"x.example, {entry}"})
    expected = {**dict.fromkeys(direct.split()), **dict.fromkeys(proxied.split(), A)}
    assert {host: proxies.proxy_for("https", host, 443) for host in expected} == expected


@pytest.mark.parametrize(
    "url",
    [
        *("https://me:secret@a.example", "socks5://me:secret@a.example", "http://me:secret@", "http://me:secret@a:b"),
        *("http://me:secret@a.example:0", "http://me:secret@a.example/secret", "http://me:secret@ä.example"),
        "http://me:secret@[a",
    ],
)
@pytest.mark.parametrize(
    ("variable", "shown"), [("WAVECRAWL_PROXY", "--proxy (WAVECRAWL_PROXY)"), ("HTTPS_PROXY", "HTTPS_PROXY")]
)
def test_what_is_no_proxy_is_refused_without_its_password(url: str, variable: str, shown: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        outbound_proxies({variable: url})
    assert str(caught.value).startswith(f"{shown} must be the URL of an HTTP proxy")
    assert "secret" not in f"{caught.value!r}{caught.value.__cause__!r}"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
