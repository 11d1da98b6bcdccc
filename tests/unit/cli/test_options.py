"""Crawl settings from command-line options."""

import pytest

from wavecrawl.cli.options import settings_from


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.2:18200/", ("127.0.0.2:18200",)),
        ("http://127.0.0.1/docs", ("127.0.0.1:80",)),
        ("https://127.0.0.1/", ("127.0.0.1:443",)),
        ("http://[::1]:8000/", ("[::1]:8000",)),
        ("http://localhost:8000/", ("127.0.0.1:8000", "[::1]:8000")),
        ("https://site.localhost/", ("127.0.0.1:443", "[::1]:443")),
        ("http://10.0.0.1/", ()),
        ("https://example.com/", ()),
    ],
)
def test_a_loopback_url_allows_its_address_and_port(url: str, expected: tuple[str, ...]) -> None:
    assert settings_from(url, {}, file=None).allowed_addresses == expected
    given = settings_from(url, {"allowed_addresses": ["10.0.0.0/8"]}, file=None)
    assert given.allowed_addresses == ("10.0.0.0/8",)
