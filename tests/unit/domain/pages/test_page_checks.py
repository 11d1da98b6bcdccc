"""What extraction reads for the checks. Rules: WCAG 2.2 F65, Mixed Content, HTML 4.2.5.3."""

import pytest

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.page import PageFacts


def facts(html: str, *, url: str = "https://example.com/a/b") -> PageFacts:
    return extract(html, url=url).facts


@pytest.mark.parametrize(
    ("html", "missing"),
    [
        ("<img src=a>", 1),
        ("<img src=a alt>", 0),
        ("<img src=a alt=''>", 0),
        ("<img src=a title=A>", 0),
        ("<img src=a title=' '>", 1),
        ("<img src=a aria-labelledby=x>", 0),
        ("<img src=a role=None>", 0),
        ("<img src=a aria-hidden=true>", 0),
        ("<img src=a aria-hidden=false>", 1),
        ("<body><noscript><img src=a></noscript>", 0),
        ("<noscript><img src=a width=1 height=1></noscript>", 0),
        ("<img src=a style='display: none'>", 0),
        ("<a href=/><img src=a></a><img src=b>", 2),
    ],
)
def test_images_need_an_alternative_text_or_a_sign_that_they_are_decoration(html: str, missing: int) -> None:
    assert facts(html).images_without_alt == missing


def test_pages_with_the_same_images_have_the_same_hash() -> None:
    pair = facts("<img src=a.jpg><img src=b.jpg>").pictures
    assert pair
    assert facts("<img src=' b.jpg'><p>Text<img data-src=a.jpg><img src=b.jpg>").pictures == pair
    assert facts("<img src=a.jpg>").pictures not in (0, pair)
    not_shown = "<p><noscript><img src=a></noscript><img src=c width=1><img src='data:,x'><img alt=a>"
    assert facts(not_shown).pictures == 0


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<img src=http://a.example/i>", [("img", "http://a.example/i")]),
        ("<img src=//a.example/i><img src=i><img src=https://a.example/i>", []),
        ("<img srcset='i 1x, http://a.example/2 2x'>", [("img", "http://a.example/2")]),
        ("<object data=http://a.example/o></object>", [("object", "http://a.example/o")]),
        ("<audio><source SRC = '\n HTTP://a.example/s'></audio>", [("source", "HTTP://a.example/s")]),
        ("<link rel='shortcut icon' href=http://a.example/i>", [("link", "http://a.example/i")]),
        ("<link rel=canonical href=http://a.example/i><link href=http://a.example/>", []),
        ("<iframe src=http://a.example/f></iframe>", [("iframe", "http://a.example/f")]),
        ("<a href=http://a.example/>x</a><area href=http://a.example/>", []),
        ("<form action=http://a.example/f></form>", [("form", "http://a.example/f")]),
        ("<button formaction=http://a.example/f>", [("form", "http://a.example/f")]),
    ],
)
def test_parts_and_forms_over_http_of_a_page_over_https_are_insecure(html: str, found: list[tuple[str, str]]) -> None:
    assert list(facts(html).insecure) == found
    assert facts(html, url="http://example.com/").insecure == ()


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/new", "https://example.com/new"),
        ("5;URL='next'", "https://example.com/a/next"),
        ("30", ""),
        ("30; url=/a/b", "https://example.com/a/b"),
        ("0; url=javascript:x()", ""),
        ("0; url=http://[", ""),
    ],
)
def test_a_meta_refresh_leads_to_an_absolute_url(content: str, target: str) -> None:
    assert facts(f'<meta http-equiv=REFRESH content="{content}">').refresh == target


def test_policies_of_meta_elements_are_read() -> None:
    html = (
        "<meta http-equiv=Content-Security-Policy content='upgrade-insecure-requests'>"
        "<meta name=Referrer content=no-referrer>"
    )
    assert facts(html).policies == ("csp", "referrer", "upgrade")


def test_canonical_links_with_other_urls_are_kept() -> None:
    links = "".join(f"<link rel=canonical href={path}>" for path in ("/a", "/a", "/b", "javascript:x()", "/c"))
    found = facts(links)
    assert (found.canonical, found.other_canonicals) == (
        "https://example.com/a",
        ("https://example.com/b", "https://example.com/c", "javascript:x()"),
    )


@pytest.mark.parametrize(
    "before", ["<img src=p.gif>", "<iframe src=a></iframe>", "stray text", "<div></div>", "<body>"]
)
def test_canonical_and_language_links_after_an_element_that_ends_the_head_do_not_count(before: str) -> None:
    links = (
        "<link rel=canonical href=/other><link rel=alternate hreflang=de href=/de><meta name=robots content=noindex>"
    )
    found = facts(f"<!doctype html><html><head><title>T</title>{before}{links}</head><body><p>text")
    assert (found.canonical, found.hreflang, found.robots) == ("", (), ("noindex",))
    assert found.outside_head == (
        ("canonical", "https://example.com/other"),
        ("hreflang", "https://example.com/de"),
    )


def test_elements_that_belong_in_the_head_do_not_end_it() -> None:
    before = "<noscript><link rel=stylesheet href=a.css></noscript><script>1</script><style>p{}</style><base href=/b/>"
    found = facts(f"<head>{before}<link rel=canonical href=c></head><p>text")
    assert (found.canonical, found.outside_head) == ("https://example.com/b/c", ())


def test_what_a_page_can_fill_is_bounded() -> None:
    long = "x" * 5_000
    ailing = "<img src=http://a.example/{number}{long}><link rel=canonical href=/{number}>"
    head = "".join(f"<link rel=canonical href=/head/{number}>" for number in range(99))
    html = head + "".join(ailing.format(number=number, long=long) for number in range(99))
    found = facts(html)
    assert (found.images_without_alt, len(found.example_images), len(found.insecure)) == (99, 5, 20)
    assert (len(found.other_canonicals), len(found.outside_head)) == (5, 5)
    assert {len(url) for _, url in found.insecure} == {300}
    assert {len(source) for source in found.example_images} == {300}


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ('{"a": 1}', ()),
        ('{"a"}', ("Expecting ':' delimiter: line 3, column 40",)),
        ('<!-- /* a\n b */ {"a": 1,\n "b" 2} -->', ("Expecting ':' delimiter: line 5, column 6",)),
        ("//<![CDATA[\r\n[1 é 2]\r\n//]]>", ("Expecting ',' delimiter: line 4, column 4",)),
        ("", ()),
        (" \n", ()),
        ("[" * 100_000, ("Cannot be read: line 3, column 36",)),
        ("[\0]", ("Expecting value: line 3, column 37",)),
    ],
)
def test_json_ld_that_cannot_be_read_has_line_and_column_in_the_source(script: str, problem: tuple[str, ...]) -> None:
    html = f'<html><head>\r\n<title>T</title>\r<script type="application/ld+json">{script}</script>'
    assert facts(html).json_ld_problems == problem


def test_each_script_has_its_own_position_and_one_that_ends_with_the_page_has_none() -> None:
    script = '<script type="application/ld+json">{</script>\n'
    message = "Expecting property name enclosed in double quotes"
    assert facts(script * 2 + script.removesuffix("</script>\n")).json_ld_problems == (
        f"{message}: line 1, column 37",
        f"{message}: line 2, column 37",
        message,
    )
    assert len(facts(script * 9).json_ld_problems) == 5
