import pytest

from wavecrawl.domain.urls.patterns import Patterns


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("/a", "/a", True),
        (" /a ", "/a", True),
        ("/a", "/ab", False),
        ("/a/*", "/a/b", True),
        ("/a/*", "/a", False),
        ("*.pdf", "/x/y.pdf", True),
        ("*.pdf", "/x/y.pdf?z", False),
        ("*/print/*", "/docs/print/a", True),
        ("*/print/*", "/docs/printed/a", False),
        ("/a*b*c", "/a1b2c", True),
        ("/a*b*c", "/a1c2b", False),
        ("/a*b*c", "/abc", True),
        ("/ab*bc", "/abc", False),
        ("*", "", True),
    ],
)
def test_a_pattern_matches_the_whole_text(pattern: str, text: str, *, expected: bool) -> None:
    assert Patterns([pattern]).match_any((text,)) is expected


def test_one_pattern_and_one_text_are_enough() -> None:
    patterns = Patterns(["/a", "*/b/*", "/c*d"])
    assert patterns.match_any(("/x", "/a"))
    assert patterns.match_any(("/x", "/x/b/y"))
    assert not patterns.match_any(("/x", "/y"))
    assert not Patterns([]).match_any(("/a", ""))
