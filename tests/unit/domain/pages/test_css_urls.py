"""The background images that style sheets name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.pages.css_urls import backgrounds, used_urls
from wavecrawl.domain.pages.extraction.srcset import best_candidate


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("background: url(a.png)", ["a.png"]),
        ("BACKGROUND-IMAGE: URL( 'a b.png' ) , url(\"c.png\")", ["a b.png", "c.png"]),
        ("background: linear-gradient(red, blue), url(a.png) no-repeat", ["a.png"]),
        ("background /* why */ : /* url(no.png) */ url(a.png)", ["a.png"]),
        ("/* background: url(no.png) */ color: red", []),
        ("content: 'background: url(no.png)'", []),
        ('content: "\\"; background: url(no.png)"', []),
        ("background: 'url(no.png)'", []),
        ("list-style: url(no.png); background: none", []),
        ("cursor: url(no.cur); background: url(a.png)", ["a.png"]),
        ("@import url(no.css); @font-face { src: url(no.woff) } .a { background: url(a.png) }", ["a.png"]),
        (".a { background: red } .b { border-image: url(no.png) }", []),
        ("--background: url(no.png); background-position: url(no.png); my-background: url(no.png)", []),
        ("background: url(data:image/png;base64,AAAA)", []),
        ("background: url()", []),
        ("background: url(#gradient), url(' #pattern'), url(a.svg#icon)", ["a.svg#icon"]),
        ("background: url(a\\ b.png)", ["a b.png"]),
        ("background: url('a\\27 b\\0.png')", ["a'b\ufffd.png"]),
        ("background: url('a\\\nb.png')", ["ab.png"]),
        ("background: url(a'b.png)", []),
        ("background: url('a.png", []),
        ("/* not closed background: url(no.png)", []),
    ],
)
def test_background_images_of_a_style(css: str, expected: list[str]) -> None:
    assert list(backgrounds(css)) == expected


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        (
            "@import 'a.css'; @import \"b.css\" print; @import url(c.css)",
            ["import a.css", "import b.css", "import c.css"],
        ),
        ("@charset 'utf-8'; @layer x; @import/**/'a.css' supports(display: grid) screen;", ["import a.css"]),
        ("a { color: red } @import 'late.css';", []),
        (
            "@font-face { src: url(a.eot); src: url(a.woff2) format('woff2') } p { src: url(no) }",
            ["font a.eot", "font a.woff2"],
        ),
        ("a { cursor: url(c.cur), auto; border-image: url(b.png) } ", ["image c.cur", "image b.png"]),
        (
            "@namespace svg url(http://no); @-moz-document url(http://no) { a { mask: url(m.svg#m) } }",
            ["image m.svg#m"],
        ),
        ("a { --x: url(no.png); behavior: url(no.htc); fill: url(#no); background: url(data:image/png,AA) }", []),
        ("a:hover { content: 'url(no.png)' url(yes.png) }", ["image yes.png"]),
        ("/* a { background: url(no.png) } */ url(no.png)", []),
        (r"a { background: url('a\28 1\29.png') }", ["image a(1).png"]),
        ("@import ", []),
        ("@import 'a.css", ["import a.css"]),
    ],
)
def test_what_a_style_loads_and_for_what(css: str, expected: list[str]) -> None:
    assert [f"{use} {url}" for use, url in used_urls(css)] == expected


@given(st.text(alphabet="backgroundurl()'\"\\/*;{}:-, \n0a", max_size=200))
def test_no_text_is_too_hard(text: str) -> None:
    assert all(isinstance(one, str) for one in backgrounds(text))
    assert all(isinstance(one, str) for _, one in used_urls(text))
    assert isinstance(best_candidate(text, width=100), str)


@pytest.mark.parametrize(
    ("start", "part"),
    [
        *(
            ("", part)
            for part in ("/*", "url(", "background:", "'\\", "url('\\", "background/*", "a ", ",", "(", "( a,")
        ),
        ("", "background/**/"),
        ("background", "/**/"),
        ("url(", " "),
    ],
)
def test_long_texts_take_time_in_proportion_to_their_length(start: str, part: str) -> None:
    text = start + part * (400_000 // len(part))
    assert isinstance(list(backgrounds(text)), list)
    assert isinstance(list(used_urls(text)), list)
    assert isinstance(best_candidate(text, width=100), str)
