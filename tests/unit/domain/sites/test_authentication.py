"""Which origins receive the credentials of a site."""

import pytest

from wavecrawl.domain.crawl.settings import ScopeMode
from wavecrawl.domain.sites.authentication import Authentication, OwnHosts
from wavecrawl.domain.sites.credentials import SiteCredentials

M = ScopeMode


@pytest.mark.parametrize(
    ("start", "mode", "own", "others"),
    [
        (
            "https://Example.com/a",
            M.ORIGIN,
            ["https://example.com", "https://example.com:443"],
            [
                "http://example.com",
                "https://www.example.com",
                "https://example.com:8443",
                "https://example.com.evil.example",
                "https://evilexample.com",
                "",
            ],
        ),
        (
            "http://example.com/",
            M.ORIGIN,
            ["http://example.com", "https://example.com"],
            ["http://example.com:8080", "https://example.com:8443", "https://www.example.com"],
        ),
        (
            "http://example.com:8080/",
            M.ORIGIN,
            ["http://example.com:8080"],
            ["http://example.com", "https://example.com", "https://example.com:8080"],
        ),
        (
            "https://www.example.com/",
            M.HOST_AND_WWW,
            ["https://example.com", "https://www.example.com"],
            ["http://www.example.com", "https://docs.example.com", "https://www.www.example.com"],
        ),
        (
            "https://example.com/",
            M.SUBDOMAINS,
            ["https://example.com", "https://a.b.example.com"],
            ["http://a.example.com", "https://notexample.com", "https://a.example.com:444", "https://.com"],
        ),
        ("http://[::1]:8000/", M.ORIGIN, ["http://[::1]:8000"], ["http://[::1]", "http://[::2]:8000"]),
        ("https://b\u00fccher.example/", M.ORIGIN, ["https://xn--bcher-kva.example"], ["https://bcher.example"]),
    ],
)
def test_only_the_hosts_of_the_site_are_its_own(start: str, mode: ScopeMode, own: list[str], others: list[str]) -> None:
    hosts = OwnHosts(start, mode)
    assert [origin for origin in own if not hosts.include(origin)] == []
    assert [origin for origin in others if hosts.include(origin)] == []


@pytest.mark.parametrize(
    ("start", "mode", "domains", "secure"),
    [
        ("https://www.example.com/", M.ORIGIN, ("www.example.com",), True),
        ("http://www.example.com/", M.HOST_AND_WWW, ("example.com", "www.example.com"), False),
        ("https://example.com/", M.SUBDOMAINS, (".example.com",), True),
    ],
)
def test_cookies_of_a_browser_have_the_domains_of_the_site(
    start: str,
    mode: ScopeMode,
    domains: tuple[str, ...],
    secure: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    hosts = OwnHosts(start, mode)
    assert (hosts.cookie_domains, hosts.is_secure) == (domains, secure)


def test_a_request_to_the_site_carries_headers_and_one_field_of_cookies() -> None:
    credentials = SiteCredentials(headers=(("X-Key", "k"),), cookies=(("a", "1"), ("b", "2")))
    sent = Authentication(credentials=credentials, hosts=OwnHosts("https://example.com/", M.ORIGIN))
    assert sent.fields_for("https://example.com", cookies={}) == (("X-Key", "k"), ("Cookie", "a=1; b=2"))
    assert sent.fields_for("https://example.com", cookies={"b": "new", "c": "3"}) == (
        ("X-Key", "k"),
        ("Cookie", "a=1; b=new; c=3"),
    )
    assert sent.fields_for("https://other.example", cookies={"c": "3"}) == ()


def test_without_cookies_no_field_of_cookies_is_added() -> None:
    credentials = SiteCredentials(headers=(("X-Key", "k"),))
    sent = Authentication(credentials=credentials, hosts=OwnHosts("https://example.com/", M.ORIGIN))
    assert sent.fields_for("https://example.com", cookies={"c": "3"}) == (("X-Key", "k"),)
