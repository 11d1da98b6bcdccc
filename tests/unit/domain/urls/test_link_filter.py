import tracemalloc

import pytest
from msgspec import structs

from wavecrawl.domain.crawl.record import Link, Reason
from wavecrawl.domain.crawl.settings import ScopeSettings
from wavecrawl.domain.pages.page import LinkKind, RawFragment, RawLink, Region
from wavecrawl.domain.urls import link_filter
from wavecrawl.domain.urls.link_filter import LinkFilter, are_cut, is_asset
from wavecrawl.domain.urls.scope import Scope
from wavecrawl.domain.urls.url import Identity

BASE = "https://example.com/docs/page?x=1"


def new_filter(max_length: int = 2083) -> LinkFilter:
    identity = Identity()
    return LinkFilter(
        Scope(identity.page_url("https://example.com/"), ScopeSettings()), identity, max_length=max_length
    )


def raw(
    href: str, *, nofollow: bool = False, text: str = "", rel: str = "", kind: LinkKind = LinkKind.ANCHOR
) -> RawLink:
    return RawLink(href=href, kind=kind, region=Region.MAIN, text=text, nofollow=nofollow, rel=rel)


def links(*raws: RawLink, base: str = BASE) -> tuple[Link, ...]:
    return new_filter().links(raws, base=base)


@pytest.mark.parametrize(
    ("href", "url", "skip"),
    [
        ("a.html", "https://example.com/docs/a.html", Reason.NONE),
        ("?y=2", "https://example.com/docs/page?y=2", Reason.NONE),
        ("", "https://example.com/docs/page?x=1", Reason.NONE),
        ("/logo.PNG", "https://example.com/logo.PNG", Reason.ASSET),
        ("/file.pdf", "https://example.com/file.pdf", Reason.ASSET),
        ("https://other.example/", "https://other.example/", Reason.OUT_OF_SCOPE),
        ("//example.com/b", "https://example.com/b", Reason.NONE),
    ],
)
def test_links_are_resolved_and_judged(href: str, url: str, skip: Reason) -> None:
    (link,) = links(raw(href))
    assert (link.url, link.skip) == (url, skip)


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("https://", "https://"),
        ("http:// www.example.com/", "http://%20www.example.com/"),
        ("http://www.example.com:port/", "http://www.example.com:port/"),
        ("//exa mple.com/ä", "https://exa%20mple.com/%C3%A4"),
        ("http://[", "http://["),
        ("http://a b/\ud800", "http://a%20b/?"),
    ],
)
def test_a_link_that_no_browser_can_open_is_kept_and_not_followed(href: str, url: str) -> None:
    (link,) = links(raw(href, text="here"))
    assert (link.skip, link.text, len(link.key)) == (Reason.INVALID_URL, "here", 32)
    assert (link.url, links(raw(href))[0].key) == (url, link.key)


def test_a_long_link_that_no_browser_can_open_is_cut() -> None:
    (link,) = links(raw("http://a b/" + "x" * 3_000))
    assert link.url.startswith("http://a%20b/xxx")
    assert "#cut:3013:" in link.url
    assert len(link.url) < 2_200


def test_a_page_keeps_its_first_hundred_links_that_no_browser_can_open() -> None:
    found = links(*(raw(f"http://{number} host/") for number in range(150)), raw("/a"))
    assert len([link for link in found if link.skip is Reason.INVALID_URL]) == 100
    assert found[-1].url == "https://example.com/a"


@pytest.mark.parametrize("kind", [LinkKind.CANONICAL, LinkKind.ALTERNATE])
def test_a_declared_url_that_is_none_is_no_link(kind: LinkKind) -> None:
    assert links(structs.replace(raw("https://"), kind=kind)) == ()


@pytest.mark.parametrize("href", ["mailto:a@example.com", "javascript:void(0)", "ftp://example.com/"])
def test_what_is_no_page_is_dropped(href: str) -> None:
    assert links(raw(href)) == ()


