"""The readers of foreign text: each returns a value of its form, within its limits, and laws of its standard hold."""

import gzip
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from random import Random
from zlib import crc32

import msgspec
from selectolax.lexbor import LexborHTMLParser
from tests.fuzz import corpus
from tests.fuzz.mutations import Corpus
from tests.fuzz.srcset_oracle import best_of, candidates_of

from wavecrawl.application.crawl_settings import crawl_settings
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS
from wavecrawl.domain.fetching.link_header import header_links
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.extraction import extract, read_markdown
from wavecrawl.domain.pages.extraction.rules import Extractor, Found, rule_problems
from wavecrawl.domain.pages.extraction.srcset import best_candidate
from wavecrawl.domain.pages.extraction_rules import ExtractSettings, Result, form_problems, rules_of
from wavecrawl.domain.pages.page import Extraction, MediaSearch
from wavecrawl.domain.pages.script_json import script_json
from wavecrawl.domain.politeness.robots import parse_robots
from wavecrawl.domain.sitemaps.parser import SitemapContent, SitemapKind, parse_sitemap
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.domain.urls.query_encoding import in_encoding
from wavecrawl.domain.urls.url import resolve
from wavecrawl.errors import InvalidSettingsError

PAGE = "https://site.example/a/b?c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A reader: what its inputs are made of, and what must hold for any input."""

    name: str
    corpus: Corpus
    check: Callable[[bytes], bool]  # returns whether the input was accepted, or something found in it

    def input(self, seed: int, number: int) -> bytes:
        """Return an input: always the same for a seed and a number."""
        return self.corpus.input(self.name, seed, number)


def _is_repeated(data: bytes) -> bool:
    """Return whether the longer checks are made for an input: for one in eight."""
    return crc32(data) // 64 % 8 == 0


def _text(data: bytes) -> str:
    """Return text; bytes that are no UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def check_link(data: bytes) -> bool:
    value = _text(data)
    found = list(header_links(value))
    assert list(header_links(value)) == found
    assert len(found) <= value.count("<")
    assert all(">" not in link.target and link.target == link.target.strip() for link in found)
    assert all(relation == relation.lower() for link in found for relation in link.relations)
    assert list(header_links(f", \t,{value}")) == found  # empty members count for nothing
    return bool(found)


def check_srcset(data: bytes) -> bool:
    srcset = _text(data)
    for width in (1, 1_920):
        url = best_candidate(srcset, width=width)
        assert best_candidate(srcset, width=width) == url
        assert url in srcset
        assert not set(url) & set("\t\n\f\r ")
        assert not url.startswith(",")
        assert not url.endswith(",")
    if len(srcset) <= 1_000:  # candidates, and characters of a descriptor, are limited
        candidates = [one for one in candidates_of(srcset) if one[2] < 1e9]
        expected = [best_of(candidates, width=width) for width in (1, 1_920)]
        assert [best_candidate(srcset, width=width) for width in (1, 1_920)] == expected
    return bool(url)


def check_json_ld(data: bytes) -> bool:
    text = data.decode("utf-8", "replace")
    html = f"<script type=application/ld+json>{text}</script>"
    found = extract(html, url=PAGE).facts.json_ld_types
    assert not _is_repeated(data) or extract(html, url=PAGE).facts.json_ld_types == found
    assert list(found) == sorted(set(found))
    assert all(0 < len(name) <= 100 and name.encode() for name in found)
    with suppress(ValueError, RecursionError):
        value = script_json(text)
        with suppress(ValueError):
            assert json.loads(text) == value or "NaN" in text
        return bool(found)
    assert not found or "<" in text or "\0" in text
    return bool(found)


_OTHER_LINES = b"\nUnknown: x\n# comment\nSitemap: /s\n"
"""What changes nothing between two lines of robots.txt (RFC 9309, section 2.2.4)."""


def check_robots(data: bytes) -> bool:
    rules = parse_robots(data)
    urls = [f"https://site.example{path}" for path in ("/", "/a", "/a/b?c=1", "/%C3%A9$", "/robots.txt")]
    read = bool(rules.sitemaps)
    for product in ("wavecrawl", "otherbot"):
        allowed = [rules.allows(url, product) for url in urls]
        assert allowed[-1]
        delay = rules.crawl_delay(product)
        assert delay is None or (isfinite(delay) and delay > 0)
        if not data.startswith((b"\xff\xfe", b"\xfe\xff")):  # in UTF-16, these bytes are no lines
            other = parse_robots(data.replace(b"\r", b"\n").replace(b"\n", _OTHER_LINES))
            assert [other.allows(url, product) for url in urls] == allowed
            assert other.crawl_delay(product) == delay
        read = read or not all(allowed) or delay is not None
    assert len(set(rules.sitemaps)) == len(rules.sitemaps)
    assert msgspec.json.decode(msgspec.json.encode(rules.sitemaps)) == list(rules.sitemaps)
    return read


_ENTITY = b"<!ENTITY b 'SECRET'>"
_LIMITS = SitemapSettings(max_urls=3, max_bytes=20_000)


def check_sitemap(data: bytes) -> bool:
    body = gzip.compress(data, 1, mtime=0) if crc32(data) % 8 == 0 else data
    found = parse_sitemap(body, url=PAGE, limits=_LIMITS)
    assert len(found.entries) + len(found.children) <= _LIMITS.max_urls
    assert len(found.problems) <= 20
    assert all(entry.loc.startswith(("http://", "https://")) for entry in (*found.entries, *found.children))
    is_xml = not found.problems and found.kind is not SitemapKind.TEXT
    if is_xml and data.count(b"SECRET") == data.count(_ENTITY):  # no entity was read, of this file or another one
        assert all("SECRET" not in entry.loc for entry in (*found.entries, *found.children))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=SitemapContent) == found
    assert not _is_repeated(data) or parse_sitemap(body, url=PAGE, limits=_LIMITS) == found
    return bool(found.entries or found.children)


def check_settings(data: bytes) -> bool:
    value = _written_settings(_text(data))
    problems: tuple[str, ...] | None = None  # why they are refused
    try:
        settings = crawl_settings(value, bounds=OPERATOR_BOUNDS)
    except InvalidSettingsError as error:
        problems = error.problems
    if problems is not None:
        assert problems
        assert all(problems)
        return False
    assert crawl_settings(value, bounds=OPERATOR_BOUNDS) == settings
    assert msgspec.convert(msgspec.to_builtins(settings), CrawlSettings) == settings
    return True


_DEFAULTS = msgspec.to_builtins(CrawlSettings())
_ODD: tuple[object, ...] = (-1, 0, 1, 2.5, 1e308, 10**400, True, None, {}, [], float("nan"))


def _written_settings(text: str) -> object:
    """Return a text as JSON; if it is none, settings of which some have odd values."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    random = Random(text.encode("utf-8", "replace"))
    value: dict[str, object] = {}
    for _ in range(random.randrange(1, 4)):
        name = random.choice(list(_DEFAULTS))
        odd = random.choice((text, [text], [text, None], *_ODD))
        group = _DEFAULTS[name]
        value[name] = {random.choice(list(group)): odd} if isinstance(group, dict) and group else odd
    return value


