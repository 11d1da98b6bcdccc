"""Pages that arrive in part, links that no browser can open, and redirects to no URL: what the results say of them."""

import pytest
from tests.adapters.http.loopback import Peer, Server, page, serving
from tests.support.crawling import QUICK, Done, crawl_inline, table

_HTML = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "1"\r\n'
_LINKS = b'<a href="https://">no host</a><a href="http://a b/">space</a><a href="//c:x/">port</a><a href="/part">x</a>'
_PARTS = {
    "/part": _HTML + b"Content-Length: 999\r\n\r\n<title>Part</title><p>words <a href=/behind>on</a>",
    "/chunks": _HTML + b"Transfer-Encoding: chunked\r\n\r\n1a\r\n<title>Part</title><a href=",
}


class _Site:
    """A server of responses by path. Those of `_PARTS` end before they are whole."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def __call__(self, peer: Peer) -> None:
        while request := peer.request():
            path = request.split(b" ", 2)[1].decode()
            self.paths.append(path)
            if path in _PARTS:
                peer.say(_PARTS[path])
                return
            peer.say(self._whole(path))

    @staticmethod
    def _whole(path: str) -> bytes:
        if path == "/moved":
            return page(b"", "Location: https://", status="302 Found")
        if path == "/choice":
            return page(b"<title>Choose</title><a href=/chosen>x</a>", "Content-Type: text/html", status="300 Choices")
        if path == "/":
            links = b"".join(b"<a href=%s>x</a>" % name for name in (b"/chunks", b"/moved", b"/choice"))
            return page(b"<title>Root</title>" + _LINKS + links, "Content-Type: text/html")
        found = "404 Not Found" if path.startswith(("/robots", "/sitemap")) else "200 OK"
        return page(b"<title>Page</title>", "Content-Type: text/html", status=found)


@pytest.fixture(name="crawled", scope="module")
def _crawled(tmp_path_factory: pytest.TempPathFactory) -> "tuple[Done, _Site, Server]":
    site = _Site()
    with serving(site) as server:
        done = crawl_inline(f"{server.url}/", tmp_path_factory.mktemp("parts"), QUICK)
    return done, site, server


def _issues(done: Done, kind: str) -> set[tuple[str, str, str]]:
    rows = table(done.exports / "issues.csv")
    return {(row["url"], row["related"], row["detail"]) for row in rows if row["kind"] == kind}


def test_the_part_that_arrived_is_a_page(crawled: tuple[Done, _Site, Server]) -> None:
    done, site, server = crawled
    pages = {line["url"]: line for line in done.pages()}
    part = pages[f"{server.url}/part"]
    assert (part["state"], part["title"], part["truncated"], part["truncated_reason"]) == (
        "fetched", "Part", True, "disconnect",
    )  # fmt: skip
    assert (part["etag"], part["tries"]) == ("", 1)
    assert pages[f"{server.url}/behind"]["truncated_reason"] == ""
    assert site.paths.count("/part") == 2


def test_a_page_in_part_is_an_issue_and_no_broken_link(crawled: tuple[Done, _Site, Server]) -> None:
    done, _, server = crawled
    incomplete = _issues(done, "incomplete_page")
    assert {url for url, _, _ in incomplete} == {f"{server.url}/part", f"{server.url}/chunks"}
    assert {detail for _, _, detail in incomplete} >= {"the server closed the connection after 50 bytes"}
    assert _issues(done, "broken_link") == set()
    assert _issues(done, "page_too_large") == set()


def test_a_link_that_no_browser_can_open_is_an_issue_an_edge_and_a_row_of_the_ledger(
    crawled: tuple[Done, _Site, Server],
) -> None:
    done, _, server = crawled
    root = f"{server.url}/"
    assert _issues(done, "invalid_link") == {
        (root, "https://", 'no valid host or port, link text "no host"'),
        (root, "http://a%20b/", 'no valid host or port, link text "space"'),
        (root, "http://c:x/", 'no valid host or port, link text "port"'),
    }
    targets = {target for source, target, _, reason in done.edges() if source == root and reason == "invalid_url"}
    assert targets == {"https://", "http://a%20b/", "http://c:x/"}
    ledger = {row["url"]: (row["state"], row["reason"]) for row in done.ledger()}
    assert {ledger[target] for target in targets} == {("skipped", "invalid_url")}


def test_a_redirect_to_no_url_is_an_issue(crawled: tuple[Done, _Site, Server]) -> None:
    done, _, server = crawled
    assert _issues(done, "invalid_redirect") == {(f"{server.url}/moved", "", "HTTP 302 Found, to https://")}


def test_a_choice_without_a_redirect_is_a_page(crawled: tuple[Done, _Site, Server]) -> None:
    done, site, server = crawled
    pages = {line["url"]: line for line in done.pages()}
    assert (pages[f"{server.url}/choice"]["state"], pages[f"{server.url}/choice"]["title"]) == ("fetched", "Choose")
    assert "/chosen" in site.paths
