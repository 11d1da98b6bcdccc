"""The background images that style sheets name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.pages.css_urls import backgrounds
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


@given(st.text(alphabet="backgroundurl()'\"\\/*;{}:-, \n0a", max_size=200))
def test_no_text_is_too_hard(text: str) -> None:
    assert all(isinstance(one, str) for one in backgrounds(text))
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
    assert isinstance(best_candidate(text, width=100), str)