_HTML = (
    "<main><p class=price id=a>1.50</p><img src=/x alt=y><a href='/b?c'>add to cart</a><p>\u65e5\u00e9</p>",
    "<div class=hero><img src=a.png></div><ul><li>SKU-12<li class=a>b<li><b><i>c</i></b></ul><h1>Price: 1,50</h1>",
    "<svg><a xlink:href=x></a></svg><template shadowrootmode=open><p>x</template>" + "<p>a <a href=/>b</a>" * 30,
)


_PAGES = tuple((html, LexborHTMLParser(html)) for html in _HTML)


def check_rules(data: bytes) -> bool:
    written = (data.decode("utf-8", "replace"),)  # settings with lone surrogates are refused before
    problems = list(form_problems(written)) or list(rule_problems(rules_of(written)))
    if problems:
        assert all(problems)
        return False
    settings = ExtractSettings(rules=written, max_values=3, max_characters=5)
    has_values = rules_of(written)[0].result is Result.VALUES
    extractor = Extractor(settings)
    for html, tree in _PAGES:
        found = extractor.found_in(tree, html, PAGE)
        if _is_repeated(data):
            assert Extractor(settings).found_in(tree, html, PAGE) == found
        assert len(found.values) <= settings.max_values
        assert not has_values or all(len(one) <= settings.max_characters + 1 for _, one in found.values)
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Found) == found
    return True


_ENCODINGS = ("", "utf-8", "utf-8", "iso-2022-jp", "shift_jis", "windows-1252", "gb18030", "utf-16le", "x-user-defined")
_SEARCH = MediaSearch(media=True, resources=True)


def check_page(data: bytes) -> bool:
    """Check a page; its bytes decide in which encoding it is read, and whether its media are looked for."""
    kind = crc32(data)
    encoding = _ENCODINGS[kind % len(_ENCODINGS)]
    decoded = decode_html(data, f"text/html; charset={encoding}" if encoding else "text/html")
    search = _SEARCH if kind & 1 else MediaSearch()
    found = extract(decoded.html, url=PAGE, encoding=decoded.encoding, max_links=5, search=search)
    if _is_repeated(data):
        assert extract(decoded.html, url=PAGE, encoding=decoded.encoding, max_links=5, search=search) == found
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Extraction) == found
    if _is_repeated(data):
        markdown = read_markdown(decoded.html, url=PAGE, encoding=decoded.encoding)
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(markdown), type=Extraction) == markdown
    facts = found.facts
    limited = (
        (found.links, 5), (found.media or (), 5), (facts.headings, 100), (facts.other_canonicals, 5),
        (facts.example_images, 5), (facts.insecure, 20),
    )  # fmt: skip
    assert all(len(values) <= most for values, most in limited)
    for link in found.links:
        assert len(link.text) <= 200
        assert not set(link.href) & set("\t\n\r#")
        url = resolve(link.href, found.base_url)
        assert url is None or (url.isascii() and url.isprintable() and resolve(url, PAGE) == url)
    return bool(found.links or facts.title or facts.word_count)


def check_query(data: bytes) -> bool:
    text = data.decode("utf-8", "replace")
    for encoding in ("iso-2022-jp", "gb18030", "big5", "windows-1253", "replacement", "utf-16le"):
        written = in_encoding(f"?{text}", encoding)
        assert written.startswith("?")
        if encoding in ("iso-2022-jp", "gb18030", "big5", "windows-1253"):
            assert written.partition("#")[0].isascii()
    return True


READERS = (
    Reader(name="link", corpus=corpus.LINK, check=check_link),
    Reader(name="srcset", corpus=corpus.SRCSET, check=check_srcset),
    Reader(name="queries", corpus=corpus.QUERY, check=check_query),
    Reader(name="settings", corpus=corpus.SETTINGS, check=check_settings),
    Reader(name="robots", corpus=corpus.ROBOTS, check=check_robots),
    Reader(name="sitemaps", corpus=corpus.SITEMAP, check=check_sitemap),
    Reader(name="json-ld", corpus=corpus.JSON_LD, check=check_json_ld),
    Reader(name="rules", corpus=corpus.RULES, check=check_rules),
    Reader(name="extract", corpus=corpus.PAGE, check=check_page),
)
"""The cheapest first."""
