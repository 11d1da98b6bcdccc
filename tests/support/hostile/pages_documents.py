"""Documents of HTML that take long to parse, much memory, or try to lead the crawler astray."""

from tests.support.hostile.behaviour import Behaviour, html, sends

LINK = b"<a href=/next>next</a>"
SHOP = b"<title>Shop</title>"


def _read(name: str, body: bytes, *, links: int = 1, title: str = "Shop") -> Behaviour:
    """Return a document that is read in spite of all."""
    return Behaviour(name=name, talk=html(body), links=links, title=title)


def _nested(tag: bytes, count: int) -> bytes:
    return SHOP + LINK + (b"<%b>" % tag) * count + b"x" + (b"</%b>" % tag) * count


def _flood(name: str, piece: bytes, count: int, *, links: int = 1) -> Behaviour:
    return _read(name, SHOP + LINK + piece * count, links=links)


def _links(name: str, *hrefs: str, links: int = 0) -> Behaviour:
    """Return a document with links of which `links` can be followed or are listed."""
    body = "".join(f'<a href="{href}">x</a>' for href in hrefs)
    return _read(name, SHOP + body.encode(), links=links)


ENTITIES = b'<!DOCTYPE html [<!ENTITY a "ha">' + b"".join(
    b'<!ENTITY %c "&%c;&%c;&%c;&%c;&%c;">' % (letter + 1, *[letter] * 5) for letter in range(97, 110)
)
DOCUMENTS = (
    # depth and number of elements
    _read("nests 15,000 blocks", _nested(b"div", 15_000)),
    _read("nests 10,000 inline elements", _nested(b"b", 10_000)),
    _read("nests 3,000 tables", _nested(b"table", 3_000)),
    _read("nests 3,000 templates", _nested(b"template", 3_000)),
    _read("nests 3,000 lists", _nested(b"ul><li", 3_000)),
    _read("nests 3,000 pictures", _nested(b"svg", 3_000)),
    _read("nests 3,000 formulas", _nested(b"math><mi", 3_000)),
    _read("nests 3,000 selections", _nested(b"select", 3_000)),
    _read("nests 3,000 objects", _nested(b"object", 3_000)),
    _read("nests 3,000 links", SHOP + b"<a href=/next>" * 3_000),
    _read("nests 3,000 forms", _nested(b"form", 3_000)),
    _read("closes 30,000 elements that are not open", SHOP + LINK + b"</div>" * 30_000),
    _read(
        "makes each block reopen 100 inline elements",
        SHOP + LINK + b"".join(b"<b id=%d>" % n for n in range(100)) + b"<p>x" * 20_000,
    ),
    _read("misnests inline elements and blocks", SHOP + LINK + b"<b><i><p></b></i>" * 10_000),
    _read("flips between HTML and pictures", SHOP + LINK + b"<svg><foreignObject><p></svg>" * 6_000),
    _flood("has 50,000 empty elements", b"<p>", 50_000),
    _flood("has 30,000 line breaks", b"<br>", 30_000),
    _flood("has 10,000 headings", b"<h1>x</h1>", 10_000),
    _flood("has 10,000 table cells", b"<tr><td>x", 10_000),
    _flood("has 5,000 empty tags with attributes", b"<p a=1 b=2 c=3 d=4>", 5_000),
    _read(
        "has an element with 15,000 attributes",
        SHOP + LINK + b"<p " + b" ".join(b"a%d=1" % n for n in range(15_000)) + b">",
    ),
    _read("repeats one attribute 20,000 times", SHOP + LINK + b"<p " + b"a=1 " * 20_000 + b">"),
    _read("has an attribute of 150,000 characters", SHOP + LINK + b"<p title='" + b"x" * 150_000 + b"'>"),
    # texts
    Behaviour(
        name="has a title of 150,000 characters",
        talk=html(b"<title>" + b"Shop " * 30_000 + b"</title>" + LINK),
        links=1,
        title="Shop Shop",
    ),
    _read("has 2,000 titles", SHOP + LINK + b"<title>other</title>" * 2_000),
    _read(
        "has escape characters in links of ISO-2022-JP",
        b"<meta charset=iso-2022-jp>" + SHOP + LINK + b"<a href='?\x1b$BF|\x1b(B&#27;&#14;'>x</a>" * 300,
        links=2,
    ),
    _read("never closes the parentheses of a picture", SHOP + LINK + b"<img srcset='a " + b"(x, " * 20_000 + b"'>"),
    _read(
        "nests 8,000 values of JSON-LD",
        SHOP + LINK + b"<script type=application/ld+json>" + b'{"@type":"A","b":' * 8_000 + b"</script>",
    ),
    _flood("has 20,000 entities", b"&amp;", 20_000),
    _flood("has 10,000 entities that do not exist", b"&nosuch;", 10_000),
    _flood("has characters beyond Unicode", b"&#x110000;&#99999999999999999999;", 3_000),
    _flood("has half characters as entities", b"&#xD800;", 10_000),
    _flood("reverses its text 10,000 times", "\u202e".encode(), 10_000),
    _flood("stacks 30,000 accents on a letter", "\u0301".encode(), 30_000),
    _flood("has 30,000 invisible spaces", "\u200b".encode(), 30_000),
    _read("has one word of 150,000 characters", SHOP + LINK + b"x" * 150_000),
    _flood("has 75,000 words", b"a ", 75_000),
    _flood("has 5,000 words with NULs", b"a\0b ", 5_000),
    # what hides the rest
    _read("never closes a comment", SHOP + LINK + b"<!--" + b"x" * 100_000),
    _read("opens 20,000 comments", SHOP + LINK + b"<!--" * 20_000),
    _read("never closes a script", SHOP + LINK + b"<script>" + b"<!--<script>" * 10_000),
    _read("never closes a style", SHOP + LINK + b"<style>" + b"a{" * 50_000),
    _read("never closes a text area", SHOP + LINK + b"<textarea>" + b"<p>" * 30_000),
    _read("never closes its plain text", SHOP + LINK + b"<plaintext>" + b"<p>" * 30_000),
    _read("never closes a tag", SHOP + LINK + b"<p " + b"x" * 100_000),
    _read("never closes an attribute", SHOP + LINK + b'<p title="' + b"<p>" * 30_000),
    _read("never closes its title", LINK + b"<title>Shop" + b"<p>" * 30_000, title="Shop"),
    _read("opens 50,000 tags without a name", SHOP + LINK + b"<" * 50_000),
    _read("has 10,000 CDATA sections", SHOP + LINK + b"<![CDATA[x]]>" * 10_000),
    _read("has 10,000 processing instructions", SHOP + LINK + b"<?php x ?>" * 10_000),
    _read("hides a link in a comment of a condition", SHOP + LINK + b"<!--[if IE]><a href=/hidden>x</a><![endif]-->"),
    # entities of XML
    _read("declares entities that multiply", ENTITIES + b"]>" + SHOP + LINK + b"&n;"),
    Behaviour(
        name="declares entities that multiply, in XHTML",
        talk=sends(ENTITIES + b"]>" + SHOP + LINK + b"&n;", "Content-Type: application/xhtml+xml"),
        links=1,
        title="Shop",
    ),
    Behaviour(
        name="includes a file of the machine",
        talk=sends(
            b'<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + SHOP + LINK + b"<h1>&x;</h1>",
            "Content-Type: application/xhtml+xml",
        ),
        links=1,
        title="Shop",
    ),
    # links
    Behaviour(
        name="has 6,000 links",
        talk=html(SHOP + b"".join(b"<a href=/%d>x</a>" % n for n in range(6_000))),
        links=500,
        title="Shop",
    ),
    _flood("has 6,000 links to itself", b"<a href=/next>x</a>", 6_000),
    _links(
        "links to scripts, data and mail",
        "javascript:alert(1)",
        "data:text/html,x",
        "mailto:a@b.example",
        "tel:1",
        "vbscript:x",
        "about:blank",
        "blob:http://a/b",
    ),
    _links("links to files of the machine", "file:///etc/passwd", "FILE:/etc/passwd", "view-source:file:///etc"),
    _links(
        "links to hosts that cannot be",
        "http://",
        "http://[",
        "http://a b/",
        "http://%00/",
        "http://1.2.3.4.5/",
        "http://a:99999/",
        links=6,
    ),
    _links("links to a URL of 100,000 characters", "/" + "a" * 100_000, links=1),
    _links("links to 60,000 folders", "/" + "a/" * 60_000, links=1),
    _links("links 30,000 folders up", "/" + "../" * 30_000 + "next", links=1),
    _links("links with 10,000 parameters", "/next?" + "&".join(f"p{n}={n}" for n in range(10_000)), links=1),
    _links("links with 30,000 percent signs", "/next?" + "%" * 30_000, links=1),
    _links("links with encoded control characters", "/a%00b", "/a%0d%0ab", "/a%1b", links=3),
    _links("links with control characters", "/a&#0;b", "/a&#13;&#10;b", links=2),
    _links("links with a user and a password", "http://user:secret@evil.example/", links=1),
    _links(
        "links to one host in many spellings",
        "//EVIL.example",
        "http:\\\\evil.example",
        "HTTP://evil.example:80/./",
        links=1,
    ),
    _links(
        "links to hosts of other scripts",
        "http://\u0430pple.example/",
        "http://\u2160\u2161.example/",
        "http://a\u00ad.example/",
        links=3,
    ),
    _read("has a base that is a script", SHOP + b"<base href='javascript:alert(1)//'>" + LINK),
    _read("has a base that is data", SHOP + b"<base href='data:text/html,'>" + LINK),
    _read("has a base that is a file", SHOP + b"<base href='file:///etc/'>" + LINK),
    _read("has a base at another site", SHOP + b"<base href='http://evil.example/'>" + LINK),
    _read("has 5,000 bases", SHOP + b"<base href=/a/>" * 5_000 + LINK),
    _read("has a base of 100,000 characters", SHOP + b"<base href='/" + b"b" * 100_000 + b"/'>" + LINK),
    # refreshes and canonical pages
    _read("refreshes itself without end", SHOP + b"<meta http-equiv=refresh content='0'>" + LINK),
    _read("refreshes to a script", SHOP + b"<meta http-equiv=refresh content='0;url=javascript:alert(1)'>" + LINK),
    _read("refreshes to data", SHOP + b"<meta http-equiv=refresh content='0;url=data:text/html,x'>" + LINK),
    _read("refreshes with 20,000 digits", SHOP + b"<meta http-equiv=refresh content='" + b"9" * 20_000 + b"'>" + LINK),
    _read("refreshes with quotes that never close", SHOP + b'<meta http-equiv=refresh content="0;url=\'/next">' + LINK),
    _read("has 5,000 canonical pages", SHOP + b"<link rel=canonical href=/next>" * 5_000),
    _read(
        "has a canonical page at another site", SHOP + b"<link rel=canonical href=http://evil.example/>" + LINK, links=2
    ),
    _read("has a canonical page that is a script", SHOP + b"<link rel=canonical href='javascript:x'>" + LINK),
    # metadata
    _flood("has 3,000 descriptions", b"<meta name=description content=x>", 3_000),
    _read(
        "has a description of 150,000 characters",
        SHOP + b"<meta name=description content='" + b"d" * 150_000 + b"'>" + LINK,
    ),
    _flood("has 3,000 alternate languages", b"<link rel=alternate hreflang=de href=/next>", 3_000),
    _read("nests JSON 50,000 deep", SHOP + LINK + b"<script type=application/ld+json>" + b"[" * 50_000 + b"</script>"),
    _read(
        "nests JSON 20,000 deep and closes it",
        SHOP + LINK + b"<script type=application/ld+json>" + b"[" * 20_000 + b"]" * 20_000 + b"</script>",
    ),
    _read(
        "has a JSON number of 100,000 digits",
        SHOP + LINK + b'<script type=application/ld+json>{"a":' + b"9" * 100_000 + b"}</script>",
    ),
    _read(
        "has 2,000 pieces of JSON", SHOP + LINK + b'<script type=application/ld+json>{"@type":"Thing"}</script>' * 2_000
    ),
    _flood("has 3,000 images", b"<img src=/a.png alt=x>", 3_000),
    _read("has an image with 5,000 candidates", SHOP + LINK + b"<img srcset='" + b"/a.png 1x," * 5_000 + b"'>"),
    _read(
        "has an image of 100,000 characters of data",
        SHOP + LINK + b"<img src='data:image/png;base64," + b"A" * 100_000 + b"'>",
    ),
    _read("has a style of 25,000 brackets", SHOP + LINK + b"<p style='" + b"url(" * 25_000 + b"'>"),
    _flood("has 2,000 frames", b"<iframe src=/next></iframe>", 2_000),
    _read("has a frame with its own document", SHOP + LINK + b"<iframe srcdoc='<a href=/hidden>x</a>'></iframe>"),
    _flood("has 3,000 inputs", b"<input name=a value=b>", 3_000),
    _read("has formulas for a spreadsheet as its title", b"<title>=HYPERLINK(1)</title>" + LINK, title="=HYPERLINK(1)"),
)
