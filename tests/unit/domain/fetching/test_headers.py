import pytest

from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.fetching.headers import MOST_ALTERNATES, declared_links, robots_directives


def answer(*headers: tuple[str, str]) -> Exchange:
    return Exchange(url="https://example.com/a/b", status=200, headers=headers)


@pytest.mark.parametrize(
    ("values", "directives"),
    [
        ((), ()),
        (("noindex",), ("noindex",)),
        (("NOINDEX, NoFollow",), ("nofollow", "noindex")),
        (("noindex", "nofollow"), ("nofollow", "noindex")),
        (("otherbot: noindex",), ()),
        (("otherbot: noindex, nofollow",), ()),
        (("wavecrawl: noindex, nofollow",), ("nofollow", "noindex")),
        (("*: none",), ("none",)),
        (("otherbot: nofollow, wavecrawl: noindex",), ("noindex",)),
        (("unavailable_after: 25 Jun 2030", "max-snippet: 10"), ("max-snippet: 10", "unavailable_after: 25 jun 2030")),
        # the forms of dates in RFC 850, RFC 5322 and ISO 8601
        (
            ("noindex, unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, nofollow",),
            ("nofollow", "noindex", "unavailable_after: friday, 25-jun-10 15:00:00 gmt"),
        ),
        (("unavailable_after: 25 Jun 2010 15:00:00 PST",), ("unavailable_after: 25 jun 2010 15:00:00 pst",)),
        (("unavailable_after: 2010-06-25T15:00:00Z",), ("unavailable_after: 2010-06-25t15:00:00z",)),
        (
            ("otherbot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex, wavecrawl: nosnippet",),
            ("nosnippet",),
        ),
        (
            ("wavecrawl: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT",),
            ("unavailable_after: fri, 25 jun 2010 15:00:00 gmt",),
        ),
        (("unavailable_after: Fri",), ("unavailable_after: fri",)),
        (("max-image-preview: large, max-video-preview: -1",), ("max-image-preview: large", "max-video-preview: -1")),
        ((", ,",), ()),
        (("wavecrawl:",), ()),
    ],
)
def test_x_robots_tag_counts_where_it_addresses_us(values: tuple[str, ...], directives: tuple[str, ...]) -> None:
    assert robots_directives(answer(*(("x-robots-tag", value) for value in values)), "wavecrawl") == directives


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ('<https://example.com/c>; rel="canonical"', "https://example.com/c"),
        ("</c>;rel=canonical", "https://example.com/c"),
        ('</n>; rel="next", <c>; title="x"; rel="alternate Canonical"', "https://example.com/a/c"),
        ('</n>; rel="next"', ""),
        ('</c>; rel="canonicalish"', ""),
        # RFC 8288, appendix B.2: the target ends at the first ">"
        ("<<</a</c>; rel=canonical", "https://example.com/a/%3C%3C/a%3C/c"),
        ('</c>; title="a, <b>; rel=canonical"; rel=next, </d>; rel=canonical', "https://example.com/d"),
        (r'</c>; title="a\"; rel=next; x="; rel=canonical', "https://example.com/c"),
        ('</n>; rel="next"; rel="canonical"', ""),  # 3.3: the first rel only
        ('</c>; rel="canonical"; rel="next"', "https://example.com/c"),
        ("</c> ; REL = canonical ;, </d>; rel=next", "https://example.com/c"),
        # RFC 9110, section 5.6.1: empty members of a list count for nothing
        (", </c>; rel=canonical", "https://example.com/c"),
        (" ,\t, ,</n>; rel=next,, ,</c>; rel=canonical,,", "https://example.com/c"),
        ("</n>,,</c>; rel=canonical", "https://example.com/c"),
        (",,,", ""),
        ("," * 60_000 + "</c>; rel=canonical", "https://example.com/c"),
        ("</n>; rel, </m>;rel=, </c>; rel=canonical", "https://example.com/c"),
        ('</c>; rel="canonical"; anchor="/other"', ""),  # 3.2: the context is another page
        ('</c>; rel="canonical"; anchor="#top"', "https://example.com/c"),
        ('</c>; rel="canonical"; anchor=""', "https://example.com/c"),
        ('</c>; rel="canonical"; anchor="http://["', ""),
        ('</n>; title="open; rel=canonical', ""),
        ("<" * 60_000, ""),
        ("nonsense", ""),
        ("<http://[>; rel=canonical", "http://["),
    ],
)
def test_a_canonical_link_header_is_read(value: str, url: str) -> None:
    assert declared_links(answer(("Link", value)), longest=100).canonical == url


def test_no_link_header_means_no_canonical() -> None:
    assert declared_links(answer(), longest=100).canonical == ""


@pytest.mark.parametrize(
    ("value", "alternates"),
    [
        ('<https://example.com/de>; rel="alternate"; hreflang="de-AT"', (("de-at", "https://example.com/de"),)),
        (
            "</fr>;rel=alternate;hreflang=fr , <>; rel=alternate; hreflang=x-default",
            (("fr", "https://example.com/fr"), ("x-default", "https://example.com/a/b")),
        ),
        (
            "</x>; rel=alternate; hreflang=de; hreflang=nl",
            (("de", "https://example.com/x"), ("nl", "https://example.com/x")),
        ),
        ('</m>; rel="alternate"; media="(max-width: 640px)"', (("", "https://example.com/m"),)),
        ("</x>; rel=alternate; hreflang=de; type=text/html", (("de", "https://example.com/x"),)),
        ('</w>; rel="alternate"; title="JSON"; type="application/json"', ()),
        ('</f>; rel="alternate"; hreflang=de; type="application/rss+xml"', ()),
        ("</x>; rel=stylesheet; hreflang=de", ()),
        ("</x>; rel=alternate; hreflang=de; anchor=/other", ()),
        ("<http://[>; rel=alternate; hreflang=de", ()),
        ("</x>; rel=alternate; hreflang=de, </x>; rel=alternate; hreflang=DE", (("de", "https://example.com/x"),)),
    ],
)
def test_alternates_in_a_link_header_are_read(value: str, alternates: tuple[tuple[str, str], ...]) -> None:
    assert declared_links(answer(("Link", value)), longest=100).alternates == alternates


def test_one_link_may_be_both_and_several_headers_count() -> None:
    headers = (("Link", '</c>; rel="canonical alternate"; hreflang=en'), ("link", "</d>; rel=alternate; hreflang=de"))
    declared = declared_links(answer(*headers), longest=100)
    assert declared.canonical == "https://example.com/c"
    assert declared.alternates == (("en", "https://example.com/c"), ("de", "https://example.com/d"))


def test_long_urls_are_cut_and_their_number_is_limited() -> None:
    long = f"</{'x' * 200}>; rel=alternate"
    many = ", ".join(f"</{number}>; rel=alternate" for number in range(MOST_ALTERNATES + 1))
    ((_, url),) = declared_links(answer(("Link", long)), longest=100).alternates
    assert "#cut:" in url
    assert len(declared_links(answer(("Link", many)), longest=100).alternates) == MOST_ALTERNATES
