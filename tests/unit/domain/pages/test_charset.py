import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.declared_charset import charset_of, declared_charset

RUSSIAN = (
    "\u0434\u043e\u043c \u0441\u0442\u043e\u0438\u0442 \u0443 \u0440\u0435\u043a\u0438 "
    "\u0438 \u0441\u043e\u0431\u0430\u043a\u0430 \u043b\u0435\u0436\u0438\u0442"
)
GERMAN = b"Gr\xfc\xdfe aus M\xfcnchen, sch\xf6ne H\xe4user und gro\xdfe G\xe4rten"
JAPANESE = "\u65e5\u672c\u8a9e\u306e\u30da\u30fc\u30b8\u3067\u3059\u3002\u4eca\u65e5\u306f\u3044\u3044\u5929\u6c17"


def text_of(content: bytes, content_type: str = "") -> tuple[str, str]:
    decoded = decode_html(content, content_type)
    return (
        decoded.html if isinstance(decoded.html, str) else decoded.html.decode("utf-8", "replace"),
        decoded.encoding,
    )


@pytest.mark.parametrize(
    ("content_type", "encoding"),
    [
        ("", ""),
        ("text/html", ""),
        ("text/html; charset=", ""),
        ("text/html; charset=''", ""),
        ("text/html; charset=klingon", ""),
        ('text/html; charset="UTF8"', "utf-8"),
        ("text/html; charset='koi8-r'", "koi8-r"),
        ('text/html; charset=" koi8-r "', "koi8-r"),
        ("text/html;CHARSET = Shift_JIS; x=y", "shift_jis"),
        # labels of the WHATWG Encoding standard, section 4.2
        ("text/html; charset=ISO-8859-1", "windows-1252"),
        ("text/html; charset=us-ascii", "windows-1252"),
        ("text/html; charset=latin5", "windows-1254"),
        ("text/html; charset=gb2312", "gbk"),
        ("text/html; charset=ks_c_5601-1987", "euc-kr"),
        ("text/html; charset=utf-16", "utf-16le"),
        ("text/html; charset=sun_eu_greek", "iso-8859-7"),
    ],
)
def test_a_content_type_names_an_encoding_by_one_of_its_labels(content_type: str, encoding: str) -> None:
    assert charset_of(content_type) == encoding


@pytest.mark.parametrize(
    ("content", "text", "encoding"),
    [
        (b"\xef\xbb\xbfa\xc3\xa9", "a\u00e9", "utf-8"),
        (b"\xef\xbb\xbfa\xff", "a\ufffd", "utf-8"),
        (b"\xff\xfea\x00\xe9\x00", "a\u00e9", "utf-16le"),
        (b"\xfe\xff\x00a\x00\xe9", "a\u00e9", "utf-16be"),
    ],
)
def test_a_byte_order_mark_comes_before_everything(content: bytes, text: str, encoding: str) -> None:
    assert text_of(content, "text/html; charset=koi8-r") == (text, encoding)


def test_the_header_comes_before_the_page() -> None:
    assert text_of(b"<meta charset=koi8-r>\xe4", "text/html; charset=windows-1251")[1] == "windows-1251"


@pytest.mark.parametrize(
    ("markup", "encoding"),
    [
        ("<meta charset=windows-1251>", "windows-1251"),
        ('<META CHARSET="Windows-1251" >', "windows-1251"),
        ("<meta/charset='windows-1251'/>", "windows-1251"),
        ("<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>", "windows-1251"),
        ("<meta http-equiv=refresh content='1; charset=windows-1251'>", "windows-1252"),
        ("<meta content='text/html; charset=windows-1251'>", "windows-1252"),
        ("<meta name=a><meta charset=windows-1251>", "windows-1251"),
        ("<meta charset=klingon><meta charset=greek>", "iso-8859-7"),
        ("<meta charset=greek charset=koi8-r>", "iso-8859-7"),
        ("<!-- <meta charset=koi8-r> --><meta charset=windows-1251>", "windows-1251"),
        ("<meta charset=x-user-defined>", "windows-1252"),
        ('<?xml version="1.0" encoding="iso-8859-2"?>', "iso-8859-2"),
        ('<?xml version="1.0" encoding="utf-16"?>', "windows-1252"),
        (" " * 1_024 + "<meta charset=windows-1251>", "windows-1251"),
    ],
)
def test_the_page_declares_its_encoding_at_its_beginning(markup: str, encoding: str) -> None:
    assert text_of(markup.encode() + GERMAN)[1] == encoding


@pytest.mark.parametrize(
    ("markup", "encoding"),
    [
        ("<meta charset='greek>", ""),
        ('<meta charset=greek">', ""),  # an unquoted value ends at white space or ">" (HTML, "get an attribute")
        ("<meta charset=greek'>", ""),
        ('<meta http-equiv="Content-Type content="text/html; charset=greek">', ""),
        ('<meta " charset=greek>', "iso-8859-7"),
        ('<meta x=y" charset=greek>', "iso-8859-7"),
        ('<meta x="" charset=greek>', "iso-8859-7"),
        ('<meta x=" charset=greek>"', ""),
        ("<meta\ncharset\t=\n'greek'>", "iso-8859-7"),
        ("<metacharset=greek>", ""),
        ("<meta <meta charset=greek>", "iso-8859-7"),
        ("<meta http-equiv=content-type content=text/html; charset=greek>", "iso-8859-7"),
        ('<meta content="text/html; charset=greek">', ""),  # nothing without http-equiv
        ('<meta name=content-type content="text/html; charset=greek">', ""),
        ('<meta http-equiv="content-style-type" content="text/html; charset=greek">', ""),
        ('<p title="x>"><meta charset=greek></p>', "iso-8859-7"),
        ('<p title="x><meta charset=greek></p>', ""),
        ("<script><meta charset=greek></script>", ""),
        ("<meta charset=euc_jp>", ""),  # no label of the Encoding standard
        ("<meta charset=bogus><meta charset=greek>", "iso-8859-7"),
        ("<meta charset=", ""),
        ("<meta charset", ""),
        ("<", ""),
    ],
)
def test_the_declaration_of_damaged_markup_is_that_of_the_standard(markup: str, encoding: str) -> None:
    assert declared_charset(f"<!DOCTYPE html>{markup}".encode()) == encoding


