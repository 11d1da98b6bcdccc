"""A crawl with the credentials of a site: what requests carry them, and that nothing stores them."""

import gzip
import io
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pytest
from tests.adapters.http.loopback import Peer, Server, Talk, page, serving
from tests.support.serving import Served, served

import wavecrawl

KEY, SESSION, USER, PASSWORD = "k3y+not/real==", "s3ss1on-not-real", "crawler", "p4ss w\u00f6rd?not-real"
SECRETS = (KEY, SESSION, PASSWORD)
BASIC = b64encode(f"{USER}:{PASSWORD}".encode()).decode()
GIVEN = {
    "headers": {"X-Key": KEY},
    "cookies": {"session": SESSION},
    "basic_auth": {"username": USER, "password": PASSWORD},
}
EXPECTED = {f"X-Key: {KEY}", f"Cookie: session={SESSION}", f"Authorization: Basic {BASIC}"}
PICTURE = b"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01\x00;"
HTML = "Content-Type: text/html; charset=utf-8"


def forms(secret: str) -> Iterator[bytes]:
    """Yield the secret as it is, URL-encoded, and in base64 at each position within a text."""
    raw = secret.encode()
    yield from (raw, quote(secret).encode(), quote(secret, safe="").encode(), repr(secret)[1:-1].encode())
    for before in range(3):
        cut = b64encode(b"x" * before + raw).decode()
        yield cut[4 if before else 0 : -4].encode()


def contents(name: str, data: bytes) -> Iterator[bytes]:
    """Yield the bytes of a file, and what it packs."""
    yield data
    if name.endswith(".gz"):
        with suppress(EOFError):  # a file to which nothing was written
            yield gzip.decompress(data)
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for member in packed.namelist():
                yield from contents(member, packed.read(member))


def leaks(root: Path) -> list[str]:
    """Return the files below a folder that contain a form of a secret; Parquet files as their values."""
    found = []
    for path in sorted(root.rglob("*")):
        if not path.is_file() or path.is_relative_to(root / "credentials"):
            continue
        parts = list(contents(path.name, path.read_bytes()))
        if path.suffix == ".parquet":
            parts.append(
                str(duckdb.connect().execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()).encode()
            )
        if leaked(*parts):
            found.append(str(path.relative_to(root)))
    return found


def leaked(*parts: bytes) -> bool:
    return any(form in part for part in parts for secret in SECRETS for form in forms(secret))


def site_of(other: str) -> Talk:
    pages = {
        "/": '<title>Members</title><a href="/a">A</a><a href="/away">away</a><a href="/session">session</a>'
        f'<img src="/own.gif"><img src="/moved.gif"><img src="{other}/theirs.gif"><a href="{other}/page">other</a>',
        "/a": "<title>A</title><p>Members only.",
        "/listed": "<title>Listed</title>",
        "/done": "<title>Done</title>",
    }
    files = {
        "/robots.txt": page(b"User-agent: *\nSitemap: /sitemap.xml\n", "Content-Type: text/plain"),
        "/away": page(b"", f"Location: {other}/target", status="302 Found"),
        "/session": page(b"", "Location: /session?", "Set-Cookie: session=renewed-by-site", status="302 Found"),
        "/session?": page(b"<title>Session</title>", HTML),
        "/moved.gif": page(b"", f"Location: {other}/moved.gif", status="302 Found"),
        "/own.gif": page(PICTURE, "Content-Type: image/gif"),
    }

    def talk(peer: Peer) -> None:
        while head := peer.request().decode():
            path = head.split(" ")[1]
            if path != "/robots.txt" and not any(
                f"Authorization: Basic {BASIC}" in line for line in head.split("\r\n")
            ):
                peer.say(page(b"<title>Sign in</title>", HTML, "WWW-Authenticate: Basic", status="401 Unauthorized"))
            elif path == "/sitemap.xml":
                listed = f"<urlset><url><loc>http://127.0.0.1:{peer.server.port}/listed</loc></url></urlset>"
                peer.say(page(listed.encode(), "Content-Type: application/xml"))
            elif path in pages:
                peer.say(page(pages[path].encode(), HTML))
            else:
                peer.say(files.get(path, page(b"", status="404 Not Found")))

    return talk


def other_site(peer: Peer) -> None:
    while peer.request():
        peer.say(page(PICTURE, "Content-Type: image/gif"))


def authenticated(server: Server) -> dict[str, bool]:
    """Return whether the last request for each path had all credentials; fail if one had some of them."""
    found = {}
    for head in map(bytes.decode, server.requests):
        path, lines = head.split(" ")[1], set(head.split("\r\n"))
        basics = {f"X-Key: {KEY}", f"Authorization: Basic {BASIC}"}
        assert basics <= lines or not leaked(head.encode()), head
        found[path] = basics <= lines
    return found


