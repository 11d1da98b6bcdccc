"""Invalid documents that sites serve, each with what is still read of it. None raises an exception."""

import gzip
import sys
from dataclasses import dataclass

import pytest

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, TransportFault
from wavecrawl.domain.fetching.outcome import classify
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.politeness.robots import MAX_BYTES, parse_robots
from wavecrawl.domain.sitemaps.parser import SitemapKind, parse_sitemap
from wavecrawl.domain.sitemaps.settings import SitemapSettings

BASE = "https://site.example/"


# pages


@dataclass(frozen=True, slots=True)
class Page:
    name: str
    html: bytes | str
    links: tuple[str, ...] = ()
    title: str = ""
    base: str = BASE


LINK = b"<a href='/x'>x</a>"


@pytest.mark.parametrize(
    "page",
    [
        Page("nothing", b""),
        Page("blanks", b" \r\n\t\f "),
        Page("NULs", b"\0" * 1_000),
        Page("every byte", bytes(range(256)) * 40),
        Page("a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0\xff" * 500),
        Page("a PDF", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj"),
        Page("JSON", b'{"href": "/x"}'),
        Page("100,000 divisions in one another", b"<div>" * 100_000 + LINK, ("/x",)),
        Page("100,000 letters in bold in one another", b"<b>" * 100_000 + LINK, ("/x",)),
        Page("100,000 tables in one another", b"<table><td>" * 100_000 + LINK, ("/x",)),
        Page("100,000 ends without a start", b"</div>" * 100_000 + LINK, ("/x",)),
        Page("a link that never ends", b"<a href='/x"),
        Page("a link whose text never ends", b"<a href='/x'>x", ("/x",)),
        Page("a comment that never ends", b"<!-- " + LINK),
        Page("a script that never ends", b"<script>" + LINK),
        Page("a title that never ends", b"<title>" + LINK, (), "<a href='/x'>x</a>"),
        Page("no tags in their place", b"<td><li><option>" + LINK, ("/x",)),
        Page("two pages in one", b"<html><body>" + LINK + b"</html><html><body><a href='/y'>y</a>", ("/x", "/y")),
        Page("half of a character", "<title>\ud800</title><a href='/\udfff'>x</a>", ("/?",), "?"),
        Page("a base that is no URL", b"<base href='http://['>" + LINK, ("/x",)),
        Page("a base that is a script", b"<base href='javascript:0'>" + LINK, ("/x",)),
        Page("a base elsewhere", b"<base href='//other.example/a/'>" + LINK, ("/x",), "", "https://other.example/a/"),
        Page(
            "JSON-LD in 100,000 lists",
            b"<script type='application/ld+json'>" + b"[" * 100_000 + b"</script>" + LINK,
            ("/x",),
        ),
        Page("JSON-LD that is none", b"<script type='application/ld+json'>{'@type': X}</script>" + LINK, ("/x",)),
        Page("a link in every way wrong", b"<a><a href><a href=''><a href='#'><a href='  /x  '>", ("/x",)),
    ],
    ids=lambda page: page.name,
)
def test_a_page_of(page: Page) -> None:
    found = extract(page.html, url=BASE)
    assert tuple(link.href for link in found.links) == page.links
    assert (found.facts.title, found.base_url) == (page.title, page.base)
    found.facts.text.encode()  # what is stored must be text
    assert sys.getrecursionlimit() == 1_000  # deep trees are handled without recursion


@dataclass(frozen=True, slots=True)
class Encoded:
    name: str
    content: bytes
    content_type: str
    encoding: str
    text: str


@pytest.mark.parametrize(
    "case",
    [
        Encoded("nothing", b"", "", "utf-8", ""),
        Encoded("an unknown name", "café".encode(), "text/html; charset=klingon", "utf-8", "café"),
        Encoded("no name", b"x", "text/html; charset=", "utf-8", "x"),
        Encoded("a name of a codec that is no charset", b"uryyb", "text/html; charset=rot13", "utf-8", "uryyb"),
        Encoded("UTF-7, which browsers refuse", b"+ADw-script", "text/html; charset=utf-7", "utf-8", "+ADw-script"),
        Encoded("UTF-8 cut in a character", b"caf\xc3", "text/html; charset=utf-8", "utf-8", "caf\ufffd"),
        Encoded("UTF-16 cut in a character", b"\xff\xfea\0b", "", "utf-16le", "a\ufffd"),
        Encoded("a mark against the header", b"\xef\xbb\xbf\xc3\xa9", "text/html; charset=latin1", "utf-8", "é"),
        Encoded("half a character of Shift JIS", b"\x82", 'text/html; charset="shift_jis"', "shift_jis", "\ufffd"),
        Encoded("bytes EUC-JP does not know", b"\xff\xffx", "text/html; charset=euc-jp", "euc-jp", "\ufffd\ufffdx"),
        Encoded(
            "UTF-16 in a declaration that is none",
            "<meta charset=utf-16><p>é".encode(),
            "",
            "utf-8",
            "<meta charset=utf-16><p>é",
        ),
        Encoded(
            "UTF-8 in the header, Windows in the page",
            b"<meta charset=windows-1251>\xcf\xf0\xe8\xe2\xe5\xf2",
            "text/html; charset=utf-8",
            "windows-1251",
            "<meta charset=windows-1251>Привет",
        ),
    ],
    ids=lambda case: case.name,
)
def test_a_charset_of(case: Encoded) -> None:
    found = decode_html(case.content, case.content_type)
    text = found.html if isinstance(found.html, str) else found.html.decode("utf-8", "replace")
    assert (found.encoding, text) == (case.encoding, case.text)


@pytest.mark.parametrize("label", ["utf-8", "utf-16le", "windows-1252", "gb18030", "big5", "iso-2022-jp", "koi8-r", ""])
def test_no_charset_chokes_on_any_bytes(label: str) -> None:
    for content in (bytes(range(256)) * 4, bytes(reversed(range(256))), b"\x1b$B\xff", b"\xff" * 99, b"\0"):
        found = decode_html(content, f"text/html; charset={label}")
        assert found.encoding
        assert extract(found.html, url=BASE).base_url == BASE


# sitemaps


@dataclass(frozen=True, slots=True)
class Sitemap:
    name: str
    body: bytes
    kind: SitemapKind
    paths: tuple[str, ...] = ()  # of the entries and child sitemaps, on the site
    problems: tuple[str, ...] = ()  # the start of each message
    truncated: bool = False


NS = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
END = b"</urlset>"
ONE, TWO, THREE = (b"<url><loc>https://site.example/%d</loc></url>" % number for number in (1, 2, 3))
GZIPPED = gzip.compress(NS + ONE + TWO + END)
LAUGHS = b'<!DOCTYPE urlset [<!ENTITY a "%s"><!ENTITY b "%s"><!ENTITY c "%s">]>' % (b"ha" * 9, b"&a;" * 9, b"&b;" * 9)
SECRET = b'<!DOCTYPE urlset [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
K = SitemapKind


@pytest.mark.parametrize(
    "case",
    [
        Sitemap("nothing", b"", K.UNKNOWN, (), ("the file is empty",)),
        Sitemap("blanks", b" \n\t", K.UNKNOWN, (), ("the file is empty",)),
        Sitemap("NULs", b"\0" * 99, K.UNKNOWN, (), ("the file is empty",)),
        Sitemap("every byte over 127", bytes(range(128, 256)), K.UNKNOWN, (), ("not UTF-8", "1 line is")),
        Sitemap("JSON", b'{"urls": ["https://site.example/"]}', K.UNKNOWN, (), ("1 line is not a URL",)),
        Sitemap("a page", b"<!DOCTYPE html><html><body>404</body></html>", K.UNKNOWN, (), ("neither a sitemap",)),
        Sitemap("another XML", b"<catalog>" + ONE + b"</catalog>", K.UNKNOWN, (), ("neither a sitemap",)),
        Sitemap("a sitemap that ends early", NS + ONE, K.URLSET, ("1",), ("broken XML: Premature end",)),
        Sitemap("one that ends inside a URL", NS + ONE + TWO[:-9], K.URLSET, ("1",), ("broken XML",)),
        Sitemap("two in one file", NS + ONE + END + NS + TWO + END, K.URLSET, ("1",), ("broken XML: Extra content",)),
        Sitemap("an entry of nothing", NS + b"<url/>" + ONE + END, K.URLSET, ("1",), ("an entry without a URL",)),
        Sitemap(
            "URLs that are none",
            NS + b"<url><loc>mailto:a@b</loc></url><url><loc>http://[</loc></url>" + ONE + END,
            K.URLSET,
            ("1",),
            ("not a URL: 'mailto:a@b'", "not a URL: 'http://['"),
        ),
        Sitemap(
            "values that are none",
            NS + ONE[:-6] + b"<lastmod>yesterday</lastmod><priority>9</priority><changefreq>often</changefreq></url>",
            K.URLSET,
            ("1",),
            ("lastmod is not a date: 'yesterday'", "broken XML"),
        ),
        Sitemap(
            "more URLs than allowed", NS + ONE + TWO + THREE + END, K.URLSET, ("1", "2"), ("cut after 2 URLs",), True
        ),
        Sitemap(
            "more bytes than allowed",
            NS + ONE + b" " * 9_999 + TWO + END,
            K.URLSET,
            ("1",),
            ("cut after 2,000 bytes", "broken XML"),
            True,
        ),
        Sitemap(
            "a bomb",
            gzip.compress(NS + ONE + b" " * 9_999_999),
            K.URLSET,
            ("1",),
            ("cut after 2,000 bytes", "broken XML"),
            True,
        ),
        Sitemap("gzip of noise", b"\x1f\x8b" + b"x" * 30, K.UNKNOWN, (), ("broken gzip", "the file is empty")),
        Sitemap("gzip that ends early", GZIPPED[:-8], K.URLSET, ("1", "2"), ("the gzip data is incomplete",)),
        Sitemap("gzip twice", gzip.compress(GZIPPED), K.URLSET, ("1", "2"), ("gzip inside gzip",)),
        Sitemap(
            "a file from this machine", SECRET + NS + b"<url><loc>/&f;</loc></url>" + ONE + END, K.URLSET, ("&f;", "1")
        ),
        Sitemap("a billion laughs", LAUGHS + NS + b"<url><loc>/&c;</loc></url>" + END, K.URLSET, ("&c;",)),
        Sitemap("300 elements in one another", NS + b"<a>" * 300 + ONE, K.URLSET, (), ("broken XML: Excessive depth",)),
        Sitemap(
            "an encoding nobody knows",
            b'<?xml version="1.0" encoding="klingon"?>' + NS + ONE + END,
            K.URLSET,
            ("1",),
            ("declared as klingon; read as utf-8",),
        ),
        Sitemap("an index of nothing", b"<sitemapindex><sitemap/></sitemapindex>", K.INDEX, (), ("an entry without",)),
        Sitemap(
            "text that is half URLs", b"https://site.example/1\nnot a url\nftp://x\n", K.TEXT, ("1",), ("2 lines are",)
        ),
        Sitemap(
            "text with noise", b"https://site.example/1\n\xff\xfe\xff\n", K.TEXT, ("1",), ("not UTF-8", "1 line is")
        ),
    ],
    ids=lambda case: case.name,
)
def test_a_sitemap_of(case: Sitemap) -> None:
    found = parse_sitemap(case.body, url=f"{BASE}sitemap.xml", limits=SitemapSettings(max_urls=2, max_bytes=2_000))
    assert [entry.loc for entry in found.entries + found.children] == [BASE + path for path in case.paths]
    assert (found.kind, found.truncated) == (case.kind, case.truncated)
    assert len(found.problems) == len(case.problems)
    assert all(said.startswith(words) for said, words in zip(found.problems, case.problems, strict=True))
    assert all(entry.lastmod == "" and entry.priority is None for entry in found.entries)


# robots.txt


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        (b"", True),
        (bytes(range(256)) * 9, True),
        (b"\x89PNG\r\n\x1a\n\0Disallow: /", True),
        (b"<html><body>Not found</body></html>", True),
        (b"Disallow: /x", True),  # a rule outside any group
        (b"User-agent: *\nDisallow /x", False),  # the meaning is clear, and major crawlers accept it
        (b"\xef\xbb\xbfUser-agent: *\nDisallow: /x", False),
        (b"User-agent: *\rDisallow: /x\r", False),
        (b"User-agent: *\nDis\0allow: /x", False),
        (b"\xff\xfe\xfd\nUser-agent: *\nDisallow: /x", False),
        (b"User-agent: *\nDisallow: /%zz\nDisallow: /x", False),
        (b"User-agent: *\nDisallow: /" + b"*a" * 2_000 + b"$\nDisallow: /x", False),
        (b"User-agent: *\nCrawl-delay: soon\nDisallow: /x", False),
        (b"User-agent: *\nCrawl-delay: -1\nDisallow: /x", False),
        (b"User-agent: *\nCrawl-delay: 1e999\nDisallow: /x", False),
        (b"User-agent: *\nRequest-rate: 0/0\nDisallow: /x", False),
        (b"User-agent: *\nDisallow: /x\n" + b"#" * MAX_BYTES, False),
    ],
)
def test_a_robots_txt_that_is_partly_or_wholly_broken(body: bytes, *, allowed: bool) -> None:
    rules = parse_robots(body)
    assert rules.allows("https://site.example/x" + "a" * 500, "wavecrawl") is allowed
    assert rules.allows("https://site.example/y" + "a" * 500, "wavecrawl")
    assert rules.crawl_delay("wavecrawl") is None
    assert rules.sitemaps == ()


