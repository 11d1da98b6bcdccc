"""Cookies of a chain of redirects: which are kept, and which request carries them."""

import pytest

from wavecrawl.domain.fetching.cookies import (
    MOST_BYTES,
    MOST_COOKIES,
    Cookies,
    cookie_header,
    cookie_headers,
    cookies_after,
)
from wavecrawl.domain.fetching.exchange import Exchange

HERE = "https://www.site.example/docs/page?x=1"
NOW = 1_780_000_000.0  # 28 May 2026


def after(*values: str, before: Cookies = (), url: str = HERE) -> Cookies:
    headers = tuple(("Set-Cookie", value) for value in values)
    return cookies_after(before, Exchange(url=url, status=302, headers=headers, started_at=NOW))


def test_cookies_are_sent_by_name() -> None:
    assert cookie_header(after("a=1; Path=/", " b = two=2 ; HttpOnly", "junk", "=x", ""), HERE) == "b=two=2; a=1"
    assert cookie_header((), HERE) == ""


@pytest.mark.parametrize(
    ("cookie", "url", "is_sent"),
    [
        ("a=1", "https://www.site.example/docs/other", True),
        ("a=1", "https://www.site.example/docs", True),
        ("a=1", "https://www.site.example/docsother", False),
        ("a=1", "https://www.site.example/", False),
        ("a=1; Path=/", "https://www.site.example:8443/x?y#z", True),
        ("a=1; path=/", "https://user:word@www.site.example/", True),
        ("a=1; Path=docs", "https://www.site.example/docs/x", True),
        ("a=1; Path=/other/", "https://www.site.example/other/x", True),
        ("a=1; Path=/other/", "https://www.site.example/otherx", False),
        ("a=1; Path=/", "https://site.example/", False),
        ("a=1; Path=/", "https://a.www.site.example/", False),
        ("a=1; Path=/; Domain=site.example", "https://login.site.example/", True),
        ("a=1; Path=/; Domain=.Site.Example", "https://site.example/", True),
        ("a=1; Path=/; Domain=site.example", "https://notsite.example/", False),
        ("a=1; Path=/; Domain=www.site.example", "https://www.site.example/", True),
        ("a=1; Path=/; Domain=other.example", "https://other.example/", False),
        ("a=1; Path=/; Domain=example", "https://www.site.example/", False),
        ("a=1; Path=/; Domain=a.www.site.example", "https://a.www.site.example/", False),
        ("a=1; Path=/; Secure", "https://www.site.example/", True),
        ("a=1; Path=/; Secure", "http://www.site.example/", False),
        ("a=1; Path=/", "http://www.site.example/", True),
        ("a=1; Path=/; Max-Age=0", "https://www.site.example/", False),
        ("a=1; Path=/; Max-Age=-5", "https://www.site.example/", False),
        ("a=1; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.site.example/", True),
        ("a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.site.example/", False),
        ("a=1; Path=/; Expires=Thu, 01-Jan-1970 00:00:00 GMT", "https://www.site.example/", False),
        ("a=1; Path=/; Expires=Thu, 01 Jan 2099 00:00:00 GMT", "https://www.site.example/", True),
        ("a=1; Path=/; Expires=soon; Max-Age=x", "https://www.site.example/", True),
        ("a=\x01; Path=/", "https://www.site.example/", False),
    ],
)
def test_a_cookie_is_sent_where_browsers_send_it(cookie: str, url: str, *, is_sent: bool) -> None:
    assert (cookie_header(after(cookie), url) != "") is is_sent


@pytest.mark.parametrize("address", ["127.0.0.1:8000", "[::1]:8000"])
def test_a_cookie_of_an_address_belongs_to_it_alone(address: str) -> None:
    url = f"http://{address}/"
    host = address.rpartition(":")[0]
    assert cookie_header(after("a=1", f"b=2; Domain={host}", "c=3; Domain=0.0.1", url=url), url) == "a=1; b=2"
    assert cookie_header(after("a=1", "b=2; Secure", url=url), "http://127.0.0.2/") == ""


def test_a_request_has_no_empty_header() -> None:
    assert cookie_headers(after("a=1"), HERE) == (("Cookie", "a=1"),)
    assert cookie_headers(after("a=1"), "https://other.example/") == ()
    assert cookie_headers((), HERE) == ()
    other = Exchange(url=HERE, status=302, headers=(("Location", "/x"), ("Set-Cookie", "a=1")))
    assert cookie_header(cookies_after((), other), HERE) == "a=1"


def test_longer_paths_come_first() -> None:
    assert cookie_header(after("a=1; Path=/", "b=2; Path=/docs", "c=3; Path=/"), HERE) == "b=2; a=1; c=3"


def test_a_cookie_takes_the_place_of_that_with_the_same_name_host_and_path() -> None:
    first = after("a=1; Path=/", "b=2; Path=/")
    assert after("a=1; Path=/", before=first) == first
    assert cookie_header(after("a=3; Path=/", before=first), HERE) == "a=3; b=2"
    assert cookie_header(after("a=3", before=first), HERE) == "a=3; a=1; b=2"
    assert cookie_header(after("a=; Path=/; Max-Age=0", before=first), HERE) == "b=2"


def test_the_same_cookies_again_are_no_new_ones() -> None:
    first = after("a=1; Path=/")
    assert after("a=1; Path=/", before=first) == first
    assert after(before=first) == first


def test_the_cookies_of_a_chain_are_bounded() -> None:
    assert len(after(*(f"c{n}=1" for n in range(200)))) == MOST_COOKIES
    large = after(*(f"c{n}={'x' * 500}" for n in range(20)))
    assert 0 < sum(cookie.size for cookie in large) <= MOST_BYTES
    assert cookie_header(after(f"a={'x' * 5_000}", "b=2"), HERE) == "b=2"
