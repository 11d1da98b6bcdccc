"""What stays of a batch's exchanges is copied piece by piece, as all of them may be larger than the memory."""

import json

import pytest

from wavecrawl.adapters.batch_objects import record_in
from wavecrawl.adapters.gzip_members import compressed, decompressed
from wavecrawl.adapters.kept_objects import ReducedRecords
from wavecrawl.domain.urls.earlier_keys import earlier_key
from wavecrawl.domain.urls.url import Identity

MB = 1024 * 1024


def test_exchanges_that_do_not_stay_become_zeros_in_small_pieces() -> None:
    content = bytes([1]) * (5 * MB) + b"first" + bytes([2]) * (3 * MB + 7) + b"second" + bytes([3]) * 9
    stretches = [(5 * MB, 5), (5 * MB + 5 + 3 * MB + 7, 6)]
    read: list[tuple[int, int]] = []

    def part(offset: int, length: int) -> bytes:
        read.append((offset, length))
        return content[offset : offset + length]

    pieces = list(ReducedRecords(data=b"", stretches=stretches).exchanges(part))
    assert b"".join(pieces) == bytes(5 * MB) + b"first" + bytes(3 * MB + 7) + b"second"
    assert max(map(len, pieces)) <= MB
    assert read == stretches


@pytest.mark.parametrize("sign", ["+", "%20"])
def test_a_record_of_an_earlier_version_is_found_and_stays(sign: str) -> None:
    page, other = (Identity().page_url(f"https://example.com/s?q=a{sign}{name}") for name in ("b", "c"))
    stored = [earlier_key(one.key, one.url) if sign == "+" else one.key for one in (page, other)]
    lines = [
        json.dumps({"key": key, "url": one.url, "depth": 1, "state": "fetched"}, separators=(",", ":")).encode() + b"\n"
        for key, one in zip(stored, (page, other), strict=True)
    ]
    found = record_in(lines, page.key)
    assert found is not None
    assert (found.key, found.url) == (stored[0], page.url)
    assert record_in(lines, "0" * 32) is None
    reduced = ReducedRecords.of(compressed(b"".join(lines)), frozenset([page.key]), hidden=frozenset())
    assert reduced is not None
    assert decompressed(reduced.data) == lines[0]
