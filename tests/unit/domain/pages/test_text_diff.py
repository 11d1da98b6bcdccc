import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.pages.text_diff import LONGEST_LINE, DiffLimits, text_diff, text_lines

LIMITS = DiffLimits()
TEXTS = st.lists(st.sampled_from("one two three four.".split()), max_size=12).map("\n".join)


def test_a_changed_line_is_shown_with_its_neighbours() -> None:
    found = text_diff("a\nb\nc\nd\ne", "a\nb\nnew words\nd\ne", LIMITS)
    assert found.lines == ("@@ -2,3 +2,3 @@", " b", "-c", "+new words", " d")
    assert found.text == "@@ -2,3 +2,3 @@\n b\n-c\n+new words\n d\n"
    assert (found.added, found.removed, found.truncated) == (2, 1, False)


def test_equal_texts_have_no_difference() -> None:
    assert text_diff("a\nb", "a\nb", LIMITS).lines == ()


@pytest.mark.parametrize(("before", "now", "sign"), [("", "a\nb", "+"), ("a\nb", "", "-")])
def test_a_text_can_be_all_new_or_all_gone(before: str, now: str, sign: str) -> None:
    assert text_diff(before, now, LIMITS).lines[1:] == (f"{sign}a", f"{sign}b")


def test_a_text_in_one_line_is_divided_into_sentences() -> None:
    before = "This is the first sentence of a long text. " * 3 + "Here is another one! Here is the last one."
    now = before.replace("another", "a better")
    assert text_diff(before, now, LIMITS).lines[1:] == (
        " This is the first sentence of a long text.",
        "-Here is another one!",
        "+Here is a better one!",
        " Here is the last one.",
    )


def test_long_sentences_are_divided_between_words_and_long_words_too() -> None:
    lines = list(text_lines("word " * 100 + "x" * 300))
    assert all(len(line) <= LONGEST_LINE for line in lines)
    assert "".join(lines).replace(" ", "") == "word" * 100 + "x" * 300


def test_sentences_without_spaces_between_them_are_divided() -> None:
    sentences = ["\u4e00" * 100 + end for end in "\u3002\uff01\uff1f"]
    assert list(text_lines("".join(sentences))) == sentences


def test_control_characters_are_replaced() -> None:
    found = text_diff("a", "\x1b]0;title\x07\tb \x9b2J\x7f", LIMITS)
    assert found.lines[-1] == "+\ufffd]0;title\ufffd\tb \ufffd2J\ufffd"


def test_what_is_compared_and_shown_is_limited() -> None:
    before, now = ("\n".join(f"{word} {number}" for number in range(100)) for word in ("old", "new"))
    limited = text_diff(before, now, DiffLimits(compared=50))
    assert (len(limited.lines), limited.removed, limited.truncated) == (101, 100, True)
    shown = text_diff(before, now, DiffLimits(shown=10))
    assert (len(shown.lines), shown.removed, shown.truncated) == (10, 200, True)


def test_a_change_late_in_a_long_text_is_compared() -> None:
    before = "\n".join(map(str, range(10_000)))
    found = text_diff(before, f"{before}\nnew", DiffLimits(compared=10))
    assert found.lines == ("@@ -10000 +10000,2 @@", " 9999", "+new")
    assert not found.truncated


@given(TEXTS, TEXTS)
def test_the_added_and_removed_lines_turn_one_text_into_the_other(before: str, now: str) -> None:
    found = text_diff(before, now, DiffLimits(context=1_000))
    if before.splitlines() == now.splitlines():
        assert found.lines == ()
    else:
        assert [line[1:] for line in found.lines[1:] if line[0] != "+"] == before.splitlines()
        assert [line[1:] for line in found.lines[1:] if line[0] != "-"] == now.splitlines()
