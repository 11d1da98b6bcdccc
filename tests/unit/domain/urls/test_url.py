from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.domain.urls.url import Identity, base_for, folder_of, names_user, origin_of, resolve
from wavecrawl.errors import InvalidUrlError

IDENTITY = Identity()
HEX = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"


@pytest.mark.parametrize(
    ("given_url", "fetch_url"),
    [
        ("https://example.com", "https://example.com/"),
        ("HTTP://EXAMPLE.com:80/a/../B?x=1#frag", "http://example.com/B?x=1"),
        ("https://example.com:8443/a", "https://example.com:8443/a"),
        ("https://user:secret@example.com/a", "https://example.com/a"),
        ("https://example.com/a?utm_source=x&b=2&UTM_Medium=y&a=1&fbclid=z", "https://example.com/a?b=2&a=1"),
        ("https://example.com/a?_ga=2&_gl=3&gclid=4&msclkid=5&mc_cid=6&mc_eid=7", "https://example.com/a"),
        ("https://example.com/a?ref=nav&x=1", "https://example.com/a?ref=nav&x=1"),
        (f"https://example.com/a?PHPSESSID={HEX}&SID={HEX}&sessionid={HEX}&q=5", "https://example.com/a?q=5"),
        (f"https://example.com/shop;jsessionid={HEX}?item=3", "https://example.com/shop?item=3"),
        (f"https://example.com/a;v=1/b;jsessionid={HEX}.node1", "https://example.com/a;v=1/b"),
        ("https://example.com/shop;jsessionid=0A1B?item=3", "https://example.com/shop;jsessionid=0A1B?item=3"),
        ("https://example.com/a?&&x=1&", "https://example.com/a?&&x=1&"),  # as it is written
        ("https://example.com/a?a=1&&b", "https://example.com/a?a=1&&b"),
        ("https://example.com/a?", "https://example.com/a?"),
        ("https://example.com/a?&utm_source=x&b", "https://example.com/a?&b"),
        ("https://example.com/a?utm_source=x", "https://example.com/a"),
        ("https://b\u00fccher.example/\u00e4?q=\u00fc", "https://xn--bcher-kva.example/%C3%A4?q=%C3%BC"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("https://example.com/A%2fb", "https://example.com/A%2fb"),
        ("https://example.com//", "https://example.com//"),
        ("https://[2001:DB8::1]/a", "https://[2001:db8::1]/a"),
    ],
)
def test_the_fetch_url_is_serialised_without_fragment_and_tracking(given_url: str, fetch_url: str) -> None:
    assert IDENTITY.page_url(given_url).url == fetch_url


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.com/a?x=1&y=2", "https://example.com/a?y=2&x=1"),
        ("https://example.com/a?x=2&y=3&x=1", "https://example.com/a?y=3&x=2&x=1"),
        ("https://example.com/a?ref=nav", "https://example.com/a"),
        ("https://example.com/a?Ref=nav&x=1", "https://example.com/a?x=1&ref=foot"),
        # RFC 3986, sections 6.2.2.1 and 6.2.2.2: case of escapes, escapes of unreserved characters
        ("https://example.com/%7Euser/%41", "https://example.com/~user/A"),
        ("https://example.com/caf%c3%a9", "https://example.com/caf\u00e9"),
        ("https://example.com/a?q=%7e%2d%c3%a9", "https://example.com/a?q=~-\u00e9"),
        ("https://example.com/a?%62=1&a=2", "https://example.com/a?a=2&b=1"),
        ("https://EXAMPLE.com:443/a#x", "https://example.com/a"),
        ("https://example.com/a?utm_campaign=z", "https://example.com/a"),
        ("https://example.com/?", "https://example.com"),
    ],
)
def test_spellings_of_one_page_share_a_key(one: str, other: str) -> None:
    assert IDENTITY.page_url(one).key == IDENTITY.page_url(other).key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.com/a", "https://example.com/A"),
        ("https://example.com/a", "http://example.com/a"),
        ("https://example.com/a", "https://example.com/a?x"),
        ("https://example.com/a//", "https://example.com/a"),
        ("https://example.com/a?x=1", "https://example.com/a?x=2"),
        ("https://example.com/a", "https://www.example.com/a"),
        ("https://example.com/a?x=1&x=2", "https://example.com/a?x=1"),
        ("https://example.com/a?x=1&x=2", "https://example.com/a?x=2&x=1"),
        ("https://example.com/a?sid=1", "https://example.com/a?sid=2"),
        ("https://example.com/a%2Fb", "https://example.com/a/b"),  # reserved characters (RFC 3986, section 2.2)
        ("https://example.com/a?b=%26c", "https://example.com/a?b=&c"),
        ("https://example.com/%2541", "https://example.com/%41"),
        ("https://example.com/a%4", "https://example.com/a%2541"),
    ],
)
def test_different_pages_have_different_keys(one: str, other: str) -> None:
    assert IDENTITY.page_url(one).key != IDENTITY.page_url(other).key


