"""What stays of a batch's exchanges is copied piece by piece, as all of them may be larger than the memory."""

from wavecrawl.adapters.kept_objects import ReducedRecords

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
