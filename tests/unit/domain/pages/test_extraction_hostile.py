"""Pages whose tree would be far larger than the page itself, by intent or by mistake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.pages.extraction import extract, read_markdown
from wavecrawl.domain.pages.extraction.growth import flat, limit_growth
from wavecrawl.domain.pages.page import RawLink

PAGE = "https://example.com/"


def links(html: bytes) -> tuple[RawLink, ...]:
    return extract(html, url=PAGE).links


@pytest.mark.parametrize(
    "html",
    [
        b"",
        b"<p>a page<p>as most are",
        b"<div>" * 600,  # too small to be expanded
        b"<p>" + b"text " * 20_000,
        b"<ul>" + b"<li><a href=x>x</a>" * 5_000 + b"</ul>",
        b"<table>" + b"<tr><td>a<td>b" * 10_000 + b"</table>",
        b"<p>a<br>b<img>" * 20_000,
        b"<div><p><b>text</b></p></div>" * 10_000,
        b"<div><b>a</b></div>" * 30_000,
        b"<div>" * 400 + b"x" * 40_000 + b"</div>" * 400,
        b"<b>" * 5 + b"<p>x</p>" * 40_000,
        b"<div>" * 450 + b"<p>x</p>" * 60_000 + b"</div>" * 450,
        b"</div>" * 50_000,
        b"<p " + b"title='" + b"a b " * 20_000 + b"'>x",
        b"x" * 40_000 + b"<p " + b"a" * 20_000 + b">",
        b"<tr><td>a cell</td><td>another</td></tr>\n" * 30_000,
        b"words and no tags " * 100_000,
    ],
)
def test_pages_as_they_exist_are_left_alone(html: bytes) -> None:
    assert limit_growth(html) is html


@pytest.mark.parametrize(
    "html",
    [
        b"<div>" * 30_000,
        b"<div>" * 3_000 + b"<p>x</p>" * 40_000,
        b"".join(b"<b id=%d>" % n for n in range(100)) + b"<p>x</p>" * 40_000,
        b"<p><b><i>" * 20_000,
        b"<html a=b><body c=d>" * 30_000,
        b"<p " + b" ".join(b"a%d=1" % n for n in range(5_000)) + b">" + b"x" * 10_000,
        b"<p " + b" ".join(b"a%d" % n for n in range(9_000)),
        b"x" * 40_000 + b"<p>" + b"x" * 40_000 + b"<p " + b" ".join(b"a%d" % n for n in range(9_000)) + b">",
        b"<li>1</li>" * 400_000,
        b"<p a=1 b=2 c=3 d=4 e=5 f=6>x" * 100_000,
    ],
)
def test_pages_that_would_outgrow_themselves_are_made_flat(html: bytes) -> None:
    assert limit_growth(html) == flat(html) != html


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (b"a<div>b</div>c", b"a b c"),
        (b"a<b>b</b>c", b"abc"),
        (b"<a href=x>x</a>", b"</a><a href=x>x</a>"),
        (b"<A HREF=x>x<a href=y>y", b"</a><a HREF=x>x</a><a href=y>y"),
        (b"<LINK rel=next href=x></link>", b"<link rel=next href=x>"),
        (b"<meta name=a content=b><base href=c><area href=d>", b"<meta name=a content=b><base href=c><area href=d>"),
        (b"<title lang=en>t</title>", b"<title>t</title>"),
        (b"<frame src=x><iframe src=y></iframe>", b"<iframe src=x></iframe><iframe src=y></iframe> "),
        (b"a<!-- <a href=x> -->b<script>'<a href=y>'</script>c", b"abc"),
        (b"a<style>b</style>c<svg><a href=x></svg>d<textarea>e</textarea>f", b"acdf"),
        (b"a<script>never closed <a href=x>", b"a"),
        (b"a<!-- never closed <a href=x>", b"a"),
        (b"1 < 2 and <3", b"1 < 2 and <3"),
        (b"<my-box>x", b" x"),
        (b"x<a href=y", b"x</a><a href=y>"),
    ],
)
def test_a_flat_page_keeps_what_makes_links_and_facts(html: bytes, expected: bytes) -> None:
    assert flat(html) == expected


def test_a_flat_page_still_has_its_links_title_and_text() -> None:
    html = (
        b"<title>Deep</title><base href=/b/>"
        + b"<div>" * 30_000
        + b"<p>some<p><b>th</b>ing <a href=x rel=nofollow>link</a>"
    )
    found = extract(html, url=PAGE)
    assert (found.facts.title, found.facts.text, found.base_url) == (
        "Deep",
        "some thing link",
        "https://example.com/b/",
    )
    assert [(link.href, link.text, link.nofollow) for link in found.links] == [("x", "link", True)]


def test_a_flat_page_keeps_a_limited_number_of_tags_and_all_text() -> None:
    html = flat(b"<a href=x>y</a>" * 150_000)
    assert html.count(b"<a href=x>") == 100_000
    assert html.count(b"y") == 150_000


def test_a_text_is_cut_where_its_words_would_fill_the_memory() -> None:
    assert len(extract(b"word " * 1_100_000, url=PAGE).facts.text) == 4_999_999  # without the trailing space


def test_the_links_returned_for_a_page_are_limited() -> None:
    html = b"".join(b"<a href=%d>x</a>" % n for n in range(20_000))
    assert [link.href for link in extract(html, url=PAGE, max_links=5).links] == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    "html",
    [
        b"\xff\xfe<a href=x>x</a>",
        b"<a href=x>\x00\xc3\x28</a>",
        b"<a href=x>" + b"\xed\xa0\x80",
        b"<html><head><html><a href=x>x<frameset>",
        b"<table><a href=x><tr><table><td>",
        b"<select><a href=x>x</a>",
        b"<math><mi><a href=x>x</a>",
        b"<svg><foreignObject><a href=x>x</a>",
    ],
)
def test_broken_markup_still_gives_its_links(html: bytes) -> None:
    assert [link.href for link in links(html)] == ["x"]


def test_half_a_surrogate_pair_does_not_raise() -> None:
    assert extract("<title>a\ud800</title>", url=PAGE).facts.title == "a?"


PIECES = (b"<a href=x>", b"</a>", b"<base href=':'>", b"<meta http-equiv=refresh content='0;", b"<table>", b"<svg>",
          b"<template>", b"<frameset>", b"<main>", b"<div class=menu>", b"<title>", b"<!--", b"<p hidden>", b"\x00",
          b"<script type=application/ld+json>{", b"&#xD800;", b"<html lang>", b"<h1>", b"</", b"\xc3", b"'",
          b">")  # fmt: skip


FLAT_PARENTS = ("-document", "html", "head", "body", "a")


@given(st.binary(max_size=400) | st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join))
def test_no_bytes_raise(html: bytes) -> None:
    found = extract(html, url=PAGE, max_links=3)
    assert len(found.links) <= 3
    assert found.facts.word_count == len(found.facts.text.split())
    assert found.base_url.startswith(("http://", "https://"))


@given(st.text(max_size=200))
def test_text_and_its_utf_8_are_the_same_page(text: str) -> None:
    assert extract(text, url=PAGE) == extract(text.encode(), url=PAGE)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join))
def test_a_flat_page_nests_nothing_but_in_links(html: bytes) -> None:
    root = LexborHTMLParser(flat(html)).root
    assert root is not None
    assert all(node.parent is None or node.parent.tag in FLAT_PARENTS for node in root.traverse())


def test_a_page_of_nuls_is_read_without_them() -> None:
    html = b"<title>t</title><p>one</p>" + b"\0" * 200_000 + b"<a href='/x'>two</a>"
    assert b"\0" not in limit_growth(html)
    found = extract(html, url="http://site.example/")
    assert [link.href for link in found.links] == ["/x"]
    few = b"<p>a\0b</p>"
    assert limit_growth(few) == few


ICON = b"<svg viewBox='0 0 24 24'><title>x</title><g>" + b"<path d='M0 0h24'/>" * 60 + b"</g></svg>"


def test_icons_do_not_flatten_a_page() -> None:
    html = b"".join(b"<h2>Part %d</h2><p>Words</p>%b" % (number, ICON) for number in range(2_000))
    assert limit_growth(html) is html
    assert len(extract(html, url=PAGE).facts.headings) == 100


@pytest.mark.parametrize(
    "opening",
    [
        b"",
        b"<svg/>",
        b"<svg></svg>",
        b"<svg><div>",  # closes the <svg>
        b"<svg><title><div></title>",  # the title stays open
        b"<svg><title></desc>",
        b"<svg><foreignObject>",
    ],
)
def test_elements_outside_of_svg_do_not_close_themselves(opening: bytes) -> None:
    html = opening + b"<path/>" * 150_000
    assert limit_growth(html) != html


ROWS = "<main><table><tr><td>a<td>b<tr><td>c<td>d<tr><td>"


@pytest.mark.parametrize("name", ["plaintext", "xmp", "noembed", "noframes", "iframe", "noscript", "textarea", "title"])
@pytest.mark.parametrize("raw", ["<td>x", "</td>x", "</table>x", "<table><tr><td>x", "<tr></table></table><td>", "<"])
def test_tags_in_raw_text_inside_a_cell_end_no_page(name: str, raw: str) -> None:
    """HTML, 13.3: the text of some elements is serialized as it is, so the tags in it look like those of the page."""
    for html in (f"{ROWS}<{name}>{raw}</{name}><td>y</table>", f"{ROWS}x<{name}>{raw}</table>z"):
        assert extract(html, url=PAGE).facts.text_hash
        assert read_markdown(html, url=PAGE, encoding="utf-8").markdown
