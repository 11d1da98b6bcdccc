"""robots.txt and sitemaps of a generated site, in every form of https://www.sitemaps.org/protocol.html."""

import gzip
from html import escape

from wavecrawl.demo.model import ORIGIN, Site, SitemapEntry, SitemapFile, SitemapKind

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_PROTOCOL = "http://www.sitemaps.org/schemas/sitemap/0.9"
_TYPES = {
    SitemapKind.URLSET: "application/xml",
    SitemapKind.INDEX: "application/xml",
    SitemapKind.TEXT: "text/plain; charset=utf-8",
    SitemapKind.RSS: "application/rss+xml",
    SitemapKind.ATOM: "application/atom+xml",
}


def robots_text(site: Site, origin: str) -> str:
    """Return robots.txt, or "" if the site has none."""
    robots = site.robots
    sitemaps = [f"Sitemap: {origin}{file.path}" for file in site.sitemaps if file.in_robots]
    if robots is None:
        return "\n".join([*sitemaps, ""]) if sitemaps else ""
    lines = ["User-agent: *"]
    lines += [f"Allow: {prefix}" for prefix in robots.allow]
    lines += [f"Disallow: {prefix}" for prefix in robots.disallow or ("",)]
    if robots.crawl_delay:
        lines.append(f"Crawl-delay: {robots.crawl_delay}")
    return "\n".join([*lines, "", *robots.extra, "", *sitemaps, ""])


def sitemap_type(file: SitemapFile) -> str:
    """Return the Content-Type of a sitemap."""
    return "application/gzip" if file.gzip else _TYPES[file.kind]


def sitemap_body(file: SitemapFile, origin: str) -> bytes:
    """Return a sitemap as bytes."""
    text = _text(file).replace(ORIGIN, origin)
    return gzip.compress(text.encode(), mtime=0) if file.gzip else text.encode()


def _text(file: SitemapFile) -> str:
    if file.kind is SitemapKind.TEXT:
        return "".join(f"{_absolute(entry.to)}\n" for entry in file.read_entries)
    opening, closing, items = _parts(file)
    if file.readable is None:
        return f"{_XML}{opening}\n{''.join(items)}{closing}\n"
    # The file breaks off inside the next entry, before its address.
    return f"{_XML}{opening}\n{''.join(items)}{_BROKEN_OFF[file.kind]}"


_BROKEN_OFF = {
    SitemapKind.URLSET: "  <url>\n    <lastm",
    SitemapKind.INDEX: "  <sitemap>\n    <lastm",
    SitemapKind.RSS: "  <item>\n    <tit",
    SitemapKind.ATOM: "  <entry>\n    <tit",
}


def _parts(file: SitemapFile) -> tuple[str, str, list[str]]:
    entries = file.read_entries
    if file.kind is SitemapKind.INDEX:
        children = [f"  <sitemap><loc>{_address(path)}</loc></sitemap>\n" for path in file.children]
        return f'<sitemapindex xmlns="{_PROTOCOL}">', "</sitemapindex>", children
    if file.kind is SitemapKind.RSS:
        opening = f'<rss version="2.0"><channel><title>News</title><link>{ORIGIN}/</link>'
        return opening, "</channel></rss>", [_rss_item(entry) for entry in entries]
    if file.kind is SitemapKind.ATOM:
        opening = f'<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><link href="{ORIGIN}/"/>'
        return opening, "</feed>", [_atom_entry(entry) for entry in entries]
    return f'<urlset xmlns="{_PROTOCOL}">', "</urlset>", [_url(entry) for entry in entries]


def _url(entry: SitemapEntry) -> str:
    fields = (
        ("loc", _address(entry.to)),
        ("lastmod", entry.lastmod),
        ("changefreq", entry.changefreq),
        ("priority", entry.priority),
    )
    return "  <url>" + "".join(f"<{name}>{value}</{name}>" for name, value in fields if value) + "</url>\n"


def _rss_item(entry: SitemapEntry) -> str:
    return f"  <item><title>An entry</title><link>{_address(entry.to)}</link></item>\n"


def _atom_entry(entry: SitemapEntry) -> str:
    updated = f"<updated>{entry.lastmod}</updated>" if entry.lastmod else ""
    return f'  <entry><title>An entry</title>{updated}<link rel="alternate" href="{_address(entry.to)}"/></entry>\n'


def _address(to: str) -> str:
    return escape(_absolute(to))


def _absolute(to: str) -> str:
    return to if "://" in to else ORIGIN + to
