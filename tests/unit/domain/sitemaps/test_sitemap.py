import gzip
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.sitemaps.dates import time_of, w3c_date
from wavecrawl.domain.sitemaps.parser import SitemapContent, SitemapEntry, SitemapKind, parse_sitemap
from wavecrawl.domain.sitemaps.settings import SitemapSettings

URL = "https://example.com/maps/sitemap.xml"
SITE = "https://example.com"
OPEN = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def parsed(body: str | bytes, *, max_urls: int = 10_000, max_bytes: int = 1_000_000) -> SitemapContent:
    raw = body.encode() if isinstance(body, str) else body
    return parse_sitemap(raw, url=URL, limits=SitemapSettings(max_urls=max_urls, max_bytes=max_bytes))


def paths(content: SitemapContent) -> list[str]:
    return [entry.loc.removeprefix(SITE) for entry in content.entries]


def urlset(*locs: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{loc}</loc></url>" for loc in locs) + "</urlset>"


def test_everything_the_protocol_knows_of_a_url_is_read() -> None:
    content = parsed(
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
        ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">'
        "<!-- made by hand --><?pi x?>"
        "<url><loc> https://example.com/a?b=1&amp;c=2 </loc><lastmod>2026-01-02</lastmod>"
        "<changefreq>Weekly</changefreq><priority>0.5</priority>"
        '<xhtml:link rel="alternate" hreflang="de" href=" /de/a "/>'
        '<xhtml:link rel="alternate" hreflang="fr" href="http://["/>'
        '<xhtml:link rel="amphtml" href="/amp/a"/>'
        "<image:image><image:loc>https://example.com/a.png</image:loc><image:title>A</image:title></image:image>"
        "<image:image><image:loc/></image:image></url></urlset>"
    )
    entry = SitemapEntry(
        loc="https://example.com/a?b=1&c=2",
        lastmod="2026-01-02",
        changefreq="weekly",
        priority=0.5,
        alternates=(("de", "https://example.com/de/a"),),
        images=("https://example.com/a.png",),
    )
    assert content == SitemapContent(kind=SitemapKind.URLSET, entries=(entry,))


@pytest.mark.parametrize(
    "body",
    [
        '<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>/a</loc></url></urlset>',
        "<urlset><url><loc><![CDATA[https://example.com/a]]></loc></url></urlset>",
        "\ufeff \n<URLSET><URL><LOC>/a</LOC></URL></URLSET>",
        "<urlset><url><loc>/a</loc><loc>/b</loc></url></urlset>",
        '<rss version="2.0"><channel><item><link>/a</link></item></channel></rss>',
        "<urlset><url><loc>\n\t/a\n</loc><priority>high</priority></url></urlset>",
    ],
)
def test_a_url_is_found_in_every_dialect(body: str) -> None:
    assert (paths(parsed(body)), parsed(body).problems) == (["/a"], ())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_xml_is_read_in_the_encoding_it_declares(encoding: str) -> None:
    body = f'<?xml version="1.0" encoding="{encoding}"?>' + urlset("/\u00e9")
    assert paths(parsed(body.encode(encoding))) == ["/%C3%A9"]


def test_an_index_names_other_files() -> None:
    content = parsed(
        "<sitemapindex><sitemap><loc>/1.xml</loc><lastmod>2026</lastmod></sitemap>"
        "<sitemap><loc>2.xml.gz</loc></sitemap></sitemapindex>"
    )
    assert content == SitemapContent(
        kind=SitemapKind.INDEX,
        children=(
            SitemapEntry(loc="https://example.com/1.xml", lastmod="2026"),
            SitemapEntry(loc="https://example.com/maps/2.xml.gz"),
        ),
    )


def test_rss_is_read() -> None:
    content = parsed(
        '<rss version="2.0"><channel><link>https://example.com/</link>'
        "<image><url>https://example.com/logo.png</url><link>https://example.com/</link></image>"
        "<item><link>https://example.com/a</link><pubDate>Fri, 02 Jan 2026 03:04:05 +0100</pubDate></item>"
        "<item><guid>https://example.com/b</guid></item>"
        '<item><guid isPermaLink="false">https://example.com/no</guid></item>'
        "</channel></rss>"
    )
    assert content == SitemapContent(
        kind=SitemapKind.RSS,
        entries=(
            SitemapEntry(loc="https://example.com/a", lastmod="2026-01-02T02:04:05Z"),
            SitemapEntry(loc="https://example.com/b"),
        ),
        problems=("an entry without a URL",),
    )


def test_rss_1_is_read() -> None:
    content = parsed(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><item rdf:about="x"><link>/a</link>'
        "<dc:date>2026-01-02T03:04+00:00</dc:date></item></rdf:RDF>"
    )
    entry = SitemapEntry(loc="https://example.com/a", lastmod="2026-01-02T03:04+00:00")
    assert content == SitemapContent(kind=SitemapKind.RSS, entries=(entry,))


@pytest.mark.parametrize(
    ("links", "loc", "alternates"),
    [
        ('<link rel="alternate" hreflang="en" href="/a"/>', "/a", ()),
        ('<link href="/a" hreflang="en-GB"/>', "/a", ()),
        ('<link hreflang="de" rel="self" href="/self"/><link hreflang="en" href="/a"/>', "/a", (("de", "/self"),)),
        ('<link hreflang="en" href="/a"/><link hreflang="de" href="/de"/><link href="/b"/>', "/a", (("de", "/de"),)),
        ('<link href="/a"/><link hreflang="de" href="/de"/>', "/a", (("de", "/de"),)),
        ('<atom:link xmlns:atom="http://www.w3.org/2005/Atom" hreflang="en" href="/a"/>', "/a", ()),
    ],
)
def test_an_atom_entry_may_name_the_language_of_its_link(
    links: str, loc: str, alternates: tuple[tuple[str, str], ...]
) -> None:
    """RFC 4287, section 4.2.7.4."""
    content = parsed(f'<feed xmlns="http://www.w3.org/2005/Atom"><entry>{links}</entry></feed>')
    site = "https://example.com"
    found = tuple((language, site + path) for language, path in alternates)
    assert content.entries == (SitemapEntry(loc=site + loc, alternates=found),)


@pytest.mark.parametrize(
    ("feed", "entry", "link", "url"),
    [
        ("xml:base='http://other.example/blog/'", "", "href='a'", "http://other.example/blog/a"),
        ("xml:base='/blog/'", "", "href='a'", f"{SITE}/blog/a"),
        ("", "xml:base='2026/'", "href='a'", f"{SITE}/maps/2026/a"),
        ("xml:base='/blog/'", "xml:base='2026/'", "href='../a?b'", f"{SITE}/blog/a?b"),
        ("xml:base='/blog/'", "xml:base='2026/'", "xml:base='01/' href='a'", f"{SITE}/blog/2026/01/a"),
        ("xml:base='/blog/'", "xml:base='http://['", "href='a'", f"{SITE}/blog/a"),
        ("xml:base='/blog/'", "", "xml:base='http://[' href='a'", f"{SITE}/blog/a"),
        ("xml:base=''", "", "href='a'", f"{SITE}/maps/a"),
        ("base='/blog/'", "", "href='a'", f"{SITE}/maps/a"),
        ("xml:base='/blog/'", "", "href='http://third.example/x'", "http://third.example/x"),
    ],
)
def test_references_of_feeds_are_relative_to_xml_base(feed: str, entry: str, link: str, url: str) -> None:
    """XML Base, sections 3 and 4; RFC 4287, section 2."""
    atom = parsed(f"<feed xmlns='http://www.w3.org/2005/Atom' {feed}><entry {entry}><link {link}/></entry></feed>")
    assert [one.loc for one in atom.entries] == [url]
    other = f"<link {link} hreflang='de' rel='alternate'/>"
    translated = parsed(f"<feed {feed}><entry {entry}><link href='http://first.example/'/>{other}</entry></feed>")
    assert [one.alternates for one in translated.entries] == [(("de", url),)]
    own, _, href = link.rpartition("href=")
    rss = parsed(f"<rss {feed}><channel><item {entry}><link {own}>{href.strip(chr(39))}</link></item></channel></rss>")
    assert [one.loc for one in rss.entries] == [url]


def test_the_base_of_an_element_does_not_reach_its_siblings() -> None:
    content = parsed(
        "<feed><title xml:base='/t/'/><entry xml:base='/one/'><link href='a'/></entry><entry><link href='b'/></entry>"
        "</feed>"
    )
    assert [one.loc for one in content.entries] == [f"{SITE}/one/a", f"{SITE}/maps/b"]
    assert paths(parsed("<urlset xml:base='/x/'><url><loc>a</loc></url></urlset>")) == ["/maps/a"]


def test_the_bases_of_a_hostile_feed_are_read_in_part() -> None:
    """Each entry resolves them, so their number and length are limited."""
    nested = "<feed>" + "<a xml:base='x/'>" * 100 + "<entry><link href='b'/></entry>"
    assert paths(parsed(nested)) == ["/maps/" + "x/" * 8 + "b"]
    assert paths(parsed(f"<feed xml:base='/{'x' * 2_000}/'><entry><link href='b'/></entry></feed>")) == ["/maps/b"]


@pytest.mark.parametrize(
    "head",
    [
        "<!DOCTYPE a [<!ENTITY b 'SECRET'><!ENTITY d '&b;set><url'>]>",
        "<!DOCTYPE a [<!ENTITY d '<url>'>]>",
        "<!DOCTYPE a [<!ENTITY d '<b/>'>]><a/>",
        "<a/><b/>",
    ],
)
def test_elements_beside_the_root_end_no_sitemap(head: str) -> None:
    body = "<url><loc>http://a/&d;</loc></url></urlset>"
    for text in (head + body, f"{head}<urlset>{body}", f"{head}<urlset>{body}{body}"):
        found = parsed(text)
        assert found.entries or found.problems


def test_atom_is_read() -> None:
    content = parsed(
        '<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/><updated>2026-01-09</updated>'
        '<entry><link rel="edit" href="/edit"/><link href="/a"/><link rel="alternate" href="/b"/>'
        "<updated>2026-01-02T03:04:05Z</updated></entry></feed>"
    )
    entry = SitemapEntry(loc="https://example.com/a", lastmod="2026-01-02T03:04:05Z")
    assert content == SitemapContent(kind=SitemapKind.ATOM, entries=(entry,))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_plain_text_is_read(encoding: str) -> None:
    text = "# pages\nhttps://example.com/a\r\n\n  HTTP://EXAMPLE.com/b \n/c\nhttp://[\n"
    content = parsed(text.encode(encoding))
    assert content == SitemapContent(
        kind=SitemapKind.TEXT,
        entries=(SitemapEntry(loc="https://example.com/a"), SitemapEntry(loc="http://example.com/b")),
        problems=("2 lines are not URLs",),
    )


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf \r\n", "the file is empty"),
        (gzip.compress(b"", mtime=0), "the file is empty"),
        (b"<html><url><loc>/a</loc></url></html>", "neither a sitemap nor a feed"),
        (b"<url><loc>/a</loc></url>", "neither a sitemap nor a feed"),
        (b"<", "neither a sitemap nor a feed"),
        (b"<!-- ", "neither a sitemap nor a feed"),
        (b'{"urls": []}', "1 line is not a URL"),
    ],
)
def test_what_is_no_sitemap_is_named(body: bytes, problem: str) -> None:
    assert parsed(body) == SitemapContent(kind=SitemapKind.UNKNOWN, problems=(problem,))


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("<urlset><url><loc>/a</loc></url><url><loc>/b</url></urlset>", ["/a", "/b"]),
        ("<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url>", ["/a", "/b"]),
        ("<urlset><url><loc>/a</loc></url><url><loc>/b/tor", ["/a"]),
        ("<urlset><url><loc>/a</loc></url></urlset><p>debug: 12 queries</p>", ["/a"]),
        ("<urlset><url><loc>/a</loc></url>\x00<url><loc>/b</loc></url></urlset>", ["/a", "/b"]),
        ("<urlset><url><loc>/a</loc></url>" + "<b>" * 400 + "<url><loc>/b</loc></url>", ["/a"]),
    ],
)
def test_broken_xml_yields_what_could_be_read_and_says_so(body: str, found: list[str]) -> None:
    content = parsed(body)
    assert paths(content) == found
    assert [problem.partition(":")[0] for problem in content.problems] == ["broken XML"]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("<urlset><url><loc>/a?b&c=1</loc></url><url><loc>/d</loc></url></urlset>", ["/a?b&c=1", "/d"]),
        ("<urlset><url><loc>/a?b&copy=1&amp;d=&#50;&x</loc></url></urlset>", ["/a?b&copy=1&d=2&x"]),
        ("<urlset><url><loc><![CDATA[/a?b&c]]></loc></url><url><loc>/d?e&f</loc></url></urlset>", ["/a?b&c", "/d?e&f"]),
    ],
)
def test_an_ampersand_that_is_not_escaped_is_read_as_it_stands(body: str, found: list[str]) -> None:
    content = parsed(body)
    assert paths(content) == found
    assert content.problems == ("unescaped '&'; read as '&amp;'",)


DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


@pytest.mark.parametrize(
    "before",
    [
        "\n\n",
        "<!-- cached -->",
        "Warning: Undefined variable $x in sitemap.php on line 3\n",
        "\ufeff<br />\n<b>Warning</b>: Undefined variable in <b>sitemap.php</b><br />\n",
        DECLARATION,
    ],
)
def test_text_before_the_xml_declaration_is_left_out(before: str) -> None:
    """XML 1.0, 2.8: nothing may come before the declaration."""
    content = parsed(before + DECLARATION + urlset("/a", "/b"))
    assert (paths(content), content.problems) == (["/a", "/b"], ("text before the XML; left out",))


@pytest.mark.parametrize("before", ["Notice: x\n", "<html><body><pre>", "<!-- <urlset> --><b>debug</b>"])
@pytest.mark.parametrize(
    "body",
    [
        urlset("/a"),
        '<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>/a</s:loc></s:url></s:urlset>',
        "<rss><channel><item><link>/a</link></item></channel></rss>",
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/></entry></feed>',
    ],
)
def test_text_before_a_root_element_without_a_declaration_is_left_out(before: str, body: str) -> None:
    content = parsed(before + body)
    assert (paths(content), content.problems) == (["/a"], ("text before the XML; left out",))


@pytest.mark.parametrize(
    "before",
    [
        DECLARATION,
        "\ufeff" + DECLARATION,
        DECLARATION + "<!-- <b>made</b> by hand --><?xml-stylesheet href='a.xsl'?><!DOCTYPE urlset>\n",
        "\n <!-- <urlset> <?xml -->\n",
        "",
    ],
)
def test_a_regular_prolog_is_no_problem(before: str) -> None:
    content = parsed(before + urlset("/a"))
    assert (paths(content), content.problems) == (["/a"], ())


