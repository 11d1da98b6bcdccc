from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.knowledge.sections import sections


def cut(markdown: str, characters: int) -> list[str]:
    return list(sections(markdown, characters=characters))


def test_a_short_text_is_one_section_and_an_empty_one_none() -> None:
    assert cut("One.\n\nTwo.", 100) == ["One.\n\nTwo."]
    assert cut("", 100) == []


def test_a_section_ends_before_a_heading_else_after_a_paragraph_a_line_or_a_word() -> None:
    assert cut("abc def\n\ngh\n# T\n\nijk lmn", 16) == ["abc def\n\ngh\n", "# T\n\nijk lmn"]
    assert cut("abc defgh\n## T\n### U\nijk lmn", 18) == ["abc defgh\n", "## T\n### U\nijk lmn"]  # the higher level
    assert cut("abc def\n\nghi\njkl mno pqr", 16) == ["abc def\n\n", "ghi\njkl mno pqr"]
    assert cut("abcdefghi\njkl mno pqr", 16) == ["abcdefghi\n", "jkl mno pqr"]
    assert cut("abcdefghijkl mno pqr", 16) == ["abcdefghijkl ", "mno pqr"]
    assert cut("a" * 20, 16) == ["a" * 16, "a" * 4]


def test_a_section_without_spaces_ends_after_a_sentence_and_not_inside_an_escape() -> None:
    assert cut("吾輩は猫である。名前はまだ無い", 10) == ["吾輩は猫である。", "名前はまだ無い"]
    assert cut("吾輩は猫 である。名前は まだ無い", 14) == ["吾輩は猫 である。", "名前は まだ無い"]
    assert cut("a" * 15 + "\\*" + "b", 16) == ["a" * 15, "\\*b"]
    assert cut("a" * 14 + "\\\\" + "b", 16) == ["a" * 14 + "\\\\", "b"]
    assert cut("\\*", 1) == ["\\", "*"]


def test_an_end_in_the_first_half_is_none() -> None:
    assert cut("a b" + "c" * 20, 16) == ["a b" + "c" * 13, "c" * 7]


@given(st.text(alphabet="a。\\ \n#"), st.integers(1, 9))
def test_sections_make_up_the_text_and_are_at_least_half_full(markdown: str, characters: int) -> None:
    found = cut(markdown, characters)
    assert "".join(found) == markdown
    assert all(0 < len(one) <= characters for one in found)
    assert all(2 * len(one) >= characters for one in found[:-1])
