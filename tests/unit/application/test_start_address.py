"""Addresses without a scheme: the URLs that they may mean, and the one that is crawled."""

import pytest

from wavecrawl.application.start_address import candidates, first_reachable
from wavecrawl.errors import InvalidUrlError, RootFailedError

HTTPS, HTTP = "https://site.example/", "http://site.example/"


@pytest.mark.parametrize(
    ("address", "urls"),
    [
        ("site.example", (HTTPS, HTTP)),
        ("site.example/docs", ("https://site.example/docs", "http://site.example/docs")),
        ("localhost:8000", ("https://localhost:8000/", "http://localhost:8000/")),
        ("localhost:8000/docs?a=1", ("https://localhost:8000/docs?a=1", "http://localhost:8000/docs?a=1")),
        ("[::1]:8000", ("https://[::1]:8000/", "http://[::1]:8000/")),
        ("http://site.example/", (HTTP,)),
        ("mailto:me@site.example", ("mailto:me@site.example",)),
        ("/docs/", ("/docs/",)),
    ],
)
def test_an_address_without_a_scheme_may_be_https_or_http(address: str, urls: tuple[str, ...]) -> None:
    assert candidates(address) == urls


def test_an_address_that_is_no_host_is_named() -> None:
    with pytest.raises(InvalidUrlError, match="not a URL: 'https://not a host'"):
        candidates("not a host")


@pytest.mark.parametrize(
    ("troubles", "chosen"),
    [({}, HTTPS), ({HTTPS: "refused"}, HTTP)],
)
def test_the_first_url_that_responds_is_crawled(troubles: dict[str, str], chosen: str) -> None:
    assert first_reachable((HTTPS, HTTP), lambda url: troubles.get(url, "")) == chosen


def test_if_no_url_responds_the_error_names_both() -> None:
    said = f"{HTTPS} cannot be reached: refused; {HTTP} cannot be reached: timed out. Check the host name."
    with pytest.raises(RootFailedError, match=said):
        first_reachable((HTTPS, HTTP), {HTTPS: "refused", HTTP: "timed out"}.__getitem__)


def test_the_only_url_is_not_checked() -> None:
    assert first_reachable((HTTP,), lambda _: "refused") == HTTP