@pytest.mark.parametrize(
    ("declared", "actual", "problem"),
    [
        ("iso-8859-1", "utf-8", "declared as iso-8859-1; read as utf-8"),
        ("utf-16", "utf-8", "declared as utf-16; read as utf-8"),
        ("gb2312", "utf-8", "declared as gb2312; read as utf-8"),
        ("klingon", "utf-8", "declared as klingon; read as utf-8"),
        ("utf-8", "windows-1252", "declared as utf-8; read as windows-1252"),
    ],
)
def test_a_wrongly_declared_encoding_is_read_through(declared: str, actual: str, problem: str) -> None:
    body = f'<?xml version="1.0" encoding="{declared}"?>' + urlset("/caf\u00e9", "/\u00fcber")
    content = parsed(body.encode(actual))
    assert (paths(content), content.problems) == (["/caf%C3%A9", "/%C3%BCber"], (problem,))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (urlset("/\u00e9").encode("iso-8859-1"), "not UTF-8; read as windows-1252"),
        (f"{SITE}/\u00e9\n".encode("iso-8859-1"), "not UTF-8; read as windows-1252"),
        (urlset("/\u00e9").encode("utf-16-le"), None),
        (b'<?xml version="1.0" encoding="windows-1252"?>' + urlset("/\u00e9").encode("windows-1252"), None),
        (f'<?xml version="1.0" encoding="us-ascii"?>{urlset("/%C3%A9")}'.encode(), None),
    ],
)
def test_an_encoding_without_a_declaration_is_recognised(body: bytes, problem: str | None) -> None:
    content = parsed(body)
    assert (paths(content), content.problems) == (["/%C3%A9"], (problem,) if problem else ())


