import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.links import cleaned, refresh_target
from wavecrawl.domain.pages.page import LinkKind, RawLink, Region

PAGE = "https://example.com/docs/page"


def links(html: str, *, most: int = 10_000) -> tuple[RawLink, ...]:
    return extract(html, url=PAGE, max_links=most).links


def hrefs(html: str, *, most: int = 10_000) -> list[str]:
    return [link.href for link in links(html, most=most)]


@pytest.mark.parametrize(
    ("html", "href", "kind"),
    [
        ("<a href=x>x</a>", "x", LinkKind.ANCHOR),
        ("<map><area href=x></map>", "x", LinkKind.AREA),
        ("<iframe src=x></iframe>", "x", LinkKind.FRAME),
        ("<frameset><frame src=x></frameset>", "x", LinkKind.FRAME),
        ("<link rel=canonical href=x>", "x", LinkKind.CANONICAL),
        ("<link rel='Alternate' href=x>", "x", LinkKind.ALTERNATE),
        ("<link rel=next href=x>", "x", LinkKind.NEXT),
        ("<link rel=prev href=x>", "x", LinkKind.PREV),
        ("<link rel='prev canonical' href=x>", "x", LinkKind.CANONICAL),
        ("<meta http-equiv=Refresh content='0; url=x'>", "x", LinkKind.REFRESH),
        ("<template></template><noscript><a href=x>x</a></noscript>", "x", LinkKind.ANCHOR),
    ],
)
def test_every_kind_of_link_is_seen(html: str, href: str, kind: LinkKind) -> None:
    (link,) = links(html)
    assert (link.href, link.kind) == (href, kind)


@pytest.mark.parametrize(
    "html",
    [
        "<a>x</a>",
        "<a href>x</a>",
        "<a href='#part'>x</a>",
        "<a href=mailto:a@example.com>x</a>",
        "<a href=tel:+1>x</a>",
        "<a href='JavaScript:void(0)'>x</a>",
        "<a href='java\nscript:x'>x</a>",
        "<a href=data:text/html,x>x</a>",
        "<a href=ftp://example.com/>x</a>",
        "<a href=file:///etc/passwd>x</a>",
        "<link rel=stylesheet href=x>",
        "<link rel='alternate stylesheet' href=x>",
        "<link rel=icon href=x>",
        "<link href=x>",
        "<iframe></iframe>",
        "<meta http-equiv=refresh content=5>",
        "<meta http-equiv=refresh>",
        "<meta http-equiv>",
        "<!-- <a href=x>x</a> -->",
        "<script>'<a href=x>'</script>",
        "<img src=x>",
    ],
)
def test_what_is_no_link_to_a_page_is_left_out(html: str) -> None:
    assert links(html) == ()


@pytest.mark.parametrize(
    ("href", "seen"),
    [
        (None, ""),
        ("", ""),
        ("a/b?c=d", "a/b?c=d"),
        (" \ta\nb\r ", "ab"),
        ("a b", "a b"),
        ("a#b#c", "a"),
        ("#", ""),
        ("a #b", "a%20"),
        ("HTTPS://example.com/", "HTTPS://example.com/"),
        ("./a:b", "./a:b"),
        ("?time=10:00", "?time=10:00"),
        ("a:b", ""),
        ("\x00a\x1f", "a"),
    ],
)
def test_references_are_cleaned_as_the_url_parser_does(href: str | None, seen: str) -> None:
    assert cleaned(href) == seen


@given(st.text("a: \t\n\x00\x1f/.é"), st.text("a# \t\x00é"), st.text("a# \n\x1f"))
def test_whatever_follows_its_first_hash_a_reference_means_the_same(before: str, fragment: str, other: str) -> None:
    assert cleaned(f"{before}#{fragment}") == cleaned(f"{before}#{other}")


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=x", "x"),
        ("5; URL = 'x y'z", "x y"),
        ('1.5 , url="x', "x"),
        ("5; x", "x"),
        ("5 x", "x"),
        ("5", ""),
        ("5;", ""),
        ("5; url=", ""),
        ("30;URL=''", ""),
        ("0, url = ", ""),
        ("5; url", "url"),
        ("5; urls=x", "urls=x"),
        ("5; url=''", ""),
        ("x", ""),
        ("", ""),
    ],
)
def test_a_refresh_names_its_target_as_html_defines(content: str, target: str) -> None:
    assert refresh_target(content) == target


def test_each_reference_is_kept_once_and_the_first_place_wins() -> None:
    first, second = links("<a href=x>one</a><nav><a href=x>two</a><a href='x#part'>three</a></nav><a href=y>four</a>")
    assert (first.href, first.text, first.region) == ("x", "one", Region.BODY)
    assert (second.href, second.text) == ("y", "four")


