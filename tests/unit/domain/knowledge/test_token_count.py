import pytest

from wavecrawl.domain.knowledge.token_count import token_count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("the harbour", 2),
        ("internationalisation", 3),
        ("x = 42\n\ny", 6),
        ("port_number", 3),
        ("港口", 2),
        ("гавань", 2),
        ("straße", 1),
    ],
)
def test_words_signs_digits_and_line_ends_are_counted(text: str, expected: int) -> None:
    assert token_count(text) == expected
