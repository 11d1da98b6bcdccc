"""Real and hostile inputs of each reader, and the words of its language."""

import gzip
import json
from itertools import chain
from pathlib import Path

import msgspec
from tests.fuzz.grammars import JsonValues, rule
from tests.fuzz.mutations import Corpus
from tests.support.conformance import DECLARED, LINKS, QUERIES
from tests.support.expensive_pages import PAGES

from wavecrawl.application.crawl_settings import crawl_settings
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS
from wavecrawl.errors import InvalidSettingsError

_BRAND = Path(__file__).parents[1] / "data" / "brand"
_PART = 2_000  # bytes of a saved page: small pages are read quickly, so more of them are


def _pieces(words: str) -> list[bytes]:
    """Return words, which are divided by spaces; `_` stands for a space."""
    return [word.replace("_", " ").encode() for word in words.split(" ")]


def _lines(text: str) -> list[bytes]:
    return [line.encode() for line in text.splitlines() if line]


def _saved_pages() -> list[bytes]:
    """Return saved pages, each in a few parts."""
    pages = [path.read_bytes() for path in sorted(_BRAND.glob("*.html"))]
    return list(chain.from_iterable([page[at : at + _PART] for at in range(0, len(page), _PART)] for page in pages))


LINK = Corpus(
    _lines(
        """\
<https://site.example/a>; rel=canonical
</b>; rel="alternate"; hreflang=de, </c>; rel="alternate"; hreflang="en-GB"; title="a, b; c"
<?page=2>; rel=next, <?page=9>; rel="last prev"
<https://fonts.example>; rel=preconnect; crossorigin, </style.css>; rel=preload; as=style; nopush
</chapter>; title*=UTF-8''letztes%20Kapitel; rel="previous"; type="text/html"
<//b.example/c>;rel="canonical";anchor="#foo"
,, ,</d>; rel=canonical,,</e>;;rel=x,;</f>
<a b>; rel = "x\\"y" ; REL=canonical ; rel
<a, <b>; rel="c, <d>; rel=e
<>;rel="";rel=canonical;hreflang=x-default;hreflang=DE"""
    ),
    _pieces(
        '<a> </b?c=,;> <> ; , = rel=canonical rel="next_canonical" REL title="x,y" anchor="#" hreflang=de \\" _ '
        "type=text/html </ > title*=UTF-8''%e2 \"_; ,_< media=print"
    ),
)

_JSON_LD = _lines(
    """\
{"@context":"https://schema.org","@type":"Product","name":"A","offers":{"@type":"Offer","price":"1.50"}}
{"@context":"https://schema.org","@graph":[{"@type":["Article","NewsArticle"],"author":{"@type":"Person"}},{"@id":"#x"}]}
[{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","position":1,"item":{"@id":"/","name":"x"}}]}]
{"@context":{"@vocab":"https://schema.org/","kind":"@type"},"kind":"Event","@reverse":{"about":{"kind":"Book"}}}
{"@type":"https://schema.org/FAQPage","mainEntity":[{"@type":"Question","acceptedAnswer":{"@type":"Answer"}}]}
{"@type":{"@type":["\\u0041"]},"a":{"@value":"x","@type":"Date"},"b":{"@list":[{"@type":"C"}]},"@type":"D"}
{"@context":[null,{"@version":1.1,"T":{"@id":"@type","@container":"@set"}},"https://schema.org"],"T":["E"]}"""
)
JSON_LD = Corpus(
    _JSON_LD
    + _lines(
        """\
/*<![CDATA[*/{"@type":"F",}//]]>
<!-- {"@type":"G"} -->
{"@type":"H"};{"@type":"I"}
{"@type":"\\ud800","@type":"","@type":null,"@type":1e999,"@type":[[["J"]]]}"""
    )
    + [b"[" * 900 + b"]" * 900, b'{"a":' * 300 + b'{"@type":"A"}' + b"}" * 300, b'\xef\xbb\xbf{"@type":"A\x00\n\x85"}'],
    _pieces(
        '{ } [ ] , : "@type" "@context" "@graph" "@value" "@id" "type" "B" {"@type":"A"} null 1e999 "\\ud800" "@vocab" '
        '"@reverse" "@list" "@set" "https://schema.org/" "\\u0000" //_ /* */ <!-- --> </script> <script> -0 true NaN'
    ),
    JsonValues(_JSON_LD),
)

SRCSET = Corpus(
    _lines(
        """\
/a-480.jpg 480w, /a-800.jpg 800w, /a-1200.jpg 1200w
a.png, a@2x.png 2x,b@1.5x.png 1.5x
https://i.example/w_200,h_100/a.jpg 200w, https://i.example/w_400,h_200/a.jpg 400w
data:image/png;base64,iVBORw0KGgo= 1x, b.png 2x
a.png 480w 320h, b.png 800w 600h,
,,, a.png ,,b.png 2x 3x, c.png 1x (a, b) , d.png
a.png 1e3x, b.png -1x, c.png .5x, d.png 0w, e.png 1.w, f.png +1x
a.png (1w, b.png 2x
a.png 99999999999999999999w, b.png 1e400x, c.png 00001w"""
    ),
    _pieces("a.png _ , ,_ 1x 2x 480w 9h 1e3x -1w 0w ( ) data:,x b,c.png .5x 1_0w _2x, _9w, x w h \t \x0c"),
)