def test_links_come_in_document_order_and_refreshes_last() -> None:
    assert hrefs(
        "<meta http-equiv=refresh content='0;url=r'><link rel=next href=n><a href=a>a</a><map><area href=b></map>"
        "<a href=c>c</a>"
    ) == ["n", "a", "b", "c", "r"]


@pytest.mark.parametrize(("most", "kept"), [(0, []), (2, ["a", "b"]), (3, ["a", "b", "c"])])
def test_no_more_links_are_kept_than_asked_for(most: int, kept: list[str]) -> None:
    assert hrefs("<a href=a></a><a href=b></a><a href=c></a>", most=most) == kept


@pytest.mark.parametrize(
    ("rels", "nofollow"),
    [
        (["nofollow"], True),
        (["external NoFollow"], True),
        (["ugc"], False),
        (["sponsored"], False),
        (["ugc nofollow"], True),
        ([""], False),
        (["nofollower"], False),
        (["nofollow", "nofollow"], True),
        (["nofollow", "noopener"], False),
        (["noopener", "nofollow"], False),
    ],
)
def test_a_link_is_unfollowed_where_all_its_places_say_so(rels: list[str], *, nofollow: bool) -> None:
    (link,) = links("".join(f"<a href=x rel='{rel}'>x</a>" for rel in rels))
    assert link.nofollow is nofollow


@pytest.mark.parametrize(
    ("rels", "rel"),
    [
        (["ugc"], "ugc"),
        (["Sponsored UGC noopener"], "ugc sponsored"),
        (["nofollow ugc"], "ugc"),
        (["ugc", "ugc sponsored"], "ugc"),
        (["ugc sponsored", "ugc"], "ugc"),
        (["ugc", ""], ""),
        (["", "ugc"], ""),
        (["ugc", "sponsored"], ""),
        (["nofollow"], ""),
    ],
)
def test_a_link_has_the_qualifiers_that_all_its_places_have(rels: list[str], rel: str) -> None:
    (link,) = links("".join(f"<a href=x rel='{one}'>x</a>" for one in rels))
    assert link.rel == rel


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ("rel=alternate", LinkKind.ALTERNATE),
        ("rel=alternate hreflang=de", LinkKind.ALTERNATE),
        ("rel=alternate hreflang=de type=text/html", LinkKind.ALTERNATE),
        ("rel=alternate type='Text/HTML; charset=utf-8'", LinkKind.ALTERNATE),
        ("rel=alternate type=application/xhtml+xml", LinkKind.ALTERNATE),
        ("rel=alternate type", LinkKind.ALTERNATE),
        ("rel=alternate media='only screen and (max-width: 640px)'", LinkKind.ALTERNATE),
        ("rel=amphtml", LinkKind.ALTERNATE),
        ("rel=alternate type=application/rss+xml", LinkKind.FEED),
        ("rel='ALTERNATE home' type='Application/Atom+XML; charset=utf-8'", LinkKind.FEED),
        ("rel=alternate type=application/feed+json", LinkKind.FEED),
        ("rel=alternate type=text/xml", LinkKind.FEED),
        ("rel=feed", LinkKind.FEED),
        ("rel=alternate type=application/json+oembed", LinkKind.DATA),
        ("rel=alternate type=text/xml+oembed", LinkKind.DATA),
        ("rel=alternate type=application/json", LinkKind.DATA),
        ("rel=alternate type=text/markdown", LinkKind.DATA),
        ("rel=alternate type=application/activity+json", LinkKind.DATA),
        ("rel='canonical alternate' type=application/rss+xml", LinkKind.CANONICAL),
    ],
)
def test_an_alternate_is_a_page_unless_its_type_says_otherwise(attributes: str, kind: LinkKind) -> None:
    (link,) = links(f"<link {attributes} href=x>")
    assert link.kind is kind


def test_the_other_links_of_the_head_of_a_blog_are_no_links() -> None:
    relations = (
        "shortlink", "pingback", "EditURI", "wlwmanifest", "https://api.w.org/", "dns-prefetch", "preconnect",
        "preload", "prefetch", "modulepreload", "search", "manifest", "apple-touch-icon", "profile", "me", "hub",
    )  # fmt: skip
    assert links("".join(f"<link rel='{relation}' href=/x/{i}>" for i, relation in enumerate(relations))) == ()


def test_a_feed_that_the_text_links_to_is_a_link() -> None:
    found = links("<link rel=alternate type=application/rss+xml href=/feed><a href=/feed>RSS</a>")
    assert [(link.href, link.kind) for link in found] == [("/feed", LinkKind.ANCHOR)]


