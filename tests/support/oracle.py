"""An independent crawler: urllib and lxml, one page after the other, without any code of wavecrawl.

It supports what the documentation sites need: same origin, links of every kind, redirects, no robots.txt.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection
from urllib.parse import parse_qsl, quote, urldefrag, urljoin, urlsplit, urlunsplit

import lxml.html
from tests.support.patience import HANG

_RELS = {"canonical", "alternate", "next", "prev"}
_NOT_PAGES = {
    "png", "jpg", "jpeg", "gif", "svg", "ico", "css", "js", "zip", "gz", "bz2", "xz", "tar", "exe", "mp3", "mp4",
    "docx", "xlsx", "deb", "whl", "woff", "woff2",
}  # fmt: skip
_REDIRECTS = (301, 302, 303, 307, 308)
_SAFE = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"<>^`{|}')


@dataclass(slots=True)
class Found:
    """The result. URLs are normalised: no fragment, no trailing slash except the root's."""

    fetched: dict[str, int] = field(default_factory=dict)  # depth by URL with status 2xx
    missing: dict[str, int] = field(default_factory=dict)  # depth by URL with any other status
    parents: dict[str, str | None] = field(default_factory=dict)
    edges: set[tuple[str, str]] = field(default_factory=set)


def identity(url: str) -> str:
    """Return the normalised URL."""
    parts = urlsplit(urldefrag(url).url)
    path = quote(parts.path, safe=_SAFE + "%") or "/"
    query = "&".join(sorted(part for part in parts.query.split("&") if part))
    return urlunsplit((parts.scheme, parts.netloc.lower(), path.rstrip("/") or "/", query, ""))


def walk(root: str) -> Found:
    """Walk a site breadth first."""
    site = urlsplit(root)
    found = Found()
    start = identity(root)
    found.parents[start] = None
    queue = deque([(start, urldefrag(root).url, 0)])
    connection = HTTPConnection(site.hostname or "", site.port or 80, timeout=HANG)
    while queue:
        name, url, depth = queue.popleft()
        status, kind, body, final = _get(connection, url)
        if not 200 <= status < 300:
            found.missing[name] = depth
            continue
        found.fetched[name] = depth
        if kind != "text/html":
            continue
        for target in dict.fromkeys(_links(body, final)):
            there = identity(target)
            if urlsplit(target).netloc != site.netloc or _is_asset(there):
                continue
            if there != name:
                found.edges.add((name, there))
            if there not in found.parents:
                found.parents[there] = name
                queue.append((there, urldefrag(target).url, depth + 1))
    connection.close()
    return found


def _get(connection: HTTPConnection, url: str) -> tuple[int, str, bytes, str]:
    """Return status, type, body and address of the response. Redirects to the same page are followed."""
    for _ in range(5):
        parts = urlsplit(url)
        path = quote(parts.path, safe=_SAFE + "%") or "/"
        connection.request("GET", f"{path}?{parts.query}" if parts.query else path)
        answer = connection.getresponse()
        body = answer.read()
        location = answer.headers.get("Location")
        if answer.status in _REDIRECTS and location and identity(urljoin(url, location)) == identity(url):
            url = urljoin(url, location)
            continue
        return answer.status, (answer.headers.get("Content-Type") or "").partition(";")[0], body, url
    raise AssertionError(f"too many redirects at {url}")


def _links(body: bytes, url: str) -> Iterator[str]:
    """Yield the absolute target of every link in document order."""
    tree = lxml.html.document_fromstring(body or b"<html></html>")
    base = next((element.get("href") for element in tree.iter("base") if element.get("href")), None)
    place = urljoin(url, base) if base else url
    for element in tree.iter("a", "area", "iframe", "frame", "link"):
        if element.tag == "link" and not _RELS.intersection((element.get("rel") or "").lower().split()):
            continue
        if element.tag == "link" and "stylesheet" in (element.get("rel") or "").lower():
            continue
        href = element.get("src" if element.tag in ("iframe", "frame") else "href")
        if href is None:
            continue
        try:
            target = urljoin(place, href.strip())
        except ValueError:
            continue
        if target.startswith(("http://", "https://")):
            yield _without_tracking(target)


def _without_tracking(url: str) -> str:
    parts = urlsplit(url)
    if not any(name.startswith("utm_") for name, _ in parse_qsl(parts.query)):
        return url
    kept = "&".join(part for part in parts.query.split("&") if not part.startswith("utm_"))
    return urlunsplit((parts.scheme, parts.netloc, parts.path, kept, parts.fragment))


def _is_asset(url: str) -> bool:
    name = urlsplit(url).path.rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    return bool(stem) and ending.lower() in _NOT_PAGES