ROBOTS = Corpus(
    [
        b"User-agent: *\nDisallow: /private/\nAllow: /private/open$\nSitemap: https://site.example/sitemap.xml\n",
        b"User-agent: wavecrawl\nUser-agent: otherbot\nDisallow: /a\nCrawl-delay: 5\n\nUser-agent: *\nDisallow: /\n",
        b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /*?c=\r\nAllow: /a/b\r\nDisallow:\r\n# end",
        b"user-agent : WaveCrawl/2.0\rdisallow : /%C3%A9\rnoindex: /x\rclean-param: a /b\r",
        b"User-agent: *\nDisallow: /caf\xc3\xa9\nDisallow: /%63\nAllow: /*.php$\nRequest-rate: 1/10\n",
        b"User-agent: wavecrawl\nFoo: x\nUser-agent: *\nDisallow: /\n",
        b"<!DOCTYPE html><title>404</title><p>User-agent: *\nDisallow: /\n",
        b"User-agent: *\0\nDisallow: /a\0b\nAllow: /" + b"*" * 300 + b"$\n",
        b"\xff\xfeU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\n\0D\0i\0s\0a\0l\0l\0o\0w\0:\0/\0\n\0",
        (
            b"Sitemap: /relative.xml\nsitemap:https://other.example/a b.xml\nCrawl-delay: 1\nUser-agent: *\n"
            b"Crawl-delay: nan\nCrawl-delay: -1\nCrawl-delay: 1e999\nDisallow: /*a*b*c*d*e*f$\n"
        ),
    ],
    _pieces(
        "User-agent: User-agent:_wavecrawl\n User-agent:_*\n Disallow:_/\n Disallow: Allow:_/a\n /a* $ \n \r # "
        "Foo:_x\n Crawl-delay:_5\n Request-rate:_1/9\n Sitemap:_/s.xml\n user_agent_otherbot\n dissalow: wavecrawl/1 "
        ", %C3%A9 9 /robots.txt inf /*?c= %2F"
    ),
)

_URLSET = (
    b"<?xml version='1.0' encoding='UTF-8'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' "
    b"xmlns:xhtml='http://www.w3.org/1999/xhtml' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>"
    b"<url><loc>https://site.example/a?b=1&amp;c</loc><lastmod>2026-01-02T03:04:05+01:00</lastmod>"
    b"<changefreq>daily</changefreq><priority>0.8</priority>"
    b"<xhtml:link rel='alternate' hreflang='de' href='/de'/><image:image><image:loc>/i.png</image:loc></image:image>"
    b"</url><url><loc> https://site.example/b </loc></url></urlset>"
)
SITEMAP = Corpus(
    [
        _URLSET,
        gzip.compress(_URLSET, mtime=0),
        _URLSET.decode().encode("utf-16"),
        (
            b"<sitemapindex><sitemap><loc>/one.xml.gz</loc><lastmod>2026</lastmod></sitemap><sitemap><loc>two.xml</loc>"
            b"</sitemap></sitemapindex>"
        ),
        (
            b"<rss version='2.0' xml:base='http://a/x/'><channel><link>/</link><item><link>/a</link><guid>b</guid>"
            b"<pubDate>Fri, 02 Jan 2026 03:04:05 GMT</pubDate></item><image><url>/i</url></image></channel></rss>"
        ),
        (
            b"<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://a/b/'><link rel='self' href='/f'/>"
            b"<entry xml:base='c/'><link href='d' hreflang='de'/><link rel='alternate' href='?e'/>"
            b"<updated>2026-01-02T03:04:05Z</updated></entry></feed>"
        ),
        b"<rdf:RDF xmlns:rdf='x'><item><link>http://a/</link></item></rdf:RDF>",
        b"http://a/\nhttps://b/c d\n\n/e\r\nftp://f/\n",
        b"<urlset>" + b"".join(b"<url><loc>/%d</loc><priority>.%d</priority></url>" % (n, n) for n in range(6)),
        (
            b"<!DOCTYPE a [<!ENTITY b 'SECRET'><!ENTITY c SYSTEM 'file:///etc/hosts'><!ENTITY d '&b;&b;&b;'>]>"
            b"<urlset><url><loc>http://a/&b;&c;&d;</loc></url></urlset>"
        ),
        b"\n\n<html><urlset><url><loc><![CDATA[http://a/?b&c]]></loc></url><url>http://b/</url>",
    ],
    _pieces(
        "<urlset> <sitemapindex> <feed> <rss> <url> </url> <loc> </loc> http://a/ <entry> </entry> "
        "<link_href='/x'/> <link_hreflang='de'_href='/y'/> <item> </item> &b; &c; &amp; &#1; &#x41; <![CDATA[ ]]> "
        "<!DOCTYPE_a[<!ENTITY_b_'SECRET'><!ENTITY_c_SYSTEM_'file:///etc/hosts'>]> <?xml_version='1.0'?> "
        "<lastmod>2026-01-02</lastmod> <image:loc> <!-- --> _xml:base='http://b/c/' _xml:base='//[' xmlns='x' "
        "encoding='utf-16' </urlset>"
    ),
)


def _single_settings() -> list[bytes]:
    """Return each setting with its default value, as JSON; without those that only the operator may set."""
    defaults = msgspec.to_builtins(CrawlSettings())
    values = [
        {name: one}
        for name, value in defaults.items()
        for one in ([{key: inner} for key, inner in value.items()] if isinstance(value, dict) else [value])
    ]
    return [json.dumps(value).encode() for value in values if _is_allowed(value)]


def _is_allowed(value: object) -> bool:
    try:
        crawl_settings(value, bounds=OPERATOR_BOUNDS)
    except InvalidSettingsError:
        return False
    return True


_SETTINGS = [
    *_single_settings(),
    b'{"max_pages":50,"max_depth":3,"scope":{"mode":"host","include":["/docs/*"],"exclude":["*?print=*"]}}',
    b'{"render":{"mode":"auto","screenshots":"all"},"polite":{"interval":0.5},"extract":{"rules":["a = .b"]}}',
    b'{"max_seconds":60,"mode":"due_only","media":{"include":["image"]},"sitemaps":{"max_urls":10}}',
    b"{}",
]
SETTINGS = Corpus(
    [*_SETTINGS, b"null"],
    _pieces(
        '{ } [ ] , : "max_pages" "scope" "include" "polite" "interval" "render" "mode" "extract" "rules" 1 -1 '
        '1e999 9e18 true null "x" {"max_pages":5} {"scope":{"mode":"host"}} {"polite":{"interval": "a=.b" NaN '
        '"\\ud800" "" [null] {"":{}} "user_agent_suffix" "seeds" "/[/*" "*" "https://[/"'
    ),
    JsonValues(_SETTINGS),
)

RULES = Corpus(
    _lines(
        r"""
price = .price
image = .hero img::attr(src)
sku = /SKU-(\d+)/
cart = has("add to cart")
ads = count(/adsbygoogle/)
name [/products/*] = main > h1::text
items = count(ul li:nth-child(2n+1):not(.a, #b))
last = li:nth-last-of-type(2) ~ p:has(> a[href^='/'])
any = *:is(p, a):not(:has(img)) + *
word = /(?i)\bprice:\s*(?P<p>[0-9]{1,9}[.,]\d\d)|\p{L}+[^x]*?$/
all = /(a|b)*(c+)?.{0,100}/
text = p:lexbor-contains("1" i)::text
odd = [data-x='a"b\'c'], svg|a, a::attr(xlink:href)
deep = :not(:not(:not(:is(:has(:is(a b c d e f g))))))"""
    ),
    _pieces(
        "price = _=_ .price #a p > * : :nth-child(2n+1) :not( ) ::text ::attr(src) [ ] [href /x/ / (\\d+) has( "
        'count( has("add") "to" [/a*] , ~ + \\ ) (?P<a>. {9} :has( :is( :nth-last-child(1_of_p) \\b [^ {1000} (?i) i] '
        "*= ^= | || :empty :root \\u0000 \\31_ -- /* */"
    ),
    rule,
)