def test_a_stray_byte_does_not_change_the_encoding_of_the_other_entries() -> None:
    content = parsed(urlset("/\u00e9\u00e8", "/\u00fc", "/x-y").encode().replace(b"x-y", b"x\xffy"))
    assert paths(content) == ["/%C3%A9%C3%A8", "/%C3%BC", "/x%EF%BF%BDy"]
    assert content.problems == ("bytes that are not UTF-8; read as U+FFFD",)


def test_an_entry_with_a_bare_url_is_read() -> None:
    bare = "an entry without <loc>; its text was read as the URL"
    index = parsed(f"<sitemapindex><sitemap>{SITE}/1.xml</sitemap><sitemap>\n 2.xml </sitemap></sitemapindex>")
    assert [child.loc for child in index.children] == [f"{SITE}/1.xml", f"{SITE}/maps/2.xml"]
    assert index.problems == (bare,)
    content = parsed(f"<urlset><url>{SITE}/a</url><url><lastmod>2026</lastmod></url></urlset>")
    assert (paths(content), content.problems) == (["/a"], (bare, "an entry without a URL"))


@pytest.mark.parametrize("layers", [2, 3])
def test_gzip_inside_gzip_is_undone(layers: int) -> None:
    body = urlset("/a").encode()
    for _ in range(layers):
        body = gzip.compress(body, mtime=0)
    assert (paths(parsed(body)), parsed(body).problems) == (["/a"], ("gzip inside gzip; decompressed",))


