"""Which bytes of a body a Range header asks for."""

import pytest

from wavecrawl.domain.fetching.byte_ranges import NoSuchRangeError, span_of


@pytest.mark.parametrize(
    ("header", "span"),
    [
        ("bytes=0-", (0, 9)),
        ("bytes=2-3", (2, 3)),
        (" bytes=2-99 ", (2, 9)),
        ("bytes=-4", (6, 9)),
        ("bytes=-99", (0, 9)),
    ],
)
def test_a_range_is_cut_at_the_end_of_the_body(header: str, span: tuple[int, int]) -> None:
    assert span_of(header, 10) == span


@pytest.mark.parametrize("header", ["", "bytes=5-4", "bytes=0-1,4-5", "lines=1-2", "bytes=-", f"bytes={10**15}-"])
def test_what_is_not_one_range_is_ignored(header: str) -> None:
    assert span_of(header, 10) is None


@pytest.mark.parametrize(("header", "size"), [("bytes=-0", 10), ("bytes=10-", 10), ("bytes=0-", 0), ("bytes=-1", 0)])
def test_a_body_without_these_bytes_is_an_error(header: str, size: int) -> None:
    with pytest.raises(NoSuchRangeError):
        span_of(header, size)
