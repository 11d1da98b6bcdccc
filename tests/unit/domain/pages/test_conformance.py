"""Links and encodings of pages are those of the standards."""

import pytest
from tests.support.conformance import DECLARED, LINKS, PAGE, QUERIES, Declared, Linked

from wavecrawl.domain.crawl.settings import ScopeMode, ScopeSettings
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.declared_charset import declared_charset
from wavecrawl.domain.pages.extraction import extract, read_markdown
from wavecrawl.domain.pages.page import MediaSearch
from wavecrawl.domain.urls.link_filter import LinkFilter
from wavecrawl.domain.urls.scope import Scope
from wavecrawl.domain.urls.url import Identity

WINDOWS = "windows-1251"
CAT = "?\u043a\u043e\u0442"
CP1251 = "?%EA%EE%F2"


@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)
def test_a_page_declares_its_encoding(declared: Declared) -> None:
    assert declared_charset(declared.content) == declared.encoding


@pytest.mark.parametrize("linked", [*QUERIES.values(), *LINKS.values()], ids=[*QUERIES, *LINKS])
def test_links_lead_where_they_lead_in_a_browser(linked: Linked) -> None:
    decoded = decode_html(linked.content, "")
    assert decoded.encoding == linked.encoding
    found = extract(decoded.html, url=PAGE, encoding=decoded.encoding)
    identity = Identity()
    scope = Scope(identity.page_url(PAGE), ScopeSettings(mode=ScopeMode.ORIGIN))
    links = LinkFilter(scope, identity, max_length=2_083).links(found.links, base=found.base_url)
    assert tuple(link.url for link in links) == linked.hrefs


def test_elements_of_mathml_are_links() -> None:
    html = """<a href=before></a><link rel=next href=next><math href=all><mrow href=row><mi href=letter>x</mi></mrow>
    <mtext><a href=text>t</a></mtext></math><svg><link rel=next href=wrong /></svg><a href=after></a>"""
    found = extract(html, url=PAGE).links
    assert [link.href for link in found] == ["before", "next", "all", "row", "letter", "text", "after"]


def test_a_base_in_mathml_is_none() -> None:
    assert extract("<math><base href=/wrong/ /></math>", url=PAGE).base_url == PAGE


def test_links_in_closed_shadow_roots_are_seen() -> None:
    html = "<nav><my-menu><template shadowrootmode=closed>Menu <a href=a>A</a></template></my-menu></nav>"
    (link,) = extract(html, url=PAGE).links
    assert (link.href, link.text, link.region) == ("a", "A", "nav")


def test_the_text_of_shadow_roots_counts() -> None:
    html = "<main><my-part><template shadowrootmode=open><h2>Part</h2><p>Text of it.</template></my-part></main>"
    facts = extract(html, url=PAGE).facts
    assert facts.headings == ((2, "Part"),)
    assert facts.text == "Part\n\nText of it."
    assert read_markdown(html, url=PAGE, encoding="utf-8").markdown == "## Part\n\nText of it."


def test_ten_thousand_shadow_roots_in_each_other_are_opened() -> None:
    html = "<div><template shadowrootmode=open>" * 10_000 + "<a href=a>a</a>"
    assert len(extract(html, url=PAGE).links) <= 1


def test_every_reference_has_its_query_in_the_encoding_of_the_page() -> None:
    html = f"""<link rel=canonical href="/c{CAT}"><link rel=alternate hreflang=ru href="/h{CAT}">
    <meta http-equiv=refresh content="0; url=/r{CAT}"><meta name=description content="A cat {CAT}">
    <main><p>A long text with <a href="/m{CAT}" title="{CAT}">a link</a>.<svg><a xlink:href="/s{CAT}"></a></svg>
    <iframe src="/f{CAT}"></iframe><img srcset="/i{CAT} 1x, /j{CAT} 2x"><video poster="/p{CAT}"></video></main>"""
    found = extract(html, url=PAGE, encoding=WINDOWS, search=MediaSearch(media=True))
    assert [link.href for link in found.links] == [f"/{name}{CP1251}" for name in "chmsfr"]
    assert found.facts.canonical == f"http://site.example/c{CP1251}"
    assert found.facts.hreflang == (("ru", f"http://site.example/h{CP1251}"),)
    assert found.facts.description == f"A cat {CAT}"
    written = read_markdown(html, url=PAGE, encoding=WINDOWS).markdown
    assert written == f"A long text with [a link](http://site.example/m{CP1251})."
    assert [one.url for one in found.media or ()] == [f"/j{CP1251}", f"/p{CP1251}"]
