from hashlib import sha256

import pytest

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.page import PageFacts
from wavecrawl.domain.pages.simhash import simhash

PAGE = "https://example.com/docs/page"


def facts(html: str) -> PageFacts:
    return extract(html, url=PAGE).facts


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> About \n us </title>", "About us"),
        ("<title></title><title>Second</title>", "Second"),
        ("<svg><title>Logo</title></svg><title>Late</title>", "Late"),
        ("<svg><g><title>Logo</title></g></svg>", ""),
        ("<title> </title><meta property=og:title content=Shared>", "Shared"),
        ("<meta property=og:title content=One><meta property=og:title content=Two>", "One"),
        ("<h2>Two</h2><h1>One</h1>", "One"),
        ("<h2>Two</h2>", ""),
        ("<title>&lt;b&gt; &amp; c</title>", "<b> & c"),
        (f"<title>{'x' * 2_000}</title>", "x" * 999 + "…"),
        (f"<title>{' ' * 20_000}x</title>", "x"),
    ],
)
def test_the_title_is_the_pages_own_or_what_stands_for_it(html: str, title: str) -> None:
    assert facts(html).title == title


@pytest.mark.parametrize(
    ("html", "substitute"),
    [
        ("<title>Own</title><meta property=og:title content=Shared><h1>One</h1>", False),
        ("<title> </title><meta property=og:title content=Shared>", True),
        ("<h1>One</h1>", True),
        ("<h2>Two</h2>", False),
    ],
)
def test_a_title_from_elsewhere_is_marked(html: str, substitute: bool) -> None:  # noqa: FBT001 - a case
    assert facts(html).title_is_substitute is substitute


@pytest.mark.parametrize(
    ("html", "substitute"),
    [
        ("<meta name=description content=Own><meta property=og:description content=Shared>", False),
        ("<meta name=description content=' '><meta property=og:description content=Shared>", True),
        ("<meta property=og:description content=Shared>", True),
        ("<meta property=og:description content=''>", False),
    ],
)
def test_a_description_from_elsewhere_is_marked(html: str, substitute: bool) -> None:  # noqa: FBT001 - a case
    assert facts(html).description_is_substitute is substitute


@pytest.mark.parametrize(
    ("html", "description", "keywords"),
    [
        ("<meta name=Description content=' what  it is '>", "what it is", ""),
        ("<meta name=description content=''><meta name=description content=second>", "second", ""),
        ("<meta name=description content=' '><meta name=description content=second>", "second", ""),
        ("<meta name=description content=one><meta name=description content=two>", "one", ""),
        ("<meta property=og:description content=shared>", "shared", ""),
        ("<meta name=keywords content='a, b'>", "", "a, b"),
        ("<meta name=description>", "", ""),
        ("<meta content=nameless>", "", ""),
    ],
)
def test_description_and_keywords_are_read(html: str, description: str, keywords: str) -> None:
    found = facts(html)
    assert (found.description, found.keywords) == (description, keywords)


@pytest.mark.parametrize(
    ("html", "canonical"),
    [
        ("<link rel=canonical href='../c'>", "https://example.com/c"),
        ("<link rel='nofollow Canonical' href='https://other.example/'>", "https://other.example/"),
        ("<link rel=canonical href='mailto:a'><link rel=canonical href='/b'>", "https://example.com/b"),
        ("<link rel=canonical href='/a'><link rel=canonical href='/b'>", "https://example.com/a"),
        ("<base href='/base/'><link rel=canonical href=c>", "https://example.com/base/c"),
        ("<link rel=canonical>", ""),
        ("<a rel=canonical href='/a'>a</a>", ""),
        ("<link rel=canonical href='http://['>", "http://["),
        ("<link rel=canonical href='file:///c.html'>", "file:///c.html"),
        ("<link rel=canonical href='  '>", ""),
    ],
)
def test_the_canonical_url_is_absolute_or_as_written_if_it_is_no_web_address(html: str, canonical: str) -> None:
    assert facts(html).canonical == canonical


