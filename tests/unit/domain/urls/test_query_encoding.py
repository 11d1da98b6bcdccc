import pytest

from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.urls.query_encoding import all_in_encoding, in_encoding


@pytest.mark.parametrize(
    ("encoding", "text", "escaped"),
    [
        ("windows-1251", "\u043a\u043e\u0442", "%EA%EE%F2"),
        ("windows-1252", "\u20ac\u00e9\u044f", "%80%E9%26%231103%3B"),
        ("windows-1252", "\u0081", "%81"),  # an unassigned byte
        ("windows-1253", "\u03a9\ufffd", "%D9%26%2365533%3B"),
        ("shift_jis", "\u65e5\u00a5\u203e\u2212", "%93%FA\\~%81|"),
        ("shift_jis", "\u2170\u7e8a\ue000\u00a2", "%FA@%FA\\%26%2357344%3B%26%23162%3B"),
        ("euc-jp", "\u65e5\u00a5\u203e\u2212\u040e", "%C6%FC\\~%A1%DD%26%231038%3B"),
        ("iso-2022-jp", "a\u65e5\u03b1", "a%1B$BF|&A%1B(B"),
        ("iso-2022-jp", "\u00e9\u4e10", "%26%23233%3B%1B$BP%22%1B(B"),
        # ESC, SO and SI would change the state (WHATWG Encoding, ISO-2022-JP encoder, step 3).
        ("iso-2022-jp", "\x1b$B\u65e5", "%26%2365533%3B$B%1B$BF|%1B(B"),
        ("iso-2022-jp", "\u65e5\x0e\x0f\u65e5", "%1B$BF|%1B(B%26%2365533%3B%26%2365533%3B%1B$BF|%1B(B"),
        ("iso-2022-jp", "\u65e5\x00\x7f", "%1B$BF|%1B(B%00%7F"),
        ("iso-2022-jp", "a\t=\n\u65e5\rb\r", "a=%1B$BF|%1B(Bb\r"),  # as URLs leave them out
        ("iso-2022-jp", "\U0001f600\ud800", "%26%23128512%3B%26%2355296%3B"),
        ("replacement", "\u65e5\x1b", "\u65e5\x1b"),
        ("gbk", "\u4e2d\u20ac\u0491", "%D6%D0%80%26%231169%3B"),
        ("gb18030", "\u20ac\u0491", "%A2%E3%810%D93"),
        ("big5", "\u4e2d\u2460\u4e02", "%A4%A4%C6%A1%26%2319970%3B"),
        ("euc-kr", "\ud55c\u20ac", "%C7%D1%A2%E6"),
        ("iso-8859-2", "\u0142\u2603", "%B3%26%239731%3B"),
        ("utf-8", "\u043a", "\u043a"),  # left to the URL parser
        ("utf-16be", "\u043a", "\u043a"),
    ],
)
def test_a_query_is_in_the_encoding_of_its_document(encoding: str, text: str, escaped: str) -> None:
    assert in_encoding(f"a?{text}", encoding) == f"a?{escaped}"


@pytest.mark.parametrize(
    ("reference", "encoded"),
    [
        ("\u043a?\u043a#\u043a?\u043a", "\u043a?%EA#\u043a?\u043a"),
        ("\u043a#?\u043a", "\u043a#?\u043a"),
        ("\u043a", "\u043a"),
        ("?a b%20&\u043a?\u043a", "?a b%20&%EA?%EA"),
        ("?q='\"<>\u043a", "?q='\"<>%EA"),
    ],
)
def test_only_the_query_is_encoded(reference: str, encoded: str) -> None:
    assert in_encoding(reference, "windows-1251") == encoded


@pytest.mark.parametrize(
    ("references", "encoding", "encoded"),
    [
        ("/a?\u043a 1x, /b\u043a?\u043a 2x", "windows-1251", "/a?%EA 1x, /b\u043a?%EA 2x"),
        ("/a?\u043a 1x", "utf-8", "/a?\u043a 1x"),
        ("/a?b 1x", "windows-1251", "/a?b 1x"),
    ],
)
def test_each_query_of_a_list_is_encoded(references: str, encoding: str, encoded: str) -> None:
    assert all_in_encoding(references, encoding) == encoded


LABELS = (
    "iso-2022-jp csiso2022jp hz-gb-2312 iso-2022-kr iso-2022-cn iso-2022-cn-ext utf-7 unicode-1-1-utf-7 utf-16 "
    "utf-16be utf-32 cesu-8 x-user-defined replacement gb18030 big5-hkscs koi8-u macintosh ibm866 windows-874 "
    "iso-8859-8-i none"
).split()


@pytest.mark.parametrize("label", LABELS)
def test_no_encoding_and_no_control_character_ends_a_page(label: str) -> None:
    """Each control character stands raw, as a reference, beside other text, in paths, queries, fragments and hosts."""
    odd = [*map(chr, range(0x21)), "\x7f", "\x85", "\xa0", "\u2028", "\ud800", "\ufffe", "\U0001f600"]
    forms = ("/a{}b", "?{}", "?q=\u65e5{}\u65e5&x", "#{}\u00e9", "//host{}.example/?\u00e9", "{}?\u00e9{}")
    links = "".join(
        f"<a href='{form.format(char, char)}'>a</a><img srcset='{form.format(f'&#{ord(char)};', '')} 2x'>"
        for form in forms
        for char in odd
    )
    html = f"<!DOCTYPE html><meta charset={label}><title>A page</title>{links}<a href=/last>z</a>"
    for body in (
        html.encode("utf-8", "replace"),
        html.encode("iso-2022-jp", "replace"),
        html.encode("utf-7", "replace"),
    ):
        for declared in ("", f"text/html; charset={label}"):
            decoded = decode_html(body, declared)
            found = extract(decoded.html, url="http://site.example/", encoding=decoded.encoding)
            assert found.facts is not None
            if b"A page" in body and not decoded.encoding.startswith("utf-16"):
                assert found.facts.title == "A page"
