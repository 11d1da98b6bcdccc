"""Tags and texts of serialized HTML."""

import pytest

from wavecrawl.domain.pages.extraction import extract, serialized_tags
from wavecrawl.domain.pages.extraction.serialized_tags import tags_and_texts


@pytest.mark.parametrize("is_escaped", [True, False])
def test_each_tag_has_the_text_after_it(*, is_escaped: bool) -> None:
    tags, texts = tags_and_texts('<body>a<p class="b c">d</p> e</body>', is_escaped=is_escaped)
    assert [(tag.name, tag.attributes) for tag in tags] == [
        ("body", ""),
        ("p", 'class="b c"'),
        ("/p", ""),
        ("/body", ""),
    ]
    assert texts == ["a", "d", " e", ""]


def test_raw_text_has_signs_that_are_no_tags() -> None:
    tags, texts = tags_and_texts("<body><xmp>a > b</xmp></body>", is_escaped=False)
    assert [tag.name for tag in tags] == ["body", "xmp", "/xmp", "/body"]
    assert texts == ["", "a > b", "", ""]


def test_the_name_of_an_attribute_may_contain_a_sign() -> None:
    page = '<body><main><div <b="" class="c">one two</div><p>three</main>'
    assert extract(page, url="https://example.com/").facts.text == "one two\n\nthree"


def test_the_memory_of_tags_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serialized_tags, "_REMEMBERED", 3)
    many = "".join(f'<p id="{number}">{number}</p>' for number in range(10))
    long = f'<p id="{"x" * 1_000}">y</p>'
    tags, texts = tags_and_texts(many + long, is_escaped=True)
    assert [tag.attributes for tag in tags[::2]] == [*(f'id="{number}"' for number in range(10)), f'id="{"x" * 1_000}"']
    assert texts[::2] == [*map(str, range(10)), "y"]
    remembered = list(serialized_tags._TAGS)
    assert 0 < len(remembered) <= 3
    assert max(map(len, remembered)) < 100


def test_the_text_of_dropped_boxes_is_not_that_of_boxes_around_them() -> None:
    inner = "<nav>four five six</nav><div><nav>seven</nav><p>eight nine</p></div>"
    page = f"<body><main><h1>One</h1>{inner}<section><nav>ten</nav><p>eleven</p></section></main></body>"
    assert extract(page, url="https://example.com/").facts.text == "One\n\neight nine\n\neleven"