PAGE = Corpus(
    [
        *_saved_pages(),
        *(make(3).encode("utf-8", "surrogatepass")[:_PART] for make in PAGES.values()),
        *(page.content[:_PART] for page in DECLARED.values()),
        *(page.content[:_PART] for page in (*QUERIES.values(), *LINKS.values())),
    ],
    _pieces(
        "<a_href= '/x' > < </ <p> </p> <base_href=// <meta_name=robots_content= <meta_charset=utf-7> <script> "
        "</script> <table> <svg> <template_shadowrootmode=open> <style> <title> <!-- --> &#27; &amp &#xD800; <h1> "
        "<li> <img_srcset='a_1x,' <link_rel=canonical_href='?q=\u65e5'> <pre> <noscript> <plaintext> = \" ' / "
        "?q=\u65e5&#27; <select> <option> <math> <foreignObject> <frameset> <iframe_srcdoc= <form> <input <button> "
        "<ruby> <rt> <details> <video_poster= <source_src= <time_datetime= <main> <article> <nav> <td_colspan=99999> "
        '<meta_http-equiv=refresh_content=\'0;url=/y\'> <script_type=application/ld+json>{"@type":"A"} {"@type": '
        "hidden _style='display:none' _itemscope_itemtype='http://schema.org/A' ]]> <![CDATA[ <?xml \x00 \x1b$B \x0e"
    ),
)

QUERY = Corpus(
    _lines("a=1&b=2\n\u65e5\u672c=\u8a9e#x\n%E9&&=\nq=\u043a\u043e\u0442+\u20ac;\uff61"),
    _pieces("a=1 & \u65e5 \u672c # ? %E9 \u00e9 \u0451 ; \x0e \x0f \u20ac \uff61 = + _"),
)
