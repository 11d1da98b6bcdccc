"""Declared URLs in the results: canonical pages and language versions by identity, and dates of expiry."""

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.support.crawling import QUICK, Done, crawl_inline, table

from wavecrawl.demo.model import ORIGIN, Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.pages.page import LinkKind

_LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


def text(word: str) -> str:
    """Return a text that no other word gives."""
    return " ".join(f"{word}{number} {word} topic" for number in range(40))


def page(path: str, *heads: str, word: str = "", headers: tuple[tuple[str, str], ...] = (), title: str = "") -> Page:
    """Return a page with elements in its head."""
    html = (
        f"<!doctype html><html lang=en><head><title>{title or path}</title>{''.join(heads)}</head>"
        f"<body><main><h1>{title or path}</h1><p>{text(word or path.strip('/'))}</p></main></body></html>"
    )
    return Page(path=path, body=html.encode(), headers=headers)


def canonical(href: str) -> str:
    return f'<link rel="canonical" href="{href}">'


def version(language: str, href: str) -> str:
    return f'<link rel="alternate" hreflang="{language}" href="{href}">'


NOINDEX = '<meta name="robots" content="noindex">'
SPELLINGS = {
    "/parameters?b=1&a=2": "/parameters?a=2&b=1",
    "/tracked": "/tracked?utm_source=x",
    "/session": "/session?PHPSESSID=0123456789abcdef0123456789abcdef",
    "/escaped/%7Ex": "/escaped/~x",
    "/fragment": "/fragment#top",
    "/slash/": "/slash",
    "/no-slash": "/no-slash/",
    "/dots": "./x/../dots",
    "/upper": "HTTP://LOCALHOST/upper",
}
"""Path -> its own URL, spelled differently."""

VERSIONS = ("us", "gb", "au")
_NAMED = tuple(version(f"en-{one}", f"/{one}/?utm_medium=x") for one in VERSIONS)
_IN_HEADER = '</header-de>; rel="alternate"; hreflang="de", </header-nl>; rel=alternate; hreflang=nl'
_ALONE = version("en-us", "/us/")

PAGES = (
    *(page(path, canonical(href)) for path, href in SPELLINGS.items() if path != "/upper"),
    *(page(f"/copy{number}", NOINDEX, word=path.strip("/")) for number, path in enumerate(SPELLINGS)),
    Page(
        path="/upper", title="Upper", text=(text("upper"),),
        links=(Link(to="/upper", href=f"{ORIGIN}/upper?fbclid=1#x", kind=LinkKind.CANONICAL),),
    ),
    page("/elsewhere", canonical("/other")),
    page("/other"),
    page("/in-header", headers=(("Link", '</in-header?utm_campaign=z>; rel="canonical"'),)),
    page("/file", canonical("file:///srv/index.html")),
    page("/script", canonical("javascript:void(0)")),
    page("/broken", canonical("https://")),
    page("/file-header", headers=(("Link", '<file:///x>; rel="canonical"'),)),
    page("/file-and-page", canonical("/other"), headers=(("Link", '<file:///x>; rel="canonical"'),)),
    page("/after-image", "<img src=p.gif>", canonical("/other"), version("de", "/other")),
    page("/past", '<meta name="robots" content="unavailable_after: 25 Jun 2010 15:00:00 GMT">'),
    page("/past-header", headers=(("X-Robots-Tag", "unavailable_after: Friday, 25-Jun-10 15:00:00 GMT"),)),
    page("/past-other-bot", headers=(("X-Robots-Tag", "otherbot: unavailable_after: 2010-06-25"),)),
    page("/past-own", headers=(("X-Robots-Tag", "wavecrawl: unavailable_after: 2010-06-25"),)),
    page("/future", '<meta name="robots" content="unavailable_after: 2999-01-01">'),
    page("/unreadable", '<meta name="robots" content="unavailable_after: next year">'),
    *(page(f"/{one}/", canonical(f"/{one}/"), *_NAMED, word="product", title="Product") for one in VERSIONS),
    page("/one-sided", canonical("/one-sided"), _ALONE, word="product", title="Product"),
    page("/header-de", headers=(("Link", _IN_HEADER),), word="header", title="Header"),
    page("/header-nl", headers=(("Link", _IN_HEADER),), word="header", title="Header"),
    page("/header-one-sided", headers=(("Link", f"{_IN_HEADER}, </header-one-sided>; rel=alternate; hreflang=be"),)),
    page("/listed-fr", word="listed", title="Listed"),
    page("/listed-de", word="listed", title="Listed"),
)  # fmt: skip
_LISTED = "".join(
    f"<url><loc>{{origin}}/listed-{one}</loc>"
    + "".join(
        f'<xhtml:link rel="alternate" hreflang="{other}" href="{{origin}}/listed-{other}?gclid=1"/>'
        for other in ("fr", "de")
    )
    + "</url>"
    for one in ("fr", "de")
)


class Results:
    """The results of a crawl, with paths instead of URLs."""

    def __init__(self, done: Done, origin: str) -> None:
        self.pages: Mapping[str, dict[str, Any]] = {row["url"].removeprefix(origin): row for row in done.pages()}
        self.issues = {
            (row["kind"], row["url"].removeprefix(origin)): row["detail"] for row in table(done.exports / "issues.csv")
        }
        tree = ET.parse(done.exports / "sitemap.xml")  # noqa: S314 - the crawl wrote it
        self.listed = {(one.text or "").removeprefix(origin) for one in tree.iter(_LOC)}

    def paths(self, kind: str) -> set[str]:
        """Return the paths of the pages with an issue of a kind."""
        return {path for name, path in self.issues if name == kind}