@pytest.mark.parametrize(
    ("value", "is_token"),
    [
        ("0123456789abcdef", True),
        ("0123456789012345", False),
        ("20261128093015000123", False),
        ("2026-11-28-09-30-15", False),
        ("0123456789012345.html", False),
        ("0123456789012345!-1234567890!", False),
        ("012345678901234a", True),
        ("InternationalNews", False),
        ("INTERNATIONALNEWS", False),
        ("aBcDeFgHiJkLmNoP", True),
        ("0123456789ABCDEF", True),
        ("a7c3e9f1-2b4d-4c6e-8f0a-1b2c3d4e5f60", True),  # RFC 9562, section 4
        ("dGhpcyBpcyBhIHRlc3Q=", True),  # RFC 4648, section 4
        ("dGhpcy-pcyBhIHR_c3Q", True),  # RFC 4648, section 5
        ("8A2C0D41B7E95F36.worker2", True),
        ("8A2C0D41B7E95F36!-1234567890!", True),
        ("0123456789abcde", False),
        ("2", False),
        ("", False),
        ("internationalnews", False),
        ("politics-and-society-2026", False),
        ("0123456789abcdef 0", False),
    ],
)
def test_the_token_of_a_session_is_16_characters_or_more_of_hex_or_base64(value: str, *, is_token: bool) -> None:
    page = IDENTITY.page_url(f"https://example.com/?sid={quote(value)}")
    assert page.url == f"https://example.com/{'' if is_token else '?sid=' + quote(value)}"


def test_the_lists_of_parameters_are_settings() -> None:
    settings = CrawlSettings(tracking_parameters=("token*",), session_parameters=("visit",), ignored_parameters=("v",))
    page = Identity.of(settings).page_url(f"https://example.com/?tokenX=1&utm_source=2&visit={HEX}&sid={HEX}&v=3")
    assert page.url == f"https://example.com/?utm_source=2&sid={HEX}&v=3"
    assert page.key == Identity.of(settings).page_url(f"https://example.com/?utm_source=2&sid={HEX}&v=4").key


def test_url_keys_are_those_of_earlier_crawls() -> None:
    # BLAKE2b with 16 bytes, of "https://example.com/a/b?x=1&y=2", by `b2sum -l 128`
    assert IDENTITY.page_url("https://example.com/a/b?y=2&x=1#c").key == "ca57989fa88618b9d4636803965941d2"
    assert IDENTITY.page_url("https://example.com/a/b/?y=2&x=1#c").key == "ca57989fa88618b9d4636803965941d3"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.com/a", "https://example.com/a/"),
        ("https://example.com/a?x=1", "https://example.com/a/?x=1"),
        ("https://example.com/a/b", "https://example.com/a/b/"),
        ("https://example.com/%7Ea", "https://example.com/~a/"),
    ],
)
def test_both_spellings_of_a_path_have_keys_that_follow_from_each_other(one: str, other: str) -> None:
    keys = IDENTITY.page_url(one).key, IDENTITY.page_url(other).key
    assert keys[0] != keys[1]
    assert (other_spelling(keys[0]), other_spelling(keys[1])) == (keys[1], keys[0])


def test_a_root_has_one_spelling() -> None:
    assert IDENTITY.page_url("https://example.com").key == IDENTITY.page_url("https://example.com/").key


def test_a_page_url_is_split_into_its_parts() -> None:
    page = IDENTITY.page_url("http://example.com:8080/a/b?c=d")
    assert (page.scheme, page.host, page.origin, page.path, page.query) == (
        "http", "example.com", "http://example.com:8080", "/a/b", "c=d",
    )  # fmt: skip
    assert len(page.key) == 32


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "example.com",
        "/a",
        "mailto:a@example.com",
        "ftp://example.com/",
        "http://",
        "https://exa mple.com/",
        "http://a:99999/",
        "javascript:alert(1)",
    ],
)
def test_what_cannot_be_crawled_is_named(bad: str) -> None:
    with pytest.raises(InvalidUrlError, match=r"not a URL|only http"):
        IDENTITY.page_url(bad)


@pytest.mark.parametrize(
    ("href", "absolute"),
    [
        ("b", "https://example.com/a/b"),
        ("../b", "https://example.com/b"),
        ("//other.example/x", "https://other.example/x"),
        ("?q", "https://example.com/a/?q"),
        ("", "https://example.com/a/"),
        ("\\b", "https://example.com/b"),
        (" b\n ", "https://example.com/a/b"),
        ("http://[", None),
    ],
)
def test_references_resolve_as_in_a_browser(href: str, absolute: str | None) -> None:
    assert resolve(href, "https://example.com/a/") == absolute


def test_an_origin_keeps_its_port() -> None:
    assert origin_of("http://example.com:81/x") == "http://example.com:81"