def test_a_target_keeps_its_first_place_and_text() -> None:
    found = links(
        raw("a", text="first"), raw("b"), raw("a?utm_source=x", text="second"), raw("/docs/a#x", text="third")
    )
    assert [(link.url, link.text) for link in found] == [
        ("https://example.com/docs/a", "first"),
        ("https://example.com/docs/b", ""),
    ]


def test_one_followed_link_outweighs_any_nofollow() -> None:
    (link,) = links(raw("a", nofollow=True, text="first"), raw("a?utm_source=x"), raw("a", nofollow=True))
    assert (link.nofollow, link.text) == (False, "first")


def test_a_target_is_ugc_or_sponsored_if_all_links_to_it_are() -> None:
    both, ugc, plain = links(
        raw("a", rel="ugc sponsored"),
        raw("a?utm_source=x", rel="ugc sponsored"),
        raw("b", rel="ugc sponsored", nofollow=True, text="first"),
        raw("b?utm_source=x", rel="ugc"),
        raw("c", rel="ugc"),
        raw("c?utm_source=x"),
        raw("c?utm_source=y", rel="ugc", nofollow=True),
    )
    assert (both.rel, both.nofollow) == ("ugc sponsored", False)
    assert (ugc.rel, ugc.nofollow, ugc.text) == ("ugc", False, "first")
    assert (plain.rel, plain.nofollow) == ("", False)


@pytest.mark.parametrize(("kind", "skip"), [(LinkKind.FEED, Reason.FEED), (LinkKind.DATA, Reason.DATA)])
def test_other_formats_are_not_requested_unless_a_page_links_to_them(kind: LinkKind, skip: Reason) -> None:
    (only,) = links(raw("/feed", kind=kind), raw("/feed?utm_source=x", kind=kind))
    assert (only.kind, only.skip) == (kind, skip)
    for raws in (
        [raw("/feed", kind=kind), raw("/feed?utm_source=x")],
        [raw("/feed?utm_source=x"), raw("/feed", kind=kind)],
    ):
        (linked,) = links(*raws)
        assert (linked.kind, linked.skip) == (LinkKind.ANCHOR, Reason.NONE)
    (outside,) = links(raw("https://other.example/feed", kind=kind))
    assert outside.skip is Reason.OUT_OF_SCOPE


def test_a_query_reference_depends_on_the_page_and_not_on_its_directory() -> None:
    shared = new_filter()
    one = shared.links((raw("?p=2"),), base="https://example.com/d/one")
    two = shared.links((raw("?p=2"),), base="https://example.com/d/two")
    assert (one[0].url, two[0].url) == ("https://example.com/d/one?p=2", "https://example.com/d/two?p=2")


def test_a_slash_in_the_query_is_no_directory() -> None:
    shared = new_filter()
    one = shared.links((raw("a"),), base="https://example.com/d/?next=/x/y")
    two = shared.links((raw("a"),), base="https://example.com/d/b")
    assert one[0].url == two[0].url == "https://example.com/d/a"


def test_a_long_url_is_skipped_with_its_reason() -> None:
    (link,) = new_filter(max_length=30).links((raw("/" + "a" * 30),), base=BASE)
    assert link.skip is Reason.TOO_LONG
    assert link.url == f"https://example.com/{'a' * 10}#cut:50:{link.key}"


def test_long_urls_with_the_same_beginning_are_different_and_keep_their_reasons() -> None:
    hrefs = [f"/{'a' * 30}{end}" for end in ("1", "2", ".png")] + [f"https://other.example/{'a' * 30}"]
    found = new_filter(max_length=30).links(tuple(map(raw, hrefs)), base=BASE)
    assert len({link.url for link in found}) == 4
    assert [link.skip for link in found] == [Reason.TOO_LONG, Reason.TOO_LONG, Reason.TOO_LONG, Reason.OUT_OF_SCOPE]
    assert [link.key for link in found[:2]] == [
        Identity().page_url(f"https://example.com/{'a' * 30}{n}").key for n in "12"
    ]


