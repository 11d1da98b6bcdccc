"""Whatever bytes come from outside, each reader returns a value that can be stored, or raises its declared error.

tests/adapters/http/test_fuzz.py has the bytes of responses, and the unit tests of each reader its own properties.
"""

import gzip
import json
import time
from contextlib import suppress
from math import isfinite
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, SelectolaxError
from tests.support.campaign import examples
from tests.support.functions import QSTASH_KEYS, QSTASH_URL, WEBHOOK_SECRET
from tests.support.signing import webhook

from wavecrawl.adapters.stored_responses import last_response
from wavecrawl.adapters.wacz.warc_index import index_lines
from wavecrawl.adapters.warc import exchange_records
from wavecrawl.api.crawl_webhook import CrawlWebhook
from wavecrawl.application.request_crawl import requested_site
from wavecrawl.application.start_by_message import StartedCrawl
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.cookies import MOST_BYTES, cookie_header, cookies_after
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.fetching.headers import declared_links, robots_directives
from wavecrawl.domain.fetching.outcome import classify
from wavecrawl.domain.fetching.policies import header_policies
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.reading import Reading, read_page
from wavecrawl.domain.pages.extraction.rules import rule_problems
from wavecrawl.domain.pages.extraction.selectors import Selector
from wavecrawl.domain.pages.extraction_rules import ExtractSettings, Result, form_problems, rules_of
from wavecrawl.domain.pages.page import MediaSearch, PageFacts
from wavecrawl.domain.politeness.robots import parse_robots
from wavecrawl.domain.sitemaps.parser import SitemapContent, parse_sitemap
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.domain.urls.url import Identity, host_of, origin_of, resolve
from wavecrawl.errors import CorruptDataError, InvalidUrlError

LONG = 5_000
"""Examples of each property in the campaign."""

thorough = settings(max_examples=examples(100, long=LONG))
PAGE = "https://site.example/a/b?c"
IDENTITY = Identity.of(CrawlSettings())
CRAWL = CrawlId(tenant="t", site="s", crawl="c")


def mixed(pieces: bytes) -> st.SearchStrategy[bytes]:
    """Return bytes that consist of pieces, which are divided by `~`, and noise."""
    return st.lists(st.sampled_from(pieces.split(b"~")) | st.binary(max_size=6), max_size=20).map(b"".join)


URLS = st.text(max_size=60) | mixed(
    b"http~https:~//~/~\\~@~:~[::1]~%00~%~..~?~#~xn--~&a=b~;jsessionid=~0x7f.1~\xe3\x80\x82~"
    b"utm_source=x~\t~example~:99999"
).map(lambda data: data.decode("utf-8", "surrogateescape"))


@thorough
@given(href=URLS)
def test_a_url_is_refused_or_has_one_normal_form(href: str) -> None:
    resolved = resolve(href, PAGE)
    with suppress(InvalidUrlError):
        IDENTITY.page_url(href)
    page = IDENTITY.page_url_of(resolved) if resolved is not None else None
    if page is None or resolved is None:
        return
    assert resolve(resolved, PAGE) == resolved
    assert IDENTITY.page_url(page.url) == page
    assert page.url.isascii()
    assert page.url.isprintable()
    assert page.url.startswith(f"{origin_of(page.url)}/")
    assert host_of(page.url) in origin_of(page.url)


NAMES = st.sampled_from(
    "Set-Cookie Location Retry-After Date Link X-Robots-Tag Content-Type Content-Security-Policy ETag "
    "Strict-Transport-Security X-Frame-Options X-Content-Type-Options Referrer-Policy Last-Modified".split()
)
VALUES = mixed(
    b'=~;~,~"~<~>~\\~ ~max-age~rel=canonical~/x~999999999999999999999999999999~unavailable_after:~'
    b"Fri, 31 Dec 9999 23:59:59 GMT~-~GMT~+9999~charset=~nosniff~frame-ancestors"
).map(lambda data: data.decode("latin-1").translate(dict.fromkeys(map(ord, "\r\n\0"))))
HEADERS = st.lists(st.tuples(NAMES, VALUES), max_size=8).map(tuple)
EXCHANGES = st.builds(
    lambda status, headers, body: Exchange(
        url=PAGE, status=status, headers=headers, raw_body=body, body=body, started_at=1_700_000_000.0
    ),
    status=st.sampled_from((200, 204, 206, 301, 404, 429, 503, 999)),
    headers=HEADERS,
    body=st.binary(max_size=40),
)


