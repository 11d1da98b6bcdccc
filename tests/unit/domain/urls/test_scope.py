import pytest

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import ScopeMode, ScopeSettings
from wavecrawl.domain.urls.scope import Scope
from wavecrawl.domain.urls.url import Identity

IDENTITY = Identity()


def reason(url: str, *, root: str = "https://www.example.com/docs/", **settings: object) -> Reason:
    scope = Scope(IDENTITY.page_url(root), ScopeSettings(**settings))  # type: ignore[arg-type]
    return scope.reason_outside(IDENTITY.page_url(url))


@pytest.mark.parametrize(
    ("mode", "url", "inside"),
    [
        (ScopeMode.ORIGIN, "https://www.example.com/x", True),
        (ScopeMode.ORIGIN, "http://www.example.com/x", False),
        (ScopeMode.ORIGIN, "https://example.com/x", False),
        (ScopeMode.ORIGIN, "https://www.example.com:8443/x", False),
        (ScopeMode.HOST_AND_WWW, "https://example.com/x", True),
        (ScopeMode.HOST_AND_WWW, "http://www.example.com/x", True),
        (ScopeMode.HOST_AND_WWW, "https://blog.example.com/x", False),
        (ScopeMode.SUBDOMAINS, "https://blog.example.com/x", True),
        (ScopeMode.SUBDOMAINS, "https://a.b.example.com/x", True),
        (ScopeMode.SUBDOMAINS, "https://example.com/x", True),
        (ScopeMode.SUBDOMAINS, "https://notexample.com/x", False),
        (ScopeMode.SUBDOMAINS, "https://example.com.evil.test/x", False),
    ],
)
def test_hosts_belong_by_mode(mode: ScopeMode, url: str, *, inside: bool) -> None:
    assert (reason(url, mode=mode) is Reason.NONE) == inside


@pytest.mark.parametrize(
    ("prefix", "path", "inside"),
    [
        ("/docs/", "/docs/a", True),
        ("/docs/", "/docs", True),
        ("/docs/", "/docsx", False),
        ("/docs", "/docsx", True),
        ("/", "/anything", True),
        ("/straße/", "/stra%C3%9Fe/x", True),
        ("/straße/", "/stra%c3%9fe", True),
        ("/stra%C3%9Fe/", "/straße/x", True),
        ("/my docs/", "/my%20docs/x", True),
        ("/docs/", "/docs%2Fx", False),
    ],
)
def test_a_path_prefix_bounds_the_site(prefix: str, path: str, *, inside: bool) -> None:
    found = reason(f"https://www.example.com{path}", root="https://www.example.com/docs/home", path_prefix=prefix)
    assert (found is Reason.NONE) == inside


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/admin/*", "/admin/users", True),
        ("/admin/*", "/admin", False),
        ("*.pdf", "/files/a.pdf", True),
        ("*.pdf", "/files/a.pdfx", False),
        ("/tag/*", "/x/tag/y", False),
        ("*/tag/*", "/x/tag/y", True),
        ("/search?q=*", "/search?q=1", True),
        ("/search", "/search?q=1", True),
        ("https://www.example.com/a*", "/about", True),
        ("*", "/anything", True),
        ("a*a", "/a", False),
        ("/a**b*c", "/a1b2c", True),
        ("/ab*ba", "/aba", False),
        ("/a*b*c", "/acb", False),
    ],
)
def test_patterns_match_url_path_or_path_and_query(pattern: str, path: str, *, matches: bool) -> None:
    url = f"https://www.example.com{path}"
    assert (reason(url, exclude=(pattern,)) is Reason.EXCLUDED) == matches
    assert (reason(url, include=(pattern,)) is Reason.NONE) == matches


def test_what_is_not_included_says_so() -> None:
    assert reason("https://www.example.com/a", include=("/b*",)) is Reason.NOT_INCLUDED


def test_the_root_always_belongs() -> None:
    assert reason("https://www.example.com/docs", include=("/b*",), exclude=("*",), path_prefix="/z") is Reason.NONE


def test_a_pattern_of_many_stars_stays_quick() -> None:
    # A backtracking matcher would need about 10^20 steps here.
    url = "https://www.example.com/" + "a" * 2000
    assert reason(url, exclude=("*a" * 40 + "b",)) is Reason.NONE