def test_more_than_three_layers_of_gzip_are_not_undone() -> None:
    body = urlset("/a").encode()
    for _ in range(4):
        body = gzip.compress(body, mtime=0)
    assert parsed(body).entries == ()


def test_a_file_may_have_as_many_urls_as_the_protocol_allows() -> None:
    """sitemaps.org, "Using Sitemap index files": at most 50,000 URLs in a file."""
    body = urlset(*(f"/{n}" for n in range(50_001))).encode()
    content = parse_sitemap(body, url=URL, limits=SitemapSettings())
    assert (len(content.entries), content.problems) == (50_000, ("cut after 50,000 URLs",))


def test_the_url_of_an_image_is_made_absolute() -> None:
    content = parsed("<urlset><url><loc>/a</loc><image><loc>pic.png</loc></image></url></urlset>")
    assert content.entries[0].images == (f"{SITE}/maps/pic.png",)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("<url/>", "an entry without a URL"),
        ("<url><loc> </loc></url>", "an entry without a URL"),
        ("<url><loc>ftp://example.com/a</loc></url>", "not a URL: 'ftp://example.com/a'"),
        ("<url><loc>http://[</loc></url>", "not a URL: 'http://['"),
    ],
)
def test_an_entry_that_leads_nowhere_is_left_out_and_named(entry: str, problem: str) -> None:
    content = parsed(f"<urlset>{entry}<url><loc>/a</loc></url></urlset>")
    assert (paths(content), content.problems) == (["/a"], (problem,))


def test_a_bad_value_costs_no_entry() -> None:
    content = parsed(
        "<urlset><url><loc>/a</loc><lastmod>soon</lastmod><changefreq>often</changefreq><priority>7</priority>"
        "</url></urlset>"
    )
    assert content == SitemapContent(
        kind=SitemapKind.URLSET,
        entries=(SitemapEntry(loc="https://example.com/a"),),
        problems=("lastmod is not a date: 'soon'",),
    )


