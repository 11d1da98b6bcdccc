"""Many random inputs for the small readers: each returns a value of its form, and laws of its standard hold.

Inputs consist of the pieces of a language and of noise. Their seeds are their numbers, so that a failure names its
input. This is some hundred times faster than Hypothesis, which searches for smaller examples.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from random import Random

import msgspec
import pytest
from tests.support.campaign import examples

from wavecrawl.application.crawl_settings import crawl_settings
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS
from wavecrawl.domain.fetching.link_header import header_links
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.rules import Extractor
from wavecrawl.domain.pages.extraction.srcset import best_candidate
from wavecrawl.domain.politeness.robots import parse_robots
from wavecrawl.domain.sitemaps.parser import SitemapContent, SitemapKind, parse_sitemap
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.domain.urls.query_encoding import in_encoding
from wavecrawl.errors import InvalidSettingsError

LONG = 200_000
"""Inputs of each reader in the campaign."""

MOST_PIECES = 24
PAGE = "https://site.example/a/b?c"
NOISE = "\0\t\n\x0b\x1b\x1f \"#%&'(),/<>?[\\]`{|}~\x7f\x80\xa0\xe9\u0130\u2028\u65e5\ud800\ufeff\ufffe\U0001f600"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A reader: what its language is made of, and what must hold for any input."""

    name: str
    pieces: str  # divided by spaces; `_` stands for a space
    check: Callable[[str], None]


def generated(pieces: list[str], seed: int) -> str:
    """Return an input. A fifth of it is noise, and at times a piece is repeated often."""
    random = Random(seed)
    parts = [
        random.choice(NOISE) if random.random() < 0.2 else random.choice(pieces)
        for _ in range(random.randrange(1, MOST_PIECES))
    ]
    if random.random() < 0.02:
        parts.insert(random.randrange(len(parts)), random.choice(pieces) * random.randrange(1, 2_000))
    return "".join(parts)


def check_link(value: str) -> None:
    found = list(header_links(value))
    assert len(found) <= value.count("<")
    assert all(">" not in link.target and link.target == link.target.strip() for link in found)
    assert all(relation == relation.lower() for link in found for relation in link.relations)
    assert list(header_links(f", \t,{value}")) == found  # empty members count for nothing


def check_srcset(srcset: str) -> None:
    for width in (1, 1_920):
        url = best_candidate(srcset, width=width)
        assert url in srcset
        assert not set(url) & set("\t\n\f\r ")
        assert not url.startswith(",")
        assert not url.endswith(",")
    assert bool(best_candidate(f"{srcset}, last.png 1x", width=9)) or "(" in srcset or "last.png" in srcset


def check_json_ld(text: str) -> None:
    found = extract(f"<script type=application/ld+json>{text}</script>", url=PAGE).facts.json_ld_types
    assert list(found) == sorted(set(found))
    assert all(0 < len(name) <= 100 and name.encode() for name in found)
    with suppress(ValueError, RecursionError):
        json.loads(text)
        return
    assert not found or "<" in text or "\0" in text


def check_robots(text: str) -> None:
    body = text.encode("utf-8", "surrogatepass")
    rules = parse_robots(body)
    urls = [f"https://site.example{path}" for path in ("/", "/a", "/a/b?c=1", "/%C3%A9$", "/robots.txt")]
    for product in ("wavecrawl", "otherbot"):
        allowed = [rules.allows(url, product) for url in urls]
        assert allowed[-1]
        delay = rules.crawl_delay(product)
        assert delay is None or (isfinite(delay) and delay > 0)
        # RFC 9309, section 2.2.4: other lines change nothing.
        other = parse_robots(body.replace(b"\r", b"\n").replace(b"\n", b"\nUnknown: x\n# comment\nSitemap: /s\n"))
        assert [other.allows(url, product) for url in urls] == allowed
        assert other.crawl_delay(product) == delay
    assert len(set(rules.sitemaps)) == len(rules.sitemaps)


LIMITS = SitemapSettings(max_urls=3, max_bytes=20_000)


def check_sitemap(text: str) -> None:
    found = parse_sitemap(text.encode("utf-8", "surrogatepass"), url=PAGE, limits=LIMITS)
    assert len(found.entries) + len(found.children) <= 3
    assert all(entry.loc.startswith(("http://", "https://")) for entry in (*found.entries, *found.children))
    if not found.problems and found.kind is not SitemapKind.TEXT:  # no entity was read, of this file or another one
        assert all("SECRET" not in entry.loc for entry in (*found.entries, *found.children))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=SitemapContent) == found


def check_settings(text: str) -> None:
    value = written_settings(text)
    problems: tuple[str, ...] | None = None
    try:
        settings = crawl_settings(value, bounds=OPERATOR_BOUNDS)
    except InvalidSettingsError as error:
        problems = error.problems
    if problems is not None:
        assert problems
        assert all(problems)
        return
    assert msgspec.convert(msgspec.to_builtins(settings), CrawlSettings) == settings


DEFAULTS = msgspec.to_builtins(CrawlSettings())
ODD: tuple[object, ...] = (-1, 0, 1, 2.5, 1e308, 10**400, True, None, {}, [], float("nan"))