# responses


@pytest.mark.parametrize(
    ("exchange", "state", "reason"),
    [
        (Exchange(url=BASE, fault=TransportFault.URL), UrlState.FAILED, Reason.BAD_URL),
        (Exchange(url=BASE, fault=TransportFault.BLOCKED_ADDRESS), UrlState.FAILED, Reason.BLOCKED_ADDRESS),
        (Exchange(url=BASE, fault=TransportFault.DNS), UrlState.FAILED, Reason.DNS),
        (Exchange(url=BASE, fault=TransportFault.TLS), UrlState.FAILED, Reason.TLS),
        (Exchange(url=BASE, status=200, fault=TransportFault.PROTOCOL), UrlState.FETCHED, Reason.NONE),
        (Exchange(url=BASE, status=200, fault=TransportFault.TIMEOUT, body=b"x"), UrlState.FETCHED, Reason.NONE),
        (Exchange(url=BASE, status=200, fault=TransportFault.DECODING), UrlState.FETCHED, Reason.NONE),
        (Exchange(url=BASE, status=301), UrlState.FETCHED, Reason.NONE),
        (Exchange(url=BASE, status=301, headers=(("Location", ""),)), UrlState.FETCHED, Reason.NONE),
        (Exchange(url=BASE, status=600), UrlState.HTTP_ERROR, Reason.STATUS),
        (Exchange(url=BASE, status=999, reason="Denied"), UrlState.HTTP_ERROR, Reason.STATUS),
        (Exchange(url=BASE, status=429, headers=(("Retry-After", "soon"),)), UrlState.HTTP_ERROR, Reason.STATUS),
        (Exchange(url=BASE, status=503, headers=(("Retry-After", "-5"),)), UrlState.HTTP_ERROR, Reason.STATUS),
        (Exchange(url=BASE, status=503, headers=(("Retry-After", "²"),)), UrlState.HTTP_ERROR, Reason.STATUS),
    ],
)
def test_an_answer_that_is_none_gives_a_state_and_its_reason(
    exchange: Exchange, state: UrlState, reason: Reason
) -> None:
    outcome = classify(exchange)
    assert (outcome.state, outcome.reason, outcome.wait) == (state, reason, 0.0)