@pytest.mark.parametrize(
    ("html", "robots", "nofollow"),
    [
        ("", (), False),
        ("<meta name=robots content='NoIndex, ,max-snippet:10'>", ("max-snippet:10", "noindex"), False),
        (
            "<meta name=robots content='unavailable_after: Friday, 25-Jun-10 15:00:00 GMT,noindex'>",
            ("noindex", "unavailable_after: friday, 25-jun-10 15:00:00 gmt"),
            False,
        ),
        ("<meta name=robots content=none>", ("none",), True),
        ("<meta name=Robots content=noindex><meta name=wavecrawl content=nofollow>", ("nofollow", "noindex"), True),
        ("<meta name=otherbot content=noindex>", (), False),
        ("<meta name=robots>", (), False),
    ],
)
def test_robots_directives_count_where_they_address_us(html: str, robots: tuple[str, ...], *, nofollow: bool) -> None:
    found = facts(html)
    assert (found.robots, found.nofollow) == (robots, nofollow)


@pytest.mark.parametrize(
    ("html", "language"),
    [("<html lang=' EN-us '>", "en-us"), ("<html xml:lang=de>", "de"), ("<html>", ""), ("<html lang>", "")],
)
def test_the_language_is_that_of_the_root(html: str, language: str) -> None:
    assert facts(html).language == language


def test_alternates_in_other_languages_are_kept_once() -> None:
    found = facts(
        "<link rel=alternate hreflang=DE href=/de><link rel=alternate hreflang=de href=/de>"
        "<link rel=alternate hreflang=x-default href=/><link rel=alternate hreflang=fr href='http://['>"
        "<link rel=alternate href=/feed><link rel=next hreflang=it href=/it><link>"
    )
    assert found.hreflang == (("de", "https://example.com/de"), ("x-default", "https://example.com/"))


def test_headings_keep_level_and_order() -> None:
    found = facts("<h1>A <b>b</b></h1><h3> </h3><h6>F</h6><main><h2>B</h2></main>")
    assert found.headings == ((1, "A b"), (6, "F"), (2, "B"))


def test_words_of_blocks_in_a_heading_are_parted() -> None:
    found = facts("<h2><div>One<p>two</p></div><span>three</span> <p>four</p> </h2><h3><b>a</b><br><i>b</i></h3>")
    assert found.headings == ((2, "One two three four"), (3, "a b"))


def test_headings_are_bounded() -> None:
    found = facts("<h2>x</h2>" * 150)
    assert (found.headings, found.cut_facts) == (((2, "x"),) * 100, ("headings",))
    assert facts("<h2>x</h2>" * 100 + "<h2> </h2>").cut_facts == ()
    assert facts(f"<h1>{'x' * 201}</h1>").headings == ((1, "x" * 199 + "…"),)


def test_open_graph_is_read_by_property_and_by_name() -> None:
    found = facts(
        "<meta property='OG:Type' content=article><meta name=og:image content=/i.png>"
        "<meta name=twitter:card content=x><meta property=og:empty content=''>"
    )
    assert found.open_graph == (("og:type", "article"), ("og:image", "/i.png"))


def test_open_graph_is_bounded() -> None:
    found = facts("<meta property=og:x content=y>" * 150)
    assert (found.open_graph, found.cut_facts) == ((("og:x", "y"),) * 100, ("open_graph",))


def test_lists_that_are_cut_are_named() -> None:
    alternates = "".join(f"<link rel=alternate hreflang=en href=/{number}>" for number in range(501))
    robots = f"<meta name=robots content={','.join(f'x{number}' for number in range(51))}>"
    script = f"<script type=application/ld+json>[{'1,' * 600_000}1]</script>"
    found = facts(f"<head>{alternates}{robots}{script}")
    assert (len(found.hreflang), len(found.robots), found.json_ld_types) == (500, 50, ())
    assert found.cut_facts == ("hreflang", "json_ld_types", "robots")