@pytest.mark.parametrize(
    ("url", "host", "origin", "path", "query"),
    [
        ("https://user:se%40cret@example.com:8443/a?b#c?d", "example.com", "https://example.com:8443", "/a", "b"),
        ("http://[2001:DB8::1]:8080/a?b=/c?d", "[2001:db8::1]", "http://[2001:db8::1]:8080", "/a", "b=/c?d"),
        ("http://[::1]", "[::1]", "http://[::1]", "/", ""),
        ("https://example.com/a#b/c", "example.com", "https://example.com", "/a", ""),
    ],
)
def test_a_url_is_split_into_its_parts(url: str, host: str, origin: str, path: str, query: str) -> None:
    page = IDENTITY.page_url(url)
    assert (page.host, page.origin, page.path, page.query) == (host, origin, path, query)
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("https://me:secret@example.com/", True),
        ("https://me@example.com", True),
        ("https://:secret@example.com/", True),
        ("https://@example.com/", False),  # an empty user
        ("https://example.com/me@home?you@there", False),
    ],
)
def test_a_user_in_a_url_is_seen(url: str, *, named: bool) -> None:
    assert names_user(url) is named


def test_only_http_is_a_page() -> None:
    assert [IDENTITY.page_url_of(url) for url in ("mailto:a@example.com", "ftp://example.com/", "https:x")] == [
        None
    ] * 3


@given(st.text(alphabet="ab/?&=;#%.:@[]\\ \u00e4", max_size=30))
def test_what_is_resolved_need_not_be_parsed_again(href: str) -> None:
    resolved = resolve(href, "https://example.com/a/b?c")
    if resolved is not None and resolved.startswith("http"):
        assert IDENTITY.page_url_of(resolved) == IDENTITY.page_url(resolved)


@given(st.text(alphabet="ab/?&=;#%.:@ \u00e4", max_size=30))
def test_the_fetch_url_is_a_fixed_point(tail: str) -> None:
    page = IDENTITY.page_url("https://example.com/" + tail)
    again = IDENTITY.page_url(page.url)
    assert (again.url, again.key) == (page.url, page.key)


BASES = [
    "https://e.example/",
    "https://e.example/a/b.html",
    "https://e.example/a/b/?q=/c/d",
    "https://e.example/a#/b/c",
]
REFERENCES = st.one_of(
    st.text(alphabet="ab./:?#&;%~-\\ @", max_size=8),
    st.builds("{}{}".format, st.sampled_from(["https:", "HTTPS:", "http:"]), st.text(alphabet="a/?#.", max_size=4)),
)


@settings(max_examples=500)
@example("https:?q")
@example("?q")
@given(REFERENCES)
def test_what_is_resolved_against_a_folder_is_the_same_on_all_its_pages(href: str) -> None:
    for base in BASES:
        assert resolve(href, base_for(href, base, folder_of(base))) == resolve(href, base)


@pytest.mark.parametrize(
    ("href", "is_shared"),
    [("a.html", True), ("../a?b", True), ("/a", True), ("~a", True), ("http://b/", True), ("", False), ("?a", False),
     ("#a", False), (" ?a", False), ("https:?a", False), ("https:", False)],
)  # fmt: skip
def test_references_to_files_mean_the_same_in_a_whole_folder(href: str, is_shared: bool) -> None:  # noqa: FBT001 - a case
    assert base_for(href, "https://e.example/a/b", "https://e.example/a/") == (
        "https://e.example/a/" if is_shared else "https://e.example/a/b"
    )


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("https://e.example/a/b.html?c=/d#/e", "https://e.example/a/"),
        ("https://e.example/", "https://e.example/"),
        ("https://e.example", "https://e.example"),
    ],
)
def test_the_folder_of_a_url_ends_with_the_last_slash_of_its_path(url: str, folder: str) -> None:
    assert folder_of(url) == folder


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/s?q=a+b", "/s?q=a%20b", True),
        ("/s?q=a b", "/s?q=a+b", True),
        ("/s?a+b=1&c=2", "/s?c=2&a%20b=1", True),
        ("/s?q=a%2Bb", "/s?q=a+b", False),
        ("/s?q=a%2bb", "/s?q=a%2Bb", True),
        ("/s?q=a%2Bb", "/s?q=a%20b", False),
        ("/a+b", "/a%20b", False),
    ],
)
def test_a_space_in_a_query_has_two_forms(one: str, other: str, same: bool) -> None:  # noqa: FBT001 - a parameter
    pages = [Identity().page_url(f"https://example.com{path}") for path in (one, other)]
    assert (pages[0].key == pages[1].key) is same


def test_a_space_is_requested_as_the_site_wrote_it() -> None:
    urls = ["https://example.com/s?q=a+b", "https://example.com/s?q=a%20b"]
    assert [Identity().page_url(url).url for url in urls] == urls
