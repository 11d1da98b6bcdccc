"""The sitemap writer: protocol 0.9 of sitemaps.org, split into several files if necessary."""

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

import msgspec

MAX_URLS = 50_000
"""Maximum URLs per file (limit of the protocol)."""

MAX_BYTES = 50 * 1024 * 1024
"""Maximum bytes per file before compression (limit of the protocol)."""

_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_NAMESPACE}">\n'.encode()
_TAIL = b"</urlset>\n"


class SitemapUrl(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a sitemap."""

    loc: str  # absolute URL
    lastmod: str  # W3C date or date and time; "" = not known
    depth: int  # links from the root


class SitemapFile(msgspec.Struct, frozen=True, kw_only=True):
    """One sitemap file."""

    name: str
    content: bytes


def write_sitemaps(
    urls: Iterable[SitemapUrl], *, base: str, max_urls: int = MAX_URLS, max_bytes: int = MAX_BYTES
) -> Iterator[SitemapFile]:
    """Yield `sitemap.xml`, or `sitemap-1.xml`, `sitemap-2.xml` ... and `sitemap.xml` as their index.

    `base` is the absolute URL of the folder for the files, with a trailing slash.
    """
    count = 0
    held: SitemapFile | None = None
    for content in _contents(urls, max_urls, max_bytes):
        if held is not None:
            yield held
        count += 1
        held = SitemapFile(name=f"sitemap-{count}.xml", content=content)
    if held is None or count == 1:
        yield SitemapFile(name="sitemap.xml", content=held.content if held else _HEAD + _TAIL)
        return
    yield held
    yield SitemapFile(name="sitemap.xml", content=_index(base, count))


def priority(depth: int) -> float:
    """Return the priority of a page: 1.0 at the root, 0.1 less per level, at least 0.1."""
    return max(0.1, round(1.0 - 0.1 * depth, 1))


def _contents(urls: Iterable[SitemapUrl], max_urls: int, max_bytes: int) -> Iterator[bytes]:
    lines: list[bytes] = []
    size = len(_HEAD) + len(_TAIL)
    for url in urls:
        line = _line(url)
        if lines and (len(lines) >= max_urls or size + len(line) > max_bytes):
            yield _HEAD + b"".join(lines) + _TAIL
            lines, size = [], len(_HEAD) + len(_TAIL)
        lines.append(line)
        size += len(line)
    if lines:
        yield _HEAD + b"".join(lines) + _TAIL


def _line(url: SitemapUrl) -> bytes:
    lastmod = f"<lastmod>{escape(url.lastmod)}</lastmod>" if url.lastmod else ""
    line = f"<url><loc>{escape(url.loc)}</loc>{lastmod}<priority>{priority(url.depth):.1f}</priority></url>\n"
    return line.encode()


def _index(base: str, count: int) -> bytes:
    rows = "".join(
        f"<sitemap><loc>{escape(base)}sitemap-{number}.xml</loc></sitemap>\n" for number in range(1, count + 1)
    )
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{_NAMESPACE}">\n'
    return f"{head}{rows}</sitemapindex>\n".encode()