@pytest.mark.parametrize(
    ("scripts", "types"),
    [
        (('{"@type": "Article"}',), ("Article",)),
        (('{"@graph": [{"@type": "B"}, {"@type": ["A", "B", 3]}]}',), ("A", "B")),
        (('{"@type": "A", "author": {"@type": "Person"}}', '[{"@type": "C"}, 1, null]'), ("A", "C", "Person")),
        (("{broken", '{"@type": "A"}'), ("A",)),
        (("[" * 100_000,), ()),
        (('{"@type": "\\ud800x"}',), ("?x",)),
        (('{"@type": ""}', "3"), ()),
        (('{"@context": {"url": {"@type": "@id"}}, "@type": "A"}',), ("A",)),  # a context types terms
        (('{"@type": "A", "date": {"@type": "xsd:date", "@value": "2026-01-02"}}',), ("A",)),  # a literal
        (('{"data": {"@type": "@json", "@value": {"@type": "B"}}}',), ()),
        (('{"@type": ["A", null, {"@id": "B"}]}',), ("A",)),
        (('{"@context": {"type": "@type"}, "type": "A", "part": {"type": "B"}}', '{"type": "C"}'), ("A", "B")),
        (('{"@context": ["https://schema.org", {"is": {"@id": "@type"}}], "is": ["A"]}',), ("A",)),
        (('{"@context": {"t": "@type"}, "a": {"@context": {"t": "http://t"}, "t": "A"}}',), ()),
        (('{"@graph": [{"@included": [{"@type": "A"}], "@reverse": {"x": {"@type": "B"}}}]}',), ("A", "B")),
        (("[" + "1," * 10_000 + '{"@type": "A"}, 1]',), ("A",)),
        (("[" + '{"@type": "A"},' + "1," * 10_000 + "1]",), ()),
    ],
)
def test_json_ld_types_are_found_wherever_they_stand(scripts: tuple[str, ...], types: tuple[str, ...]) -> None:
    html = "".join(f"<script type='application/LD+json; charset=utf-8'>{script}</script>" for script in scripts)
    assert facts(html).json_ld_types == types


@pytest.mark.parametrize("start", ["<script>", "<script type=text/javascript>", "<script type>"])
def test_other_scripts_give_no_hint(start: str) -> None:
    assert facts(start + '{"@type": "A"}</script>').json_ld_types == ()


def test_a_page_has_the_fingerprints_of_its_text() -> None:
    found = facts("<p>One  two<p>three</p>")
    assert (found.text, found.word_count) == ("One two\n\nthree", 3)
    assert found.text_hash == sha256(b"One two\n\nthree").hexdigest()
    assert found.simhash == simhash("One two three")


def test_a_page_without_text_has_no_fingerprints() -> None:
    assert facts("<title>T</title>") == PageFacts(title="T", anchors=())


def test_a_long_text_is_kept_whole() -> None:
    found = facts("<p>" + "abcd " * 1_000)
    assert (found.text, found.word_count) == (" ".join(["abcd"] * 1_000), 1_000)


def test_a_canonical_link_inside_an_element_of_the_head_counts() -> None:
    found = facts("<head><noscript><link rel=canonical href=/c></noscript></head>")
    assert (found.canonical, found.outside_head) == ("https://example.com/c", ())


@pytest.mark.parametrize(
    ("product", "directives"),
    [("wavecrawl", ("nofollow",)), ("AcmeBot", ("noindex",)), ("otherbot", ()), ("ROBOTS", ())],
)
def test_a_page_has_directives_for_the_product_of_the_crawler(product: str, directives: tuple[str, ...]) -> None:
    html = "<meta name=wavecrawl content=nofollow><meta name=acmebot content=noindex><meta name=googlebot content=none>"
    assert extract(html, url="http://site.example/", product=product).facts.robots == directives
