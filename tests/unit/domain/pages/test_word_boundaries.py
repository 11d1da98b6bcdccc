"""Words are parted where a reader sees them apart, and have no invisible characters."""

import pytest
from tests.support.page_texts import markdown, text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<p><span style='display:block'>Name</span><span style='color:red; display : flex'>Value</span>",
            "Name\n\nValue",
        ),
        ("<p>a<b style=display:inline-block>b</b><i style=display:blocky>c</i>", "abc"),
        ("<div style=display:block>a</div><my-block style=display:block>b</my-block>", "a\n\nb"),
        ("<h2><span style=display:block>a</span>b</h2>", "a\n\nb"),
        (
            "<pre><span style=display:block>a</span><b style=display:block>b\n</b><i style=display:block>c</i></pre>",
            "a\nb\nc",
        ),
        ("<pre><span style=display:block>a</span><br>b<span style=display:block>c</span>\nd</pre>", "a\nbc\nd"),
        ("<p>漢<ruby>字<rt>じ</rt></ruby>", "漢字(じ)"),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>", "漢(かん)"),
        ("<ruby>東<rt>とう</rt> 京<rt>きょう</rt></ruby>", "東(とう) 京(きょう)"),
        ("<ruby><rb>a<rb>b<rtc><rt>c<rt>d</rtc></ruby>", "ab(cd)"),
        ("<ruby>a<rt>b</rt> <rt>c</rt></ruby>", "a(b c)"),
        ("Do&shy;nau &#8203;&#xfeff;x\u2060y <p>\u202aw\u202c \u2067v\u2069 \u200eu", "Donau xy\n\nw v u"),
        ("a<p>&#8203;</p>b<pre>c\u200bd</pre>", "a\n\nb\n\ncd"),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627 \U0001f469\u200d\U0001f4bb",
            "\u0645\u06cc\u200c\u062e\u0648\u0627 \U0001f469\u200d\U0001f4bb",
        ),
    ],
)
def test_words_of_the_text(html: str, expected: str) -> None:
    assert text(html) == expected
    markdown(html)


SPANS = "<p class=p><span class=a>a</span><b class=b>b</b> <i>c</i><i>d</i></p>"


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        (".a { color: red; display: block }", "a\n\nb cd"),
        ("/* .a{display:block} */ span.a, b.b{display:flex}", "a\n\nb\n\ncd"),
        (".p > i{display:block}", "ab\n\nc\n\nd"),
        (".p > i {display:BLOCK}", "ab\n\nc\n\nd"),
        (".p i {display:block}", "ab cd"),
        (".a{display:block} .a{display:inline}", "ab cd"),
        ("@media print { .a{display:block} } @import 'x'; .b{}", "ab cd"),
        ("i{display:block} .a:hover{display:block} [class]{display:block}", "ab cd"),
        (".a{display:block}" + " " * 20_000, "ab cd"),
        (".a{color:red}", "ab cd"),
        (".a{display:block}" + "@x;" * 200, "ab cd"),
        (".p  >  .a ,\n.c > .b{display:block", "a\n\nb cd"),
    ],
)
def test_a_style_sheet_in_the_page_makes_blocks(sheet: str, expected: str) -> None:
    assert text(f"<style>{sheet}</style>{SPANS}") == expected


def test_the_style_of_an_element_takes_precedence_over_the_sheet() -> None:
    assert text("<style>.a{display:block}</style><p><b class=a style=display:inline>a</b>b") == "ab"