def written_settings(text: str) -> object:
    """Return a text as JSON; if it is none, settings of which some have odd values."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    random = Random(text.encode("utf-8", "replace"))
    value: dict[str, object] = {}
    for _ in range(random.randrange(1, 4)):
        name = random.choice(list(DEFAULTS))
        odd = random.choice((text, [text], [text, None], *ODD))
        group = DEFAULTS[name]
        value[name] = {random.choice(list(group)): odd} if isinstance(group, dict) and group else odd
    return value


HTML = "<main><p class=price id=a>1.50</p><img src=/x alt=y><a href='/b?c'>add to cart</a><p>\u65e5\u00e9</p></main>"


def check_rules(text: str) -> None:
    try:
        settings = crawl_settings({"extract": {"rules": [text]}}, bounds=OPERATOR_BOUNDS)
    except InvalidSettingsError:
        return
    extracted = extract(HTML, url=PAGE, extractor=Extractor(settings.extract)).facts.extracted
    stored = msgspec.json.decode(msgspec.json.encode(extracted))
    assert [tuple(pair) for pair in stored] == list(extracted)
    assert len(extracted) <= settings.extract.max_values


def check_page(text: str) -> None:
    for encoding in ("utf-8", "iso-2022-jp", "shift_jis"):
        decoded = decode_html(text.encode("utf-8", "replace"), f"text/html; charset={encoding}")
        found = extract(decoded.html, url=PAGE, encoding=decoded.encoding, max_links=5)
        assert len(found.links) <= 5
        assert msgspec.json.encode(found.facts)


def check_query(text: str) -> None:
    for encoding in ("iso-2022-jp", "gb18030", "big5", "windows-1253", "replacement", "utf-16le"):
        written = in_encoding(f"?{text}", encoding)
        assert written.startswith("?")
        if encoding in ("iso-2022-jp", "gb18030", "big5", "windows-1253"):
            assert written.partition("#")[0].isascii()


READERS = (
    Reader(
        name="Link",
        pieces='<a> </b?c=,;> <> ; , = rel=canonical rel="next_canonical" REL title="x,y" anchor="#" hreflang=de \\" _',
        check=check_link,
    ),
    Reader(
        name="JSON-LD",
        pieces='{ } [ ] , : "@type" "@context" "@graph" "@value" "@id" "type" "B" {"@type":"A"} null 1e999 "\\ud800"',
        check=check_json_ld,
    ),
    Reader(
        name="srcset",
        pieces="a.png _ , ,_ 1x 2x 480w 9h 1e3x -1w 0w ( ) data:,x b,c.png .5x 1_0w _2x, _9w,",
        check=check_srcset,
    ),
    Reader(
        name="robots.txt",
        pieces="User-agent: User-agent:_wavecrawl\n User-agent:_*\n Disallow:_/\n Disallow: Allow:_/a\n /a* $ \n \r # "
        "Foo:_x\n Crawl-delay:_5\n Request-rate:_1/9\n Sitemap:_/s.xml\n user_agent_otherbot\n dissalow: wavecrawl/1 "
        ", %C3%A9 9",
        check=check_robots,
    ),
    Reader(
        name="sitemap",
        pieces="<urlset> <sitemapindex> <feed> <rss> <url> </url> <loc> </loc> http://a/ <entry> </entry> "
        "<link_href='/x'/> <link_hreflang='de'_href='/y'/> <item> </item> &b; &c; &amp; &#1; &#x41; <![CDATA[ ]]> "
        "<!DOCTYPE_a[<!ENTITY_b_'SECRET'><!ENTITY_c_SYSTEM_'file:///etc/hosts'>]> <?xml_version='1.0'?> "
        "<lastmod>2026-01-02</lastmod> <image:loc> <!-- -->",
        check=check_sitemap,
    ),
    Reader(
        name="settings",
        pieces='{ } [ ] , : "max_pages" "scope" "include" "polite" "interval" "render" "mode" "extract" "rules" 1 -1 '
        '1e999 9e18 true null "x" {"max_pages":5} {"scope":{"mode":"host"}} {"polite":{"interval": "a=.b" NaN',
        check=check_settings,
    ),
    Reader(
        name="rules",
        pieces="price = _=_ .price #a p > * : :nth-child(2n+1) :not( ) ::text ::attr(src) [ ] [href /x/ / (\\d+) has( "
        'count( has("add") "to" [/a*] , ~ + \\ ) (?P<a>. {9}',
        check=check_rules,
    ),
    Reader(
        name="extract",
        pieces="<a_href= '/x' > < </ <p> </p> <base_href=// <meta_name=robots_content= <meta_charset=utf-7> <script> "
        "</script> <table> <svg> <template_shadowrootmode=open> <style> <title> <!-- --> &#27; &amp &#xD800; <h1> "
        "<li> <img_srcset='a_1x,' <link_rel=canonical_href='?q=\u65e5'> <pre> <noscript> <plaintext> = \" ' / "
        "?q=\u65e5&#27;",
        check=check_page,
    ),
    Reader(
        name="queries",
        pieces="a=1 & \u65e5 \u672c # ? %E9 \u00e9 \u0451 ; \x0e \x0f \u20ac \uff61 = + _",
        check=check_query,
    ),
)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_any_input_is_read_by_the_laws_of_its_standard(reader: Reader) -> None:
    pieces = [piece.replace("_", " ") for piece in reader.pieces.split(" ")]
    for seed in range(examples(250, long=LONG)):
        text = generated(pieces, seed)
        try:
            reader.check(text)
        except Exception as error:
            error.add_note(f"{reader.name}, input {seed}: {text[:500]!r}")
            raise
