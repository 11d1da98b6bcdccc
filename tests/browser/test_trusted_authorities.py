"""Certificate authorities of a company in the browser: trusted like public ones, and no certificate is trusted else."""

from pathlib import Path

import pytest
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from tests.adapters.http.loopback import CA_FILE, Peer, Server, serving
from tests.browser.conftest import Open
from tests.browser.pages import request
from tests.support.chromium import executable

from wavecrawl.adapters.browser.trusted_authorities import _written, trust_authorities
from wavecrawl.adapters.http.own_authorities import further_certificates
from wavecrawl.ports.browser import RenderedPage

RESPONSE = b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 5\r\n\r\nhello"
SCRIPT = """<script>
const end = (text) => document.body.insertAdjacentHTML('beforeend', `<a href=/end>${text}</a>`);
fetch('https://%s/').then((response) => response.text()).then(end, () => end('refused'));
</script>"""


def respond(peer: Peer) -> None:
    while peer.request():
        peer.say(RESPONSE)


def rendered(fresh: Open, server: Server, host: str, ca_file: str | None) -> RenderedPage:
    browser = fresh(allowed=("127.0.0.0/8",), lookup=lambda _: ("127.0.0.1",), ca_file=ca_file)
    where = f"{host}:{server.port}"
    return browser.render(request(f"<body>{SCRIPT % where}", url=f"https://{where}/page"))


@pytest.mark.parametrize(
    ("host", "ca_file", "shown"),
    [("shop.example", CA_FILE, "hello"), ("shop.example", None, "refused"), ("other.example", CA_FILE, "refused")],
    ids=["trusted", "of no known authority", "for another name"],
)
def test_a_page_loads_from_hosts_that_a_companys_authority_certifies(
    host: str, ca_file: str | None, shown: str, fresh: Open
) -> None:
    with serving(respond, tls=True) as server:
        assert f">{shown}</a>" in rendered(fresh, server, host, ca_file).html
    assert bool(server.requests) is (shown == "hello")


def test_a_browser_without_nss_starts_and_says_why_it_trusts_less(
    fresh: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("wavecrawl.adapters.browser.trusted_authorities._MODULE", "wavecrawl.no_such_module")
    with serving(respond, tls=True) as server:
        assert ">refused</a>" in rendered(fresh, server, "shop.example", CA_FILE).html
    assert f"Chromium does not trust the authorities of {CA_FILE}" in caplog.text


def test_a_file_that_is_gone_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    trust_authorities(tmp_path, "/gone.pem")
    assert "Chromium does not trust the authorities of /gone.pem: No such file or directory" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_certificate_that_nss_cannot_read_is_a_reason(tmp_path: Path) -> None:
    executable()  # NSS comes with Chromium
    assert _written(tmp_path / "db", [b"nothing"]) == "NSS cannot read certificate 0"


def test_public_authorities_and_other_files_of_a_folder_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("no certificate", encoding="ascii")
    (tmp_path / "own.pem").write_bytes(Path(CA_FILE).read_bytes())
    (tmp_path / "all.pem").write_bytes(Path(DEFAULT_CA_BUNDLE_PATH).read_bytes() + Path(CA_FILE).read_bytes())
    own = further_certificates(CA_FILE)
    assert len(own) == 1
    assert further_certificates(str(tmp_path)) == own
    assert further_certificates(DEFAULT_CA_BUNDLE_PATH) == []
