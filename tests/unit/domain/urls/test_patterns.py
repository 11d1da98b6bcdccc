import pytest

from wavecrawl.domain.urls.patterns import Patterns, separated, texts_of


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
        ("/straße/*", "/stra%C3%9Fe/x", True),
        ("/stra%c3%9fe/*", "/stra%C3%9Fe/x", True),
        ("/straße/*", "/stra%DFe/x", False),  # other bytes: Latin-1
        ("/stra%DFe/*", "/stra%DFe/x", True),
        ("/with space/*", "/with%20space/x", True),
        ("/with%20space/*", "/with%20space/x", True),
        ("*/каталог/*", "/ru/%D0%BA%D0%B0%D1%82%D0%B0%D0%BB%D0%BE%D0%B3/1", True),
        ("*сок*да", "/%D1%81%D0%BE%D0%BA/%D0%B4%D0%B0", True),
        ("/[id]/*", "/%5Bid%5D/x", True),
        ("/[id]/*", "/[id]/x", True),
        ("/[id]/*", "/i/x", False),
        ("/a/b", "/a%2Fb", False),  # an encoded slash separates nothing
        ("/a%2fb", "/a%2Fb", True),
        ("/100%/*", "/100%/x", True),
        ("/a%2A", "/a*", True),  # an encoded star is no wildcard
        ("/a%2A", "/ab", False),
        ("/list?name=ü", "/list?name=%C3%BC", True),
        ("https://bücher.example/*", "https://xn--bcher-kva.example/x", True),
        ("*://Bücher.EXAMPLE/*", "https://xn--bcher-kva.example/", True),
        ("*://*.bücher.example/*", "https://a.xn--bcher-kva.example/", True),
        ("http://пример.рф:8080/*", "http://xn--e1afmkfd.xn--p1ai:8080/a", True),
        ("http://пример.рф:8080/*", "http://xn--e1afmkfd.xn--p1ai/a", False),
        ("https://\ufffd.example/*", "https://x.example/", False),
        ("/[a-c]/*", "/b/x", True),
        ("/[a-c]/*", "/d/x", False),
        ("/[!a-c]/*", "/d/x", True),
        ("/[!a-c]/*", "//x", False),
        ("/page-[0-9]", "/page-7", True),
        ("/page-[0-9]", "/page-77", False),
        ("*/[0-9][0-9]/*-[a-f0-9]", "/x/2024/31/a-b-c-9", True),
        ("*/[0-9][0-9]/*-[a-f0-9]", "/x/2024/31/a-b-c-z", False),
        ("/[c-a]", "/b", False),
        ("/[c-ax-z]", "/y", True),
        ("/[!c-a]", "/b", True),
        ("/[my-slug]/*", "/m/x", False),
        ("/admin/*,*.pdf", "/admin/x", True),
        ("/admin/*,*.pdf", "/x.pdf", True),
        ("/admin/*, /old/*", "/old/x", True),
        ("/admin/*,https://example.com/x", "https://example.com/x", True),
        ("/news,12.html", "/news,12.html", True),
        ("/news,*", "/news,12", True),
        ("/news,*", "/x", False),
        ("/a%2C/b", "/a,/b", True),
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


def test_a_pattern_with_ranges_and_many_stars_takes_linear_time() -> None:
    """With a star that is tried again at each place, this would take longer than anyone waits."""
    pattern = "*a[0-9]" * 30 + "*!"
    assert not Patterns([pattern]).match_any(("a1" * 5_000,))


def test_one_encoded_text_of_several_is_enough() -> None:
    assert Patterns(["/ü"]).match_any(("https://example.com/%C3%BC", "/%C3%BC"))
    assert not Patterns(["/ü"]).match_any(("https://example.com/u", "/u"))


def test_a_text_may_list_several_patterns() -> None:
    assert separated(["/a/*,*.pdf", " /b ", "/c,d", "/e, *://x/*"]) == ["/a/*", "*.pdf", "/b", "/c,d", "/e", "*://x/*"]


def test_a_url_is_matched_whole_and_by_its_path_with_and_without_the_query() -> None:
    assert texts_of("https://e.example/a?b=1") == ("https://e.example/a?b=1", "/a", "/a?b=1")
    assert texts_of("https://e.example/a") == ("https://e.example/a", "/a")
