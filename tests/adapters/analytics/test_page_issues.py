"""The checks of pages, on a site whose ailments are known."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.adapters.analytics.results_service import ResultsService
from tests.support.clinic_site import clinic_site, over_tls
from tests.support.crawling import ALL_FILES, QUICK, Done, crawl_inline, table
from tests.support.fake_browser import FakeBrowser

from wavecrawl.adapters.spreadsheets.inlinks import write_inlinks
from wavecrawl.demo.model import Link, Page, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.graph.issue import IssueName
from wavecrawl.domain.graph.issue_settings import IssueSettings
from wavecrawl.domain.rendering.settings import RenderSettings

_SETTINGS = replace(QUICK, issues=IssueSettings(off=(), as_error=(IssueName.META_REFRESH,)))
_LONG = "/" + "-".join(["long"] * 25)
_DEFAULTS_MISSING = ("bad-target", "conflict", "foreign", "fr", "no-return", "no-self")

_KNOWN: dict[str, set[tuple[str, str]]] = {
    "title_too_long": {("/title-61", ""), (_LONG, "")},
    "title_too_short": {("/title-9", "")},
    "description_too_long": {("/description-161", ""), (_LONG, "")},
    "description_too_short": {("/description-49", "")},
    "missing_h1": {("/no-h1", "")},
    "several_h1": {("/two-h1", "")},
    "duplicate_h1": {("/same-h1-a", "/same-h1-a"), ("/same-h1-b", "/same-h1-a")},
    "image_without_alt": {("/images", "")},
    "low_word_count": {("/words-49", "")},
    "soft_404": {("/soft-404", ""), ("/soft-404-h1", "")},
    "mixed_canonical": {("/canonical-chain", "/canonical-other"), ("/canonical-two", "/canonical-two")},
    "canonical_not_indexable": {
        ("/canonical-missing", "/missing"),
        ("/canonical-moved", "/moved"),
        ("/canonical-noindex", "/noindex"),
    },
    "canonical_outside": {
        ("/canonical-outside", "https://other.example/page"),
        ("/tls/mixed", "http://a.example/c"),
    },
    "hreflang_no_return": {("/conflict", "/pair-en"), ("/no-return", "/fr"), ("/no-self", "/pair-de")},
    "hreflang_not_indexable": {
        ("/bad-target", target) for target in ("/missing", "/moved", "/noindex", "/canonical-other")
    },
    "hreflang_code": {("/bad-codes", "/bad-codes")},
    "hreflang_conflict": {("/conflict", "")},
    "hreflang_no_self": {("/no-self", "")},
    "hreflang_no_default": {(f"/{name}", "") for name in _DEFAULTS_MISSING},
    "meta_refresh": {("/refresh", "/title-60")},
    "mixed_content": {("/tls/mixed", "")},
    "insecure_form": {("/tls/form", "")},
    "url_upper_case": {("/Upper", "")},
    "url_underscore": {("/a_b", "")},
    "url_non_ascii": {("/%c3%a9t%c3%a9", "")},
    "url_space": {("/sp%20ace", "")},
    "invalid_json_ld": {("/four?a=1&b=2&c=3&d=4", "")},
    "broken_fragment": {
        *((f"/parts#{name}", "/part-links") for name in ("missing", "ONE-missing", "one%20missing")),
        ("/part-links#missing-here", "/part-links"),
        ("/tracked#missing", "/part-links"),
        ("/based#missing", "/part-links"),
    },
    "url_too_long": {(_LONG, "")},
    "url_parameters": {("/four?a=1&b=2&c=3&d=4", "")},
    "url_double_slash": {("/a//b", "/")},
}
"""Kind -> path and related path or URL of each issue; other pages have none of these."""

_HTTP_PAGES = 57  # of the clinic's pages that were read, those outside /tls/


class Clinic:
    """The crawl of the clinic, and its issues without the address of the server."""

    def __init__(self, done: Done, folder: Path, origin: str) -> None:
        self.done = done
        self.folder = folder
        self.origin = origin
        self.secure = origin.replace("http:", "https:")
        self.rows = [
            {name: text.replace(origin, "") for name, text in row.items()} for row in table(done.exports / "issues.csv")
        ]

    def details(self, kind: str) -> list[str]:
        """Return the details of the issues of a kind."""
        return [row["detail"] for row in self.rows if row["kind"] == kind]


@pytest.fixture(name="clinic", scope="module")
def _clinic(tmp_path_factory: pytest.TempPathFactory) -> Clinic:
    folder = tmp_path_factory.mktemp("clinic")
    with SiteServer(clinic_site()) as server, over_tls():
        done = crawl_inline(server.url, folder, _SETTINGS)
    return Clinic(done, folder, server.origin)


@pytest.mark.parametrize("kind", _KNOWN)
def test_a_check_finds_its_ailing_pages_and_no_other(clinic: Clinic, kind: str) -> None:
    assert {(row["url"], row["related"]) for row in clinic.rows if row["kind"] == kind} == _KNOWN[kind]


def test_unreadable_json_ld_names_line_and_column(clinic: Clinic) -> None:
    (detail,) = clinic.details("invalid_json_ld")
    assert re.fullmatch(r"Expecting ':' delimiter: line \d+, column \d+", detail)


def test_broken_fragments_name_the_line_of_the_link_and_its_redirect(clinic: Clinic) -> None:
    found = [row for row in clinic.rows if row["kind"] == "broken_fragment" and row["url"] == "/parts#missing"]
    assert [row["detail"] for row in found] == ["line 15", "line 21, redirected from /moved-parts"]


@pytest.mark.parametrize(
    ("kind", "secure"),
    [
        ("missing_hsts", "2 of 6 pages of {host}/, such as {host}/tls/metas"),
        ("missing_csp", "1 of 6 pages of {host}/"),
        ("missing_nosniff", "2 of 6 pages of {host}/, such as {host}/tls/metas"),
        ("missing_frame_protection", "2 of 6 pages of {host}/, such as {host}/tls/metas"),
        ("missing_referrer_policy", "1 of 6 pages of {host}/"),
        ("insecure_host", ""),
    ],
)
def test_missing_headers_are_one_issue_per_host(clinic: Clinic, kind: str, secure: str) -> None:
    expected = [f"{_HTTP_PAGES} of {_HTTP_PAGES} pages of /"] if kind != "missing_hsts" else []
    expected += [secure.format(host=clinic.secure)] if secure else []
    assert clinic.details(kind) == expected


def test_details_name_what_was_found(clinic: Clinic) -> None:
    assert clinic.details("title_too_short") == ["9 characters, fewer than 10: ttttttttt"]
    assert clinic.details("image_without_alt") == ["2 without alt: g.png, h.png"]
    assert clinic.details("hreflang_code") == [
        "en-uk: uk is no region of ISO 3166-1",
        "english is not a language, optionally with a script and a region",
        "es-419: 419 is no region of ISO 3166-1",
        "jp: jp is no language of ISO 639-1",
    ]
    assert "; ".join(clinic.details("mixed_content")) == (
        "img http://a.example/i.png, img http://a.example/2x.png, script HTTP://a.example/s.js, "
        "video http://a.example/p.png, link http://a.example/s.css, iframe http://a.example/f"
    )
    assert clinic.details("hreflang_not_indexable") == [
        "its canonical page is /canonical-self", "not_found 404", "redirected 301", "it is marked noindex",
    ]  # fmt: skip


def test_a_severity_of_the_settings_is_that_of_the_rows_and_of_the_api(clinic: Clinic) -> None:
    assert {row["severity"] for row in clinic.rows if row["kind"] == "meta_refresh"} == {"error"}
    service = ResultsService(clinic.folder)
    try:
        body = service.ask("GET", f"/v1/crawls/{clinic.done.row.id.crawl}/issues", query={"severity": "error"}).body
    finally:
        service.close()
    groups = {group["kind"]: group["severity"] for group in body["kinds"]}
    assert (groups["meta_refresh"], groups["image_without_alt"]) == ("error", "warning")
    assert "meta_refresh" in {issue["kind"] for issue in body["issues"]}


def test_checks_can_be_turned_off_and_their_limits_changed(tmp_path: Path) -> None:
    pages = tuple(Page(path=f"/{name}", title="Short", text=("One word.",)) for name in "abc")
    deep = (Page(path="/d", title="A title of its own", links=(Link(to="/e"),)), Page(path="/e", title="Deep title"))
    home = Page(path="/", title="The home page", links=tuple(Link(to=page.path) for page in (*pages, deep[0])))
    checks = IssueSettings(
        off=(IssueName.DUPLICATE_TITLE,), min_title=0, max_title=0, min_words=2, max_clicks=1,
        max_load_seconds=0.000_01, max_html_kb=1,
    )  # fmt: skip
    heavy = Page(path="/f", title="A heavy page", filler=2_000)
    lost = Page(path="/lost", title="No link leads here")
    listed = (SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to="/lost"),)),)
    linked = replace(home, links=(*home.links, Link(to="/f")))
    site = Site(pages=(linked, *pages, *deep, heavy, lost), name="Limits", sitemaps=listed)
    with SiteServer(site) as server:
        done = crawl_inline(server.url, tmp_path, replace(QUICK, issues=checks, max_links=5))
    found: dict[str, set[str]] = {}
    for row in table(done.exports / "issues.csv"):
        found.setdefault(row["kind"], set()).add(row["url"].removeprefix(server.origin))
    assert found.keys().isdisjoint({"duplicate_title", "title_too_short", "title_too_long"})
    assert found["too_deep"] == {"/e"}  # not /lost, whose depth is a substitute
    assert found["links_cut"] == {"/"}
    assert found["heavy_page"] == {"/f"}
    assert found["slow_page"] == {"/", "/a", "/b", "/c", "/d", "/e", "/f", "/lost"}


def test_what_stands_for_a_title_or_a_description_is_none(tmp_path: Path) -> None:
    bodies = {
        "/": "<title>The home page</title><h1>Home</h1><a href=/empty></a><a href=/none></a><a href=/shared></a>"
        "<meta name=description content=Own>",
        "/empty": "<title></title><h1>Same</h1><meta name=description>",
        "/none": "<h1>Same</h1><meta property=og:description content=Shared>",
        "/shared": "<meta property=og:title content=Same><meta property=og:description content=Shared>",
    }
    site = Site(pages=tuple(Page(path=path, body=html.encode()) for path, html in bodies.items()))
    with SiteServer(site) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
    rows = [(row["kind"], row["url"].removeprefix(server.origin)) for row in table(done.exports / "issues.csv")]
    assert sorted(url for kind, url in rows if kind == "missing_title") == ["/empty", "/none", "/shared"]
    assert sorted(url for kind, url in rows if kind == "missing_description") == ["/empty", "/none", "/shared"]
    assert {kind for kind, _ in rows}.isdisjoint({"duplicate_title", "title_too_short", "duplicate_description"})
    texts = {
        row["url"].removeprefix(server.origin): (
            row["full_title"],
            row["title_length"],
            row["title"],
            row["description"],
        )
        for row in table(done.exports / "pages.csv")
    }
    assert texts == {
        "/": ("The home page", "13", "The home page", "Own"),
        "/empty": ("", "0", "Same", ""),
        "/none": ("", "0", "Same", ""),
        "/shared": ("", "0", "Same", ""),
    }
    assert "): Shared" in (done.exports / "llms.txt").read_text(encoding="utf-8")  # better than no description


def test_a_redirect_that_pages_link_to_names_the_first_of_them(tmp_path: Path) -> None:
    old, slash = Link(to="/old", text="Shop"), Link(to="/docs/", href="/docs", text="Docs")
    site = Site(
        pages=(
            Page(path="/", links=(old, slash, Link(to="/about"))),
            Page(path="/about", links=(Link(to="/old", text="the shop"), Link(to="/docs/", text="as it is"))),
            Page(path="/docs/"),
            Page(path="/old", status=301, redirect="/new"),
            Page(path="/new"),
        )
    )
    with SiteServer(site) as server:
        done = crawl_inline(server.url, tmp_path, QUICK)
    rows = [row for row in table(done.exports / "issues.csv") if row["kind"] == "link_to_redirect"]
    shown = [[row[name].replace(server.origin, "") for name in ("url", "related", "detail")] for row in rows]
    assert shown == [
        ["/docs", "/", 'to /docs/, link text "Docs"'],
        ["/old", "/", 'to /new, linked from 2 pages, link text "Shop"'],
    ]
    assert {row["severity"] for row in rows} == {"notice"}
    links = table(write_inlinks(done.exports, tmp_path))
    assert [
        [row[name].replace(server.origin, "") for name in ("source", "target", "redirects_to", "link_text")]
        for row in links
        if row["redirects_to"]
    ] == [
        ["/", "/docs", "/docs/", "Docs"],
        ["/", "/old", "/new", "Shop"],
        ["/about", "/old", "/new", "the shop"],
    ]


def test_a_broken_link_that_redirects_names_the_url_of_the_link(tmp_path: Path) -> None:
    links = (Link(to="/old", text="Shop"), Link(to="/none", text="Nothing"))
    site = Site(pages=(Page(path="/", links=links), Page(path="/old", status=301, redirect="/gone")))
    with SiteServer(site) as server:
        done = crawl_inline(server.url, tmp_path, QUICK)
    rows = [row for row in table(done.exports / "issues.csv") if row["kind"] == "broken_link"]
    assert [[row[name].replace(server.origin, "") for name in ("url", "related", "detail")] for row in rows] == [
        ["/gone", "/", 'not_found 404, redirected from /old, link text "Shop"'],
        ["/none", "/", 'not_found 404, link text "Nothing"'],
    ]


def test_parts_of_unchanged_pages_are_those_of_the_earlier_crawl(tmp_path: Path) -> None:
    bodies = {
        "/": '<title>Home</title><a href="/a#one">1</a>\n<a href="/a#missing">2</a> <a href="/b#two">3</a>',
        "/a": '<title>A</title><p id="one">One</p>',
        "/b": '<title>B</title><p id="two">Two</p>',
    }
    changed = bodies | {"/b": "<title>B</title><p>Two</p>"}
    found: list[list[tuple[str, str]]] = []
    port = 0
    for site in (bodies, changed):
        with SiteServer(_plain(site), port=port) as server:
            port = server.port
            done = crawl_inline(server.url, tmp_path, QUICK)
        rows = [row for row in table(done.exports / "issues.csv") if row["kind"] == "broken_fragment"]
        found.append([(row["url"].removeprefix(server.origin), row["detail"]) for row in rows])
    states = {row["url"].removeprefix(server.origin): row["state"] for row in table(done.exports / "pages.csv")}
    assert states == {"/": "unchanged", "/a": "unchanged", "/b": "fetched"}
    one = ("/a#missing", "line 2")
    assert found == [[one], [one, ("/b#two", "line 2")]]


@pytest.mark.parametrize(("dom", "expected"), [("", [1, 2, 3, 4]), ('<i id="other"></i>', [])])
def test_scripts_that_add_no_ids_in_a_browser_leave_no_doubt(tmp_path: Path, dom: str, expected: list[int]) -> None:
    text = f"<p>{'A page with a text of its own. ' * 40}</p><script src=/s.js></script>"
    links = "".join(
        f'<a href="/item/{number}#{name}">1</a>' for number in range(1, 5) for name in ("one", "missing", "page=2")
    )
    items = {f"/item/{number}": f'<title>{number}</title>{text}<p id="one">One</p>' for number in range(1, 5)}
    browser = FakeBrowser(lambda request: request.body.decode() + dom)
    with SiteServer(_plain({"/": f"<title>Home</title>{text}{links}", **items})) as server:
        done = crawl_inline(server.url, tmp_path, replace(QUICK, render=RenderSettings(samples=1)), browser=browser)
    rows = [row for row in table(done.exports / "issues.csv") if row["kind"] == "broken_fragment"]
    loaded = {request.url.removeprefix(server.origin) for request in browser.requests}
    assert [row["url"].removeprefix(server.origin) for row in rows] == [
        f"/item/{number}#missing" for number in expected
    ]
    assert loaded == {"/", "/item/1"}


def _plain(bodies: dict[str, str]) -> Site:
    return Site(pages=tuple(Page(path=path, body=html.encode()) for path, html in bodies.items()))
