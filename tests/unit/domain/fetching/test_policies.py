"""Security policies in headers and meta elements, by the examples and rules of their standards."""

import pytest

from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.fetching.policies import csp_policies, header_policies, referrer_policy


def policies(*headers: tuple[str, str], url: str = "https://example.com/") -> tuple[str, ...]:
    return header_policies(Exchange(url=url, status=200, headers=headers))


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("max-age=31536000", ("hsts",)),  # RFC 6797 6.2
        ('max-age="31536000"; includeSubDomains', ("hsts",)),
        ("includeSubDomains; MAX-AGE = 15768000 ;", ("hsts",)),
        ("max-age=0", ()),  # the host is no HSTS host any more
        ("max-age=000; includeSubDomains", ()),
        ("includeSubDomains", ()),
        ("max-age=x", ()),
    ],
)
def test_hsts_needs_an_age(value: str, found: tuple[str, ...]) -> None:
    assert policies(("Strict-Transport-Security", value)) == found


def test_hsts_counts_over_https_and_its_first_header_only() -> None:
    name = "Strict-Transport-Security"
    assert policies((name, "max-age=9"), url="http://example.com/") == ()
    assert policies((name, "max-age=0"), (name, "max-age=9")) == ()


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("Content-Security-Policy", "default-src 'self'", ("csp",)),
        ("Content-Security-Policy", "Frame-Ancestors 'none'; upgrade-insecure-requests", ("csp", "frames", "upgrade")),
        ("Content-Security-Policy", "default-src a.example, frame-ancestors 'self'", ("csp", "frames")),
        ("Content-Security-Policy", " ; ", ()),
        ("Content-Security-Policy-Report-Only", "default-src 'self'", ()),
        ("X-Frame-Options", "DENY", ("frames",)),
        ("x-frame-options", "SameOrigin", ("frames",)),
        ("X-Frame-Options", "ALLOW-FROM https://a.example", ()),
        ("X-Content-Type-Options", "NoSniff", ("nosniff",)),
        ("X-Content-Type-Options", "nosniff, nosniff", ("nosniff",)),
        ("X-Content-Type-Options", "no", ()),
        ("Referrer-Policy", "no-referrer, strict-origin-when-cross-origin", ("referrer",)),
        ("Referrer-Policy", "never", ()),
        ("Referrer-Policy", "", ()),
        ("Content-Type", "text/html", ()),
    ],
)
def test_only_values_that_browsers_know_count(name: str, value: str, found: tuple[str, ...]) -> None:
    assert policies((name, value)) == found


def test_a_meta_element_cannot_set_frame_ancestors() -> None:
    assert list(csp_policies("default-src 'self'; frame-ancestors 'none'", in_header=False)) == ["csp"]
    assert list(referrer_policy("Origin")) == ["referrer"]
