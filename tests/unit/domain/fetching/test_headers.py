import pytest

from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.fetching.headers import canonical_link, cookies_set, robots_directives


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
        ("<<</a</c>; rel=canonical", "https://example.com/c"),
        ("<" * 60_000, ""),
        ("nonsense", ""),
        ("<http://[>; rel=canonical", ""),
    ],
)
def test_a_canonical_link_header_is_read(value: str, url: str) -> None:
    assert canonical_link(answer(("Link", value))) == url


def test_no_link_header_means_no_canonical() -> None:
    assert canonical_link(answer()) == ""


def test_cookies_are_read_by_name() -> None:
    found = cookies_set(
        answer(
            ("Set-Cookie", "a=1; Path=/"), ("set-cookie", " b = two=2"), ("Set-Cookie", "junk"), ("Set-Cookie", "=x")
        )
    )
    assert found == {"a": "1", "b": "two=2"}
