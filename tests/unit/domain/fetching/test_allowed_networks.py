"""Networks outside the public internet, as an operator writes them."""

from ipaddress import ip_address

import pytest

from wavecrawl.domain.fetching.allowed_networks import allowed_network


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("10.0.0.0/8", [("10.1.2.3", 1), ("10.0.0.0", 443)], [("11.0.0.0", 80), ("::1", 80)]),
        ("10.1.2.3", [("10.1.2.3", 8080)], [("10.1.2.4", 8080)]),
        ("127.0.0.2:18200", [("127.0.0.2", 18200)], [("127.0.0.2", 18201), ("127.0.0.1", 18200), ("::1", 18200)]),
        ("10.0.0.0/8:80", [("10.9.9.9", 80)], [("10.9.9.9", 443)]),
        ("::1", [("::1", 80), ("::1", 1)], [("::2", 80)]),
        ("fd00::/64", [("fd00::9", 80)], [("fd00:0:0:1::", 80)]),
        ("[::1]:8000", [("::1", 8000)], [("::1", 8001), ("127.0.0.1", 8000)]),
    ],
)
def test_what_a_network_contains(text: str, inside: list[tuple[str, int]], outside: list[tuple[str, int]]) -> None:
    network = allowed_network(text)
    assert [network.contains(ip_address(address), port) for address, port in inside] == [True] * len(inside)
    assert [network.contains(ip_address(address), port) for address, port in outside] == [False] * len(outside)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost",
        "localhost:80",
        "10.0.0.1/8",
        "10.0.0.1:0",
        "10.0.0.1:65536",
        "10.0.0.1:x",
        "[::1]",
        ":80",
        "[]:1",
    ],
)
def test_other_text_is_no_network(text: str) -> None:
    with pytest.raises(ValueError, match=r"address|network|port|host bits"):
        allowed_network(text)