@pytest.fixture(name="results", scope="module")
def _results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    links = tuple(Link(to=one.path) for one in PAGES if one.path != "/header-nl")
    home = Page(path="/", title="Home", text=("Welcome.",), links=links)
    with SiteServer(Site(pages=(home, *PAGES))) as other:
        port = other.origin.rpartition(":")[2]
    listed = (
        '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        f'xmlns:xhtml="http://www.w3.org/1999/xhtml">{_LISTED}</urlset>'
    ).replace("{origin}", f"http://127.0.0.1:{port}")
    file = Page(path="/sitemap.xml", content_type="application/xml", body=listed.encode())
    with SiteServer(Site(pages=(home, *PAGES, file)), port=int(port)) as server:
        done = crawl_inline(server.url, tmp_path_factory.mktemp("declared"), QUICK)
    return Results(done, server.origin)


@pytest.mark.parametrize("path", [path for path in SPELLINGS if path != "/upper"] + ["/in-header"])
def test_another_spelling_of_its_own_url_is_the_page_itself(results: Results, path: str) -> None:
    assert (results.pages[path]["indexable"], results.pages[path]["not_indexable"]) == (True, "")
    assert results.pages[path]["duplicate_of"] == ""


def test_a_copy_that_is_not_indexable_is_a_duplicate_of_the_page(results: Results) -> None:
    found = {path: row["duplicate_of"] for path, row in results.pages.items() if path.startswith("/copy")}
    kept = {path for path in SPELLINGS if path != "/upper"}
    assert len(found) == len(SPELLINGS)
    assert {url.partition("//")[2].partition("/")[2] for url in found.values()} >= {path[1:] for path in kept}


def test_the_sitemap_has_the_canonical_spelling_without_tracking_and_fragment(results: Results) -> None:
    assert results.listed >= {"/parameters?a=2&b=1", "/tracked", "/session", "/escaped/~x", "/fragment", "/dots"}
    assert results.listed >= {"/in-header", "/future", "/unreadable", "/past-other-bot"}
    assert results.listed.isdisjoint({"/elsewhere", "/past", "/past-header", "/past-own"})
    for path in ("/slash", "/no-slash"):  # one spelling, which depends on what was requested
        assert len(results.listed & {path, f"{path}/"}) == 1


def test_a_canonical_link_that_is_no_web_address_is_shown_and_an_issue(results: Results) -> None:
    assert results.paths("canonical_invalid") == {"/file", "/script", "/broken", "/file-header", "/file-and-page"}
    assert results.issues["canonical_invalid", "/file"] == "the page names file:///srv/index.html"
    assert results.issues["canonical_invalid", "/file-and-page"] == "the Link header names file:///x"
    assert (results.pages["/file"]["canonical"], results.pages["/file"]["indexable"]) == (
        "file:///srv/index.html",
        True,
    )
    assert results.pages["/file-header"]["indexable"]
    assert results.pages["/file-and-page"]["not_indexable"] == "canonical_elsewhere"


def test_links_outside_the_head_do_not_count_and_are_an_issue(results: Results) -> None:
    assert results.paths("outside_head") == {"/after-image"}
    assert (results.pages["/after-image"]["indexable"], results.pages["/after-image"]["hreflang"]) == (True, [])
    assert results.pages["/elsewhere"]["not_indexable"] == "canonical_elsewhere"


def test_a_page_is_not_indexable_after_its_date(results: Results) -> None:
    why = {path: row["not_indexable"] for path, row in results.pages.items() if path.startswith(("/past", "/future"))}
    assert why == {
        "/past": "unavailable_after", "/past-header": "unavailable_after", "/past-own": "unavailable_after",
        "/past-other-bot": "", "/future": "",
    }  # fmt: skip
    assert results.pages["/unreadable"]["indexable"]
    assert results.issues["expiry_unreadable", "/unreadable"] == "unavailable_after: next year"
    assert results.paths("expiry_unreadable") == {"/unreadable"}


def test_declared_versions_are_in_the_sitemap_and_no_duplicates(results: Results) -> None:
    assert results.listed >= {"/us/", "/gb/", "/au/", "/listed-fr", "/listed-de"}
    assert {results.pages[f"/{one}/"]["duplicate_of"] for one in VERSIONS} == {""}
    assert {results.pages[f"/listed-{one}"]["duplicate_of"] for one in ("fr", "de")} == {""}
    assert results.paths("duplicate_content") == {"/one-sided"}


def test_a_title_that_only_versions_of_a_page_share_is_no_issue(results: Results) -> None:
    assert results.paths("duplicate_title") == {"/us/", "/one-sided"}
    assert results.paths("duplicate_h1") == {"/us/", "/one-sided"}


def test_versions_in_a_link_header_are_found_and_judged_as_those_in_the_head(results: Results) -> None:
    hreflang = {path: [one["language"] for one in results.pages[path]["hreflang"]] for path in results.pages}
    assert hreflang["/header-de"] == hreflang["/header-nl"] == ["de", "nl"]
    assert results.pages["/header-nl"]["parent"].endswith("/header-de")  # nothing else leads to it
    assert results.listed >= {"/header-de", "/header-nl"}
    assert {results.pages[path]["duplicate_of"] for path in ("/header-de", "/header-nl")} == {""}
    assert "/header-one-sided" in results.paths("hreflang_no_return")
    assert results.paths("hreflang_no_return").isdisjoint({"/header-de", "/header-nl"})
