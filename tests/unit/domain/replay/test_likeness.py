"""The shares of equal pixels and of equal text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.replay import likeness
from wavecrawl.domain.replay.likeness import Picture, equal_pixels, equal_text

WHITE, BLACK, GREY = b"\xff\xff\xff", b"\0\0\0", b"\xf0\xf0\xf0"


def _picture(*rows: tuple[bytes, ...]) -> Picture:
    return Picture(width=len(rows[0]), height=len(rows), rgb=b"".join(b"".join(row) for row in rows))


def test_equal_pictures_are_equal_in_each_pixel() -> None:
    picture = _picture((WHITE, BLACK), (GREY, WHITE))
    assert equal_pixels(picture, picture) == 1.0


def test_the_share_counts_pixels_of_another_colour() -> None:
    before = _picture((WHITE, BLACK), (GREY, WHITE))
    after = _picture((WHITE, BLACK), (GREY, BLACK))
    assert equal_pixels(before, after) == 0.75


@pytest.mark.parametrize(
    ("colour", "is_equal"),
    [
        (b"\xff\xff\xfe", True),  # hardly any eye sees these differences
        (GREY, True),
        (b"\xd0\xd0\xd0", False),
        (b"\xff\x00\x00", False),
        (b"\x00\x00\xff", False),
        (b"\xff\xff\xa0", False),
    ],
)
def test_colours_that_look_the_same_are_equal(colour: bytes, is_equal: bool) -> None:  # noqa: FBT001 - a table
    assert equal_pixels(_picture((WHITE,)), _picture((colour,))) == float(is_equal)


def test_pixels_that_one_picture_lacks_are_not_equal() -> None:
    small = _picture((WHITE,))
    large = _picture((WHITE, WHITE), (WHITE, WHITE))
    assert equal_pixels(small, large) == equal_pixels(large, small) == 0.25


def test_pictures_without_pixels_are_equal() -> None:
    nothing = Picture(width=0, height=0, rgb=b"")
    assert equal_pixels(nothing, nothing) == 1.0
    assert equal_pixels(nothing, _picture((WHITE,))) == 0.0


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [
        ("", "", 1.0),
        ("same", "same", 1.0),
        ("", "four", 0.0),
        ("kitten", "sitting", 4 / 7),  # three edits, the example of every textbook
        ("abcd", "bcde", 0.5),
        ("flaw", "lawn", 0.5),
        ("xyz", "abc", 0.0),
        ("the end", "the happy end", 7 / 13),
    ],
)
def test_the_share_of_equal_text_comes_from_the_number_of_edits(before: str, after: str, share: float) -> None:
    assert equal_text(before, after) == pytest.approx(share)
    assert equal_text(after, before) == pytest.approx(share)


@given(st.text("ab\u00e9", max_size=12), st.text("ab\u00e9", max_size=12))
def test_the_number_of_edits_is_that_of_the_table_of_wagner_and_fischer(one: str, other: str) -> None:
    row = list(range(len(other) + 1))
    for number, character in enumerate(one, 1):
        before, row[0] = row[0], number
        for column, letter in enumerate(other, 1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (character != letter))
    longest = max(len(one), len(other))
    assert equal_text(one, other) == pytest.approx(1 - row[-1] / longest if longest else 1.0)


def test_characters_beyond_the_limit_count_as_different(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likeness, "MOST_CHARACTERS", 4)
    assert equal_text("1abcd23455", "6abcd23457") == pytest.approx((10 - 7) / 10)


def test_a_common_beginning_and_end_cost_nothing() -> None:
    start, end = "a" * 3_000_000, "b" * 3_000_000
    assert equal_text(f"{start}x{end}", f"{start}y{end}") == pytest.approx(1 - 1 / 6_000_001)