def test_problems_are_bounded() -> None:
    assert len(parsed("<urlset>" + "<url/>" * 500 + "</urlset>").problems) == 20


@pytest.mark.parametrize(
    "body",
    [urlset("/a", "/b", "/c", "/d"), "".join(f"{SITE}/{name}\n" for name in "abcd"), urlset(*["/a", "/b"] * 5_000)],
)
def test_a_file_is_cut_after_its_limit_of_urls(body: str) -> None:
    content = parsed(body, max_urls=2)
    assert (paths(content), content.problems, content.truncated) == (["/a", "/b"], ("cut after 2 URLs",), True)


@pytest.mark.parametrize("body", [urlset("/a", "/b", "/c"), f"{SITE}/a\n{SITE}/b\n{SITE}/c\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_is_cut_after_its_limit_of_bytes(body: str, *, packed: bool) -> None:
    raw = gzip.compress(body.encode()) if packed else body.encode()
    content = parsed(raw, max_bytes=body.index("/c") + 1)
    assert (paths(content), content.truncated) == (["/a", "/b"], True)
    assert content.problems[0] == f"cut after {body.index('/c') + 1} bytes"


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(urlset("/a", "/b").encode(), mtime=0),
        b"".join(gzip.compress(f"{SITE}/{n}\n".encode(), mtime=0) for n in "ab"),
    ],
)
def test_gzip_is_undone_by_what_it_is_not_by_what_it_is_called(body: bytes) -> None:
    assert (paths(parsed(body)), parsed(body).problems) == (["/a", "/b"], ())


def test_torn_gzip_yields_what_came_before() -> None:
    text = "".join(f"{SITE}/{n}\n" for n in range(1_000))
    content = parsed(gzip.compress(text.encode())[:-500])
    assert content.problems == ("the gzip data is incomplete",)
    assert 0 < len(content.entries) < 1_000
    assert paths(content) == [f"/{n}" for n in range(len(content.entries))]


def test_broken_gzip_is_named() -> None:
    content = parsed(b"\x1f\x8b\x08junk")
    assert content.problems[0].startswith("broken gzip: ")


def test_a_gzip_bomb_costs_no_more_than_the_limit() -> None:
    content = parsed(gzip.compress(f"{SITE}/a\n".encode() + b"\n" * 50_000_000), max_bytes=1_000)
    assert (paths(content), content.problems) == (["/a"], ("cut after 1,000 bytes",))


def test_the_number_of_gzip_members_is_limited() -> None:
    content = parsed(b"".join(gzip.compress(f"{SITE}/{n}\n".encode()) for n in range(1_200)))
    assert (len(content.entries), content.truncated) == (1_000, True)
    assert content.problems == ("cut after 1,000 gzip members",)


def test_a_file_is_cut_at_an_entry_that_has_no_end() -> None:
    content = parsed(urlset("/a").replace("</urlset>", "<url>" + "<x/>" * 50_000))
    assert paths(content) == ["/a"]
    assert (content.truncated, content.problems[0]) == (True, "cut at an entry of more than 50,000 elements")


def test_what_is_no_entry_may_stand_anywhere() -> None:
    odd = "<x><loc>/no</loc></x>" * 60_000
    first, second = f"<url><y/><loc>{SITE}/a</loc><y><url/></y></url>", f"<url><loc>{SITE}/b</loc></url>"
    content = parsed(f"<urlset>{odd}{first}{odd}{second}</urlset>", max_bytes=10_000_000)
    assert paths(content) == ["/a", "/b"]