@pytest.mark.parametrize("label", ["utf-16", "utf-16be", "ucs-2"])
def test_a_declaration_that_could_be_read_is_not_in_utf_16(label: str) -> None:
    content = f"<meta charset={label}>\u00e9".encode()
    assert text_of(content) == (content.decode(), "utf-8")


@pytest.mark.parametrize(
    ("content", "content_type", "text"),
    [
        (b"\x80\x81\x9f\xff", "charset=iso-8859-1", "\u20ac\x81\u0178\u00ff"),
        (b"\xd2", "charset=windows-1253", "\ufffd"),
        (b"\xe1", "charset=windows-874", "\u0e41"),
        (b"\xc1\xa3", "charset=koi8-r", "\u0430\u0451"),
        (b"\x81\x30\x81\x30", "charset=gb2312", "\x80"),
        (b"\x1b$B$3\x1b(B", "charset=iso-2022-jp", "\u3053"),
        (b"a\x00", "charset=utf-16le", "a"),
        (b"\xb1\xff", "charset=iso-8859-3", "\u0127\u02d9"),
        (b"plain", "charset=shift_jis", "plain"),
    ],
)
def test_bytes_are_decoded_by_the_tables_of_the_standard(content: bytes, content_type: str, text: str) -> None:
    assert text_of(content, content_type)[0] == text


@pytest.mark.parametrize(
    "content", [b"", b"plain", "caf\u00e9".encode(), "caf\u00e9".encode()[:-1], "\u20ac".encode()[:2]]
)
def test_utf_8_is_handed_on_untouched(content: bytes) -> None:
    assert decode_html(content, "").html is content
    assert decode_html(content, "").encoding == "utf-8"


@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", "text/html", ""])
def test_a_few_bad_bytes_do_not_make_a_page_another_encoding(content_type: str) -> None:
    content = ("\u00e9" * 50).encode() + b"\xff end"
    assert text_of(content, content_type) == ("\u00e9" * 50 + "\ufffd end", "utf-8")


def test_chinese_text_in_which_some_bytes_are_valid_utf_8_is_not_utf_8() -> None:
    text = "\u4e2d\u534e\u4eba\u6c11\u5171\u548c\u56fd\u662f\u4e16\u754c\u4e0a\u4eba\u53e3\u6700\u591a\u7684"
    assert text_of(text.encode("gb18030"))[1] != "utf-8"


def test_a_declaration_in_the_body_counts_before_a_guess() -> None:
    content = b"<body><p>" + b"x" * 1_100 + b"<meta charset=iso-8859-2>"
    assert text_of(content + b"\xb3\xf3d\xbc") == (content.decode() + "\u0142\u00f3d\u017a", "iso-8859-2")
    assert text_of(content + "\u0142".encode())[1] == "utf-8"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (b"<meta charset=windows-1251>\xe4\xe5\xec", "windows-1251"),  # the page's own charset wins
        (b"<meta charset=utf-8>" + GERMAN, "windows-1252"),
        (GERMAN, "windows-1252"),
    ],
)
def test_a_page_that_is_not_the_utf_8_it_was_said_to_be_is_read_otherwise(content: bytes, encoding: str) -> None:
    assert text_of(content, "text/html; charset=utf-8")[1] == encoding


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(RUSSIAN, "windows-1251"), (JAPANESE, "shift_jis"), (JAPANESE, "euc-jp")],
)
def test_an_undeclared_encoding_is_guessed(text: str, encoding: str) -> None:
    codec = {"windows-1251": "cp1251", "shift_jis": "cp932", "euc-jp": "euc_jp"}[encoding]
    assert text_of(text.encode(codec)) == (text, encoding)


def test_what_cannot_be_guessed_is_windows_1252() -> None:
    assert text_of(bytes(range(128, 256)))[1] == "windows-1252"


TYPES = st.sampled_from(["", "text/html; charset=utf-8", "charset=gbk", "charset=iso-2022-jp", "charset=utf-16be"])
STARTS = st.sampled_from([b"", b"<meta charset=big5>", b"<meta charset=", b"<?xml encoding='", b"\xff\xfe", b"<!--"])


@given(start=STARTS, rest=st.binary(max_size=60), content_type=TYPES)
def test_no_bytes_raise(start: bytes, rest: bytes, content_type: str) -> None:
    decoded = decode_html(start + rest, content_type)
    assert decoded.encoding == decoded.encoding.lower()
    assert isinstance(decoded.html, str | bytes)


@given(st.text(max_size=60))
def test_what_utf_8_says_is_what_is_read(text: str) -> None:
    assert text_of("\ufeff".encode() + text.encode())[0] == text
