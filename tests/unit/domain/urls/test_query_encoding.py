import pytest

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
