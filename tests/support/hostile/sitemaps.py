"""Sitemap files, the number of URLs that are read, and the beginning of the notice about the file."""

import gzip
from dataclasses import dataclass

from tests.adapters.http.loopback import Talk, once, page
from tests.support.hostile.behaviour import OK, redirects, sends
from tests.support.hostile.transport import drip, floods

OPEN = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
CLOSE = b"</urlset>"
INDEX = b'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapBehaviour:
    """What a server sends for a sitemap, how many of its URLs are listed, and words of a notice ("" = none)."""

    name: str
    talk: Talk
    urls: int = 0
    notice: str = ""
    slow: bool = False


def _file(name: str, body: bytes, urls: int, notice: str = "") -> SitemapBehaviour:
    return SitemapBehaviour(name=name, talk=sends(body, "Content-Type: application/xml"), urls=urls, notice=notice)


def _urls(count: int) -> bytes:
    return b"".join(b"<url><loc>/page-%d</loc></url>" % number for number in range(count))


def _index(*locs: str) -> bytes:
    return INDEX + "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs).encode() + b"</sitemapindex>"


LAUGHS = (
    b'<!DOCTYPE urlset [<!ENTITY a "ha">'
    + b"".join(
        b'<!ENTITY %c "&%c;&%c;&%c;&%c;&%c;&%c;&%c;&%c;">' % (letter + 1, *[letter] * 8) for letter in range(97, 107)
    )
    + b"]>"
)
SITEMAPS = (
    _file("has more URLs than allowed", OPEN + _urls(300) + CLOSE, 100, "cut after 100 URLs"),
    _file("repeats one URL 3,000 times", OPEN + b"<url><loc>/a</loc></url>" * 3_000 + CLOSE, 1, "cut after 100 URLs"),
    _file("is larger than allowed", OPEN + _urls(2) + b" " * 400_000 + CLOSE, 2, "cut after 300,000 bytes"),
    SitemapBehaviour(
        name="is a bomb",
        talk=sends(gzip.compress(OPEN + _urls(2) + b" " * 9_000_000 + CLOSE), "Content-Type: application/gzip"),
        urls=2,
        notice="cut after 300,000 bytes",
    ),
    SitemapBehaviour(
        name="is a bomb inside a bomb",
        talk=sends(gzip.compress(gzip.compress(OPEN + _urls(2) + b" " * 9_000_000))),
        urls=2,
        notice="gzip inside gzip",
    ),
    SitemapBehaviour(
        name="is gzip that breaks off",
        talk=sends(gzip.compress(OPEN + _urls(2) + CLOSE)[:-20]),
        notice="the gzip data is incomplete",
    ),
    _file(
        "is a feed whose links have a language",
        b'<feed xmlns="http://www.w3.org/2005/Atom">'
        + b"".join(b'<entry><link hreflang="en" href="/page-%d"/></entry>' % number for number in range(3))
        + b"</feed>",
        3,
    ),
    _file("laughs a billion times", LAUGHS + OPEN + _urls(1) + b"<url><loc>/&k;</loc></url>" + CLOSE, 1, "broken XML"),
    _file(
        "includes a file of the machine",
        b'<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + OPEN + b"<url><loc>/&x;</loc></url>" + CLOSE,
        1,
    ),
    _file(
        "includes a file of another host",
        b'<!DOCTYPE urlset SYSTEM "http://169.254.169.254/x.dtd">' + OPEN + _urls(1) + CLOSE,
        1,
    ),
    _file(
        "has parameters that are entities",
        b'<!DOCTYPE urlset [<!ENTITY % x SYSTEM "http://169.254.169.254/x">%x;]>' + OPEN + _urls(1) + CLOSE,
        1,
    ),
    _file(
        "includes by XInclude",
        OPEN
        + b'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>'
        + _urls(1)
        + CLOSE,
        1,
    ),
    _file("nests 20,000 elements", OPEN + _urls(1) + b"<x>" * 20_000, 1, "broken XML"),
    _file("nests 5,000 entries", OPEN + b"<url>" * 5_000, 0, "broken XML"),
    _file(
        "has an entry of 60,000 elements",
        OPEN + _urls(1) + b"<url>" + b"<x/>" * 60_000 + b"</url>" + CLOSE,
        1,
        "more than 50,000 elements",
    ),
    _file(
        "has an element with 10,000 attributes",
        OPEN + b"<url " + b" ".join(b"a%d='1'" % n for n in range(10_000)) + b"><loc>/a</loc></url>" + CLOSE,
        1,
    ),
    _file("has a URL of 100,000 characters", OPEN + b"<url><loc>/" + b"a" * 100_000 + b"</loc></url>" + CLOSE, 1),
    _file(
        "lists URLs of other sites",
        OPEN + b"<url><loc>http://evil.example/</loc></url><url><loc>http://169.254.169.254/</loc></url>" + CLOSE,
        2,
    ),
    _file(
        "lists what is no URL",
        OPEN + b"<url><loc>javascript:alert(1)</loc></url><url><loc>file:///etc/passwd</loc></url>" + CLOSE,
        0,
        "not a URL",
    ),
    _file("has 5,000 entries without a URL", OPEN + b"<url/>" * 5_000 + CLOSE, 0, "an entry without a URL"),
    _file(
        "has dates that are none",
        OPEN + b"<url><loc>/a</loc><lastmod>99999-99-99</lastmod></url>" + CLOSE,
        1,
        "lastmod is not a date",
    ),
    _file("has an absurd priority", OPEN + b"<url><loc>/a</loc><priority>1e999</priority></url>" + CLOSE, 1),
    _file("has a byte that is no UTF-8", OPEN + b"<url><loc>/\xff</loc></url>" + CLOSE, 1, "not UTF-8"),
    _file(
        "says an encoding that does not exist",
        b'<?xml version="1.0" encoding="klingon"?>' + OPEN + _urls(1) + CLOSE,
        1,
        "declared as klingon",
    ),
    _file("has 10,000 comments", OPEN + b"<!-- x -->" * 10_000 + _urls(1) + CLOSE, 1),
    _file("is HTML", b"<!DOCTYPE html><title>x</title>" + b"<p>" * 10_000, 0, "neither a sitemap nor a feed"),
    _file("is noise", bytes(range(256)) * 500, 0, "lines are not URLs"),
    _file("is empty", b"", 0, "the file is empty"),
    _file("is a text of 10,000 lines", b"http://evil.example/\n" * 10_000, 1, "cut after 100 URLs"),
    _file("is a text without line ends", b"x" * 200_000, 0, "1 line is not a URL"),
    _file("is an index of itself", _index("/s"), 0),
    _file("is an index of 3,000 files", _index(*("/missing" for _ in range(3_000))), 0, "cut after 100 URLs"),
    _file(
        "is an index of files of the machine",
        _index("file:///etc/passwd", "http://169.254.169.254/x.xml"),
        0,
        "not a URL",
    ),
    SitemapBehaviour(name="redirects to itself", talk=redirects("?"), notice="too many redirects"),
    SitemapBehaviour(
        name="redirects to the metadata of a cloud", talk=redirects("http://169.254.169.254/x.xml"), notice="not read"
    ),
    SitemapBehaviour(name="drips", talk=once(OK + b"\r\n", then=drip()), notice="not read", slow=True),
    SitemapBehaviour(name="never stops", talk=floods, notice="not read"),
    SitemapBehaviour(name="speaks another protocol", talk=once(b"220 ftp ready\r\n"), notice="not read"),
    SitemapBehaviour(
        name="breaks off",
        talk=once(OK + b"Content-Length: 9999\r\n\r\n" + OPEN + _urls(3)),
        urls=3,
        notice="read in part",
    ),
    SitemapBehaviour(
        name="announces a coding that does not exist",
        talk=once(page(OPEN + _urls(1) + CLOSE, "Content-Encoding: rot13")),
        urls=1,
    ),
)