def test_the_credentials_reach_the_site_and_are_stored_nowhere(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(other_site) as other, serving(site_of(other.url)) as site:
        with served(tmp_path) as service:
            said = sign_in_and_crawl(service, f"{site.url}/")
            mine = authenticated(site)
            assert {line for head in site.requests for line in head.decode().split("\r\n")} >= EXPECTED
            site.requests.clear()
            crawl_as_another(service, f"{site.url}/")
            theirs = authenticated(site)
        printed = capfd.readouterr()
    assert {path for path, had in mine.items() if had} >= {"/", "/a", "/away", "/listed", "/sitemap.xml", "/own.gif"}
    assert mine["/robots.txt"] is False
    assert {head.decode().split(" ")[1] for head in other.requests} >= {"/theirs.gif", "/moved.gif"}
    assert [head for head in other.requests if leaked(head) or BASIC.encode() in head] == []
    assert set(theirs.values()) == {False}
    assert [text for text in (*said, printed.out, printed.err) if leaked(text.encode())] == []
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} >= {".sqlite", ".gz", ".parquet", ".wacz"}
    assert leaked((tmp_path / "credentials").rglob("*.json").__next__().read_bytes()), "the search finds a secret"
    assert leaks(tmp_path) == []


def test_the_library_sends_credentials_and_saves_them_for_later_crawls(tmp_path: Path) -> None:
    def crawl(**given: Any) -> dict[str, bool]:
        settings: dict[str, Any] = {"max_pages": 2, "polite": {"interval": 0.0}, "knowledge": {"enabled": False}}
        titles = {
            page.title for page in wavecrawl.iter_crawl(f"{site.url}/", data=tmp_path, workers=1, **given, **settings)
        }
        assert titles == {"Members", "A"}
        requested = authenticated(site)
        assert {line for head in site.requests for line in head.decode().split("\r\n")} >= EXPECTED
        site.requests.clear()
        return requested

    with serving(other_site) as other, serving(site_of(other.url)) as site:
        first = crawl(**{**GIVEN, "basic_auth": (USER, PASSWORD)})
        assert crawl().items() <= first.items()  # robots.txt is known now
    assert leaks(tmp_path) == []


def sign_in_and_crawl(service: Served, url: str) -> list[str]:
    """Save a site with credentials, crawl it, and return everything that the API says about it."""
    settings = {"media": {"include": ["images"]}, "polite": {"interval": 0.0}, "render": {"mode": "never"}}
    settings["files_at_once"] = ["wacz", "graph", "llms", "compact_edges"]
    site = service.ask("POST", "/v1/sites", {"url": url, "settings": settings}).json()["site"]
    path = f"/v1/sites/{site}/credentials"
    none = {"headers": [], "cookies": [], "basic_auth": False, "client_certificate": False}
    assert service.ask("GET", path).json() == none
    names = {"headers": ["X-Key"], "cookies": ["session"], "basic_auth": True, "client_certificate": False}
    put = service.ask("PUT", path, GIVEN)
    assert (put.status_code, put.json(), service.ask("GET", path).json()) == (200, names, names)
    crawl = service.ask("POST", f"/v1/sites/{site}/crawls").json()["crawl"]
    assert service.wait_for(crawl)["status"] == "completed"
    pages = service.ask("GET", f"/v1/crawls/{crawl}/pages?limit=100")
    titles = {one["title"] for one in pages.json()["pages"]}
    assert {"Members", "A", "Listed"} <= titles
    bad = service.ask("PUT", path, {"headers": {"Host": KEY, f"{SESSION} x": KEY, "X-Bad": f"{KEY}\n"}})
    assert bad.status_code == 400
    wrong = service.ask("PUT", path, {"headers": {"X-Key": [KEY]}, "cookies": KEY})
    assert wrong.status_code == 400
    key = pages.json()["pages"][0]["key"]
    paths = (
        f"/v1/sites/{site}",
        "/v1/sites",
        f"/v1/crawls/{crawl}",
        f"/v1/crawls/{crawl}/urls",
        f"/v1/crawls/{crawl}/pages/{key}",
        f"/v1/crawls/{crawl}/pages/{key}/content",
        f"/v1/crawls/{crawl}/pages/{key}/response",
        f"/v1/crawls/{crawl}/statistics",
        f"/v1/crawls/{crawl}/media",
        f"/v1/crawls/{crawl}/exports",
    )
    return [put.text, pages.text, bad.text, wrong.text, *(service.ask("GET", one).text for one in paths)]


def crawl_as_another(service: Served, url: str) -> None:
    """Crawl the same URL as another tenant."""
    service.ask("POST", "/v1/admin/tenants", {"tenant": "other", "plan": "pro"})
    key = service.ask("POST", "/v1/admin/tenants/other/keys", {"name": "k", "role": "tenant"}).json()["secret"]
    theirs = {"authorization": f"Bearer {key}"}
    body = {"url": url, "settings": {"polite": {"interval": 0.0}, "render": {"mode": "never"}}}
    started = service.ask("POST", "/v1/crawls", body, headers=theirs)
    assert started.status_code == 202, started.text
    Served(process=service.process, url=service.url, key=key, dashboard="").wait_for(started.json()["crawl"])