def test_the_urls_of_one_page_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_filter, "MOST_CHARACTERS", 100)  # each URL has 35 characters
    monkeypatch.setattr(link_filter, "_LEAST_CUT", 1)
    found = links(raw("one-page.."), raw("two-pages."), raw("one-page..", text="again"))
    assert (len(found), are_cut(found)) == (2, False)
    found = links(*(raw(f"page-{n:05}") for n in range(9)), raw("page-00000#x"))
    assert [link.url[-5:] for link in found] == ["00000", "00001", "00002"]
    assert are_cut(found)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_filter, "_CACHE_SIZE", 3)
    shared = new_filter()
    found = shared.links(tuple(raw(f"p{n}") for n in range(10)), base=BASE)
    assert len(found) == 10
    assert [link.url for link in shared.links(tuple(raw(f"p{n}") for n in range(10)), base=BASE)] == [
        link.url for link in found
    ]


def test_long_references_are_not_remembered() -> None:
    shared = new_filter(max_length=20_000)
    tracemalloc.start()
    try:
        for n in range(500):
            (link,) = shared.links((raw(f"https://other.example/share?text={n}{'x' * 10_000}"),), base=BASE)
            assert link.skip is Reason.OUT_OF_SCOPE
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 500_000  # bytes, of 5 MB


@pytest.mark.parametrize(
    ("path", "asset"),
    [("/a.css", True), ("/a.tar.gz", True), ("/a", False), ("/a.html", False), ("/.png", False), ("/a.png/", False),
     ("/wiki/File:a.png", False), ("/a:b/c.png", True),
     ("/v1.2/page", False), ("/a.JPG", True), ("/a.txt", False), ("/a.docx", True)],
)  # fmt: skip
def test_assets_are_known_by_their_ending(path: str, *, asset: bool) -> None:
    assert is_asset(path) == asset


@pytest.mark.parametrize("kind", [LinkKind.CANONICAL, LinkKind.ALTERNATE])
def test_the_other_spelling_that_a_page_declares_and_links_to_is_a_target(kind: LinkKind) -> None:
    page_key = Identity().page_url("https://example.com/docs").key
    declared, linked = raw("/docs/", kind=kind), raw("/docs/", text="Docs")
    found = new_filter().links((declared, linked), base="https://example.com/docs", page_key=page_key)
    assert [(link.kind, link.key == page_key) for link in found] == [(kind, True), (LinkKind.ANCHOR, False)]


def part(href: str, fragment: str = "x") -> RawFragment:
    return RawFragment(href=href, fragment=fragment, line=7)


def test_links_to_parts_have_the_position_of_the_link_to_their_page() -> None:
    filter_ = new_filter()
    found = filter_.links((raw("a"), raw("https://other.example/"), raw("b")), base=BASE)
    own = Identity().page_url(BASE).key
    parts = (part("b", "one"), part("b", "two"), part(""), part("a"), part("page?x=1"), part("https://other.example/"))
    assert [(one.link, one.fragment, one.line) for one in filter_.fragments(parts, found, base=BASE, page_key=own)] == [
        (3, "one", 7), (3, "two", 7), (0, "x", 7), (1, "x", 7), (0, "x", 7),
    ]  # fmt: skip
    assert filter_.fragments((part("not-linked"), part("https://")), found, base=BASE, page_key=own) == ()


def test_a_part_without_a_page_is_one_of_the_base_url() -> None:
    filter_ = new_filter()
    found = filter_.links((raw("a"),), base=BASE)
    elsewhere = filter_.fragments((part(""),), found, base="https://example.com/docs/a", page_key="own")
    assert [one.link for one in elsewhere] == [1]
    assert filter_.fragments((part(""),), found, base="https://example.com/c", page_key="own") == ()
    assert filter_.fragments((), found, base=BASE, page_key="own") == ()