@thorough
@given(exchange=EXCHANGES)
def test_any_headers_have_a_meaning(exchange: Exchange) -> None:
    outcome = classify(exchange)
    assert isfinite(outcome.wait)
    assert outcome.wait >= 0
    cookies = cookies_after((), exchange)
    assert not set(cookie_header(cookies, exchange.url)) & set("\r\n\0")
    assert sum(cookie.size for cookie in cookies) <= MOST_BYTES
    declared = declared_links(exchange, longest=2_000)
    assert "".join((declared.canonical, *(url for _, url in declared.alternates))).isascii()
    assert all(robots_directives(exchange, "wavecrawl"))
    assert list(header_policies(exchange)) == sorted(set(header_policies(exchange)))


@thorough
@given(
    body=mixed(
        b"User-agent: ~*~\n~Disallow: ~Allow: ~/~$~%~Sitemap: ~wavecrawl~Crawl-delay: ~9~inf~nan~"
        b"Request-rate: 1/~\xef\xbb\xbf"
    ),
    href=URLS,
)
def test_any_robots_txt_decides_about_any_url(body: bytes, href: str) -> None:
    rules = parse_robots(body)
    url = resolve(href, PAGE) or PAGE
    assert rules.allows(url, "wavecrawl") is parse_robots(body).allows(url, "wavecrawl")
    delay = rules.crawl_delay("wavecrawl")
    assert delay is None or (isfinite(delay) and delay > 0)
    assert msgspec.json.decode(msgspec.json.encode(tuple(rules.sitemaps))) == list(rules.sitemaps)


SITEMAP_LIMITS = SitemapSettings(max_urls=3, max_bytes=2_000)


@thorough
@given(
    body=mixed(
        b"<urlset>~<url>~<loc>~</loc>~</url>~http://a/~<!DOCTYPE a [<!ENTITY b 'c'>]>~&b;~&~<rss>~<item>~"
        b"<feed>~<entry>~<link href='x'/>~<lastmod>~2026-01-02~<?xml version='1.0' encoding='utf-16'?>~"
        b"\xff\xfe~<![CDATA[~]]>~<sitemapindex>~\n"
    ),
    packed=st.booleans(),
)
def test_any_sitemap_gives_limited_content_that_can_be_stored(body: bytes, *, packed: bool) -> None:
    found = parse_sitemap(gzip.compress(body) if packed else body, url=PAGE, limits=SITEMAP_LIMITS)
    assert len(found.entries) + len(found.children) <= 3
    assert len(found.problems) <= 20
    assert all(entry.loc.startswith(("http://", "https://")) for entry in (*found.entries, *found.children))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=SitemapContent) == found


@thorough
@given(
    html=mixed(
        b"<a href=~<base href=~<title>~</title>~<meta charset=~utf-16~>~'~<!--~"
        b'<script type=application/ld+json>~{"@type":~</script>~<link rel=canonical href=~<img src=~'
        b"srcset='x 1x,~<meta name=robots content=~<h1>~&#xD800;~\xed\xa0\x80~<svg>~<table>~<style>~<form>~"
        b"<time datetime=~<div style='background:url(~\xff\xfe~\x00~javascript:"
    ),
    content_type=VALUES,
)
def test_the_record_of_any_page_can_be_stored(html: bytes, content_type: str) -> None:
    decoded = decode_html(html, content_type)
    found = extract(decoded.html, url=PAGE, encoding=decoded.encoding, max_links=5)
    assert len(found.links) <= 5
    record = PageRecord(
        key="0" * 32, url=PAGE, depth=0, state=UrlState.FETCHED, charset=decoded.encoding, facts=found.facts
    )
    assert msgspec.json.decode(msgspec.json.encode(record), type=PageRecord) == record
    assert extract(decoded.html, url=PAGE, encoding=decoded.encoding, max_links=5) == found