def test_a_rel_without_a_value_says_nothing() -> None:
    assert not links("<a rel href=x>x</a>")[0].nofollow


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a href=x> Read \n the <b>docs</b> </a>", "Read the docs"),
        ("<a href=x><img><img alt=' A  picture '><img alt=other></a>", "A picture"),
        ("<a href=x aria-label=Label title=Title></a>", "Label"),
        ("<a href=x title=Title><img alt=''></a>", "Title"),
        ("<a href=x></a>", ""),
        ("<map><area href=x alt=Area title=Title></map>", "Area"),
        ("<iframe src=x title=Frame></iframe>", "Frame"),
        ("<a href=x>one<div>two</div></a>", "one two"),
        (f"<a href=x>{'word ' * 100}</a>", ("word " * 40).strip() + "…"),
        (f"<a href=x>{'<b></b>' * 60}<img alt=far></a>", ""),
    ],
)
def test_a_link_has_the_text_that_people_read_or_hear(html: str, text: str) -> None:
    assert links(html)[0].text == text


@pytest.mark.parametrize(
    ("html", "region"),
    [
        ("<head><link rel=next href=x></head>", Region.HEAD),
        ("<header><a href=x>x</a></header>", Region.HEADER),
        ("<nav><ul><li><a href=x>x</a></ul></nav>", Region.NAV),
        ("<main><p><a href=x>x</a></main>", Region.MAIN),
        ("<aside><a href=x>x</a></aside>", Region.ASIDE),
        ("<footer><a href=x>x</a></footer>", Region.FOOTER),
        ("<p><a href=x>x</a>", Region.BODY),
        ("<main><nav><a href=x>x</a></nav></main>", Region.NAV),
        ("<div role='Banner x'><a href=x>x</a></div>", Region.HEADER),
        ("<div role=navigation><a href=x>x</a></div>", Region.NAV),
        ("<div role=main><a href=x>x</a></div>", Region.MAIN),
        ("<div role=complementary><a href=x>x</a></div>", Region.ASIDE),
        ("<div role=contentinfo><a href=x>x</a></div>", Region.FOOTER),
        ("<nav role=main><a href=x>x</a></nav>", Region.MAIN),
        ("<nav role=unheard-of><a href=x>x</a></nav>", Region.NAV),
        ("<div role=' '><a href=x>x</a></div>", Region.BODY),
        ("<my-menu role=navigation><a href=x>x</a></my-menu>", Region.NAV),
    ],
)
def test_a_link_stands_in_its_nearest_landmark(html: str, region: Region) -> None:
    assert links(html)[0].region is region


def test_links_in_the_same_branch_share_their_region() -> None:
    found = links("<nav><ul><li><a href=a>a</a><li><a href=b>b</a></ul></nav><p><a href=c>c</a> <a href=d>d</a>")
    assert [link.region for link in found] == [Region.NAV, Region.NAV, Region.BODY, Region.BODY]


@pytest.mark.parametrize(("html", "language"), [("<a href=x hreflang=' DE '>", "de"), ("<a href=x hreflang>", "")])
def test_a_link_has_its_language(html: str, language: str) -> None:
    assert links(html)[0].hreflang == language


@pytest.mark.parametrize(
    ("html", "base"),
    [
        ("", PAGE),
        ("<base href='/b/'>", "https://example.com/b/"),
        ("<base target=_blank><base href=c/>", "https://example.com/docs/c/"),
        ("<base href='/b/'><base href='/c/'>", "https://example.com/b/"),
        ("<base href='ftp://example.com/'><base href='/c/'>", PAGE),
        ("<base href='http://['>", PAGE),
        ("<base href=''>", PAGE),
        (f"<base href='/{'b' * 2_062}/'>", f"https://example.com/{'b' * 2_062}/"),
        (f"<base href='/{'b' * 2_063}/'>", PAGE),  # each link would be as long
    ],
)
def test_the_first_base_with_an_href_counts(html: str, base: str) -> None:
    assert extract(html, url=PAGE).base_url == base


@pytest.mark.parametrize("rel", ["canonical", "alternate"])
def test_a_declaration_does_not_stand_for_a_link_to_the_same_url(rel: str) -> None:
    found = links(f'<link rel={rel} href="/docs/"><nav><a href="/docs/">Docs</a> <a href="/docs/">Again</a></nav>')
    assert [(link.href, link.kind, link.text) for link in found] == [
        ("/docs/", LinkKind(rel), ""),
        ("/docs/", LinkKind.ANCHOR, "Docs"),
    ]
