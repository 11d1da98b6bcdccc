"""The counts of wrong API keys per address."""

from wavecrawl.api.middleware.wrong_keys import MOST_ADDRESSES, WrongKeys

MINUTE = 60.0


def blocked(keys: WrongKeys, address: str, *, now: float) -> bool:
    return keys.wait(address, limit=2, now=now) > 0


def test_an_address_is_blocked_until_the_end_of_the_window() -> None:
    keys = WrongKeys()
    keys.count("192.0.2.1", window=MINUTE, now=610.0)
    assert not blocked(keys, "192.0.2.1", now=611.0)
    keys.count("192.0.2.1", window=MINUTE, now=611.0)
    assert keys.wait("192.0.2.1", limit=2, now=612.0) == 48.0
    assert not blocked(keys, "192.0.2.1", now=660.0)
    keys.count("192.0.2.1", window=MINUTE, now=661.0)
    assert not blocked(keys, "192.0.2.1", now=662.0)


def test_addresses_of_one_ipv6_network_count_together() -> None:
    keys = WrongKeys()
    keys.count("2001:db8:0:1::1", window=MINUTE, now=0.0)
    keys.count("2001:db8:0:1:ffff:ffff:ffff:ffff", window=MINUTE, now=0.0)
    assert blocked(keys, "2001:db8:0:1::2", now=1.0)
    assert not blocked(keys, "2001:db8:0:2::1", now=1.0)


def test_callers_without_an_address_count_together() -> None:
    keys = WrongKeys()
    keys.count("", window=MINUTE, now=0.0)
    keys.count("", window=MINUTE, now=0.0)
    assert blocked(keys, "", now=1.0)


def test_memory_is_bounded() -> None:
    keys = WrongKeys()
    for _ in range(2):
        keys.count("192.0.2.1", window=MINUTE, now=0.0)
    for number in range(MOST_ADDRESSES - 1):
        keys.count(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", window=MINUTE, now=1.0)
    assert blocked(keys, "192.0.2.1", now=2.0)
    keys.count("10.255.255.255", window=MINUTE, now=2.0)
    assert not blocked(keys, "192.0.2.1", now=2.0)
