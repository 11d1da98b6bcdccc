"""What a page can reach: the addresses that the page client could reach, and nothing else."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.async_api import Browser
from tests.browser.conftest import Open
from tests.browser.listeners import Listeners, Sockets, free_port
from tests.browser.pages import request
from tests.browser.reaching import REACHED, reaching_page
from tests.support.campaign import CAMPAIGN, slow
from tests.support.patience import eventually

from wavecrawl.adapters.browser.switches import SWITCHES
from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.reply import Reply, reply_of

OPEN = ("127.0.0.0/8", "::1/128")
NEVER = ("169.254.169.254", "10.0.0.1", "192.168.0.1")


class Own(LoopbackServer):
    """The site's own server. /to?URL redirects to the URL. /enough responds once `enough` returns true."""

    def __init__(self) -> None:
        super().__init__()
        self.enough: Callable[[], object] = lambda: True

    @property
    def redirects(self) -> set[str]:
        """The URLs that redirected."""
        return {served.path for served in self.log if served.path.startswith("/to?")}

    def _finder(self) -> Callable[[str], Reply | None]:
        def find(path: str) -> Reply | None:
            if path == "/enough":
                eventually(self.enough, hang=90)
            _, to, target = path.partition("/to?")
            if to:
                return reply_of(302, (("Location", target), ("Access-Control-Allow-Origin", "*")), b"")
            return reply_of(200, (("Content-Type", "text/plain"), ("Access-Control-Allow-Origin", "*")), b"own")

        return find


@pytest.fixture(name="own")
def own_server() -> Iterator[Own]:
    with Own() as server:
        yield server


def names(host: str) -> tuple[str, ...]:
    """Names of the pages: a site of its own, and names of services that the page must not reach."""
    known = {"site.example": "127.0.0.1", "inside.example": "127.0.0.2", "metadata.example": NEVER[0]}
    if host not in known:
        raise OSError(f"no address for {host}")
    return (known[host],)


def test_a_page_reaches_no_service_of_the_machine_or_its_network(own: Own, opened: Open) -> None:
    port = free_port()
    reachable = [("127.0.0.1", port), ("127.0.0.2", port), ("::1", port), ("127.0.0.2", own.port)]
    with Listeners(tcp=reachable, udp=reachable) as listeners, Sockets(NEVER) as sockets:
        browser = opened(allowed=(f"127.0.0.1:{own.port}",), lookup=names)
        hosts = [f"127.0.0.1:{port}", f"[::1]:{port}", f"inside.example:{own.port}", NEVER[0]]
        others = [f"127.0.0.2:{own.port}", f"localhost:{port}", "0.0.0.0", *NEVER[1:], "metadata.example"]
        bases = [f"http://{host}" for host in (*hosts, *(others if CAMPAIGN else ()))]
        own.enough = lambda: len(own.redirects) == 3 * len(bases)
        made = reaching_page(bases, own=own.origin, leaves=True)
        page = browser.render(request(made, url=f"http://site.example:{own.port}/"))
    assert listeners.seen == []
    assert sockets.seen == set()
    assert page.url.partition("#")[0] == f"http://site.example:{own.port}/"
    where, _, way = page.away.rpartition("/")
    assert where == f"http://127.0.0.1:{port}"
    assert way in {"location", "refresh"}
    assert own.enough()  # the page's requests are sent where they may


def has_tls(listeners: Listeners) -> bool:
    """Return whether a listener received the beginning of a TLS handshake."""
    return any(line.startswith("\x16\x03") for where, line in listeners.seen if where.startswith("tcp"))


def udp(listeners: Listeners) -> list[str]:
    """Return where datagrams arrived."""
    return [where for where, _ in listeners.seen if where.startswith("udp")]


def test_the_same_page_reaches_what_is_allowed(own: Own, opened: Open) -> None:
    port = free_port()
    with Listeners(tcp=[("127.0.0.1", port)], udp=[("127.0.0.1", port)]) as listeners:
        page = reaching_page([f"http://127.0.0.1:{port}"], own=own.origin)
        own.enough = lambda: listeners.paths >= REACHED and has_tls(listeners)
        opened(allowed=OPEN, lookup=names).render(request(page, url=f"http://site.example:{own.port}/"))
    assert listeners.paths >= REACHED
    assert has_tls(listeners)
    assert not udp(listeners)


@slow
def test_without_the_switches_against_it_webrtc_reaches_what_is_not_allowed(
    own: Own, fresh: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = [one for one in SWITCHES if "webrtc" not in one]
    assert len(kept) < len(SWITCHES)
    monkeypatch.setattr("wavecrawl.adapters.browser.instance.SWITCHES", kept)
    port = free_port()
    with Listeners(tcp=[("127.0.0.1", port)], udp=[("127.0.0.1", port)]) as listeners:
        page = reaching_page([f"http://127.0.0.1:{port}"], own=own.origin)
        own.enough = lambda: udp(listeners)
        browser = fresh(allowed=(f"127.0.0.1:{own.port}",), lookup=names)
        browser.render(request(page, url=f"http://site.example:{own.port}/"))
    assert udp(listeners)


def test_a_connection_past_the_proxy_has_no_address(own: Own, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    make = Browser.new_context

    def past_the_proxy(browser: Browser, **options: Any) -> Any:
        return make(browser, **{**options, "proxy": {**options["proxy"], "bypass": "<loopback>"}})

    monkeypatch.setattr(Browser, "new_context", past_the_proxy)
    port = free_port()
    with Listeners(tcp=[("127.0.0.1", port)], udp=[("127.0.0.1", port)]) as listeners:
        page = reaching_page([f"http://127.0.0.1:{port}"], own=own.origin)
        opened(lookup=names).render(request(page, url=f"http://site.example:{own.port}/"))
    assert listeners.seen == []
