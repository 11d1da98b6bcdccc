import pytest

from wavecrawl.domain.tenants.limits import MOST_DENIED
from wavecrawl.domain.tenants.operator_controls import OperatorControls, host_of
from wavecrawl.errors import InvalidInputError

DENIED = OperatorControls().deny(["Example.COM.", "bücher.example", "192.0.2.7", "2001:DB8::1"])


def test_hosts_are_listed_as_urls_have_them() -> None:
    assert DENIED.denied_hosts == ("192.0.2.7", "2001:db8::1", "example.com", "xn--bcher-kva.example")


@pytest.mark.parametrize(
    "host",
    [
        "example.com",
        "EXAMPLE.com.",
        "www.example.com",
        "a.b.example.com",
        "xn--bcher-kva.example",
        "192.0.2.7",
        "[2001:db8::1]",
    ],
)
def test_a_listed_host_and_all_below_it_are_denied(host: str) -> None:
    assert DENIED.denies(host)


@pytest.mark.parametrize(
    "host",
    ["example.org", "notexample.com", "com", "example.com.evil.test", "192.0.2.70", "1.192.0.2.7", "2001:db8::2", ""],
)
def test_other_hosts_are_not(host: str) -> None:
    assert not DENIED.denies(host)


def test_an_empty_list_denies_nothing() -> None:
    assert not OperatorControls().denies("example.com")


def test_hosts_are_allowed_again() -> None:
    assert DENIED.allow(["EXAMPLE.com"]).denied_hosts == ("192.0.2.7", "2001:db8::1", "xn--bcher-kva.example")
    with pytest.raises(InvalidInputError, match=r"not on the deny list: www\.example\.com"):
        DENIED.allow(["www.example.com"])


@pytest.mark.parametrize(
    "text",
    ["", " ", "http://example.com/", "example.com/path", "example.com:8080", "user@example.com", "a?b", "a#b", "a b"],
)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="host names or addresses"):
        host_of(text)


def test_the_list_has_a_limit() -> None:
    OperatorControls().deny(f"{number}.example" for number in range(MOST_DENIED))
    with pytest.raises(InvalidInputError, match="at most 5,000 hosts"):
        OperatorControls().deny(f"{number}.example" for number in range(MOST_DENIED + 1))
