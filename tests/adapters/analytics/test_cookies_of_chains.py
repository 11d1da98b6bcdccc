"""Sites whose pages need a cookie that a redirect sets."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from urllib.parse import quote, unquote

import duckdb
import pytest
from tests.adapters.http.loopback import Peer, page, serving
from tests.support.crawling import QUICK, Done, crawl_inline, table

_PAGES = ("/", "/a", "/b", "/c")
_LINKS = b"".join(b"<a href=%s>x</a>" % name.encode() for name in _PAGES)
Answer = Callable[[str, str], bytes]


class _Site:
    """A server that asks for a cookie. It notes its requests as (path, Cookie)."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[tuple[str, str]] = []
        self._answer = answer

    def __call__(self, peer: Peer) -> None:
        while head := peer.request():
            lines = head.decode().split("\r\n")
            path = lines[0].split(" ")[1]
            cookie = next((line[8:] for line in lines if line.lower().startswith("cookie: ")), "")
            if path.startswith(("/robots", "/sitemap")):
                peer.say(page(b"", status="404 Not Found"))
                continue
            answer = self._answer(path, cookie)
            self.requests.append((path, cookie))
            peer.say(answer.split(b"\r\n\r\n")[0] + b"\r\n\r\n" if lines[0].startswith("HEAD ") else answer)


def _moved(to: str, *headers: str) -> bytes:
    return page(b"", f"Location: {to}", *headers, status="302 Found")


def _shown(path: str) -> bytes:
    return page(f"<title>{path}</title>".encode() + _LINKS, "Content-Type: text/html")


def _consent(path: str, cookie: str) -> bytes:
    """Send each visitor without a cookie through a page that sets it."""
    if path.startswith("/consent"):
        return _moved(unquote(path.partition("back=")[2]), "Set-Cookie: ok=1; Path=/")
    return _shown(path) if "ok=1" in cookie else _moved(f"/consent?back={quote(path, safe='')}")


def _two_walls(path: str, cookie: str) -> bytes:
    """Ask for a session, then for consent, each set by a page of its own."""
    back = unquote(path.partition("back=")[2])
    if path.startswith("/session"):
        return _moved(f"/consent?back={quote(back, safe='')}", "Set-Cookie: session=2; Path=/")
    if path.startswith("/consent"):
        return _moved(back, "Set-Cookie: ok=1; Path=/")
    if "session=2" in cookie and "ok=1" in cookie:
        return _shown(path)
    return _moved(f"/session?back={quote(path, safe='')}")


def _never(path: str, cookie: str) -> bytes:
    """Send each visitor to and fro, whatever the cookies."""
    del cookie
    if path.startswith("/consent"):
        return _moved(unquote(path.partition("back=")[2]), "Set-Cookie: seen=secret-value; Path=/")
    return _moved(f"/consent?back={quote(path, safe='')}")


def _crawl(answer: Answer, folder: Path, *, seed: int = 0, duplicates: float = 0.0) -> tuple[Done, _Site, str]:
    site = _Site(answer)
    with serving(site) as server:
        done = crawl_inline(f"{server.url}/", folder, QUICK, rng=Random(seed), duplicates=duplicates)
    return done, site, server.url


@pytest.mark.parametrize("answer", [_consent, _two_walls])
def test_the_pages_behind_a_cookie_are_read(answer: Answer, tmp_path: Path) -> None:
    done, _, origin = _crawl(answer, tmp_path)
    read = {line["url"].removeprefix(origin): line["title"] for line in done.pages() if line["state"] == "fetched"}
    assert read == {path: path for path in _PAGES}
    ledger = {row["url"]: (row["state"], row["reason"]) for row in done.ledger()}
    assert [ledger[origin + path] for path in _PAGES] == [("fetched", "")] * 4
    assert done.summary.pages == 4
    loops = [row for row in table(done.exports / "issues.csv") if row["kind"] == "redirect_loop"]
    assert loops == []


def test_the_crawl_is_the_same_in_any_order_of_its_messages(tmp_path: Path) -> None:
    seen = []
    for seed in range(3):
        done, _, origin = _crawl(_consent, tmp_path / str(seed), seed=seed, duplicates=0.3)
        seen.append(
            [(row["url"].removeprefix(origin), row["state"], row["depth"], row["tries"]) for row in done.ledger()]
        )
    assert seen[0] == seen[1] == seen[2]


def test_a_site_that_never_has_enough_cookies_ends_and_says_so(tmp_path: Path) -> None:
    done, site, origin = _crawl(_never, tmp_path)
    rows = {row["url"].removeprefix(origin): row for row in done.ledger()}
    assert {row["state"] for row in rows.values()} == {"redirected"}
    root = rows["/"]
    assert root["reason"] == "redirect_loop"
    assert "cookies that it sets: seen" in root["detail"]
    assert "--cookie" in root["detail"]
    fetched = [path for path, _ in site.requests].count("/")
    assert fetched <= 2 + QUICK.max_redirects  # twice by the crawl; the rest to find the root


def test_a_site_that_sets_its_cookies_on_a_host_out_of_scope_says_so(tmp_path: Path) -> None:
    origins: list[str] = []

    def answer(path: str, cookie: str) -> bytes:
        here, other = origins[0], origins[0].replace("127.0.0.1", "localhost")
        if path == "/consent":
            return _moved(f"{here}/", "Set-Cookie: there=1; Path=/")
        return _shown(path) if "here=1" in cookie else _moved(f"{other}/consent", "Set-Cookie: here=1; Path=/")

    with serving(_Site(answer)) as server:
        origins.append(server.url)
        done = crawl_inline(f"{server.url}/", tmp_path, QUICK)
    (message,) = (one.message for one in done.summary.notices if one.subject == f"{server.url}/")
    target = server.url.replace("127.0.0.1", "localhost")
    assert f"the start URL redirects to {target}/consent, which is out of scope; the site may need cookies" in message
    assert "--scope subdomains" in message
    assert "--cookie" in message


def test_the_values_of_cookies_are_in_no_result(tmp_path: Path) -> None:
    done, _, _ = _crawl(_never, tmp_path)
    records = b"".join(gzip.decompress(path.read_bytes()) for path in (done.folder / "records").rglob("*.gz"))
    assert b"secret-value" in records  # the crawl itself needs them
    assert "secret-value" not in json.dumps(done.pages()) + json.dumps(done.ledger())
    files = [path for path in done.exports.rglob("*") if path.suffix in (".csv", ".json", ".html", ".xml")]
    assert files
    assert [path.name for path in files if b"secret-value" in path.read_bytes()] == []
    (parts,) = (
        duckdb.connect()
        .execute(
            "SELECT count(*) FROM read_parquet(?) p WHERE p::VARCHAR LIKE '%secret-value%'",
            [[str(path) for path in (tmp_path / "tables" / "pages").rglob("*.parquet")]],
        )
        .fetchall()
    )
    assert parts == (0,)