ELEMENTS = mixed(
    b"<div class=a>~<p>~</p>~<ul>~<li>~</li>~</ul>~</div>~<b>~</b>~<i id=x>~<table>~<tr>~<td>~<svg>~<a href=/>~"
    b"<template shadowrootmode=open>~<img src=a srcset='b 1x, (~<meta http-equiv=refresh content='0;url=~"
    b'<script type=application/ld+json>{"@type":[~</script>~<!--~-->~&amp;~<style>a{background:url(~<select>~<option>~'
    b"<pre>~`~text "
)
SELECTORS = mixed(
    b"div~p~li~*~.a~#x~[href]~[id='x y']~ ~ ~ > ~+~ @ ~@~,~:not(~:has(~:is(~)~:nth-child(2n+1)~:nth-last-of-type(2)~"
    b":first-child~:lexbor-contains('t')~\\~::attr(href)~::text~|~/*~'~\"~]~:nth-child(1 of p)"
).map(lambda data: data.decode("latin-1").replace("@", "~"))
EXPRESSIONS = mixed(b"a~b~.~*~+~?~|~(~)~[^x]~\\d~{1,9}~{3}~^~$~\\b~(?i)~(?:~\\p{L}~[[:alpha:]]~\\1~(?=a)").map(
    lambda data: data.decode("latin-1")
)
RULES = st.one_of(
    st.builds("r = {}".format, SELECTORS),
    st.builds("r = count({})".format, SELECTORS),
    st.builds("r = /{}/".format, EXPRESSIONS),
    st.builds("r = has(/{}/)".format, EXPRESSIONS),
    st.builds('r = count("{}")'.format, EXPRESSIONS),
    st.text(max_size=20),
)


@thorough
@given(html=ELEMENTS, rule=RULES)
def test_any_rule_is_refused_or_has_limited_values(html: bytes, rule: str) -> None:
    rules = rules_of((rule,))
    if list(form_problems((rule,))) or list(rule_problems(rules)):
        return
    limits = ExtractSettings(rules=(rule,), max_values=3, max_characters=5)
    facts = read_page(html, Reading(url=PAGE, rules=limits, search=MediaSearch(media=True, resources=True))).facts
    assert len(facts.extracted) <= 3
    assert all(len(value) <= 6 for _, value in facts.extracted if rules[0].result is Result.VALUES)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(facts), type=PageFacts) == facts


@thorough
@given(html=ELEMENTS, selector=SELECTORS)
def test_any_selector_matches_what_the_parser_matches(html: bytes, selector: str) -> None:
    tree = LexborHTMLParser(html)
    try:
        expected = [node.mem_id for node in tree.css(selector)]
    except SelectolaxError:
        return
    assert [node.mem_id for node in Selector(selector).elements(tree)] == expected


@thorough
@given(exchange=EXCHANGES)
def test_a_response_is_read_from_its_warc_record_as_it_was(exchange: Exchange) -> None:
    stored = last_response(exchange_records(exchange).data, crawl=CRAWL, limit=1_000)
    assert stored is not None
    assert (stored.url, stored.status, stored.body) == (PAGE, exchange.status, exchange.body)
    assert [name for name, _ in stored.headers] == [name for name, _ in exchange.headers]


FIELDS = (
    b"WARC-Type: response~WARC-Type: revisit~WARC-Type: resource~WARC-Target-URI: http://a/~"
    b"WARC-Date: 2026-01-02T03:04:05Z~WARC-Date: ~Content-Length: 60~Content-Length: -1~"
    b"Content-Length: x~Content-Type: text/html~WARC-Truncated: length~no colon~\xff: \xff"
)
HEADS = b"HTTP/1.1 200 OK~HTTP/1.1~HTTP/1.1 x~~Content-Encoding: gzip~Content-Encoding: br~Content-Type: \xff~:~\xff"


def lines(known: bytes) -> st.SearchStrategy[bytes]:
    """Return lines, which are divided by `~`, in any order; some of them missing."""
    return st.lists(st.sampled_from(known.split(b"~")), max_size=8).map(b"\r\n".join)


WARC = st.builds(
    lambda fields, head, body: b"WARC/1.1\r\nWARC-Type: response\r\n" + fields + b"\r\n\r\n" + head + body,
    fields=lines(FIELDS),
    head=lines(HEADS).map(lambda head: head + b"\r\n\r\n"),
    body=st.binary(max_size=20),
)


