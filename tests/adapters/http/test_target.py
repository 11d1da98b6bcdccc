"""The request target of a URL: endpoint, Host header and path. test_client.py covers refused URLs."""

import pytest

from wavecrawl.adapters.http.target import target_of


@pytest.mark.parametrize(
    ("url", "scheme", "host", "port", "header", "path"),
    [
        ("http://shop.example", "http", "shop.example", 80, "shop.example", "/"),
        ("https://shop.example/a#b", "https", "shop.example", 443, "shop.example", "/a"),
        ("HTTP://Shop.Example:80/", "http", "shop.example", 80, "Shop.Example", "/"),
        ("http://shop.example:/x", "http", "shop.example", 80, "shop.example", "/x"),
        ("http://shop.example:443/", "http", "shop.example", 443, "shop.example:443", "/"),
        ("https://[2001:DB8::1]:8443/?q#", "https", "2001:db8::1", 8443, "[2001:DB8::1]:8443", "/?q"),
        ("http://shop.example.?a=/b", "http", "shop.example.", 80, "shop.example.", "/?a=/b"),
        ("http://a_b~c/", "http", "a_b~c", 80, "a_b~c", "/"),
    ],
)
def test_what_a_url_asks_for(url: str, scheme: str, host: str, port: int, header: str, path: str) -> None:  # noqa: PLR0917 - a table
    target = target_of(url)
    endpoint = target.endpoint
    assert (endpoint.scheme, endpoint.host, endpoint.port) == (scheme, host, port)
    assert (endpoint.host_header, target.path) == (header, path)