@pytest.mark.parametrize(
    "value",
    [
        'SYSTEM "file:///etc/hostname"',
        'SYSTEM "http://127.0.0.1:9/"',
        'PUBLIC "-//W3C//ENTITIES Latin 1//EN" "http://127.0.0.1:9/"',
        '"' + "lol" * 1_000 + '"',
        '"a"><!ENTITY % p SYSTEM "file:///etc/hostname">%p;<!ENTITY b "&e;&e;"',
        '"'
        + "a" * 10
        + '">'
        + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "&e;" * 10}">' for n in range(9))
        + '<!ENTITY z "&l8;"',
    ],
)
def test_entities_are_never_looked_up(value: str) -> None:
    content = parsed(
        f"<!DOCTYPE x [<!ENTITY e {value}>]><urlset><url><loc>/a</loc>&e;<title>&e;</title></url></urlset>"
    )
    assert paths(content) == ["/a"]


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2026", "2026"),
        ("2026-12", "2026-12"),
        ("2026-13", ""),
        ("2026-00", ""),
        (" 2026-01-02 ", "2026-01-02"),
        ("2026-02-30", ""),
        ("2026-01-02T03:04Z", "2026-01-02T03:04Z"),
        ("2026-01-02T03:04:05.678+01:00", "2026-01-02T03:04:05.678+01:00"),
        ("2026-01-02 03:04:05", "2026-01-02T03:04:05"),
        ("2026-01-02 03:04:05 +01:00", "2026-01-02T03:04:05+01:00"),
        ("2026-01-02T25:00Z", ""),
        ("\uff12\uff10\uff12\uff16", ""),
        ("Fri, 02 Jan 2026 03:04:05 GMT", "2026-01-02T03:04:05Z"),
        ("Fri, 02 Jan 2026 03:04:05 -0500", "2026-01-02T08:04:05Z"),
        ("yesterday", ""),
        ("", ""),
        ("31 Dec 9999 23:59:59 -2300", ""),
    ],
)
def test_dates_come_out_as_w3c_datetimes(written: str, date: str) -> None:
    assert w3c_date(written) == date


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_a_date_without_an_offset_does_not_depend_on_the_machine(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        date = w3c_date("Fri, 02 Jan 2026 03:04:05 -0000")
    time.tzset()
    assert date == "2026-01-02T03:04:05Z"


@pytest.mark.parametrize(
    ("lastmod", "at"),
    [
        ("", None),
        ("2026", None),
        ("2026-01-02", None),
        ("2026-01-02T03:04Z", 1_767_323_040.0),
        ("2026-01-02T03:04", 1_767_323_040.0),
        ("2026-01-02T05:04:00.5+02:00", 1_767_323_040.5),
    ],
)
def test_only_a_date_with_a_time_is_a_moment(lastmod: str, at: float | None) -> None:
    assert time_of(lastmod) == at


PIECES = (b"<urlset>", b"<url>", b"</url>", b"<loc>/a", b"</loc>", b"<lastmod>1 Jan", b"<!DOCTYPE a [", b"]>", b"&x;",
          b"<rss>", b"<item>", b"<link href='/x'/>", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?xml encoding='x'?>",
          b"\x00", b"\xff\xfe", b"\x1f\x8b\x08\x00", b"http://a/\n", b"<image><loc>")  # fmt: skip


@given(st.binary(max_size=300) | st.lists(st.sampled_from(PIECES), max_size=20).map(b"".join))
def test_no_bytes_raise(body: bytes) -> None:
    content = parsed(body, max_bytes=250)
    assert all(entry.loc.startswith(("http://", "https://")) for entry in content.entries + content.children)


LOCS = st.lists(st.text("ab/?=\u00e9", max_size=8).map(lambda text: "/x" + text), min_size=1, max_size=6)


@given(locs=LOCS, keep=st.floats(0, 1))
def test_a_torn_file_gives_a_prefix_of_its_entries(locs: list[str], keep: float) -> None:
    body = (OPEN + urlset(*locs).removeprefix("<urlset>")).encode()
    whole, part = paths(parsed(body)), paths(parsed(body[: int(keep * len(body))]))
    assert len(whole) == len(locs)
    assert part == whole[: len(part)]


@given(locs=LOCS)
def test_the_longer_a_torn_file_the_more_it_gives(locs: list[str]) -> None:
    body = (OPEN + urlset(*locs).removeprefix("<urlset>")).encode()
    ends = [at + len(b"</url>") for at in range(len(body)) if body.startswith(b"</url>", at)]
    counts = [len(parsed(body[:end]).entries) for end in ends]
    assert counts[-1] == len(locs)
    assert all(later == earlier + 1 for earlier, later in pairwise(counts))
