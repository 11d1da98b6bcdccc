"""The credentials of a site in the requests of a rendered page, in Chromium."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.adapters.http.loopback import Peer, Server, serving
from tests.browser.conftest import Open
from tests.browser.pages import request
from tests.support.campaign import slow

from wavecrawl.domain.crawl.settings import ScopeMode
from wavecrawl.domain.sites.authentication import Authentication, OwnHosts
from wavecrawl.domain.sites.credentials import SiteCredentials

KEY, SESSION = "not-a-real-key", "not-a-real-session"
CREDENTIALS = SiteCredentials(headers=(("X-Key", KEY),), cookies=(("session", SESSION),), username="u", password="p")

PAGE = """<title>Members</title><link rel=stylesheet href=/style.css><img src=/image.png>
<img src="{other}/image.png"><img src="/to?{other}/redirected.png"><iframe src="{other}/frame"></iframe>
<iframe src="/inner"></iframe>
<script>
const loaded = new Promise(done => addEventListener('load', done));
const requests = [
  fetch('/data'),
  fetch('{other}/data', {{mode: 'no-cors', credentials: 'include'}}),
  fetch('/to?{other}/redirected', {{mode: 'no-cors', credentials: 'include'}}),
];
const end = () => document.body.insertAdjacentHTML('beforeend', '<a href=/>end</a>');
Promise.allSettled([loaded, ...requests]).then(end);
document.title = 'cookies: ' + document.cookie;
</script><p>Text of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the server received: the headers of each request, by host and path."""

    html: str
    heads: dict[str, dict[str, str]]

    def having(self, name: str, value: str) -> set[str]:
        """Return the requests with a header."""
        return {key for key, head in self.heads.items() if value in head.get(name, "")}


def lookup(host: str) -> tuple[str, ...]:
    if host not in {"site.example", "other.example"}:
        raise OSError(f"no address for {host}")
    return ("127.0.0.1",)


def talk(peer: Peer) -> None:
    while head := peer.request().decode():
        path = head.split(" ")[1]
        _, to, target = path.partition("/to?")
        if to:
            peer.say(f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode())
        else:
            peer.say(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 7\r\n\r\ncontent")


@pytest.fixture(name="seen")
def the_requests_of_a_page(opened: Open) -> Iterator[Seen]:
    browser = opened(allowed=("127.0.0.0/8",), lookup=lookup)
    pool = browser._pool
    with serving(talk) as server:
        site, other = (f"http://{name}.example:{server.port}" for name in ("site", "other"))
        pool._authentication = Authentication(credentials=CREDENTIALS, hosts=OwnHosts(site, ScopeMode.ORIGIN))
        try:
            page = browser.render(request(PAGE.format(other=other), url=f"{site}/members"))
        finally:
            pool._authentication = None
        assert page.problem == ""
        yield Seen(html=page.html, heads=heads_of(server))


def heads_of(server: Server) -> dict[str, dict[str, str]]:
    heads: dict[str, dict[str, str]] = {}
    for text in map(bytes.decode, server.requests):
        first, *lines = text.split("\r\n")
        head = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        heads[f"{head['host'].partition('.')[0]}{first.split(' ')[1].partition('?')[0]}"] = head
    return heads


OWN = {"site/style.css", "site/image.png", "site/data", "site/inner", "site/to"}
OTHERS = {"other/image.png", "other/data", "other/frame", "other/redirected", "other/redirected.png"}


def test_only_requests_to_the_site_carry_its_credentials(seen: Seen) -> None:
    assert {*seen.heads} >= OWN | OTHERS
    assert seen.having("x-key", KEY) == OWN
    assert seen.having("authorization", "Basic dTpw") == OWN
    assert seen.having("cookie", f"session={SESSION}") == OWN
    assert not [key for key in OTHERS if KEY in str(seen.heads[key]) or SESSION in str(seen.heads[key])]


@slow
def test_scripts_do_not_see_the_cookies(seen: Seen) -> None:
    assert "<title>cookies: </title>" in seen.html
    assert KEY not in seen.html
    assert SESSION not in seen.html