@st.composite
def warc_files(draw: st.DrawFn) -> bytes:
    """Return members with damaged records, of which the last may break off or be changed."""
    data = bytearray(b"".join(gzip.compress(record, mtime=0) for record in draw(st.lists(WARC, max_size=3))))
    if data and draw(st.booleans()):
        del data[draw(st.integers(0, len(data))) :]
    if data and draw(st.booleans()):
        data[draw(st.integers(0, len(data) - 1))] ^= 1 << draw(st.integers(0, 7))
    return bytes(data)


@thorough
@given(data=warc_files() | st.binary(max_size=60), cut=st.integers(1, 50))
def test_damaged_warc_files_are_read_or_are_corrupt_data(data: bytes, cut: int) -> None:
    with suppress(CorruptDataError):
        stored = last_response(data, crawl=CRAWL, limit=100)
        assert stored is None or len(stored.body) <= 100
    pieces = [data[start : start + cut] for start in range(0, len(data), cut)]
    with suppress(CorruptDataError):
        found = list(index_lines(pieces, filename="a.warc.gz"))
        assert found == list(index_lines([data], filename="a.warc.gz"))
        assert all(json.loads(line.split(" ", 2)[2])["filename"] == "a.warc.gz" for line in found)


class Secrets:
    """The secrets of tests."""

    webhook_secrets = (WEBHOOK_SECRET,)
    qstash_keys = QSTASH_KEYS


@pytest.fixture(scope="module")
def receiver() -> CrawlWebhook:
    """The receiver of messages."""
    return CrawlWebhook(Secrets, qstash_url=QSTASH_URL, max_body=10_000)


BODIES = mixed(
    b'{~}~[~]~"url"~:~,~"settings"~"http://a/"~"max_pages"~1e999~NaN~-1~'
    b"9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999~"
    b'"\\ud800"~"scope"~{"mode":~null~true~"urls"~\xff\xfe~\x00~{"url": "http://a/", "settings": ~'
    b'{"url": "\\ud800", "settings": {}}~{"polite": {"interval":~}}'
).map(lambda data: data.decode("utf-8", "replace"))


def answered(receiver: CrawlWebhook, event: dict[str, Any]) -> dict[str, Any]:
    """Return the response to a message. A crawl that it requests is only looked at."""

    def start(_: object, requested: Any) -> StartedCrawl:
        try:
            requested_site(requested)
            return StartedCrawl(crawl=CrawlId(tenant="t", site="s", crawl="c"), status="running")
        finally:
            requested.settings.validated()

    found: dict[str, Any] = dict(receiver.respond(event, start))
    assert isinstance(json.loads(found["body"].encode()), dict)
    return found


@thorough
@given(body=BODIES)
def test_a_signed_message_starts_a_crawl_or_has_its_mistakes_named(receiver: CrawlWebhook, body: str) -> None:
    assert answered(receiver, webhook(body))["statusCode"] in (202, 400, 422)


SIGNATURES = mixed(b"v1,~v0,~ ~=~.~eyJhbGciOiJIUzI1NiJ9~eyJhbGciOiJub25lIn0~e30~bnVsbA~9~-~/").map(
    lambda data: data.decode("latin-1")
)


@thorough
@given(
    body=BODIES,
    id_=SIGNATURES,
    timestamp=st.text(st.characters(categories=["Nd"]), max_size=40)
    | st.sampled_from(["now", "9" * 5_000])
    | SIGNATURES,
    value=SIGNATURES,
    kind=st.sampled_from(("crawl", "qstash")),
)
def test_a_message_without_a_valid_signature_is_refused(
    receiver: CrawlWebhook, body: str, *, id_: str, timestamp: str, value: str, kind: str
) -> None:
    event = webhook(body)
    event["rawPath"] = f"/webhooks/{kind}"
    sent_at = str(int(time.time())) if timestamp == "now" else timestamp
    event["headers"] |= {
        "webhook-id": id_,
        "webhook-timestamp": sent_at,
        "webhook-signature": value,
        "upstash-signature": value,
    }
    assert answered(receiver, event)["statusCode"] == 401
