"""What a rendered page loads from a site that requires a client certificate."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.adapters.http.loopback import CA_FILE, TLS, Peer, Server, page, serving
from tests.browser.conftest import Open
from tests.browser.pages import request

from wavecrawl.domain.crawl.settings import ScopeMode
from wavecrawl.domain.sites.authentication import Authentication, OwnHosts
from wavecrawl.domain.sites.credentials import SiteCredentials

PEM = Path(CA_FILE).read_text("ascii") + (TLS / "fake-test-key.pem").read_text("ascii")
RESPONSES = {
    "/app.js": page(
        b"fetch('/data?q').then((response) =>"
        b" Promise.all([response.status, response.headers.get('x'), response.text()]))"
        b".then((found) => end(found.join(' ')), () => end('failed'));",
        "Content-Type: text/javascript",
        "Set-Cookie: a=1; Secure",
        "Set-Cookie: b=2; Secure",
    ),
    "/data?q": page(b"data", "X: y", "X: z", status="203 Other"),
}
SCRIPT = """<script>
const end = (text) => document.body.insertAdjacentHTML('beforeend', `<a href=/end>${text} ${document.cookie}</a>`);
</script><script src=/app.js onerror="end('no script')"></script>"""


@contextmanager
def requiring() -> Iterator[Server]:
    """A server that requires a client certificate."""

    def talk(peer: Peer) -> None:
        while head := peer.request():
            peer.say(RESPONSES[head.split(b" ")[1].decode()])

    with serving(talk, tls=True) as server:
        assert server._tls is not None
        server._tls.verify_mode = ssl.CERT_REQUIRED
        server._tls.load_verify_locations(CA_FILE)
        yield server


@pytest.mark.parametrize(("site", "shown"), [("shop.example", "203 y, z data a=1; b=2"), ("a.example", "no script")])
def test_a_page_gets_what_the_certificate_opens_and_only_on_its_site(site: str, shown: str, fresh: Open) -> None:
    with requiring() as server:
        where = f"https://shop.example:{server.port}"
        hosts = OwnHosts(f"https://{site}:{server.port}/", ScopeMode.ORIGIN)
        browser = fresh(
            allowed=("127.0.0.0/8",),
            ca_file=CA_FILE,
            lookup=lambda _: ("127.0.0.1",),
            authentication=Authentication(credentials=SiteCredentials(client_certificate=PEM), hosts=hosts),
        )
        found = browser.render(request(f"<body>{SCRIPT}", url=f"{where}/page"))
    assert shown in found.html
    sent = [head.split(b"\r\n") for head in server.requests]
    assert [lines[0] for lines in sent] == (
        [b"GET /app.js HTTP/1.1", b"GET /data?q HTTP/1.1"] if "203" in shown else []
    )
    assert all(any(line.startswith(b"user-agent: Mozilla/5.0") for line in lines) for lines in sent)
    assert not sent or b"Cookie: a=1; b=2" in sent[1]
